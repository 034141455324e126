package indexes_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestPhrases compares the results for phrases with a scan of all records.
func TestPhrases(t *testing.T) {
	suite.InTest(t)
	c := realCatalogue(t)
	rng := rand.New(rand.NewPCG(5, 5))
	type text struct{ key, words string }
	var texts []text
	var descriptions [][]string
	c.each(t, func(e *record.Entity) {
		for _, s := range slices.Concat([]string{e.Name, e.Slug, e.Description, e.Provider, e.Category, e.Type, c.titles[e.Category]}, e.Tags, e.Capabilities, e.Formerly) {
			texts = append(texts, text{e.Key(), " " + strings.Join(plainWords(s), " ") + " "})
		}
		descriptions = append(descriptions, plainWords(e.Description))
	})
	n, share := 0, suite.Pick(0.5, 1)
	descriptions = append(descriptions, []string{"of", "the"}, []string{"to", "the"}, []string{"the", "of"}, []string{"in", "a"}, []string{"and", "of", "the"})
	for _, words := range descriptions {
		length := 2 + rng.IntN(2)
		if len(words) < length || rng.Float64() > share {
			continue
		}
		from := rng.IntN(len(words) - length + 1)
		words = words[from : from+length]
		if strings.Trim(strings.Join(words, ""), "abcdefghijklmnopqrstuvwxyz") != "" {
			continue // a decimal point can be part of a number
		}
		if slices.ContainsFunc(words, func(w string) bool { return len(w) == 1 }) {
			continue // the letter may be the C of C++
		}
		phrase := strings.Join(words, " ")
		want := map[string]bool{}
		for _, x := range texts {
			if strings.Contains(x.words, " "+phrase+" ") {
				want[x.key] = true
			}
		}
		n++
		for _, q := range []string{`"` + phrase + `"`, `"` + strings.ToUpper(phrase), `„` + strings.Join(words, "-") + `“`} {
			keys, res := c.find(t, q, 1000)
			if len(keys) != len(want) || int(res.Matches.GetCardinality()) != len(want) {
				t.Errorf("%s finds %d, want %d", q, len(keys), len(want))
			}
			for _, k := range keys {
				if !want[k] {
					t.Errorf("%s finds %s", q, k)
				}
			}
		}
	}
	t.Logf("%d phrases", n)
	if n < len(descriptions)/10 {
		t.Errorf("only %d phrases of %d entities", n, len(descriptions))
	}
}

func TestPhrasesAreExact(t *testing.T) {
	suite.WithoutRace(t)
	c := realCatalogue(t)
	keys := func(q string) []string {
		k, _ := c.find(t, q, 1000)
		slices.Sort(k)
		return k
	}
	for _, q := range []string{`"boosting gradient"`, `"gradient boostin"`, `"gradiant boosting"`, `"pytorc"`, `"pytrch"`,
		`"zzzzzz yyyyyy" pytorch`, `pytorch "zzzzzz"`, `""`, `"`, `" "`, `"!"`, `"\"`, `“”`} {
		if k := keys(q); len(k) != 0 {
			t.Errorf("%s finds %v", q, k)
		}
	}
	for q, want := range map[string]string{
		`"pytorch" zzzzzz`: "tool/pytorch", `zzzzzz "pytorch`: "tool/pytorch", `""pytorch`: "tool/pytorch",
		`"scikit-learn"`: "tool/scikit-learn", `"scikit learn`: "tool/scikit-learn", `"GPT-5"`: "model/gpt-5",
		`"gpt 5"`: "model/gpt-5", `“PyTorch, Lightning!”`: "tool/pytorch-lightning", `"gradient boosting" gpu light`: "tool/lightgbm",
	} {
		if k, _ := c.find(t, q, 1); len(k) == 0 || k[0] != want {
			t.Errorf("%s finds %v, want %s first", q, k, want)
		}
	}
	boosting, gpu, both := keys(`"gradient boosting"`), keys("gpu"), keys(`"gradient boosting" gpu`)
	if len(both) == 0 || len(both) >= len(boosting) {
		t.Errorf("%d have the phrase, %d also the word", len(boosting), len(both))
	}
	for _, k := range both {
		if !slices.Contains(boosting, k) || !slices.Contains(gpu, k) {
			t.Errorf("%s lacks one of them", k)
		}
	}
	for _, k := range keys(`"network"`) { // the plural must not match
		if !slices.Contains(keys("network"), k) {
			t.Errorf("%s is only found in quotes", k)
		}
	}
	if len(keys(`"network"`)) >= len(keys("network")) {
		t.Error("quotes have no effect")
	}
}
