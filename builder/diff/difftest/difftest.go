// Package difftest creates comparisons for tests, and extracts the parts of their Markdown that
// are outside code.
package difftest

import (
	"fmt"
	"slices"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

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
		d.Entities = append(d.Entities, diff.Entity{Event: record.Created, Type: "tool", Slug: slug, Name: value, Category: "c", Fields: []record.FieldChange{
			{Field: "name", Old: []byte("null"), New: jsonenc.AppendString(nil, value)},
			{Field: "tags", Old: []byte(`["a"]`), New: slices.Concat([]byte("["), jsonenc.AppendString(nil, value), []byte("]"))},
		}})
		d.Duplicates = append(d.Duplicates, diff.Duplicate{Entity: "tool/" + slug, Other: "tool/x", Reasons: []diff.Reason{{Kind: diff.SameName, Value: value}}})
	}
	d.Categories = []diff.Category{{Event: "category.created", Slug: "c", Fields: d.Entities[0].Fields[:1]}}
	d.Counts.Created = n
	return d
}

// OutsideCode returns a Markdown comment with spaces in place of its code.
func OutsideCode(markdown string) string {
	source, outside := []byte(markdown), []byte(markdown)
	blank := func(code text.Segment) {
		for i := code.Start; i < code.Stop; i++ {
			outside[i] = ' '
		}
	}
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if n.Parent().Kind() == ast.KindCodeSpan {
				blank(n.Segment)
			}
		case *ast.FencedCodeBlock:
			for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
				blank(line)
			}
		}
		return ast.WalkContinue, nil
	})
	return string(outside)
}
