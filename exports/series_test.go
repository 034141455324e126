package exports

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// TestSeries compares the series of every signal and of the price of every entity with a
// plain walk of the versions in the order of their commits.
func TestSeries(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	p, b := archived(t, 70, 40, 400)
	price := func(e *record.Entity) record.PriceSummary { return b.Providers().Compute(e, "").Price }
	points, gaps := 0, 0
	for line := range p.lines {
		newest := p.lines[line][len(p.lines[line])-1]
		for i, v := range p.lines[line] {
			if v != newest && i%5 != 0 {
				continue
			}
			list, err := b.Archive().Moments(v, math.MaxInt)
			if err != nil {
				t.Fatal(err)
			}
			if last, err := b.Archive().Moments(v, 2); err != nil || !reflect.DeepEqual(last, list[max(0, len(list)-2):]) {
				t.Fatalf("the last two up to version %d are %v, %v", v, last, err)
			}
			for _, s := range kinds.Default().Signals {
				want := walked(p, line, v, func(e *record.Entity) record.Fact {
					f, _ := e.Signals.Fact(s.Name)
					return f
				})
				got := SignalSeries(list, s.Name)
				if !slices.Equal(got, want) {
					t.Fatalf("%s up to version %d:\ngot  %v\nwant %v", s.Name, v, got, want)
				}
				points += len(got)
				for _, x := range got {
					if x.Value == (record.Fact{}) {
						gaps++
					}
				}
			}
			if got, want := Series(list, price), walked(p, line, v, price); !slices.Equal(got, want) {
				t.Fatalf("prices up to version %d:\ngot  %v\nwant %v", v, got, want)
			}
		}
	}
	if points < 5000 || gaps < 500 {
		t.Errorf("%d points, %d gaps", points, gaps)
	}
}

// walked is Series, computed from all versions of the history up to one of a line.
func walked[T comparable](p *madeHistory, line, until int, value func(*record.Entity) T) []Point[T] {
	var all []Point[T]
	var zero T
	for v := range until + 1 {
		if p.lineOf[v] != line {
			continue
		}
		x := Point[T]{Time: p.versions[v].Time, Commit: p.commits[p.versions[v].Commit].Hash}
		if e := p.entities[v]; e != nil {
			x.Value = value(e)
		}
		all = append(all, x)
	}
	all = slices.CompactFunc(all, func(a, b Point[T]) bool { return a.Value == b.Value })
	if len(all) > 0 && all[0].Value == zero {
		all = all[1:]
	}
	return all
}

// TestMomentsEndWithTheRecord checks that an edit, and an entity without a history, have a
// last point that is not committed, and that an unchanged record adds none.
func TestMomentsEndWithTheRecord(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	_, b := archived(t, 71, 30, 60)
	stars := func(e *record.Entity, n float64) *record.Entity {
		with := *e
		with.Signals.Facts = []record.Fact{{Name: "stars", Number: n, Date: "2026-10-01"}}
		return &with
	}
	o := uint32(3)
	e := b.Entity(o)
	series := func(b *Build, typ, slug string) []Point[record.Fact] {
		o, _, ok := b.Find(typ, slug)
		if !ok {
			t.Fatalf("no %s/%s", typ, slug)
		}
		list, err := b.Moments(o, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		return SignalSeries(list, "stars")
	}
	before := series(b, e.Type, e.Slug)
	for _, x := range before {
		if x.Commit == "" || x.Time == 0 {
			t.Errorf("without edits there is the point %+v", x)
		}
	}
	added := stars(e, 7)
	added.Slug, added.Formerly = "quite-new", nil
	with, err := b.WithEdits([]Edit{{e.Type, e.Slug, stars(e, 123456)}, {e.Type, added.Slug, added}})
	if err != nil {
		t.Fatal(err)
	}
	want := Point[record.Fact]{Value: record.Fact{Name: "stars", Number: 123456, Date: "2026-10-01"}}
	if got := series(with, e.Type, e.Slug); !slices.Equal(got, append(before, want)) {
		t.Errorf("edited:\ngot  %v\nwant %v and %v", got, before, want)
	}
	want.Value.Number = 7
	if got := series(with, e.Type, added.Slug); !slices.Equal(got, []Point[record.Fact]{want}) {
		t.Errorf("added: %v", got)
	}
}
