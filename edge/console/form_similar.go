package console

import (
	"encoding/json"
	"strings"

	"kindex/edge/live"
	"kindex/exports/didyoumean"
	"kindex/exports/record"
	"kindex/site/form"
)

// maxSimilarCandidates is the number of entities that a name is compared with.
const maxSimilarCandidates = 30

// similarEntities returns existing entities that a form may describe. It searches for the name and
// keeps entities that have the same URL, a similar name, or a name that contains the given name or
// is contained in it.
func similarEntities(v *live.ServedBuild, name, page string) ([]form.Similar, error) {
	list := []form.Similar{}
	word := record.FoldName(name)
	if word == "" {
		return list, nil
	}
	for _, o := range v.FindSimilarNames(name, maxSimilarCandidates) {
		var e struct{ Type, Slug, Name, Category, URL string }
		if err := json.Unmarshal(v.Build.Record(o), &e); err != nil {
			return nil, err
		}
		samePage := page != "" && e.URL != "" && record.NormalizeURL(e.URL) == record.NormalizeURL(page)
		if samePage || similarNames(word, record.FoldName(e.Name)) {
			list = append(list, form.Similar{Path: "/" + e.Type + "/" + e.Slug + "/", Name: e.Name, Note: v.Titles[e.Category]})
		}
		if len(list) == live.MaxSimilar {
			break
		}
	}
	return list, nil
}

// similarNames reports whether two names could refer to the same thing: one contains the other,
// or they differ by very few letters.
func similarNames(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 2 && strings.Contains(b, a) || a == b || didyoumean.Name(a, []string{b}) != ""
}
