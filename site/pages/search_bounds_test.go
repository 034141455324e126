package pages_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

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
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Get(pages.Request{Path: "/search/", Query: q, Base: base})
		if err != nil {
			t.Fatal(err)
		}
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

// TestSearchSaysWhatItLeavesOut searches for more words and phrases than the limits
// allow.
func TestSearchSaysWhatItLeavesOut(t *testing.T) {
	s := siteOf(t, edgetest.Built(t), pages.Options{})
	for query, want := range map[string][]string{
		`python "deep learning"`:    nil,
		`a b c d e f g h i j k l m`: nil, // a is a stop word
		`one two three four five six seven eight nine ten eleven twelve thirteen fourteen`: {"thirteen", "fourteen"},
		`"deep learning" "open source" "the model" x`:                                      {`"the model"`},
		`"deep" "b c" "<b>" "d"`: {`"b"`, `"d"`},
	} {
		a, err := s.Get(pages.Request{Path: "/search/", Query: url.Values{"q": {query}}, Base: base})
		if err != nil {
			t.Fatal(err)
		}
		_, said, found := strings.Cut(string(a.Body), "Ignored: ")
		if said, _, _ = strings.Cut(said, ".</p>"); found != (want != nil) {
			t.Errorf("%s: ignored words are named: %v", query, found)
		}
		for i, m := range regexp.MustCompile(`<bdi>(.*?)</bdi>`).FindAllStringSubmatch(said, -1) {
			if i >= len(want) || html.UnescapeString(m[1]) != want[i] {
				t.Errorf("%s: %s is ignored, want %s", query, said, want)
			}
		}
		if strings.Count(said, "<bdi>") != len(want) {
			t.Errorf("%s: %s is ignored, want %s", query, said, want)
		}
	}
	var many strings.Builder
	for i := range 60 {
		fmt.Fprintf(&many, "\"w%d\" ", i)
	}
	a, err := s.Get(pages.Request{Path: "/search/", Query: url.Values{"q": {many.String()}}, Base: base})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(a.Body), "and 46 more.</p>") {
		t.Error("the number of other ignored words is missing")
	}
}
