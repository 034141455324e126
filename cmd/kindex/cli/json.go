package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// JSONFlag adds --json. With this flag, a command prints one JSON value to standard output and
// nothing else; site/docs/cli.md describes the value. Commands without a report do not have it.
func JSONFlag(c *cobra.Command) { c.Flags().Bool("json", false, "print the report as JSON") }

// AsJSON reports whether a command prints its report as JSON.
func AsJSON(c *cobra.Command) bool {
	asJSON, err := c.Flags().GetBool("json")
	return err == nil && asJSON
}

// PrintIndentedJSON prints a value as one JSON document.
func PrintIndentedJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Print prints the report of a command: as JSON, or as text.
func Print(c *cobra.Command, report any, text func(io.Writer)) error {
	if AsJSON(c) {
		return PrintIndentedJSON(c.OutOrStdout(), report)
	}
	text(c.OutOrStdout())
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

// FormatFlags adds --format, whose default is the first of the formats, and --json, which is short for
// --format json.
func FormatFlags(c *cobra.Command, formats ...string) {
	ChoiceVar(c, new(string), "format", formats[0], "output format: "+strings.Join(formats, ", "), formats)
	JSONFlag(c)
	Excludes(c.Flags(), "json", "format", "--json is short for --format json")
}

// Format returns the format that the flags choose. The command line takes precedence over variables.
func Format(c *cobra.Command) string {
	if AsJSON(c) && !OnCommandLine(c.Flags(), "format") {
		return "json"
	}
	return c.Flags().Lookup("format").Value.String()
}
