package board_test

import (
	"slices"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/view"
)

// checkRankHistories compares the rank history of every entity in a build with the model,
// which counts the entities that are ahead of it at the end of every week.
func checkRankHistories(t *testing.T, p *madeHistory, a *board.List) {
	t.Helper()
	seen := map[string]bool{}
	for o, e := range p.entities {
		got := suite.Must(a.RankHistory(uint32(o)))(t)
		var want []board.RankAt
		for i, w := range p.weeks {
			then, was := w.stood[p.of[e]]
			if !was {
				seen["begins later"] = seen["begins later"] || len(want) == 0
				seen["was gone in between"] = seen["was gone in between"] || len(want) > 0
				continue
			}
			s := board.RankAt{Day: w.day, Score: then.Scores.Composite}
			s.Rank, s.Ranked = rank(w.stood, then, "composite")
			want = append(want, s)
			seen["was renamed"] = seen["was renamed"] || then.Slug != e.Slug
			seen["was withdrawn"] = seen["was withdrawn"] || then.Status == record.Withdrawn && s.Score.Known()
			seen["had no score"] = seen["had no score"] || then.Status != record.Withdrawn && !s.Score.Known()
			seen["is at an address of another"] = seen["is at an address of another"] || i > 0 && p.hadAddress(e, i-1)
		}
		suite.Equal(t, got, want, e.Key())
	}
	for _, what := range []string{"begins later", "was gone in between", "was renamed", "was withdrawn", "had no score", "is at an address of another"} {
		if !seen[what] {
			t.Errorf("no entity %s", what)
		}
	}
}

// hadAddress reports whether a different entity had e's address in a given week.
func (p *madeHistory) hadAddress(e *record.Entity, week int) bool {
	for l, other := range p.weeks[week].stood {
		if l != p.of[e] && other.Key() == e.Key() {
			return true
		}
	}
	return false
}

func opened(t *testing.T, b *exports.Build, p *madeHistory) *board.List {
	return suite.Must(board.Open(b, formula, p.asOf()))(t)
}

func TestRankHistory(t *testing.T) {
	t.Parallel()
	p := newMadeHistory(1, 150, 30, 40)
	a := opened(t, p.build(t), p)
	var asked sync.WaitGroup // concurrent first calls are allowed
	for o := range uint32(8) {
		asked.Go(func() {
			if course, err := a.RankHistory(o); err != nil || len(course) == 0 {
				t.Errorf("record %d: %v, %v", o, course, err)
			}
		})
	}
	asked.Wait()
	checkRankHistories(t, p, a)
}

// TestRanks compares current ranks and those of a week earlier with the model.
func TestRanks(t *testing.T) {
	t.Parallel()
	p := newMadeHistory(2, 120, 20, 50)
	b := p.build(t)
	a := opened(t, b, p)
	last := p.weeks[len(p.weeks)-1]
	ranked := b.Board(view.AllBoard, "", "composite")
	for o, e := range p.entities {
		want, of := rank(last.stood, e, "composite")
		if got := b.Rank(uint32(o)); got != want || int(ranked.GetCardinality()) != of {
			t.Errorf("%s is at %d of %d, want %d of %d", e.Key(), got, ranked.GetCardinality(), want, of)
		}
	}
	records := make([]uint32, len(p.entities))
	for o := range records {
		records[o] = uint32(o)
	}
	before := p.weeks[len(p.weeks)-2]
	for _, by := range []string{"composite", "adoption"} {
		for _, day := range []string{"", last.day} {
			f, err := a.PreviousBoard(day, view.AllBoard, "", by)
			if err != nil || !f.Known() || f.Day() != before.day {
				t.Fatalf("the board %d days before %q is %+v: %v", history.MovementDays, day, f, err)
			}
			for o, got := range f.Ranks(b.View, records) {
				want := 0
				if then := before.stood[p.of[p.entities[o]]]; then != nil {
					want, _ = rank(before.stood, then, by)
				}
				suite.Equal(t, got, want, p.entities[o].Key(), by)
			}
		}
	}
	first, err := a.PreviousBoard(p.weeks[0].day, view.AllBoard, "", "composite")
	if err != nil || first.Known() || first.Day() != "2025-12-28" || slices.Max(first.Ranks(b.View, records)) != 0 {
		t.Errorf("before the first snapshot: %+v, %v", first, err)
	}
	if _, err := a.PreviousBoard("2026-02-30", view.AllBoard, "", "composite"); err == nil {
		t.Error("February has thirty days")
	}
}

// TestEdits checks that edits change the current board but not the history.
func TestEdits(t *testing.T) {
	t.Parallel()
	p := newMadeHistory(3, 60, 6, 20)
	below := p.build(t)
	now := map[string]*record.Entity{}
	for _, e := range p.entities {
		now[e.Key()] = e
	}
	var edits []exports.Edit
	edit := func(e *record.Entity, change func(*record.Entity)) {
		edited := *e
		change(&edited)
		delete(now, e.Key())
		now[edited.Key()] = &edited
		if edited.Slug != e.Slug {
			edits = append(edits, exports.Edit{Type: e.Type, Slug: e.Slug})
		}
		edits = append(edits, exports.Edit{Type: edited.Type, Slug: edited.Slug, Entity: &edited})
	}
	renamed, best, fresh := p.entities[3], p.entities[10], *p.entities[5]
	edit(renamed, func(e *record.Entity) { e.Slug, e.Formerly = "renamed-now", []string{renamed.Slug} })
	edit(best, func(e *record.Entity) { e.Scores.Composite = record.ScoreOf(99) })
	fresh.Slug = "fresh-now"
	now[fresh.Key()] = &fresh
	edits = append(edits, exports.Edit{Type: fresh.Type, Slug: fresh.Slug, Entity: &fresh})
	b, err := below.WithEdits(edits)
	suite.Check(t, err)
	a, old := opened(t, b, p), opened(t, below, p)
	for key, e := range now {
		o, _, ok := b.Find(e.Type, e.Slug)
		want, _ := rank(now, e, "composite")
		if got := b.Rank(o); !ok || err != nil || got != want {
			t.Errorf("%s is at %d, want %d: %v, %v", key, got, want, ok, err)
		}
		was := e.Slug
		if len(e.Formerly) > 0 {
			was = e.Formerly[0]
		}
		course := suite.Must(a.RankHistory(o))(t)
		if e.Slug == fresh.Slug {
			if course != nil {
				t.Errorf("%s is not committed, but was at %v", key, course)
			}
			continue
		}
		before, _, _ := below.Find(e.Type, was)
		if want, err := old.RankHistory(before); err != nil || len(want) == 0 || !slices.Equal(course, want) {
			t.Errorf("%s\ngot  %v\nwant %v, %v", key, course, want, err)
		}
	}
}
