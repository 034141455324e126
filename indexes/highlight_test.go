package indexes_test

import (
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
	"kindex/indexes"
)

func TestHighlight(t *testing.T) {
	suite.InTest(t)
	c := realCatalogue(t)
	for _, k := range []struct{ query, text, want string }{
		{"pytrch networks", "PyTorch & <b>neural network</b>", "<mark>PyTorch</mark> &amp; &lt;b&gt;neural <mark>network</mark>&lt;/b&gt;"},
		{"pytrch networks", "nothing here", "nothing here"},
		{"pytrch networks", `"Networks"`, "&#34;<mark>Networks</mark>&#34;"},
		{"boost", "Boosting, boosted; booster", "<mark>Boosting</mark>, <mark>boosted</mark>; <mark>booster</mark>"}, // as whole words
		{"orchestrating simulators", "Orchestrates a simulation; simulates orchestration", "<mark>Orchestrates</mark> a <mark>simulation</mark>; <mark>simulates</mark> <mark>orchestration</mark>"},
		{`"gradient boosting"`, "Gradient-boosting with gradient. Boosting gradient boostings", "<mark>Gradient-boosting</mark> with <mark>gradient. Boosting</mark> gradient boostings"},
		{`"gradient boosting" gpu`, "GPUs for gradient boosting", "<mark>GPUs</mark> for <mark>gradient boosting</mark>"},
	} {
		_, res := c.find(t, k.query, 1)
		got := res.Highlights(&record.Entity{Description: k.text})
		var want []indexes.Highlight
		if strings.Contains(k.want, "<mark>") {
			want = []indexes.Highlight{{Field: "description", Text: k.want}}
		}
		suite.Equal(t, got, want, k.query)
	}
}

var marks = regexp.MustCompile(`</?mark>`)

// TestEveryHitIsMarked runs many kinds of queries and checks that the highlights of
// each hit show the matches in the original text.
func TestEveryHitIsMarked(t *testing.T) {
	suite.InTest(t)
	for name, c := range map[string]*catalogue{"real": realCatalogue(t), "odd": open(t, oddContent(t))} {
		hits := 0
		for _, q := range c.manyQueries(t) {
			_, res := c.find(t, q, 20)
			for _, h := range res.Hits {
				e := c.build.Entity(h.Ordinal)
				list := res.Highlights(e)
				if len(list) == 0 {
					t.Errorf("%s: %q: nothing of %s is marked", name, q, e.Key())
				}
				for _, hl := range list {
					hits++
					plain := marks.ReplaceAllString(hl.Text, "")
					want, known := fieldText(c, e, hl.Field)
					if got := html.UnescapeString(plain); !known && hl.Field != "formerly" || known && got != want {
						t.Errorf("%s: %q: %s of %s is %q, want %q", name, q, hl.Field, e.Key(), got, want)
					}
					if strings.ContainsAny(plain, `<>"'`) || strings.Count(hl.Text, "<mark>") == 0 || strings.Contains(hl.Text, "<mark></mark>") ||
						!slices.Equal(marks.FindAllString(hl.Text, -1), slices.Repeat([]string{"<mark>", "</mark>"}, strings.Count(hl.Text, "</mark>"))) {
						t.Errorf("%s: %q: %s of %s: %s", name, q, hl.Field, e.Key(), hl.Text)
					}
				}
			}
		}
		t.Logf("%s: %d texts", name, hits)
		if hits < 100 {
			t.Errorf("%s: only %d texts", name, hits)
		}
	}
}

func fieldText(c *catalogue, e *record.Entity, field string) (string, bool) {
	texts := map[string]string{
		"name": e.Name, "slug": e.Slug, "provider": e.Provider, "description": e.Description, "category": e.Category,
		"categoryTitle": c.titles[e.Category], "type": e.Type, "license": e.License, "tags": strings.Join(e.Tags, ", "), "capabilities": strings.Join(e.Capabilities, ", "),
	}
	if f := e.Declared().Field(field); f != nil && texts[field] == "" {
		var words []string
		for _, word := range f.Texts(e.Values.Get(field)) {
			words = append(words, f.Titles[word], word[strings.Index(word, "/")+1:])
		}
		texts[field] = strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), ", ")
	}
	s, ok := texts[field]
	return s, ok
}

// manyQueries returns names and parts of names, exact and misspelled, words from
// descriptions and other fields, phrases, single letters, and combinations of
// these. In make soak, they come from all entities, otherwise from about 40.
func (c *catalogue) manyQueries(t *testing.T) []string {
	rng := rand.New(rand.NewPCG(3, 1))
	queries := []string{"model", "tool", "the", "to", "of the", `"to the"`, "gpt4", "gpt 4", "gpt4o mini", "old-hammer", "image models", "a.b", "3.5"}
	for letter := 'a'; letter <= 'z'; letter++ {
		queries = append(queries, string(letter), string(letter)+" model", string(letter)+"o")
	}
	share := suite.Pick(40/float64(c.build.Manifest.Counts.Entities), 1)
	c.each(t, func(e *record.Entity) {
		if rng.Float64() > share {
			return
		}
		r := []rune(e.Name)
		queries = append(queries, e.Name, e.Slug, string(r[:(len(r)+1)/2]), strings.ReplaceAll(e.Name, " ", ""),
			strings.ReplaceAll(e.Slug, "-", ""), e.Provider, c.titles[e.Category], strings.Join(e.Tags, " "))
		words := strings.Fields(e.Description)
		for range 3 {
			from := rng.IntN(len(words))
			part := words[from:min(from+1+rng.IntN(4), len(words))]
			queries = append(queries, strings.Join(part, " "), `"`+strings.Join(part, " ")+`"`)
			if w := strings.ToLower(words[rng.IntN(len(words))]); len(w) > 4 {
				queries = append(queries, typos(rng, w)...)
			}
		}
		if len(r) > 4 {
			queries = append(queries, typos(rng, strings.ReplaceAll(strings.ToLower(e.Name), " ", ""))...)
		}
	})
	return queries
}
