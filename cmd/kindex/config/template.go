package config

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const templateHead = `# Configuration of kindex. It is read only if --config or KINDEX_CONFIG names this file.
# Remove the # in front of a setting to use it; the values shown are the defaults.
# The command line takes precedence over the environment, and the environment over this file.
#
# A setting outside all sections applies to every command that has the flag, such as:
#content: content

# Secrets do not belong in this file. It may contain the names of files with secrets.
`

// WriteTemplate writes a configuration file with a section for each command that has flags. All
// flags are explained and commented out.
func WriteTemplate(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	b.WriteString(templateHead)
	for _, c := range root.Commands() {
		if name := c.Name(); !c.Hidden && name != Flag && name != "completion" && name != "help" {
			templateSection(&b, c, "")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func templateSection(b *strings.Builder, c *cobra.Command, indent string) {
	flags := 0
	walk(c, func(below *cobra.Command) { flags += len(settableFlags(below)) })
	if flags == 0 {
		return
	}
	if indent == "" {
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "%s# %s\n%s%s:\n", indent, c.Short, indent, c.Name())
	inner := indent + "  "
	for _, f := range settableFlags(c) {
		fmt.Fprintf(b, "%s# %s\n%s#%s: %s\n", inner, f.Usage, inner, f.Name, yamlValue(f))
	}
	for _, sub := range c.Commands() {
		templateSection(b, sub, inner)
	}
}

func settableFlags(c *cobra.Command) (list []*pflag.Flag) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if settable(f) && !f.Hidden {
			list = append(list, f)
		}
	})
	return list
}

// yamlValue returns the default of a flag as YAML.
func yamlValue(f *pflag.Flag) string {
	if s, ok := f.Value.(pflag.SliceValue); ok {
		texts := slices.Clone(s.GetSlice())
		for i, text := range texts {
			texts[i] = quote(text)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	switch f.Value.Type() {
	case "bool", "int", "int64", "float64", "duration":
		return f.DefValue
	}
	return quote(f.DefValue)
}

// quote returns a YAML string in single quotes.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
