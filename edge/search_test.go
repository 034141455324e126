package edge_test

import (
	"net/url"
	"testing"

	"kindex/builder/suite"
)

// testSearching checks when a search without hits has suggestions. Package indexes tests hits and highlights.
func testSearching(t *testing.T, c *contract) {
	q := func(text string) string { return "q=" + url.QueryEscape(text) }
	for query, first := range map[string]string{
		q("pytorch"):                  "",             // was found
		q("pytorch") + "&offset=1000": "",             // was found, but not on this page
		q("pyttrchhh"):                "tool/pytorch", // is near
		q("kerass2"):                  "tool/keras",
		q("optuna") + "&type=model":   "tool/optuna",  // does not match the filter
		q(`"networks neural"`):        "tool/pytorch", // would be found without quotes
		q("qjxqjxqjx"):                "",             // no name is similar
	} {
		var p struct {
			Count       int
			Suggestions []struct{ Type, Slug string }
		}
		c.send(t, request{op: "searchEntities", target: "/api/search?" + query, status: 200}).decode(t, &p)
		got := ""
		if len(p.Suggestions) > 0 {
			got = p.Suggestions[0].Type + "/" + p.Suggestions[0].Slug
		}
		suite.Holds(t, got == first && p.Suggestions != nil && len(p.Suggestions) <= 5 &&
			(p.Count <= 0 || got == ""), query, p.Count, "hits and suggestions", p.Suggestions, first, "first")
	}
}
