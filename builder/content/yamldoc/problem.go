package yamldoc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"kindex/exports/safetext"
)

// Severity determines whether a problem prevents a build.
type Severity string

// The possible severities of a problem.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is a problem in a file, with its position.
type Problem struct {
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Column     int      `json:"column"`
	Severity   Severity `json:"severity"`
	Field      string   `json:"field"` // path with dots and brackets, or "" for the whole file
	Message    string   `json:"message"`
	Suggestion string   `json:"suggestion,omitempty"` // the nearest valid value
}

// String returns the problem on one line:
// file:line:column: field: message (did you mean "…"?)
func (p Problem) String() string {
	about := ""
	if p.Severity == Warning {
		about = "warning: "
	}
	if p.Field != "" {
		about += p.Field + ": "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", safetext.Escape(p.File), p.Line, p.Column, about, p.Text())
}

// Text returns the problem without its position and field: message (did you mean "…"?)
func (p Problem) Text() string {
	if p.Suggestion == "" {
		return p.Message
	}
	return fmt.Sprintf("%s (did you mean %q?)", p.Message, p.Suggestion)
}

// Problems lists the problems in a set of files. Its error message contains all of them.
type Problems []Problem

// Error lists the problems, one per line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Count returns the numbers of errors and warnings.
func (ps Problems) Count() (errors, warnings int) {
	for _, p := range ps {
		if p.Severity == Warning {
			warnings++
		} else {
			errors++
		}
	}
	return errors, warnings
}

// HasErrors reports whether any problem is an error.
func (ps Problems) HasErrors() bool {
	n, _ := ps.Count()
	return n > 0
}

// With returns the problems in ps and more, sorted.
func (ps Problems) With(more Problems) Problems {
	all := slices.Concat(ps, more)
	all.Sort()
	return all
}

// Sort sorts the problems by file, position, field and message, so that reports do not depend
// on the order in which files are read.
func (ps Problems) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
	})
}

// FieldName formats a document path in human-readable form, such as signals.stars or tags[2].
// Ambiguous names are quoted.
func FieldName(path []string) string {
	var b strings.Builder
	for i, p := range path {
		if _, err := strconv.ParseUint(p, 10, 31); err == nil && i > 0 {
			b.WriteString("[" + p + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		if !plainName.MatchString(p) || utf8.RuneCountInString(p) > maxPlainName || safetext.Contains(p) {
			p = Quote(p)
		}
		b.WriteString(p)
	}
	return b.String()
}

// plainName matches names that are written without quotes, unless they have more than maxPlainName
// letters. A count in the pattern would repeat its tables, which every start of the program would pay.
var plainName = regexp.MustCompile(`^[\pL_][\pL\pN_-]*$`)

const maxPlainName = 61

// Quote quotes a value for a message and shortens long ones.
func Quote(v any) string {
	switch v := v.(type) {
	case string:
		return safetext.Escape(strconv.Quote(safetext.Shorten(v, 60))) // strconv.Quote does not escape some hidden letters and marks
	case []any:
		return "a list"
	case map[string]any:
		return "a set of fields"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "the value"
	}
	return string(b)
}
