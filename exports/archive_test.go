package exports

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/exports/history"
	"kindex/exports/record"
)

// archived opens a build with a complete history.
func archived(t testing.TB, seed uint64, entities, commits int) (*madeHistory, *Build) {
	t.Helper()
	p := newMadeHistory(seed, catalogue(seed, entities))
	p.goOn(commits)
	_, list := p.listed(len(p.versions), p.rng)
	a := p.asCurrent(len(p.versions))
	a.Trends = someTrends(p.rng, len(list))
	a.Weeks = someWeeks()
	p.trends = a.Trends
	return p, openBuild(t, list, a)
}

func someTrends(rng *rand.Rand, n int) []history.Trends {
	var all []history.Trends
	for i, window := range []string{"7d", "30d", "1d"} {
		t := history.Trends{Window: window, Days: 7, Since: "2024-03-01", Empty: i == 2}
		for range i * 0x20 {
			s := record.Score{}
			if rng.IntN(3) > 0 {
				s = record.ScoreOf(float64(rng.IntN(1001)) / 10)
			}
			t.List = append(t.List, history.Trend{Ordinal: uint32(rng.IntN(n)), Score: record.ScoreOf(float64(rng.IntN(101))), Previous: s, Rank: uint32(rng.IntN(n)), PreviousRank: uint32(rng.IntN(n)), Changes: rng.Uint32()})
		}
		for _, signal := range []string{"forks", "stars"} {
			for range i * rng.IntN(20) {
				t.Growth = append(t.Growth, history.Growth{Ordinal: uint32(rng.IntN(n)), Signal: signal, Now: float64(rng.IntN(1000)), Previous: rng.Float64()})
			}
		}
		all = append(all, t)
	}
	return all
}

// someWeeks returns two weeks, with values at the limits.
func someWeeks() []*record.Week {
	monday := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	m := record.Mover{Type: "tool", Slug: "a", Name: "A <b>\u2028\"\n"}
	return []*record.Week{
		{ID: "2026-W01-" + strings.Repeat("0", 24), End: monday,
			Scores:  []record.ScoreMove{{Mover: m, Previous: record.ScoreOf(0), Score: record.ScoreOf(100), Rank: 1}, {Mover: m, Score: record.ScoreOf(0.1), PreviousRank: 1 << 31}},
			Figures: []record.FigureMove{{Mover: m, Signal: "stars", Previous: 0, Value: 1e300}}},
		{ID: "2025-W01-" + strings.Repeat("0", 24), End: monday.AddDate(-1, 0, 1), Scores: []record.ScoreMove{}, Figures: []record.FigureMove{{Mover: m, Signal: "forks", Value: 0.1}}},
	}
}

func checkWeeksRead(t *testing.T, b *Build) {
	got := b.History().Weeks()
	if want := someWeeks(); !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	if got[0].Name() != "2026-W01" || got[1].Name() != "2025-W01" {
		t.Errorf("the weeks are named %s and %s", got[0].Name(), got[1].Name())
	}
}

func TestArchiveReadsBack(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	for seed := range suite.Pick[uint64](1, 3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p, b := archived(t, 50+seed, 120, 150)
			t.Run("versions", func(t *testing.T) { checkVersions(t, p, b) })
			t.Run("at", func(t *testing.T) { checkAt(t, p, b.History()) })
			t.Run("changes", func(t *testing.T) { checkChanges(t, p, b) })
			t.Run("trends", func(t *testing.T) { checkTrends(t, p, b) })
			t.Run("weeks", func(t *testing.T) { checkWeeksRead(t, b) })
		})
	}
}

func checkVersions(t *testing.T, p *madeHistory, b *Build) {
	r := b.History()
	if r.Versions() != len(p.versions) || r.Commits() != len(p.commits) || r.Changes() != len(p.changes) {
		t.Fatalf("%d versions, %d commits, %d changes", r.Versions(), r.Commits(), r.Changes())
	}
	if r.Head() != (history.Head{Commit: "head", Path: "content", Mailmap: "m", Formula: "f", Commits: len(p.commits)}) {
		t.Error(r.Head())
	}
	for i, c := range p.commits {
		if r.Commit(i) != c {
			t.Errorf("commit %d is %+v, want %+v", i, r.Commit(i), c)
		}
	}
	deleted := 0
	for i, want := range p.versions {
		got := r.Version(i)
		if !want.Deleted {
			authored := *want.Entity
			authored.Kinds = b.Kinds()
			authored.Kinds = b.Kinds()
			if authored.AddedDerived {
				authored.AddedDate = ""
			}
			if authored.UpdatedDerived {
				authored.LastUpdated = ""
			}
			authored.Computed = record.Computed{}
			authored.Scores, authored.AddedDerived, authored.UpdatedDerived = record.Scores{}, false, false
			if e, err := r.Entity(i); err != nil || !reflect.DeepEqual(*e, authored) {
				t.Fatalf("entity of version %d, %v:\ngot  %+v\nwant %+v", i, err, e, authored)
			}
			if got, err := r.Record(i); err != nil || !bytes.Equal(got, want.Entity.AppendAuthored(nil)) {
				t.Fatalf("version %d as authored, %v:\ngot  %s\nwant %s", i, err, got, want.Entity.AppendAuthored(nil))
			}
			scored := *want.Entity
			scored.Scores, scored.Computed = randomScores(p.rng), b.Providers().Compute(&scored, "2026-02-01")
			if e, err := r.EntityAt(i, "2026-02-01", scored.Scores); err != nil || !bytes.Equal(e.AppendJSON(nil), scored.AppendJSON(nil)) {
				t.Fatalf("record of version %d, %v:\ngot  %s\nwant %s", i, err, e.AppendJSON(nil), scored.AppendJSON(nil))
			}
			want.Entity = nil
		} else if _, err := r.Entity(i); err == nil {
			t.Errorf("version %d was deleted and has content", i)
		} else {
			deleted++
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("version %d:\ngot  %+v\nwant %+v", i, got, want)
		}
		line := p.lines[p.lineOf[i]]
		if r.Newest(i) != line[len(line)-1] {
			t.Fatalf("the newest of version %d is %d, want %d", i, r.Newest(i), line[len(line)-1])
		}
	}
	for _, k := range p.addresses() {
		want := -1
		for i, v := range p.versions {
			if v.Type == k[0] && v.Slug == k[1] {
				want = i
			}
		}
		if v, ok := r.Last(k[0], k[1]); v != want || ok != (want >= 0) {
			t.Fatalf("the last of %q is %d, %v; want %d", k, v, ok, want)
		}
	}
	last := time.Unix(p.versions[len(p.versions)-1].Time, 0).UTC().Format("2006-01-02")
	if r.FirstDay() != "2024-02-28" || r.LastDay() != max(last, "2026-11-01") || deleted < 20 {
		t.Errorf("from %s to %s, %d deleted", r.FirstDay(), r.LastDay(), deleted)
	}
}

func checkAt(t *testing.T, p *madeHistory, r *history.Archive) {
	addresses := p.addresses()
	seen := map[string]int{}
	for _, day := range p.days() {
		for range 60 {
			k := addresses[p.rng.IntN(len(addresses))]
			v, standing := r.At(k[0], k[1], day)
			want, wantStanding := p.standing(k[0], k[1], day)
			if v != want || standing != wantStanding {
				t.Fatalf("%q on %s: version %d, place %d; want %d, %d", k, day, v, standing, want, wantStanding)
			}
			seen[fmt.Sprint("standing ", standing)]++
			if standing != history.Exists {
				continue
			}
			if p.versions[v].Slug != k[1] {
				seen["another slug"]++
			}
			if last, _ := r.Last(k[0], k[1]); p.lineOf[last] != p.lineOf[v] {
				seen["another entity"]++
			}
			if len(p.lines[p.lineOf[v]]) > 1 && p.versions[v].Previous >= 0 && p.versions[p.versions[v].Previous].Deleted {
				seen["back again"]++
			}
		}
	}
	for _, what := range []string{"standing 0", "standing 1", "standing 2", "standing 3", "another slug", "another entity", "back again"} {
		if seen[what] < 5 {
			t.Errorf("%s: only %d; %v", what, seen[what], seen)
		}
	}
	for _, day := range []string{"", "2025-02-30", "yesterday", "2025-01-01T00:00:00Z"} {
		if v, standing := r.At(p.versions[0].Type, p.versions[0].Slug, day); v != -1 || standing != history.Unknown {
			t.Errorf("on %q: %d, %d", day, v, standing)
		}
	}
}

// A day includes its last second but not the first second of the next day. An
// earlier slug that appears only in the entity file, not in the history, leads to
// the entity.
func TestEndOfDay(t *testing.T) {
	e := func(slug, name string) *record.Entity {
		return &record.Entity{Type: "tool", Slug: slug, Name: name, Category: "c", Status: record.Active}
	}
	p := &madeHistory{rng: rand.New(rand.NewPCG(1, 1))}
	at := func(moment string, work func(map[string]bool)) {
		when, err := time.Parse(time.RFC3339, moment)
		if err != nil {
			t.Fatal(err)
		}
		p.now = when.Unix()
		p.commit(work)
	}
	at("2025-03-01T23:59:59Z", func(did map[string]bool) { p.create(did, e("a", "one"), -1) })
	at("2025-03-03T00:00:00Z", func(did map[string]bool) { p.create(did, e("a", "two"), 0) })
	at("2025-03-03T23:59:59Z", func(did map[string]bool) { p.append(did, 0, "tool", "a", nil) })
	at("2025-03-05T00:00:00Z", func(did map[string]bool) { p.create(did, e("b", "three"), 0) })
	now := e("b", "three")
	now.Formerly = []string{"older"}
	r := openBuild(t, []*record.Entity{now}, p.archive(len(p.versions))).History()
	for day, want := range map[string]string{"2025-02-28": "0 1", "2025-03-01": "0 2", "2025-03-02": "0 2", "2025-03-03": "2 3", "2025-03-04": "2 3", "2025-03-05": "3 2", "9999-12-31": "3 2"} {
		for _, slug := range []string{"a", "b", "older"} {
			if v, standing := r.At("tool", slug, day); fmt.Sprint(v, " ", standing) != want {
				t.Errorf("%s on %s: version %d, place %d, want %s", slug, day, v, standing, want)
			}
		}
	}
	if v, standing := r.At("model", "older", "2025-03-05"); v != -1 || standing != history.Unknown {
		t.Error(v, standing)
	}
	if got := r.EntityChanges(0); len(got) != len(p.changes) {
		t.Errorf("changes %v of %d", got, len(p.changes))
	}
}

func checkTrends(t *testing.T, p *madeHistory, b *Build) {
	_, list := p.listed(len(p.versions), rand.New(rand.NewPCG(1, 1)))
	r := b.History()
	if got := r.Windows(); !slices.Equal(got, []string{"7d", "30d", "1d"}) {
		t.Error(got)
	}
	if _, empty, list := r.Trends("99d"); !empty || list != nil {
		t.Error("a window that was not written has trends")
	}
	since, empty, moved := r.Trends("30d")
	if since != "2024-03-01" || empty || len(moved) != 0x20 || len(list) != b.Len() {
		t.Fatal(since, empty, len(moved), len(list))
	}
	for _, written := range p.trends {
		for _, signal := range []string{"forks", "stars", "likes"} {
			var want []history.Growth
			for _, g := range written.Growth {
				if g.Signal == signal {
					want = append(want, g)
				}
			}
			if _, got := r.Growth(written.Window, signal); !slices.Equal(got, want) {
				t.Errorf("%s %s: %v, want %v", written.Window, signal, got, want)
			}
		}
	}
	// One entity is removed, one is withdrawn and one changes.
	var edited []uint32
	for _, m := range moved {
		if !slices.Contains(edited, m.Ordinal) {
			edited = append(edited, m.Ordinal)
		}
	}
	var edits []Edit
	for i, status := range []string{"", record.Withdrawn, record.Active} {
		typ, slug := b.Key(edited[i])
		edits = append(edits, Edit{Type: typ, Slug: slug})
		if status != "" {
			edits[i].Entity = &record.Entity{Type: typ, Slug: slug, Name: "N", Category: "c1", Status: status}
		}
	}
	with, err := b.WithEdits(edits)
	if err != nil {
		t.Fatal(err)
	}
	var want []history.Trend
	for _, m := range moved {
		switch m.Ordinal {
		case edited[0], edited[1]:
			continue
		case edited[2]:
			m.Ordinal, _, _ = with.Find(b.Key(edited[2]))
		}
		want = append(want, m)
	}
	if _, _, got := with.History().Trends("30d"); !slices.Equal(got, want) {
		t.Errorf("with edits:\ngot  %v\nwant %v", got, want)
	}
	if _, _, got := b.History().Trends("30d"); !slices.Equal(got, moved) {
		t.Error("edits changed the underlying build")
	}
	typ, slug := b.Key(edited[0])
	if v, ok := with.History().Last(typ, slug); !ok || with.History().Version(v).Slug != slug || with.History().Changes() != len(p.changes) {
		t.Error("edits changed the past")
	}
}

func TestNoArchive(t *testing.T) {
	for name, b := range map[string]*Build{
		"none":    openBuild(t, catalogue(3, 5)),
		"nothing": openBuild(t, catalogue(3, 5), &history.Data{}),
	} {
		r := b.History()
		v, standing := r.At("tool", "a", "2025-01-01")
		_, found := r.FindChange(strings.Repeat("0", 24))
		_, last := r.Last("tool", "a")
		snapshot, err := r.Snapshot("2025-01-01")
		_, empty, list := r.Trends("7d")
		if r.Versions()+r.Changes()+r.Commits()+len(r.Snapshots())+len(list)+len(r.ChangeValues("type")) != 0 || v != -1 || standing != history.Unknown || found || last || snapshot != nil || err != nil || !empty ||
			r.FirstDay() != "" || r.LastDay() != "2026-11-01" || r.ChangesSince(time.Time{}) != 0 || !r.SelectChanges(history.ChangeFilter{To: 9}).IsEmpty() {
			t.Errorf("%s: something was found", name)
		}
	}
}
