package importer

import (
	"fmt"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/exports/safetext"
)

// Reason is one thing that is wrong with a row.
type Reason struct {
	Field      string `json:"field"`  // of the entity, "" where the row cannot be read
	Column     string `json:"column"` // that the field is made from, "" where there is none
	Value      string `json:"value"`  // as it is in the row, where one value is to blame
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitempty"`
}

// Error is the reason on one line.
func (r *Reason) Error() string { return r.String() }

// String is the reason on one line:
// field (column name): what is wrong (did you mean "…"?)
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
