package pages

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// facetKind is a filter field whose values have pages that list entities.
type facetKind struct {
	Field     string // one of view.FilterFields
	Slug      string // the first part of the paths of its pages
	Title     string // of the list of its values
	Label     string // what one of them is, before its name
	One, Many string // what they are, after a number
	Lead      string
	fact      string // the column of facts that shows them
	// besideKind is set if the entities of a kind, such as providers, have the address of the list.
	besideKind bool
}

// The fields of every entity with pages for their values. Categories have descriptions, and are handled
// in categories.go.
var (
	byProvider   = &facetKind{"provider", "providers", "Providers", "provider", "provider", "providers", "The people, projects and companies that make or offer the entities in the index.", "provider", false}
	byTag        = &facetKind{"tag", "tags", "Tags", "tag", "tag", "tags", "Keywords for finding entities.", "tags", false}
	byCapability = &facetKind{"capability", "capabilities", "Capabilities", "capability", "capability", "capabilities", "What entries can do, as stated in their entries.", "capabilities", false}
)

// facetKindsOf lists them, and the declared fields whose values have pages.
func facetKindsOf(declared *kinds.Set) []*facetKind {
	list := []*facetKind{byProvider, byTag, byCapability}
	for _, f := range declared.Leaves() {
		if f.Page {
			label, fact := kinds.InSentence(f.Title), f.Path
			if f.Group != nil && f.Group.Dated {
				fact = f.Group.Name
			}
			list = append(list, &facetKind{Field: f.Query, Slug: f.Slug(), Title: f.Title, Label: label,
				One: "value of " + label, Many: "values of " + label, Lead: f.Description, fact: fact})
		}
	}
	for i, k := range list {
		if slices.ContainsFunc(declared.Kinds, func(kind *kinds.Kind) bool { return kind.Slug() == k.Slug }) {
			beside := *k
			beside.besideKind = true
			list[i] = &beside
		}
	}
	return list
}

// facetKind returns the field whose pages have paths with a first part, or nil.
func (s *Site) facetKind(slug string) *facetKind {
	for _, k := range s.facetKinds {
		if k.Slug == slug {
			return k
		}
	}
	return nil
}

// Path returns the path of the list of the values.
func (k *facetKind) Path() string {
	if k.besideKind {
		return k.partPath(1)
	}
	return "/" + k.Slug + "/"
}

// partPath returns the path of a part of the list, the first of which has it only beside a kind.
func (k *facetKind) partPath(n int) string {
	return "/" + k.Slug + "/all/part-" + strconv.Itoa(n) + "/"
}

// path returns the path of a value's page.
func (k *facetKind) path(value string) string {
	return "/" + k.Slug + "/" + siteurl.Key(record.Fold(value)) + "/"
}

// facetValue is a value of a field.
type facetValue struct {
	Name   string // the spelling that most entities use
	Title  string // the name shown to people
	Path   string
	Letter string // its group: a letter, "0" for digits or "other"
	Count  int    // number of listed entities; 0 if only withdrawn entities have the value

	folded string
}

// facetValues holds all values of a field in a build.
type facetValues struct {
	all      []facetValue   // by letter and title
	byKey    map[string]int // indexes into all
	frequent []string       // keys of the most frequent values
}

const (
	maxFrequent = 40 // in the list of the most frequent values, which is shown first
	// maxFacetValues is the maximum number of values on a page.
	maxFacetValues = 500
)

// countFacet counts the values of a field. It is called once for each build.
func (s *Site) countFacet(k *facetKind) *facetValues {
	listed := s.Build.Select(&view.Filter{})
	counts := s.Build.Facet(listed, k.Field, math.MaxInt)
	t := &facetValues{byKey: map[string]int{}}
	known := make(map[string]bool, len(counts))
	add := func(value string, count int) {
		v := facetValue{Name: value, Title: s.valueTitle(k.Field, value), Path: k.path(value), Count: count, Letter: "other", folded: record.Fold(value)}
		if r, _ := utf8.DecodeRuneInString(record.Fold(v.Title)); r >= 'a' && r <= 'z' {
			v.Letter = string(r)
		} else if r >= '0' && r <= '9' {
			v.Letter = "0"
		}
		known[v.folded] = true
		t.all = append(t.all, v)
	}
	for i, c := range counts {
		if add(c.Value, c.Count); i < maxFrequent {
			t.frequent = append(t.frequent, siteurl.Key(record.Fold(c.Value)))
		}
	}
	for _, v := range s.Build.Values(k.Field) { // add the values that only withdrawn entities have
		if !known[record.Fold(v)] {
			add(v, 0)
		}
	}
	slices.SortFunc(t.all, func(a, b facetValue) int {
		return cmp.Or(boolOrder(a.Letter == "other")-boolOrder(b.Letter == "other"), strings.Compare(a.Letter, b.Letter),
			strings.Compare(record.Fold(a.Title), record.Fold(b.Title)), strings.Compare(a.folded, b.folded))
	})
	for i, v := range t.all {
		t.byKey[siteurl.Key(v.folded)] = i
	}
	return t
}

// valueLinks returns values of a field with links to their pages. Values from earlier versions may no longer
// have a page.
func (s *Site) valueLinks(k *facetKind, values []string) (list []link) {
	for _, v := range values {
		to := ""
		if s.Build.Bitmap(k.Field, v) != nil {
			to = k.path(v)
		}
		list = append(list, link{Name: s.valueTitle(k.Field, v), To: to})
	}
	return list
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
func (t *facetValues) suggestions(key string) []link {
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(t.byKey)), func(key string) bool { return t.all[t.byKey[key]].Count == 0 })
	return near(key, keys, func(n string) link {
		v := t.all[t.byKey[n]]
		return link{v.Title, v.Path, textfmt.Plural(v.Count, "entity", "entities")}
	})
}

// facetPage lists the values of a field.
type facetPage struct {
	*facetKind
	Used     int          // values on all pages
	Frequent []facetValue // the most frequent values, if there are many more
	Letters  []option
	Groups   [][]facetValue // those with the same letter
	Others   []option       // the fields with such a list, including this one
	pager
}

// letterTitle returns the title of a letter.
func letterTitle(letter string) string {
	if letter == "0" {
		return "0–9"
	}
	return textfmt.Capitalize(letter)
}

// facetList lists the values of a field by letter. The path of a further page cannot clash with that of a value,
// because the paths of values never contain a choice.
func (r *request) facetList() (*page, error) {
	k := r.facetKind(r.arg("values"))
	all := r.facets[k.Field]()
	used := slices.DeleteFunc(slices.Clone(all.all), func(v facetValue) bool { return v.Count == 0 })
	d := &facetPage{facetKind: k, Used: len(used)}
	r.choices["page"] = r.choice("part") // the value “all” has pages of its own
	if k.besideKind && r.choice("part") == "1" {
		r.choices["page"] = ""
	}
	var from int
	var ok bool
	if d.pager, from, ok = r.pageOf(len(used), maxFacetValues); !ok {
		return r.notFound(), nil
	}
	pageAt := func(n int) string { // the path of a page, of which the first is that of the list
		if n == 0 {
			return k.Path()
		}
		return k.partPath(n + 1)
	}
	for i, v := range used {
		if n := len(d.Letters); n == 0 || d.Letters[n-1].Value != v.Letter {
			d.Letters = append(d.Letters, option{Name: letterTitle(v.Letter), Value: v.Letter, To: pageAt(i/maxFacetValues) + "#letter-" + v.Letter})
		}
		d.Letters[len(d.Letters)-1].Count++
		switch {
		case i < from || i >= d.Last:
			continue
		case i == from || v.Letter != used[i-1].Letter:
			d.Groups = append(d.Groups, nil)
		}
		last := &d.Groups[len(d.Groups)-1]
		*last = append(*last, v)
	}
	switch i := slices.IndexFunc(d.Letters, func(o option) bool { return o.Value == r.choice("letter") }); {
	case i >= 0: // once, each letter had pages of its own
		to, _, _ := strings.Cut(d.Letters[i].To, "#")
		return &page{location: to}, nil
	case r.choice("letter") != "":
		return r.notFound(), nil
	case from > 0:
		d.Prev = pageAt(from/maxFacetValues - 1)
	case d.Used > maxFrequent:
		for _, key := range all.frequent {
			d.Frequent = append(d.Frequent, all.all[all.byKey[key]])
		}
	}
	if d.Last < d.Used {
		d.Next = pageAt(from/maxFacetValues + 1)
	}
	for _, o := range r.facetKinds {
		if o == k || r.Build.Values(o.Field) != nil {
			d.Others = append(d.Others, option{Name: o.Title, To: o.Path(), Chosen: o == k})
		}
	}
	return &page{Template: "facet-values", Title: d.Title, Data: d, Description: "All " + textfmt.Plural(d.Used, k.One, k.Many) + " in the index."}, nil
}
