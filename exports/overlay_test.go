package exports

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
)

// editsBetween returns the edits that turn one catalogue into another.
func editsBetween(before, after []*record.Entity) []Edit {
	var edits []Edit
	was, is := map[string]*record.Entity{}, map[string]*record.Entity{}
	for _, e := range before {
		was[e.Key()] = e
	}
	for _, e := range after {
		is[e.Key()] = e
		if was[e.Key()] != e {
			edits = append(edits, Edit{e.Type, e.Slug, e})
		}
	}
	for _, e := range before {
		if is[e.Key()] == nil {
			edits = append(edits, Edit{Type: e.Type, Slug: e.Slug})
		}
	}
	return edits
}

// edited is used to compare two builds: one with edits applied on top, and one built from the
// edited content.
type edited struct {
	t                 *testing.T
	rng               *rand.Rand
	base, with, fresh *Build
	list              []*record.Entity // the entities of the fresh build
}

// TestEditsAnswerAsANewBuild applies all kinds of edits to a build: a few, like those that a
// person would make, and so many that many of them lie between the same two records.
func TestEditsAnswerAsANewBuild(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	for seed, n := range suite.Pick([]int{7, 600}, []int{7, 600, 1}) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(seed), 33))
			list := catalogue(uint64(40+seed), catalogueSize)
			next := onlySome(rng, list, nextYear(rng, list), n)
			base := openBuild(t, list)
			edits := editsBetween(list, next)
			rng.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
			with := suite.Must(base.WithEdits(edits))(t)
			x := &edited{t, rng, base, with, openBuild(t, next), next}
			x.addresses(list)
			x.identifiers(list)
			x.selections()
			x.orders()
			x.facets()
			x.standings(list)
			if base.OverlayID() != "" || with.OverlayID() == "" || base.Replaced() != nil {
				t.Errorf("drafts are called %q and %q", base.OverlayID(), with.OverlayID())
			}
			if _, err := with.WithEdits(edits); err == nil {
				t.Error("edits were applied to edits")
			}
		})
	}
}

// onlySome returns the first catalogue with n changes, each of which makes it more like the
// second.
func onlySome(rng *rand.Rand, before, after []*record.Entity, n int) []*record.Entity {
	edits := editsBetween(before, after)
	rng.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
	changed := map[string]*record.Entity{}
	for _, e := range edits[:n] {
		changed[e.Type+"/"+e.Slug] = e.Entity
	}
	var list []*record.Entity
	for _, e := range before {
		if now, ok := changed[e.Key()]; !ok {
			list = append(list, e)
		} else if now != nil {
			list = append(list, now)
		}
		delete(changed, e.Key())
	}
	for _, e := range changed {
		if e != nil {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, record.CompareRank)
	return list
}

// keysOf returns the key of each ordinal, so that builds can be compared.
func keysOf(b *Build, list []uint32) []string {
	out := make([]string, len(list))
	for i, o := range list {
		typ, slug := b.Key(o)
		out[i] = typ + "/" + slug
	}
	return out
}

func (x *edited) equal(what string, got, want []string) {
	x.t.Helper()
	if !slices.Equal(got, want) {
		x.t.Fatalf("%s:\nwith edits  %v\nrebuilt     %v", what, got, want)
	}
}

// identifiers compares the records with each identifier of either build, and what is reported
// about them.
func (x *edited) identifiers(before []*record.Entity) {
	x.t.Helper()
	keys, found := map[string]bool{}, 0
	for _, e := range slices.Concat(before, x.list) {
		for _, id := range e.IDs {
			keys[id.Namespace+"\x00"+id.Value] = true
		}
		for i := range e.Offers {
			keys[e.Offers[i].Provider+"\x00"+e.Offers[i].ID] = true
		}
	}
	for key := range keys {
		namespace, value, _ := strings.Cut(key, "\x00")
		with, fresh := x.with.FindByID(namespace, value), x.fresh.FindByID(namespace, value)
		x.equal(key, keysOf(x.with, with), keysOf(x.fresh, fresh))
		for i, o := range with {
			x.equal(key, []string{string(x.with.Summary(o))}, []string{string(x.fresh.Summary(fresh[i]))})
			found++
		}
	}
	if found < 100 {
		x.t.Errorf("only %d records have identifiers", found)
	}
}

// addresses compares the results for every key of either build. It leaves out
// earlier slugs that are in use by another entity or listed by two entities,
// because such content is rejected.
func (x *edited) addresses(before []*record.Entity) {
	refused := map[string]bool{}
	for _, list := range [][]*record.Entity{before, x.list} {
		claimed := map[string]bool{}
		for _, e := range list {
			claimed[e.Key()] = true
		}
		for _, e := range list {
			for _, old := range e.Formerly {
				key := e.Type + "/" + old
				refused[key] = refused[key] || claimed[key]
				claimed[key] = true
			}
		}
	}
	for _, b := range []*Build{x.with, x.fresh} {
		for typ, slug := range b.Keys {
			if refused[typ+"/"+slug] {
				continue
			}
			o, moved, ok := x.with.Find(typ, slug)
			p, wantMoved, wantOK := x.fresh.Find(typ, slug)
			if ok != wantOK || moved != wantMoved {
				x.t.Fatalf("%s/%s: found %v, moved %v; rebuilt %v, %v", typ, slug, ok, moved, wantOK, wantMoved)
			}
			if !ok {
				continue
			}
			x.equal(typ+"/"+slug, keysOf(x.with, []uint32{o}), keysOf(x.fresh, []uint32{p}))
			if got, want := x.with.Record(o), x.fresh.Record(p); !bytes.Equal(got, want) {
				x.t.Fatalf("record\n%s\n%s", got, want)
			}
			for _, n := range x.with.Similar(o) {
				if x.with.Replaced().Contains(n.Ordinal) || int(n.Ordinal) >= x.base.Len() && x.with.Entity(n.Ordinal).Status == record.Withdrawn {
					x.t.Fatalf("%s/%s has a deleted neighbour: %v", typ, slug, n)
				}
			}
		}
	}
	if x.with.Listed() != x.fresh.Listed() {
		x.t.Fatalf("%d are listed, rebuilt %d", x.with.Listed(), x.fresh.Listed())
	}
}

func (x *edited) both(f *view.Filter) (got, want *roaring.Bitmap) {
	return x.with.Select(f), x.fresh.Select(f)
}

func (x *edited) selections() {
	for range 200 {
		f := randomFilter(x.rng, x.list)
		got, want := x.both(f)
		x.equal(fmt.Sprintf("%+v", *f), keysOf(x.with, x.with.InKeyOrder(got)), keysOf(x.fresh, x.fresh.InKeyOrder(want)))
		x.equal("in rank order", keysOf(x.with, x.with.InRankOrder(got)), keysOf(x.fresh, x.fresh.InRankOrder(want)))
	}
	for _, e := range x.list[:50] {
		got, want := x.with.Board(e.Category, e.Type, "quality"), x.fresh.Board(e.Category, e.Type, "quality")
		x.equal("board", keysOf(x.with, x.with.InKeyOrder(got)), keysOf(x.fresh, x.fresh.InKeyOrder(want)))
	}
}

// orders pages through large and small sets in every order, both by skipping and by
// cursor.
func (x *edited) orders() {
	for _, f := range []*view.Filter{{}, {Fields: map[string][][]string{"status": {{record.Active}, {record.Withdrawn}}}}, {Fields: map[string][][]string{"tag": {{"t1", "t2"}}}}} {
		got, want := x.both(f)
		for _, s := range allSorts() {
			limit := 1 + int(want.GetCardinality())/7
			var after, wantAfter *view.Position
			for n := 0; ; {
				page, more, ok := x.with.Page(got, s, after, 0, limit)
				wantPage, wantMore, wantOK := x.fresh.Page(want, s, wantAfter, 0, limit)
				what := fmt.Sprintf("%+v by %+v behind %+v", *f, s, after)
				x.equal(what, keysOf(x.with, page), keysOf(x.fresh, wantPage))
				if more != wantMore || ok != wantOK {
					x.t.Fatalf("%s: more %v, ok %v", what, more, ok)
				}
				skipped, _, _ := x.with.Page(got, s, nil, n, limit)
				x.equal(what+" by skipping", keysOf(x.with, skipped), keysOf(x.fresh, wantPage))
				if n += len(page); !more {
					break
				}
				p, q := x.with.Order(s).PositionOf(page[len(page)-1]), x.fresh.Order(s).PositionOf(wantPage[len(wantPage)-1])
				if p != q {
					x.t.Fatalf("%s: the place is %+v, rebuilt %+v", what, p, q)
				}
				if c := x.with.Order(s).CountUntil(got, p); c != n {
					x.t.Fatalf("%s: %d until %+v, want %d", what, c, p, n)
				}
				after, wantAfter = &p, &q
			}
		}
	}
}

// facets compares counts by folded value, because edits do not affect which of several
// spellings is shown until the next build.
func (x *edited) facets() {
	for range 30 {
		got, want := x.both(randomFilter(x.rng, x.list))
		for _, field := range view.FilterFields(kinds.Default()) {
			list := func(counts []view.FacetCount) (out []string) {
				for _, c := range counts {
					out = append(out, fmt.Sprint(record.Fold(c.Value), " ", c.Count))
				}
				return out
			}
			x.equal("facet "+field, list(x.with.Facet(got, field, 1000)), list(x.fresh.Facet(want, field, 1000)))
		}
	}
	for _, field := range view.FilterFields(kinds.Default()) {
		for _, v := range x.fresh.Values(field) {
			got, want := x.with.Bitmap(field, strings.ToUpper(v)), x.fresh.Bitmap(field, strings.ToUpper(v))
			if (got == nil) != (want == nil) || got != nil && got.GetCardinality() != want.GetCardinality() {
				x.t.Fatalf("%s %s: %v, rebuilt %v", field, v, got, want)
			}
		}
	}
}

// standings checks that records have the same order as in a new build, and that cursors made
// from the records before the edits lead to the right place.
func (x *edited) standings(before []*record.Entity) {
	last := -1.0
	for p := range uint32(x.fresh.Len()) {
		typ, slug := x.fresh.Key(p)
		o, _, _ := x.with.Find(typ, slug)
		if s := x.with.SortPosition(o); s <= last {
			x.t.Fatalf("%s/%s is at %v, after %v", typ, slug, s, last)
		} else {
			last = s
		}
	}
	for o, e := range before {
		if e.Status == record.Withdrawn {
			continue
		}
		at, ok := x.with.SortPositionOf(x.base.Order(view.DefaultSort).PositionOf(uint32(o)))
		if !ok {
			x.t.Fatalf("%s has no place", e.Key())
		}
		for _, now := range x.list[:20] {
			p, _, _ := x.with.Find(now.Type, now.Slug)
			if c := record.CompareRank(now, e); c != 0 && (x.with.SortPosition(p) < at) != (c < 0) {
				x.t.Fatalf("%s is at %v, %s at %v", e.Key(), at, now.Key(), x.with.SortPosition(p))
			}
		}
	}
}
