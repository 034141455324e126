package exports

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/builder/suite"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/view"
)

// TestSnapshotAnswersAsABuild writes catalogues both as snapshots and as separate
// builds, and checks that every result is the same, including ordinals.
func TestSnapshotAnswersAsABuild(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	p := newMadeHistory(81, catalogue(81, suite.Pick(400, 1500)))
	p.goOn(120)
	_, list := p.listed(len(p.versions), p.rng)
	a := p.archive(len(p.versions))
	a.Snapshots = nil
	lists := map[string][]*record.Entity{}
	days := p.days()
	for _, day := range []string{days[0], days[1], days[2], days[len(days)/2], days[len(days)-1]} {
		versions, entities := p.listed(p.until(day), p.rng)
		lists[day] = entities
		a.Snapshots = append(a.Snapshots, snapshotOf(day, versions, entities))
	}
	b := openBuild(t, list, a)
	for day, list := range lists {
		t.Run(day, func(t *testing.T) {
			t.Parallel()
			s, err := b.History().Day(day)
			if err != nil {
				t.Fatal(err)
			}
			past := s.View
			if len(list) == 0 { // the day before the first version
				set := past.Select(&view.Filter{MinScore: record.ScoreOf(0), Fields: map[string][][]string{"status": {{record.Active}}}})
				page, more, ok := past.Page(roaring.New(), view.Sort{Key: "name"}, &view.Position{Type: "tool", Slug: "a"}, 3, 10)
				if !set.IsEmpty() || len(page) != 0 || more || !ok || s.Len() != 0 {
					t.Error(set, page, more, ok)
				}
				return
			}
			for _, e := range list {
				e.Computed = b.Providers().Compute(e, day)
			}
			x := &twoCatalogues{t, rand.New(rand.NewPCG(uint64(len(list)), 3)), past, openBuild(t, list).View, list}
			x.records(p, s.Snapshot)
			x.selections()
			x.pages()
			x.places(b)
		})
	}
	r := b.History()
	if got := r.Snapshots(); len(got) != 5 || got[0] != days[0] || !slices.IsSorted(got) {
		t.Errorf("snapshots of %v", got)
	}
	if _, ok := r.SnapshotDay("0001-01-01"); ok {
		t.Error("there is a snapshot before the first")
	}
	for _, day := range p.days() {
		last, ok := r.SnapshotDay(day)
		if !ok || last > day || slices.ContainsFunc(r.Snapshots(), func(d string) bool { return d > last && d <= day }) {
			t.Errorf("on %s: that of %s", day, last)
		}
	}
}

// twoCatalogues compares the results of two catalogues with the same records.
type twoCatalogues struct {
	t         *testing.T
	rng       *rand.Rand
	got, want *view.View
	list      []*record.Entity
}

func (x *twoCatalogues) records(p *madeHistory, s *history.Snapshot) {
	if s.Len() != len(x.list) || s.Ranked() != x.want.Ranked() {
		x.t.Fatalf("%d records, %d ranked", s.Len(), s.Ranked())
	}
	for o := range uint32(len(x.list)) {
		typ, slug := x.got.Key(o)
		if wantTyp, wantSlug := x.want.Key(o); typ != wantTyp || slug != wantSlug {
			x.t.Fatalf("%d is %s/%s, want %s/%s", o, typ, slug, wantTyp, wantSlug)
		}
		if got, want := x.got.Record(o), x.want.Record(o); !bytes.Equal(got, want) {
			x.t.Fatalf("record %d\ngot  %s\nwant %s", o, got, want)
		}
		if at, ok := s.FindVersion(s.Version(o)); !ok || at != o || p.versions[s.Version(o)].Slug != slug || s.Scores(o) != x.list[o].Scores {
			x.t.Fatalf("version %d is found at %d, %v", s.Version(o), at, ok)
		}
	}
	if _, ok := s.FindVersion(len(p.versions)); ok {
		x.t.Error("a missing version was found")
	}
}

func (x *twoCatalogues) selections() {
	hits := 0
	same := func(what string, got, want *roaring.Bitmap) {
		x.t.Helper()
		wantOrdinals(x.t, what, got.ToArray(), want.ToArray())
		wantOrdinals(x.t, what, x.got.InRankOrder(got), x.want.InRankOrder(want))
		if !want.IsEmpty() {
			hits++
		}
		got.Flip(0, uint64(len(x.list))) // the caller owns the set, so later calls must not see this change
	}
	for range 500 {
		f := randomFilter(x.rng, x.list)
		if x.rng.IntN(50) == 0 {
			f.AddedSince = pick(x.rng, 0, "2025-02-30", "now")
		}
		got, want := x.got.Select(f), x.want.Select(f)
		same(fmt.Sprintf("%+v", *f), got, want)
	}
	for _, fields := range []map[string][][]string{{"status": nil}, {"status": {}}, {"tag": {{}, {"t1"}}}, {"tag": nil}, {"tags": {{"t1"}}}, {"status": {{record.Withdrawn}}}} {
		got, want := x.got.Select(&view.Filter{Fields: fields}), x.want.Select(&view.Filter{Fields: fields})
		same(fmt.Sprint(fields), got, want)
	}
	for _, category := range []string{view.AllBoard, "c1", "C11", "c99"} {
		for _, typ := range []string{"", "tool", "model", "robot"} {
			for _, score := range record.ScoreNames {
				got, want := x.got.Board(category, typ, score), x.want.Board(category, typ, score)
				same(category+" "+typ+" "+score, got, want)
			}
		}
	}
	if hits < 150 {
		x.t.Errorf("only %d selections chose anything", hits)
	}
}

// pages pages through sets in every order, by skipping and by cursor, in both
// catalogues.
func (x *twoCatalogues) pages() {
	sets := someSets(x.rng, len(x.list))
	sets["listed"] = x.got.Select(&view.Filter{})
	for name, set := range sets {
		for _, s := range allSorts() {
			limit := 1 + int(set.GetCardinality())/(2+x.rng.IntN(9))
			n := 0
			for after := (*view.Position)(nil); ; {
				page := x.page(name, set, s, after, 0, limit)
				x.page(name, set, s, nil, n, limit)
				x.page(name, set, s, after, x.rng.IntN(len(x.list)+9), x.rng.IntN(9))
				if n += len(page); len(page) < limit {
					break
				}
				place := x.got.PositionOf(s, page[len(page)-1])
				if want := x.want.PositionOf(s, page[len(page)-1]); place != want {
					x.t.Fatalf("%s by %+v: %+v, want %+v", name, s, place, want)
				}
				if c := x.got.CountUntil(set, s, place); c != n {
					x.t.Fatalf("%s by %+v: %d until %+v, want %d", name, s, c, place, n)
				}
				after = &place
			}
		}
	}
}

func (x *twoCatalogues) page(name string, set *roaring.Bitmap, s view.Sort, after *view.Position, skip, limit int) []uint32 {
	x.t.Helper()
	got, more, ok := x.got.Page(set, s, after, skip, limit)
	want, wantMore, wantOK := x.want.Page(set, s, after, skip, limit)
	what := fmt.Sprintf("%s by %+v behind %+v, %d skipped, %d long", name, s, after, skip, limit)
	if more != wantMore || ok != wantOK {
		x.t.Fatalf("%s: more %v, ok %v; want %v, %v", what, more, ok, wantMore, wantOK)
	}
	wantOrdinals(x.t, what, got, want)
	return got
}

// places tries cursors from another build and invalid cursors.
func (x *twoCatalogues) places(other *Build) {
	texts := []string{"", "\x00", "-1", "+5", "0", "500", "1000", "1001", "NaN", "2024-02-29", "2024-02-30", "0001-01-01", "9999-12-31",
		"\xff", "tool", "model", "tool\x00a", "zzzz", "elan", "日本"}
	text := func() string { return texts[x.rng.IntN(len(texts))] }
	sets := someSets(x.rng, len(x.list))
	refused := 0
	for i := range 2000 {
		s := allSorts()[i%len(allSorts())]
		place := view.Position{Value: text(), Type: text(), Slug: text()}
		if i%2 == 0 {
			place = other.PositionOf(s, uint32(x.rng.IntN(other.Len())))
		}
		name := []string{"all", "few", "many", "none"}[x.rng.IntN(4)]
		x.page(name, sets[name], s, &place, x.rng.IntN(5), x.rng.IntN(30))
		if got, want := x.got.CountUntil(sets[name], s, place), x.want.CountUntil(sets[name], s, place); got != want {
			x.t.Fatalf("%s by %+v: %d until %+v, want %d", name, s, got, place, want)
		}
		if _, _, ok := x.got.Page(sets[name], s, &place, 0, 1); !ok {
			refused++
		}
	}
	if refused < 100 {
		x.t.Errorf("only %d places were refused", refused)
	}
}
