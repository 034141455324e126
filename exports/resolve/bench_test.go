package resolve_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/resolve"
	"kindex/exports/store"
)

// builtTools returns a build of n tools with a repository, a package and another identifier
// each.
func builtTools(tb testing.TB, n int) *exports.Build {
	tb.Helper()
	check := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	entities := make([]*record.Entity, n)
	for i := range entities {
		name := fmt.Sprintf("tool-%06d", i)
		entities[i] = &record.Entity{Type: "tool", Slug: name, Name: "Tool " + name, Category: "nlp", Description: "Does things.", Status: record.Active,
			Version: "1.2.3", License: "MIT", AddedDate: "2026-01-01", LastUpdated: "2026-07-01",
			IDs:   []record.ID{{Namespace: "npm", Value: "@lab/" + name}, {Namespace: "pypi", Value: "py-" + name}},
			Links: []record.Link{{Name: "package", URL: "https://pypi.org/project/py-" + name}, {Name: "repository", URL: "https://github.com/lab/" + name}}}
	}
	root := tb.TempDir()
	w, err := exports.NewWriter(root)
	check(err)
	check(w.WriteLookups(entities, make([]exports.RowLocation, n), make([][]exports.Neighbour, n), nil))
	check(w.WriteIDs(entities, nil))
	check(w.WriteArchive(&exports.Archive{}))
	m := &store.Manifest{Builder: "test", Title: "Test", AsOf: time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC).Format(time.RFC3339),
		Counts: store.Counts{Entities: n, Types: map[string]int{"tool": n}}}
	check(w.Finalize(m, func(string) string { return "CC0-1.0" }))
	check(w.Install(m))
	b, err := exports.Open(filepath.Join(store.BuildsDir(root), m.ID))
	check(err)
	tb.Cleanup(func() {
		if err := b.Close(); err != nil {
			tb.Error(err)
		}
	})
	return b
}

// BenchmarkBatch measures a batch of 1,000 identifiers among 100,000 entities, in the form in
// which a bill of materials states them. The goal is 5 ms.
func BenchmarkBatch(b *testing.B) {
	const n = 100_000
	build := builtTools(b, n)
	for name, format := range map[string]string{
		"package URLs":        "pkg:pypi/py-tool-%06d@1.0.0",
		"addresses":           "https://github.com/lab/tool-%06d",
		"namespaces":          "npm:@lab/tool-%06d",
		"entities":            "tool/tool-%06d",
		"unknown":             "pkg:pypi/other-%06d@1.0.0",
		"unknown but similar": "pypi:py-toool-%06d",
	} {
		ids := make([]string, 1000)
		for i := range ids {
			ids[i] = fmt.Sprintf(format, i*(n/1000))
		}
		b.Run(name, func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				buf = buf[:0]
				for i, id := range ids {
					buf, _ = resolve.AppendJSON(buf, build, id, i < 50) // as the edge does
				}
			}
		})
	}
}
