package console

import (
	"strings"

	"kindex/edge/live"
	"kindex/exports/didyoumean"
	"kindex/exports/record"
	"kindex/site/form"
)

const maxSimilarCandidates = 30

// similarEntities returns existing entities that a form may describe. It searches for the name and
// keeps entities that have the same URL, a similar name, or a name that contains the given name or
// is contained in it.
func similarEntities(v *live.ServedBuild, name, page string) []form.Similar {
	list := []form.Similar{}
	word := record.FoldName(name)
	if word == "" {
		return list
	}
	for _, o := range v.FindSimilarNames(name, maxSimilarCandidates) {
		e := v.Build.Entity(o)
		samePage := page != "" && e.URL != "" && record.NormalizeURL(e.URL) == record.NormalizeURL(page)
		if len(list) < live.MaxSimilar && (samePage || similarNames(word, record.FoldName(e.Name))) {
			list = append(list, form.Similar{Path: "/" + e.Key() + "/", Name: e.Name, Note: v.Titles[e.Category]})
		}
	}
	return list
}

// similarNames reports whether two names could refer to the same thing: one contains the other,
// or they differ by very few letters.
func similarNames(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 2 && strings.Contains(b, a) || a == b || didyoumean.Name(a, []string{b}) != ""
}
