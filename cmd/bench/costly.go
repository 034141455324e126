package main

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"kindex/exports"
	"kindex/exports/record"
)

// expensivePages returns the classes of pages that are the most expensive to
// request: unknown names, and searches for frequent words.
func expensivePages(rng *rand.Rand, w *words) []httpClassOf {
	unknown := httpClassOf{name: "compare four unknown names"}
	missing := httpClassOf{name: "404 with similar names", status: http.StatusNotFound}
	longest := httpClassOf{name: "longest search"}
	frequent := w.frequent(rng)
	for range pageSamples {
		var names []string
		for range 4 {
			names = append(names, "e=tool/"+strings.Join([]string{randomWord(rng), randomWord(rng), randomWord(rng), randomWord(rng)}, "-"))
		}
		unknown.paths = append(unknown.paths, "/compare/?"+strings.Join(names, "&"))
		if path, ok := withTypo(rng, w.build); ok {
			missing.paths = append(missing.paths, path)
		}
		if len(frequent) > 1 {
			longest.paths = append(longest.paths, "/search/?q="+url.QueryEscape(longQuery(rng, frequent)))
		}
	}
	return slices.DeleteFunc([]httpClassOf{unknown, missing, longest}, func(c httpClassOf) bool { return len(c.paths) == 0 })
}

// byScores returns the class of past leaderboards ranked by a score other than the
// composite. It derives their paths from the paths of past leaderboards ranked by the
// composite.
func byScores(paths []string) []httpClassOf {
	c := httpClassOf{name: "past leaderboard by score"}
	for i, path := range paths {
		by := record.ScoreNames[1+i%(len(record.ScoreNames)-1)]
		c.paths = append(c.paths, strings.Replace(path, "/at-", "/by-"+by+"/at-", 1))
	}
	if len(c.paths) == 0 {
		return nil
	}
	return []httpClassOf{c}
}

// randomWord returns a word of twenty letters, the maximum length for which three
// edits are tried.
func randomWord(rng *rand.Rand) string {
	word := make([]byte, 20)
	for i := range word {
		word[i] = byte('a' + rng.IntN(26))
	}
	return string(word)
}

// withTypo returns an entity's path after making two typos in it. ok is false if the result
// happens to be the path of another entity.
func withTypo(rng *rand.Rand, b *exports.Build) (path string, ok bool) {
	typ, slug := b.Key(uint32(rng.IntN(b.Listed())))
	slug = strings.Trim(typo(rng, typo(rng, slug)), "-")
	if _, _, found := b.Find(typ, slug); found || slug == "" {
		return "", false
	}
	return fmt.Sprintf("/%s/%s/", typ, slug), true
}

const (
	frequentSample = 2000 // number of documents sampled to find frequent words
	frequentWords  = 100
	maxQuoted      = 4 // only this many of the most frequent words are quoted in queries
)

// frequent returns the words that occur in the most documents, most frequent first.
func (w *words) frequent(rng *rand.Rand) []string {
	count := map[string]int{}
	for range frequentSample {
		list := w.draw(rng, false)
		slices.Sort(list)
		for _, word := range slices.Compact(list) {
			count[word]++
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	return all[:min(frequentWords, len(all))]
}

// longQuery returns the most expensive query that a page accepts: two frequent
// words in quotes, which are searched for in the text of every entity that contains
// them, and ten prefixes.
func longQuery(rng *rand.Rand, frequent []string) string {
	quoted := rng.Perm(min(maxQuoted, len(frequent)))
	parts := []string{`"` + frequent[quoted[0]] + `"`, `"` + frequent[quoted[1]] + `"`}
	for _, i := range rng.Perm(len(frequent)) {
		if begins := string([]rune(frequent[i])[:2]); len(parts) < 12 && !slices.Contains(parts, begins) {
			parts = append(parts, begins)
		}
	}
	return strings.Join(parts, " ")
}
