package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/indexes"
)

// answerSample is the number of queries of each class whose answers are compared with those of
// an exhaustive search or a scan of every record.
const answerSample = 50

// facetsCompared is the number of values of each facet that are compared.
const facetsCompared = 20

// measureAnswers compares samples of answers with those of exhaustive searches, which take no shortcuts,
// and of scans of every record.
func (b *bench) measureAnswers(ctx context.Context) (err error) {
	if err := b.prepare(); err != nil {
		return err
	}
	index, err := indexes.Open(b.root, b.build)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	all, err := b.build.Select(&exports.Filter{})
	if err != nil {
		return err
	}
	var sets []*roaring.Bitmap
	for i, c := range []class{{name: "term", make: b.words.term}, {name: "two words", make: b.words.two}, {name: "phrase", make: b.words.phrase, quote: `"`},
		{name: "prefix", make: b.words.prefix}, {name: "typo", make: b.words.typo}} {
		rng := rand.New(rand.NewPCG(b.seed, uint64(30+i)))
		same := 0
		for range answerSample {
			words := c.make(rng)
			if c.name == "typo" {
				words = words[:1]
			}
			if err := errors.Join(b.words.err, ctx.Err()); err != nil {
				return err
			}
			got, want, err := searchTwice(index, c.quote+strings.Join(words, " ")+c.quote, all)
			if err != nil {
				return err
			}
			if got.Matches.Equals(want.Matches) && slices.Equal(got.Hits, want.Hits) {
				same++
			}
			if c.name == "term" {
				sets = append(sets, want.Matches)
			}
		}
		if err := b.addAnswers(c.name, same, answerSample, "the matches and the first 20 hits of a search, compared with SearchExhaustively, which scores every match"); err != nil {
			return err
		}
	}
	return b.scanAnswers(ctx, sets)
}

func searchTwice(index *indexes.Index, text string, all *roaring.Bitmap) (got, want *indexes.Result, err error) {
	if got, err = index.Search(text, all, nil, 0, pageSize); err != nil {
		return nil, nil, err
	}
	want, err = index.SearchExhaustively(text, all, pageSize)
	return got, want, err
}

// addAnswers adds the row of a class of answers.
func (b *bench) addAnswers(name string, same, asked int, note string) error {
	return b.add(row{Part: "answers", Name: name, Value: float64(same), Unit: fmt.Sprintf("of %d", asked), Count: asked, Note: note}.atLeast(float64(asked)))
}

// scanned is a listing with the records that match it, found by looking at all records.
type scanned struct {
	listing
	filter  *exports.Filter
	matches []sortable
}

// sortable is a record with the number by which a listing sorts it.
type sortable struct {
	number    float64
	known     bool
	typ, slug string
}

// scanAnswers compares listings, and the facets of sets, with scans of all records.
func (b *bench) scanAnswers(ctx context.Context, sets []*roaring.Bitmap) error {
	listings := make([][]scanned, len(filterClasses))
	for i := range filterClasses {
		list, err := b.listings(rand.New(rand.NewPCG(b.seed, uint64(40+i))), answerSample, &filterClasses[i])
		if err != nil {
			return err
		}
		for _, l := range list {
			listings[i] = append(listings[i], scanned{listing: l, filter: exportFilter(l.filters)})
		}
	}
	counts := make([]map[string]map[string]*facetValue, len(sets))
	for i := range counts {
		counts[i] = map[string]map[string]*facetValue{}
	}
	for o := range uint32(b.build.Listed()) {
		e, err := b.build.Entity(o)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		for i := range listings {
			for k := range listings[i] {
				if err := listings[i][k].scan(e); err != nil {
					return err
				}
			}
		}
		for i, set := range sets {
			if set.Contains(o) {
				countFacets(counts[i], e)
			}
		}
	}
	for i, class := range filterClasses {
		same := 0
		for k := range listings[i] {
			ok, err := b.sameListing(&listings[i][k])
			if err != nil {
				return err
			}
			if ok {
				same++
			}
		}
		if err := b.addAnswers(class.name, same, len(listings[i]), "the page and the number of matches of GET /api/entities, compared with a scan of every record"); err != nil {
			return err
		}
	}
	same := 0
	for i, set := range sets {
		if b.sameFacets(set, counts[i]) {
			same++
		}
	}
	return b.addAnswers("facets", same, len(sets), fmt.Sprintf("the %d most frequent values of %s in the matches of a term, compared with a scan of every match", facetsCompared, strings.Join(exports.FilterFields, ", ")))
}

// scan adds a record if it belongs to the listing.
func (l *scanned) scan(e *record.Entity) error {
	ok, err := l.filter.Matches(e)
	if err != nil || !ok {
		return err
	}
	s := sortable{typ: e.Type, slug: e.Slug}
	if l.filters.Sort == "composite" {
		s.number, s.known = float64(e.Scores.Composite.Tenths()), e.Scores.Composite.Known()
	} else {
		var f record.Fact
		f, s.known = e.Signals.Fact(l.filters.Sort)
		s.number = f.Number
	}
	l.matches = append(l.matches, s)
	return nil
}

// sameListing reports whether the API returns the records that the scan has found.
func (b *bench) sameListing(l *scanned) (bool, error) {
	slices.SortFunc(l.matches, func(x, y sortable) int {
		if x.known != y.known {
			return map[bool]int{true: -1, false: 1}[x.known]
		}
		return cmp.Or(cmp.Compare(y.number, x.number), cmp.Compare(x.typ, y.typ), cmp.Compare(x.slug, y.slug))
	})
	w := newAnswer()
	b.server.ServeHTTP(w.reset(), l.request)
	n, err := w.count()
	if err != nil {
		return false, err
	}
	var body struct {
		Data []struct{ Type, Slug string }
	}
	if err := json.Unmarshal(w.body, &body); err != nil {
		return false, err
	}
	page := l.matches[min(l.offset, len(l.matches)):min(l.offset+pageSize, len(l.matches))]
	return n == len(l.matches) && slices.EqualFunc(body.Data, page, func(x struct{ Type, Slug string }, s sortable) bool {
		return x.Type == s.typ && x.Slug == s.slug
	}), nil
}

// facetValue counts a value of a facet.
type facetValue struct {
	folded string
	count  int
}

func countFacets(fields map[string]map[string]*facetValue, e *record.Entity) {
	for _, field := range exports.FilterFields {
		if fields[field] == nil {
			fields[field] = map[string]*facetValue{}
		}
		seen := map[string]bool{}
		for _, v := range e.FieldValues(field) {
			folded := record.Fold(v)
			if seen[folded] {
				continue
			}
			seen[folded] = true
			if fields[field][folded] == nil {
				fields[field][folded] = &facetValue{folded: folded}
			}
			fields[field][folded].count++
		}
	}
}

// sameFacets reports whether the build counts the same values.
func (b *bench) sameFacets(set *roaring.Bitmap, fields map[string]map[string]*facetValue) bool {
	got := b.build.Facets(set, exports.FilterFields, facetsCompared)
	for _, field := range exports.FilterFields {
		var want []*facetValue
		for _, v := range fields[field] {
			want = append(want, v)
		}
		slices.SortFunc(want, func(x, y *facetValue) int {
			return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(x.folded, y.folded))
		})
		want = want[:min(facetsCompared, len(want))]
		if !slices.EqualFunc(got[field], want, func(x exports.FacetCount, v *facetValue) bool {
			return x.Count == v.count && record.Fold(x.Value) == v.folded
		}) {
			return false
		}
	}
	return true
}
