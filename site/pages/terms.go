package pages

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sync"

	"kindex/exports"
	"kindex/exports/didyoumean"
	"kindex/exports/record"
)

// kind is a filter field by whose values entities are listed.
type kind struct {
	Field     string // one of exports.FilterFields
	Path      string // of the list of its values
	One, Many string
	Lead      string
}

// The kinds that have pages of their own. Categories have texts, and are in classes.go.
var (
	byProvider   = &kind{"provider", "/providers/", "provider", "providers", "Who makes or offers what is listed here."}
	byTag        = &kind{"tag", "/tags/", "tag", "tags", "Free keywords that entities are found by."}
	byCapability = &kind{"capability", "/capabilities/", "capability", "capabilities", "What tools and models can do, as their entries say it."}
)

// path is the page of a value.
func (k *kind) path(value string) string { return k.Path + slugKey(record.Fold(value)) + "/" }

// term is a value of a field.
type term struct {
	Name  string // as most entities spell it
	Path  string
	Count int // how many lists show; 0 where only withdrawn entities have it

	folded string
}

// terms are all values of a field in a build.
type terms struct {
	all      []term // in the order of their folded form
	used     int    // how many have a Count
	byKey    map[string]int
	keys     []string         // of those that have a Count
	letters  []option         // of all that have a Count, in order
	listed   map[string][]int // by letter, "" for all: their places in all
	frequent []int            // places in all, the most frequent first, as many as are shown
}

// mostFrequent is how many values are shown before all others.
const mostFrequent = 40

// terms counts the values of a field, once for each site.
func (s *Site) terms(k *kind) (*terms, error) { return s.counted[k.Field]() }

// counting is how a site counts the values of each field when it is first asked.
func (s *Site) counting() map[string]func() (*terms, error) {
	m := map[string]func() (*terms, error){}
	for _, k := range []*kind{byProvider, byTag, byCapability} {
		m[k.Field] = sync.OnceValues(func() (*terms, error) { return s.countTerms(k) })
	}
	return m
}

func (s *Site) countTerms(k *kind) (*terms, error) {
	listed, err := s.Build.Select(&exports.Filter{})
	if err != nil {
		return nil, err
	}
	counts := s.Build.Facet(listed, k.Field, math.MaxInt)
	t := &terms{byKey: map[string]int{}, used: len(counts)}
	known := make(map[string]bool, len(counts))
	add := func(value string, count int) {
		folded := record.Fold(value)
		known[folded] = true
		t.all = append(t.all, term{Name: value, Path: k.path(value), Count: count, folded: folded})
	}
	for _, c := range counts {
		add(c.Value, c.Count)
	}
	for _, v := range s.Build.Values(k.Field) { // of withdrawn entities alone
		if !known[record.Fold(v)] {
			add(v, 0)
		}
	}
	slices.SortFunc(t.all, func(a, b term) int { return cmp.Compare(a.folded, b.folded) })
	at := make(map[string]int, len(t.all))
	for i, v := range t.all {
		key := slugKey(v.folded)
		t.byKey[key] = i
		if v.Count > 0 {
			t.keys = append(t.keys, key)
		}
		at[v.folded] = i
	}
	for _, c := range counts[:min(mostFrequent, len(counts))] {
		t.frequent = append(t.frequent, at[record.Fold(c.Value)])
	}
	t.sortIn()
	return t, nil
}

// find returns the value of a key.
func (t *terms) find(key string) (term, bool) {
	i, ok := t.byKey[key]
	if !ok {
		return term{}, false
	}
	return t.all[i], true
}

// near are the values that a key may have meant.
func (t *terms) near(key string) []near {
	var list []near
	for _, n := range didyoumean.Names(key, t.keys, maxNear) {
		v := t.all[t.byKey[n]]
		list = append(list, near{v.Path, v.Name, plural(v.Count, "entity", "entities")})
	}
	return list
}

// termPaths are the pages of all values of a field, as a static site has them.
func termPaths(k *kind) func(*Site) iter.Seq[string] {
	return func(s *Site) iter.Seq[string] {
		return func(yield func(string) bool) {
			t, err := s.terms(k)
			if err != nil {
				return // the page of the field says so
			}
			for _, v := range t.all {
				for p := range s.listPaths(v.Count, func(sort string, page int) string {
					return listRoute(k.Path+":key/").path(map[string]string{"key": slugKey(v.folded)}, listChoices("", sort, page))
				}) {
					if !yield(p) {
						return
					}
				}
			}
		}
	}
}
