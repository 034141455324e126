package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/exports/didyoumean"
)

// JSONFlag adds --json. With this flag, a command prints one JSON value to standard output and
// nothing else; site/docs/cli.md describes the value. Commands without a report do not have it.
func JSONFlag(f *pflag.FlagSet, asJSON *bool) {
	f.BoolVar(asJSON, "json", false, "print the report as JSON")
}

// PrintIndentedJSON prints a value as one JSON document.
func PrintIndentedJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Print prints a report: as JSON, or as text.
func Print(w io.Writer, asJSON bool, report any, text func(io.Writer)) error {
	if asJSON {
		return PrintIndentedJSON(w, report)
	}
	text(w)
	return nil
}

// PrintJSONLines prints a JSON array with one entry per line.
func PrintJSONLines[T any](w io.Writer, entries []T) error {
	if len(entries) == 0 {
		_, err := io.WriteString(w, "[]\n")
		return err
	}
	separator := "[\n"
	for _, entry := range entries {
		b := bytes.NewBufferString(separator)
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(entry); err != nil {
			return err
		}
		if _, err := w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n"))); err != nil {
			return err
		}
		separator = ",\n"
	}
	_, err := io.WriteString(w, "\n]\n")
	return err
}

// FormatOptions are the flags --format and --json, which is short for --format json.
type FormatOptions struct {
	Format string
	JSON   bool
}

// Flags adds the flags; formats[0] is the default.
func (o *FormatOptions) Flags(c *cobra.Command, formats []string, usage string) {
	c.Flags().StringVar(&o.Format, "format", formats[0], usage)
	JSONFlag(c.Flags(), &o.JSON)
	// This fails only if the flag is unknown or already has a completion.
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// Choose checks the flags and sets the format. If only one of the two flags is on the command
// line, it wins.
func (o *FormatOptions) Choose(f *pflag.FlagSet, formats []string) error {
	switch {
	case !slices.Contains(formats, o.Format):
		return Usage(UnknownName("format", o.Format, formats, didyoumean.Name(o.Format, formats)))
	case !o.JSON || o.Format == "json":
	case OnCommandLine(f, "json") && OnCommandLine(f, "format"):
		return Usage(fmt.Errorf("--json and --format %s cannot be combined", o.Format))
	case OnCommandLine(f, "format"):
		o.JSON = false
	}
	if o.JSON {
		o.Format = "json"
	}
	return nil
}
