package pages

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"kindex/exports/didyoumean"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// facetKind is a filter field whose values have pages that list entities.
type facetKind struct {
	Field     string // one of view.FilterFields
	Path      string // path of the list of its values
	One, Many string
	Lead      string
}

// The fields with pages for their values. Categories have descriptions, and are handled
// in categories.go.
var (
	byProvider   = &facetKind{"provider", "/providers/", "provider", "providers", "The people, projects and companies that make or offer the entities in the index."}
	byTag        = &facetKind{"tag", "/tags/", "tag", "tags", "Keywords for finding entities."}
	byCapability = &facetKind{"capability", "/capabilities/", "capability", "capabilities", "What tools and models can do, as stated in their entries."}
)

// facetKinds lists them.
var facetKinds = []*facetKind{byProvider, byTag, byCapability}

// path returns the path of a value's page.
func (k *facetKind) path(value string) string { return k.Path + siteurl.Key(record.Fold(value)) + "/" }

// facetValue is a value of a field.
type facetValue struct {
	Name  string // the spelling that most entities use
	Title string // the name shown to people
	Path  string
	Count int // number of listed entities; 0 if only withdrawn entities have the value

	folded string
}

// facetValues holds all values of a field in a build.
type facetValues struct {
	all      []facetValue // sorted by title
	used     int          // number of values with a Count
	byKey    map[string]int
	keys     []string         // keys of the values with a Count
	letters  []option         // letters of the values with a Count, sorted
	listed   map[string][]int // indexes into all, by letter, or "" for all letters
	frequent []int            // indexes into all: the most frequent values
}

// maxFrequent is the maximum number of values in the list of the most frequent values, which
// is shown first.
const maxFrequent = 40

// wordTitle returns the title that the vocabulary gives a value, or the value itself.
func (s *Site) wordTitle(field, value string) string {
	if title := s.wordTitles[value]; title != "" && field == byCapability.Field {
		return title
	}
	return value
}

// facetValues returns the values of a field, counted once per site.
func (s *Site) facetValues(k *facetKind) (*facetValues, error) { return s.facets[k.Field]() }

// countFacets returns, by field, functions that count its values on the first call.
func (s *Site) countFacets() map[string]func() (*facetValues, error) {
	m := map[string]func() (*facetValues, error){}
	for _, k := range facetKinds {
		m[k.Field] = sync.OnceValues(func() (*facetValues, error) { return s.countFacet(k) })
	}
	return m
}

func (s *Site) countFacet(k *facetKind) (*facetValues, error) {
	listed := s.Build.Select(&view.Filter{})
	counts := s.Build.Facet(listed, k.Field, math.MaxInt)
	t := &facetValues{byKey: map[string]int{}, used: len(counts)}
	known := make(map[string]bool, len(counts))
	add := func(value string, count int) {
		folded := record.Fold(value)
		known[folded] = true
		t.all = append(t.all, facetValue{Name: value, Title: s.wordTitle(k.Field, value), Path: k.path(value), Count: count, folded: folded})
	}
	for _, c := range counts {
		add(c.Value, c.Count)
	}
	for _, v := range s.Build.Values(k.Field) { // add the values that only withdrawn entities have
		if !known[record.Fold(v)] {
			add(v, 0)
		}
	}
	slices.SortFunc(t.all, func(a, b facetValue) int {
		return cmp.Or(cmp.Compare(record.Fold(a.Title), record.Fold(b.Title)), cmp.Compare(a.folded, b.folded))
	})
	at := make(map[string]int, len(t.all))
	for i, v := range t.all {
		key := siteurl.Key(v.folded)
		t.byKey[key] = i
		if v.Count > 0 {
			t.keys = append(t.keys, key)
		}
		at[v.folded] = i
	}
	for _, c := range counts[:min(maxFrequent, len(counts))] {
		t.frequent = append(t.frequent, at[record.Fold(c.Value)])
	}
	t.groupByLetter()
	return t, nil
}

// find returns the value with a key.
func (t *facetValues) find(key string) (facetValue, bool) {
	i, ok := t.byKey[key]
	if !ok {
		return facetValue{}, false
	}
	return t.all[i], true
}

// suggestions returns the values whose keys are similar to key.
func (t *facetValues) suggestions(key string) []suggestion {
	var list []suggestion
	for _, n := range didyoumean.Names(key, t.keys, maxNear) {
		v := t.all[t.byKey[n]]
		list = append(list, suggestion{v.Path, v.Title, textfmt.Plural(v.Count, "entity", "entities")})
	}
	return list
}

// letterOf returns the group of a value: a letter, "0" for digits or "other".
func letterOf(v facetValue) string {
	switch r, _ := utf8.DecodeRuneInString(record.Fold(v.Title)); {
	case r >= 'a' && r <= 'z':
		return string(r)
	case r >= '0' && r <= '9':
		return "0"
	}
	return "other"
}

// letterTitle returns the title of a group returned by letterOf.
func letterTitle(letter string) string {
	if letter == "0" {
		return "0–9"
	}
	return textfmt.Capitalize(letter)
}

// groupByLetter groups the values of listed entities by letter.
func (t *facetValues) groupByLetter() {
	t.listed = map[string][]int{}
	for at, v := range t.all {
		if v.Count == 0 {
			continue
		}
		letter := letterOf(v)
		if t.listed[letter] == nil {
			t.letters = append(t.letters, option{Name: letterTitle(letter), Value: letter})
		}
		t.listed[""], t.listed[letter] = append(t.listed[""], at), append(t.listed[letter], at)
	}
	for i := range t.letters {
		t.letters[i].Count = len(t.listed[t.letters[i].Value])
	}
	slices.SortStableFunc(t.letters, func(a, b option) int {
		switch {
		case a.Value == "other":
			return 1
		case b.Value == "other":
			return -1
		}
		return 0
	})
}
