// Package difftest creates comparisons for tests, and extracts the parts of their Markdown that
// are outside code.
package difftest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kindex/builder/diff"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// Report returns a comparison with n created entities, each with a field that has the given
// value.
func Report(n int, value string) *diff.Report {
	d := &diff.Report{Comparison: &diff.Comparison{AsOf: "2026-07-01T00:00:00Z", Changed: true, Formula: &diff.Formula{Old: value, New: value}}}
	d.From, d.To = diff.Ref{Name: jsonenc.OptionalString(value), Commit: "1"}, diff.Ref{Name: "b", Commit: "2"}
	d.Notes = []string{value}
	for i := range n {
		slug := fmt.Sprintf("t%04d", i)
		d.Entities = append(d.Entities, diff.Entity{Event: record.Created, Type: "tool", Slug: slug, Name: value, Category: "c", Fields: []diff.Field{
			{Name: "name", Old: []byte("null"), New: jsonenc.AppendString(nil, value)},
			{Name: "tags", Old: []byte(`["a"]`), New: slices.Concat([]byte("["), jsonenc.AppendString(nil, value), []byte("]"))},
		}})
		d.Duplicates = append(d.Duplicates, diff.Duplicate{Entity: "tool/" + slug, Other: "tool/x", Reasons: []diff.Reason{{Kind: diff.SameName, Value: value}}})
	}
	d.Categories = []diff.Category{{Event: "category.created", Slug: "c", Fields: d.Entities[0].Fields[:1]}}
	d.Counts.Created = n
	return d
}

var fenced = regexp.MustCompile("(?ms)^(```+)diff\n.*?^(```+)\n")

// OutsideCode returns a Markdown comment without its code spans and blocks.
func OutsideCode(markdown string) string {
	markdown = fenced.ReplaceAllStringFunc(markdown, func(block string) string {
		m := fenced.FindStringSubmatch(block)
		if m[1] != m[2] {
			return block
		}
		return ""
	})
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(markdown, "`")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		fence := "`" + rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
		rest = rest[len(fence)-1:]
		end := 0 // the code ends at the next run of the same number of backticks
		for _, run := range regexp.MustCompile("`+").FindAllStringIndex(rest, -1) {
			if run[1]-run[0] == len(fence) {
				end = run[1]
				break
			}
		}
		if end == 0 {
			b.WriteString(fence)
		}
		markdown = rest[end:]
	}
}
