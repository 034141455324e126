package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"kindex/exports/safetext"
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
	b := bytes.NewBufferString("[")
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	for i, entry := range entries {
		if i > 0 {
			b.Truncate(b.Len() - 1) // the line end of the entry before
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		if err := enc.Encode(entry); err != nil {
			return err
		}
	}
	b.WriteString("]\n")
	_, err := b.WriteTo(w)
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

// PrintTable prints rows as aligned columns.
func PrintTable(cmd *cobra.Command, rows [][]string) {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, safetext.Escape(cell))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // run reports write errors
}

// FormatTime formats a time in UTC in a human-readable form, or returns none for the zero
// time.
func FormatTime(t time.Time, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// OrNull returns nil (null in JSON) for the zero time.
func OrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
