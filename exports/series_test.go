package exports

import (
	"math"
	"slices"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/history"
	"kindex/exports/record"
)

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
	series := func(b *Build, typ, slug string) []history.Point[record.Fact] {
		o, _, ok := b.Find(typ, slug)
		if !ok {
			t.Fatalf("no %s/%s", typ, slug)
		}
		list, err := b.Moments(o, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		return history.SignalSeries(list, "stars")
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
	want := history.Point[record.Fact]{Value: record.Fact{Name: "stars", Number: 123456, Date: "2026-10-01"}}
	if got := series(with, e.Type, e.Slug); !slices.Equal(got, append(before, want)) {
		t.Errorf("edited:\ngot  %v\nwant %v and %v", got, before, want)
	}
	want.Value.Number = 7
	if got := series(with, e.Type, added.Slug); !slices.Equal(got, []history.Point[record.Fact]{want}) {
		t.Errorf("added: %v", got)
	}
}
