package board_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/store"
)

// madeHistory is a generated history of several weeks, each of which has a snapshot on
// Sunday, together with the expected boards.
type madeHistory struct {
	rng      *rand.Rand
	versions []record.Version
	lines    []*line
	freed    []string // slugs that became free through renaming
	weeks    []*week
	entities []*record.Entity // entities at the end, in the order of CompareRank
	of       map[*record.Entity]*line
}

// line is an entity across all its slugs, deletions and restorations.
type line struct {
	now  *record.Entity // nil while deleted
	last int32          // version
}

// week is the state at the end of a week.
type week struct {
	day   string
	stood map[*line]*record.Entity // entities that existed, with that day's scores
}

// formula calculates the adoption from the stars, and the quality from the citations.
var formula = &score.Formula{Version: "test", Types: map[string]*score.TypeFormula{"tool": {Dimensions: map[string]*score.Dimension{
	"adoption": {Weight: 2, Measures: []score.Measure{{Signal: "stars", Map: "linear", From: new(0.0), To: new(100.0), Weight: 1}}},
	"quality":  {Weight: 1, Measures: []score.Measure{{Signal: "citations", Map: "linear", From: new(0.0), To: new(100.0), Weight: 1}}},
}}}}

// figures returns figures, some of which are missing.
func (p *madeHistory) figures() (s record.Signals) {
	for _, name := range []string{"stars", "citations"} {
		if p.rng.IntN(8) > 0 {
			s.Facts = append(s.Facts, record.Fact{Name: name, Number: float64(p.rng.IntN(60))}) // few values, so that many scores are tied
		}
	}
	return s
}

// newMadeHistory generates a history that starts with the given number of entities
// and has the given number of changes in each week.
func newMadeHistory(seed uint64, entities, weeks, changes int) *madeHistory {
	p := &madeHistory{rng: rand.New(rand.NewPCG(seed, 7)), of: map[*record.Entity]*line{}}
	sunday := time.Date(2026, 1, 4, 0, 0, 0, 0, time.UTC)
	for w := range weeks {
		n := changes
		if w == 0 {
			n = entities
		}
		for i := range n {
			// The first change is almost a week before the last one, which is in
			// the last second of the Sunday.
			at := sunday.AddDate(0, 0, 1).Unix() - 1 - int64((n-1-i)*(6*86400)/n)
			if w == 0 || p.rng.IntN(6) == 0 {
				p.add(at, &line{last: -1}, p.fresh())
			} else {
				p.change(at, p.lines[p.rng.IntN(len(p.lines))])
			}
		}
		p.endWeek(sunday)
		sunday = sunday.AddDate(0, 0, 7)
	}
	last := p.weeks[len(p.weeks)-1]
	for l, e := range last.stood {
		p.entities = append(p.entities, e)
		p.of[e] = l
	}
	slices.SortFunc(p.entities, record.CompareRank)
	return p
}

// fresh returns a new entity, often at a formerly used address.
func (p *madeHistory) fresh() *record.Entity {
	slug := fmt.Sprintf("e%d", len(p.versions))
	if n := len(p.freed); n > 0 && p.rng.IntN(2) == 0 {
		slug, p.freed = p.freed[n-1], p.freed[:n-1]
	}
	return &record.Entity{Type: "tool", Slug: slug, Name: slug, Category: "c", Status: record.Active, Signals: p.figures()}
}

// add adds a version to a line. If e is nil, the version is a deletion.
func (p *madeHistory) add(at int64, l *line, e *record.Entity) {
	v := record.Version{Entity: e, Deleted: e == nil, Time: at, Commit: -1, Previous: l.last, Change: -1}
	v.Added, _ = record.DayNumber("")
	v.Updated = v.Added
	if shown := e; shown != nil || l.now != nil {
		if shown == nil {
			shown = l.now
		}
		v.Type, v.Slug = shown.Type, shown.Slug
	}
	if l.last < 0 {
		p.lines = append(p.lines, l)
	}
	l.now, l.last = e, int32(len(p.versions))
	p.versions = append(p.versions, v)
}

func (p *madeHistory) change(at int64, l *line) {
	if l.now == nil { // restore a deleted entity
		v := p.versions[l.last]
		p.add(at, l, &record.Entity{Type: v.Type, Slug: v.Slug, Name: "Back", Category: "c", Status: record.Active, Signals: p.figures()})
		return
	}
	e := *l.now
	switch p.rng.IntN(5) {
	case 0:
		p.add(at, l, nil)
		return
	case 1:
		p.freed = append(p.freed, e.Slug)
		e.Slug = fmt.Sprintf("r%d", len(p.versions))
	case 2:
		e.Status = map[string]string{record.Active: record.Withdrawn, record.Withdrawn: record.Active}[e.Status]
	case 3:
		e.Signals = p.figures()
	}
	p.add(at, l, &e)
}

func (p *madeHistory) endWeek(day time.Time) {
	w := &week{day.Format(time.DateOnly), map[*line]*record.Entity{}}
	for _, l := range p.lines {
		if l.now == nil {
			continue
		}
		e := *l.now
		e.Scores = formula.Scores(&e, day)
		w.stood[l] = &e
	}
	p.weeks = append(p.weeks, w)
}

// snapshot returns a week's snapshot, given the current version of each line.
func (w *week) snapshot(version map[*line]uint32) *history.Snapshot {
	type authored struct {
		e *record.Entity
		v uint32
	}
	var list []authored
	for l, e := range w.stood {
		list = append(list, authored{e, version[l]})
	}
	slices.SortFunc(list, func(a, b authored) int { return record.CompareRank(a.e, b.e) })
	rows := make([]history.SnapshotRow, len(list))
	for i, r := range list {
		rows[i] = history.SnapshotRow{Version: r.v, Type: r.e.Type, Slug: r.e.Slug, Status: r.e.Status, Scores: r.e.Scores}
	}
	s, err := history.NewSnapshot(w.day, rows)
	if err != nil {
		panic(err)
	}
	return s
}

// snapshots returns one snapshot per week.
func (p *madeHistory) snapshots(tb testing.TB) (list []*history.Snapshot) {
	lineOf := map[int32]*line{} // by version
	for _, l := range p.lines {
		for v := l.last; v >= 0; v = p.versions[v].Previous {
			lineOf[v] = l
		}
	}
	version, next := map[*line]uint32{}, 0
	for _, w := range p.weeks {
		day := suite.Must(time.Parse(time.DateOnly, w.day))(tb)
		for ; next < len(p.versions) && p.versions[next].Time < day.AddDate(0, 0, 1).Unix(); next++ {
			version[lineOf[int32(next)]] = uint32(next)
		}
		list = append(list, w.snapshot(version))
	}
	return list
}

// build writes and opens a build that contains the last week's entities and the
// whole history.
func (p *madeHistory) build(tb testing.TB) *exports.Build {
	tb.Helper()
	check := func(err error) {
		tb.Helper()
		suite.Check(tb, err)
	}
	root := tb.TempDir()
	w, err := exports.NewWriter(root)
	check(err)
	n := len(p.entities)
	check(w.WriteNeighbours(make([][]exports.Neighbour, n), nil))
	check(w.WriteRecords(p.entities))
	check(w.Add(exports.ScoringFile, formula.JSON()))
	check(w.WriteHistory(&history.Data{Versions: p.versions, Snapshots: p.snapshots(tb)}))
	m := &store.Manifest{Builder: "test", Title: "Test", AsOf: p.asOf().Format(time.RFC3339), Counts: store.Counts{Types: map[string]int{}}}
	for _, e := range p.entities {
		if e.Status == record.Withdrawn {
			m.Counts.Withdrawn++
			continue
		}
		m.Counts.Entities++
		if e.Scores.Composite.Known() {
			m.Counts.Ranked++
		}
	}
	check(w.Finalize(m, func(string) string { return "CC0-1.0" }))
	check(w.Install(m))
	b, err := exports.Open(filepath.Join(store.BuildsDir(root), m.ID))
	check(err)
	tb.Cleanup(func() {
		if err := b.Close(); err != nil {
			tb.Error(err)
		}
	})
	return b
}

// asOf returns a time on the last day.
func (p *madeHistory) asOf() time.Time {
	t, err := time.Parse(time.DateOnly, p.weeks[len(p.weeks)-1].day)
	if err != nil {
		panic(err)
	}
	return t.Add(13 * time.Hour)
}

// rank returns an entity's rank by a score on the overall leaderboard, or 0 if it is
// unranked, and of, the number of ranked entities.
func rank[K comparable](all map[K]*record.Entity, e *record.Entity, by string) (rank, of int) {
	on := func(e *record.Entity) bool { return e.Status != record.Withdrawn && e.Scores.Get(by).Known() }
	for _, other := range all {
		if !on(other) {
			continue
		}
		of++
		order := other.Scores.Get(by).Compare(e.Scores.Get(by))
		if order > 0 || order == 0 && record.CompareKey(other, e) <= 0 {
			rank++
		}
	}
	if !on(e) {
		return 0, of
	}
	return rank, of
}
