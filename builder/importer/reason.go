package importer

import (
	"fmt"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/exports/safetext"
)

// Reason describes one problem with a row.
type Reason struct {
	Field      string `json:"field"`  // field of the entity, or "" if the row cannot be read
	Column     string `json:"column"` // column that the field comes from, or ""
	Value      string `json:"value"`  // the original value, if a single value is the problem
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitempty"`
}

// Error implements error. It returns String.
func (r *Reason) Error() string { return r.String() }

// String returns the reason on one line:
// field (column name): message (did you mean "…"?)
func (r Reason) String() string {
	var b strings.Builder
	b.WriteString(r.Field)
	if r.Column != "" {
		word := "column"
		if strings.Contains(r.Column, ", ") {
			word = "columns"
		}
		if r.Field == "" {
			fmt.Fprintf(&b, "%s %s", word, r.Column)
		} else {
			fmt.Fprintf(&b, " (%s %s)", word, r.Column)
		}
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(yamldoc.Problem{Message: r.Message, Suggestion: r.Suggestion}.Text())
	return safetext.Escape(b.String())
}
