package edge_test

import (
	"net/url"
	"regexp"
	"slices"
	"testing"

	"kindex/builder/suite"
)

// searchPage has the members of a search response that the tests check.
type searchPage struct {
	Data []struct {
		Type, Slug string
		Highlights map[string]string
	}
	Count       int
	NextCursor  *string
	Suggestions []struct{ Type, Slug, Name string }
}

func (c *contract) search(t *testing.T, query string) (p searchPage) {
	t.Helper()
	c.send(t, request{op: "searchEntities", target: "/api/search?" + query, status: 200}).decode(t, &p)
	return p
}

// testSearching checks hits, highlights and suggestions for the content for tests.
func testSearching(t *testing.T, c *contract) {
	q := func(text string) string { return "q=" + url.QueryEscape(text) }
	t.Run("phrases", func(t *testing.T) {
		both, phrase := c.search(t, q("gradient boosting")), c.search(t, q(`"gradient boosting"`))
		open, turned := c.search(t, q(`"gradient boosting`)), c.search(t, q(`"boosting gradient"`))
		if phrase.Count == 0 || phrase.Count > both.Count || open.Count != phrase.Count || turned.Count != 0 {
			t.Errorf("%d with both words, %d with the phrase, %d with an open quote, %d the other way round", both.Count, phrase.Count, open.Count, turned.Count)
		}
	})
	t.Run("marks", func(t *testing.T) {
		marked := regexp.MustCompile(`<mark>[^<>]+</mark>`)
		for _, text := range []string{"gpt4", "pytrch", "scikitlearn", "light gbm", `"neural networks" python`, "g", "workbench images", "model"} {
			for _, hit := range c.search(t, q(text)).Data {
				n := 0
				for _, h := range hit.Highlights {
					n += len(marked.FindAllString(h, -1))
				}
				suite.Holds(t, n != 0, text, "no highlight in", hit.Type, "/", hit.Slug, hit.Highlights)
			}
		}
		if p := c.search(t, q("scikitlearn")); p.Data[0].Highlights["name"] != "<mark>scikit-learn</mark>" {
			t.Errorf("a name without its hyphen: %v", p.Data[0].Highlights)
		}
	})
	t.Run("suggestions", func(t *testing.T) {
		for query, first := range map[string]string{
			q("pytorch"):                  "",             // was found
			q("pytorch") + "&offset=1000": "",             // was found, but not on this page
			q("pyttrchhh"):                "tool/pytorch", // is near
			q("optuna") + "&type=model":   "tool/optuna",  // does not match the filter
			q(`"networks neural"`):        "tool/pytorch", // would be found without quotes
			q("qjxqjxqjx"):                "",             // no name is similar
		} {
			p := c.search(t, query)
			got := ""
			if len(p.Suggestions) > 0 {
				got = p.Suggestions[0].Type + "/" + p.Suggestions[0].Slug
			}
			suite.Holds(t, got == first && p.Suggestions != nil && len(p.Suggestions) <= 5 &&
				(p.Count <= 0 || got == ""), query, p.Count, "hits and suggestions", p.Suggestions, first, "first")
		}
		names := c.search(t, q("kerass2"))
		if !slices.ContainsFunc(names.Suggestions, func(s struct{ Type, Slug, Name string }) bool { return s.Name == "Keras" }) {
			t.Errorf("suggestions for kerass2: %v", names.Suggestions)
		}
	})
}
