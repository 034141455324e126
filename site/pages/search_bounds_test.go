package pages_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/site/pages"
)

// TestSearchIsBounded searches with as many filters as fit into a request: each link on
// the page contains all applied filters in its URL.
func TestSearchIsBounded(t *testing.T) {
	s := siteOf(t, edgetest.Built(t), pages.Options{})
	same := strings.Repeat("tag=a&", 5000)
	var many, long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, "tag=a%d&", i)
	}
	for i := range 10 {
		fmt.Fprintf(&long, "provider=%s%d&", strings.Repeat("%22", 1000), i)
	}
	for name, query := range map[string]string{"same": same, "many": many.String(), "long": long.String(),
		"unknown": strings.Repeat("x=1&", 7000), "words": "q=" + strings.Repeat("%22", 10_000), "page": "page=" + strings.Repeat("9", 30_000)} {
		q := suite.Must(url.ParseQuery(query))(t)
		a := suite.Must(s.Get(pages.Request{Path: "/search/", Query: q, Base: base}))(t)
		if len(a.Body) > 1_000_000 || packed(string(a.Body)) > largest {
			t.Errorf("%s: the page has %d bytes for a query of %d", name, len(a.Body), len(query))
		}
		said := strings.Contains(string(a.Body), "Too many filters")
		if want := name == "many" || name == "long"; said != want {
			t.Errorf("%s: reported as too many filters: %v", name, said)
		}
		if n := strings.Count(string(a.Body), "chosen-chip"); n > 20 || name == "many" && n != 20 || name == "same" && n != 1 {
			t.Errorf("%s: %d filters are applied", name, n)
		}
	}
}
