package cli

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"kindex/exports/safetext"
)

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

// OrDash returns s, or a dash if it is empty.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
