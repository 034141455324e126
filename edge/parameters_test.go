package edge_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// sized is a model in a response.
type sized struct {
	Slug       string
	Parameters struct{ Total *int64 }
	Signals    struct{ Parameters struct{ Value int64 } }
}

// total returns the number of a model's parameters, or 0 if it is unknown.
func (m *sized) total() int64 {
	if m.Parameters.Total != nil {
		return *m.Parameters.Total
	}
	return m.Signals.Parameters.Value
}

// TestParameters filters models by their number of parameters, written as people write it, and
// compares the results with the numbers in all records.
func TestParameters(t *testing.T) {
	suite.InTest(t)
	e := edgetest.Start(t, edge.Options{LimitAnonymous: 10_000})
	list := func(query string) (slugs map[string]int64) {
		t.Helper()
		slugs = map[string]int64{}
		for offset := 0; ; offset += 100 {
			_, text := download(t, fmt.Sprint(e.URL, "/api/entities?limit=100&offset=", offset, "&", query), "identity")
			var page struct{ Data []sized }
			if err := json.Unmarshal(text, &page); err != nil {
				t.Fatal(err)
			}
			for _, m := range page.Data {
				slugs[m.Slug] = m.total()
			}
			if len(page.Data) < 100 {
				return slugs
			}
		}
	}
	all := list("type=model")
	for query, within := range map[string]func(n int64) bool{
		"minParameters=20B":                             func(n int64) bool { return n >= 20e9 },
		"maxParameters=7,000,000,000":                   func(n int64) bool { return n > 0 && n <= 7e9 },
		"minParameters=1b&maxParameters=0.1T":           func(n int64) bool { return n >= 1e9 && n <= 100e9 },
		"minParameters=30+billion&maxParameters=35000M": func(n int64) bool { return n >= 30e9 && n <= 35e9 },
	} {
		got := list("type=model&" + query)
		want := 0
		for slug, n := range all {
			_, ok := got[slug]
			if ok != within(n) {
				t.Errorf("%s: %s with %d parameters: %v", query, slug, n, ok)
			}
			if within(n) {
				want++
			}
		}
		if len(got) != want || want == 0 {
			t.Errorf("%s: %d models, want %d", query, len(got), want)
		}
	}
}
