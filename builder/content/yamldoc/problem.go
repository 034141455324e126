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

// Severity says whether a problem keeps content from being built.
type Severity string

// The severities of a problem.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is one thing that is wrong in a file, and where.
type Problem struct {
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Column     int      `json:"column"`
	Severity   Severity `json:"severity"`
	Field      string   `json:"field"` // with dots and brackets, "" for the file
	Message    string   `json:"message"`
	Suggestion string   `json:"suggestion,omitempty"` // the nearest right thing
}

// String is the problem on one line:
// file:line:column: field: what is wrong (did you mean "…"?)
func (p Problem) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: ", safetext.Escape(p.File), p.Line, p.Column)
	if p.Severity == Warning {
		b.WriteString("warning: ")
	}
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(p.Text())
	return b.String()
}

// Text is the problem without its place and field: what is wrong (did you mean
// "…"?)
func (p Problem) Text() string {
	if p.Suggestion == "" {
		return p.Message
	}
	return fmt.Sprintf("%s (did you mean %q?)", p.Message, p.Suggestion)
}

// Problems are what is wrong in a set of files. As an error it lists them all.
type Problems []Problem

// Error lists the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Count returns how many problems are errors and how many are warnings.
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

// With returns these problems and further ones, in order.
func (ps Problems) With(more Problems) Problems {
	all := slices.Concat(ps, more)
	all.Sort()
	return all
}

// Sort orders by file, place and text, so that reports do not depend on which
// file was read first.
func (ps Problems) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
	})
}

// FieldName writes a path into a document as people write it: signals.stars,
// tags[2]. A name that might be taken for something else stands in quotes.
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
		if utf8.RuneCountInString(p) > maxPlainLen || !plainName.MatchString(p) || safetext.Contains(p) {
			p = Quote(p)
		}
		b.WriteString(p)
	}
	return b.String()
}

// maxPlainLen is the length up to which a name is shown as it is, in characters. It is
// not part of plainName, which would take milliseconds to compile.
const maxPlainLen = 61

var plainName = regexp.MustCompile(`^[\pL_][\pL\pN_-]*$`)

// Quote quotes a value for a message, long ones cut.
func Quote(v any) string {
	switch v := v.(type) {
	case string:
		return safetext.Escape(strconv.Quote(safetext.Shorten(v, 60))) // Quote leaves some hidden letters and marks
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
