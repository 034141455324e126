package exports_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/history"
	"kindex/exports/record"
)

// opened opens a build with a history.
func opened(t *testing.T) *exports.Build {
	t.Helper()
	b := suite.Must(exports.Open(build(t, commits(t, 8), t.TempDir())))(t)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// TestDaysInMemory checks that a few days stay in memory, among them always the one that today's leaderboards are
// compared with, and that this one is made without admission.
func TestDaysInMemory(t *testing.T) {
	b := opened(t)
	a, admitted := b.History(), 0
	refused := errors.New("refused")
	a.Guard(func() (func(), error) {
		if admitted++; admitted > 5 {
			return nil, refused
		}
		return func() {}, nil
	})
	first := map[string]*history.Day{}
	for _, day := range []string{"2026-10-25", "2026-10-01", "2026-10-02", "2026-10-02", "2026-10-01", "2026-10-25", "2026-10-03", "2026-10-01", "2026-10-04"} {
		d := suite.Must(a.Day(day))(t)
		if first[day] != nil && d != first[day] {
			t.Errorf("%s was forgotten", day)
		}
		first[day] = d
	}
	if d, err := a.Day("2026-10-02"); err != nil || d == first["2026-10-02"] {
		t.Errorf("the day that was used least recently is still in memory: %v", err)
	}
	for range 2 { // the first three are three that stay
		if d, err := a.Day("2026-10-25"); err != nil || d != first["2026-10-25"] {
			t.Error("the day that today is compared with was forgotten", err)
		}
		if _, err := a.Day("2026-10-09"); !errors.Is(err, refused) {
			t.Errorf("a day was made without admission: %v", err)
		}
	}
}

// TestMomentsEndWithTheRecord checks that an edit, and an entity without a history, have a
// last point that is not committed, and that an unchanged record adds none.
func TestMomentsEndWithTheRecord(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	b := opened(t)
	stars := func(e *record.Entity, n float64) *record.Entity {
		with := *e
		with.Signals.Facts = []record.Fact{{Name: "stars", Number: n, Date: "2026-10-01"}}
		return &with
	}
	o := uint32(3)
	e := b.Entity(o)
	series := func(b *exports.Build, typ, slug string) []history.Point[record.Fact] {
		o, _, ok := b.Find(typ, slug)
		if !ok {
			t.Fatalf("no %s/%s", typ, slug)
		}
		list := suite.Must(b.Moments(o, math.MaxInt))(t)
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
	with := suite.Must(b.WithEdits([]exports.Edit{{e.Type, e.Slug, stars(e, 123456)}, {e.Type, added.Slug, added}}))(t)
	want := history.Point[record.Fact]{Value: record.Fact{Name: "stars", Number: 123456, Date: "2026-10-01"}}
	suite.Equal(t, series(with, e.Type, e.Slug), append(before, want))
	want.Value.Number = 7
	suite.Equal(t, series(with, e.Type, added.Slug), []history.Point[record.Fact]{want}, "added")
}

// TestEndOfDay checks that a day includes its last second, but not the first second of the next
// day, and that an earlier slug that only the file has, not the history, leads to the entity.
func TestEndOfDay(t *testing.T) {
	repo := t.TempDir()
	folder := filepath.Join(repo, "tool")
	at := func(moment, slug, text string) {
		t.Helper()
		err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o755))
		if text != "" {
			err = errors.Join(err, os.WriteFile(filepath.Join(folder, slug+".yaml"), []byte("category: c\ndescription: D.\n"+text), 0o644))
		}
		suite.Check(t, err)
		commit(t, repo, moment)
	}
	at("2025-03-01T23:59:59Z", "a", "name: One\n")
	at("2025-03-03T00:00:00Z", "a", "name: Two\n")
	at("2025-03-03T23:59:59Z", "", "")
	at("2025-03-05T00:00:00Z", "b", "name: Three\nformerly: [a, older]\n")
	b := suite.Must(exports.Open(build(t, repo, t.TempDir())))(t)
	defer b.Close()
	for day, want := range map[string]string{"2025-02-28": "0 1", "2025-03-01": "0 2", "2025-03-02": "0 2", "2025-03-03": "2 3", "2025-03-04": "2 3", "2025-03-05": "3 2", "9999-12-31": "3 2"} {
		for _, slug := range []string{"a", "b", "older"} {
			if v, lifecycle := b.History().At("tool", slug, day); fmt.Sprint(v, " ", lifecycle) != want {
				t.Errorf("%s on %s: version %d, %d, want %s", slug, day, v, lifecycle, want)
			}
		}
	}
	for _, day := range []string{"", "2025-02-30", "yesterday", "2025-01-01T00:00:00Z"} {
		if v, lifecycle := b.History().At("tool", "a", day); v != -1 || lifecycle != history.Unknown {
			t.Errorf("on %q: %d, %d", day, v, lifecycle)
		}
	}
}
