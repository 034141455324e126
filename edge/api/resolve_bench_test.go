package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"kindex/edge/live"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/store"
)

// builtTools returns a build of n tools with a repository, packages and a model page
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
			IDs:   []record.ID{{Namespace: "npm", Value: "@lab/" + name}, {Namespace: "pypi", Value: "py-" + name}, {Namespace: "huggingface", Value: "Lab/" + name}},
			Links: []record.Link{{Name: "package", URL: "https://pypi.org/project/py-" + name}, {Name: "repository", URL: "https://github.com/lab/" + name}}}
	}
	root := tb.TempDir()
	w, err := exports.NewWriter(root)
	check(err)
	check(w.WriteNeighbours(make([]exports.PackedNeighbours, n), nil))
	check(w.WriteLookups(entities))
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

// BenchmarkResolveBatch measures batches of 1,000 identifiers among 100,000 entities, from the
// body of the request to the body of the response. The goal is 5 ms. The yardstick decodes the
// same body and encodes the same response with encoding/json.
func BenchmarkResolveBatch(b *testing.B) {
	const n = 100_000
	served := &live.ServedBuild{Build: builtTools(b, n)}
	for _, class := range []struct{ name, format string }{
		{"package URLs", "pkg:pypi/py-tool-%06d@1.0.0"},
		{"repositories", "https://github.com/lab/tool-%06d"},
		{"package pages", "https://pypi.org/project/py-tool-%06d/"},
		{"model pages", "https://huggingface.co/lab/tool-%06d"},
		{"namespaces", "npm:@lab/tool-%06d"},
		{"entities", "tool/tool-%06d"},
		{"unknown", "pkg:pypi/other-%06d@1.0.0"},
		{"unknown addresses", "https://github.com/other/thing-%06d"},
		{"unknown but similar", "pypi:py-toool-%06d"},
	} {
		var batch resolveBatch
		for i := range 1000 {
			batch.IDs = append(batch.IDs, fmt.Sprintf(class.format, i*(n/1000)))
		}
		body, err := json.Marshal(batch)
		if err != nil {
			b.Fatal(err)
		}
		response := resolveBody(b, served, body)
		b.Run(class.name, func(b *testing.B) {
			for b.Loop() {
				resolveBody(b, served, body)
			}
		})
		var answer resolution
		if err := json.Unmarshal(response, &answer); err != nil {
			b.Fatal(err)
		}
		b.Run(class.name+"/encoding-json", func(b *testing.B) {
			for b.Loop() {
				var batch resolveBatch
				if err := json.Unmarshal(body, &batch); err != nil {
					b.Fatal(err)
				}
				if _, err := json.Marshal(answer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// resolveBatch is the body of a request.
type resolveBatch struct {
	IDs []string `json:"ids"`
}

// resolution is the body of a response.
type resolution struct {
	Data []struct {
		ID          string           `json:"id"`
		As          *string          `json:"as"`
		Version     *string          `json:"version"`
		Qualifiers  *string          `json:"qualifiers"`
		Matches     []resolvedEntity `json:"matches"`
		Suggestions []resolvedEntity `json:"suggestions"`
	} `json:"data"`
	Count int    `json:"count"`
	Build string `json:"build"`
}

// resolvedEntity is a match or, with the first three members, a suggestion.
type resolvedEntity struct {
	Type            string            `json:"type"`
	Slug            string            `json:"slug"`
	Name            string            `json:"name"`
	Status          *string           `json:"status,omitempty"`
	Maintenance     *string           `json:"maintenance,omitempty"`
	MaintenanceAsOf *string           `json:"maintenanceAsOf,omitempty"`
	License         *string           `json:"license,omitempty"`
	Version         *string           `json:"version,omitempty"`
	VersionDate     *string           `json:"versionDate,omitempty"`
	LastUpdated     *string           `json:"lastUpdated,omitempty"`
	Lifecycle       *record.Lifecycle `json:"lifecycle,omitempty"`
}

// free admits all requests.
type free struct{ web.Admission }

func (free) Charge(int64) error { return nil }

// resolveBody returns the response to a batch.
func resolveBody(b *testing.B, served *live.ServedBuild, body []byte) []byte {
	b.Helper()
	r := httptest.NewRequest(http.MethodPost, "/api/resolve", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	c := &web.Call{Shared: &web.Shared{}, Request: r, Writer: httptest.NewRecorder(), Admission: free{}, Served: served}
	reply, err := new(API).ResolveBatch(c)
	if err != nil {
		b.Fatal(err)
	}
	c.CancelDeadline()
	return reply.Body
}
