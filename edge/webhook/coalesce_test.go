package webhook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/webhook"
	"kindex/exports/record"
)

// steps returns the changes in a history from one position to another.
func steps(t *testing.T, p *madeHistory, from, to int) (list []webhook.Step) {
	t.Helper()
	for i := from; i < to; i++ {
		c, err := p.Change(i)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, webhook.Step{Change: c})
	}
	return list
}

func fold(t *testing.T, list []webhook.Step) []webhook.Event {
	t.Helper()
	events, err := webhook.Coalesce(list)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// TestCoalesceIsTheDifference coalesces parts of random histories. Every event contains what
// exports.Diff finds between the records at both ends, and applying the events in order to
// the first state results in the second one.
func TestCoalesceIsTheDifference(t *testing.T) {
	suite.InTest(t)
	split, whole := 0, 0
	begin, end := suite.Pick(uint64(14), 0), suite.Pick(uint64(18), 30) // a few seeds, of which some exchange addresses
	for seed := begin; seed < end; seed++ {
		a, p := newAuthor(seed), newMadeHistory()
		if seed%2 == 0 {
			a.slugs, a.restless = "abcd", true // so few that entities often compete for the same slug
		}
		for len(p.changes) < 120 {
			a.commit(p)
		}
		for range 60 {
			from := a.IntN(len(p.changes))
			to := from + a.IntN(min(len(p.changes)-from, 1+a.IntN(100)))
			events := fold(t, steps(t, p, from, to))
			before, after := p.worlds[from], p.worlds[to]
			r := newReceiver(t, before)
			for _, e := range events {
				r.apply(e, true)
			}
			r.compare(after)
			if compareWithDiff(t, events, before, after) {
				whole++
			} else {
				split++
			}
			if again := fold(t, steps(t, p, from, to)); jsonOf(again) != jsonOf(events) {
				t.Fatalf("second run:\n%s\nfirst run:\n%s", jsonOf(again), jsonOf(events))
			}
		}
	}
	if split < 5 || whole < 20*split {
		t.Errorf("%d folds of one event per entity, %d with more", whole, split)
	}
}

// compareWithDiff compares each event with the records at both ends. It returns false if
// entities have exchanged their addresses and one of them has two events: those events are
// not differences between the ends.
func compareWithDiff(t *testing.T, events []webhook.Event, before, after world) bool {
	t.Helper()
	left, taken, ends := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, e := range events {
		from, to := addresses(e)
		if from != "" && (left[from] || before[from] == nil) || to != "" && (taken[to] || after[to] == nil) {
			return false
		}
		left[from], taken[to] = true, true
		if from == "" || to == "" {
			ends[from+to] += e.Name
		}
	}
	for at, names := range ends {
		if strings.Count(names, "entity.") > 1 {
			t.Fatalf("%s: %s", at, names)
		}
	}
	for _, e := range events {
		from, to := addresses(e)
		got := slices.DeleteFunc(slices.Clone(e.Changes), func(c record.FieldChange) bool { return strings.HasPrefix(c.Field, "scores.") })
		if g, w := normalized(got), normalized(record.Diff(before[from], after[to])); g != w || g == "" || len(e.ChangeIDs) == 0 {
			t.Fatalf("%s: the event has\n%sthe records differ by\n%s", e.Payload, g, w)
		}
	}
	return true
}

// addresses returns an entity's addresses before and after an event, or "" if it does not exist
// at that point.
func addresses(e webhook.Event) (from, to string) {
	from = e.Type + "/" + e.Slug
	to = from
	for _, c := range e.Changes {
		if c.Field == "slug" {
			from = e.Type + "/" + strings.Trim(string(c.Old), `"`)
		}
	}
	switch e.Name {
	case record.Created:
		from = ""
	case record.Deleted:
		to = ""
	}
	return from, to
}

// normalized returns a list of differences without those that are not significant.
func normalized(list []record.FieldChange) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s: %s → %s\n", c.Field, comparable(c.Field, c.Old), comparable(c.Field, c.New))
	}
	return b.String()
}

// TestCoalesce checks hand-written cases.
func TestCoalesce(t *testing.T) {
	tool := func(slug, name, version string) *record.Entity {
		return &record.Entity{Type: "tool", Slug: slug, Name: name, Version: version, Status: record.Active}
	}
	scored := func(e *record.Entity, composite float64) *record.Entity {
		e.Scores.Composite = record.ScoreOf(composite)
		return e
	}
	a1, a2, b1 := tool("a", "A", "1"), tool("a", "A", "2"), tool("b", "A", "1")
	x, xb, xt := tool("b", "X", "9"), tool("a", "X", "9"), tool("t", "A", "1")
	for _, c := range []struct {
		name   string
		before []*record.Entity
		way    [][2]*record.Entity
		want   string
	}{
		{"there and back", []*record.Entity{a1}, [][2]*record.Entity{{a1, a2}, {a2, a1}}, ""},
		{"created and deleted", nil, [][2]*record.Entity{{nil, a1}, {a1, a2}, {a2, nil}}, ""},
		{"deleted and back as it was", []*record.Entity{a1}, [][2]*record.Entity{{a1, nil}, {nil, a1}}, ""},
		{"renamed and back", []*record.Entity{a1}, [][2]*record.Entity{{a1, b1}, {b1, a1}}, ""},
		{"deleted and back, another", []*record.Entity{a1}, [][2]*record.Entity{{a1, nil}, {nil, a2}},
			`entity.updated tool/a A: version "1"→"2"`},
		{"created and updated", nil, [][2]*record.Entity{{nil, a1}, {a1, a2}},
			`entity.created tool/a A: name null→"A", version null→"2", status null→"active"`},
		{"renamed and deleted: known by its old address", []*record.Entity{a1}, [][2]*record.Entity{{a1, b1}, {b1, nil}},
			`entity.deleted tool/a A: name "A"→null, version "1"→null, status "active"→null`},
		{"renamed, and another in its place", []*record.Entity{a1}, [][2]*record.Entity{{a1, b1}, {nil, xb}},
			`entity.updated tool/b A: slug "a"→"b"; entity.created tool/a X: name null→"X", version null→"9", status null→"active"`},
		{"renamed and deleted, and another in its place", []*record.Entity{a1}, [][2]*record.Entity{{a1, b1}, {nil, xb}, {b1, nil}},
			`entity.updated tool/a X: name "A"→"X", version "1"→"9"`},
		{"exchanged", []*record.Entity{a1, x}, [][2]*record.Entity{{a1, xt}, {x, xb}, {xt, b1}},
			`entity.updated tool/t A: slug "a"→"t"; entity.updated tool/a X: slug "b"→"a"; entity.updated tool/b A: slug "t"→"b"`},
		{"scores alone", []*record.Entity{scored(tool("a", "A", "1"), 5)}, [][2]*record.Entity{
			{scored(tool("a", "A", "1"), 5), scored(tool("a", "A", "2"), 6)}, {scored(tool("a", "A", "2"), 7), scored(tool("a", "A", "1"), 8)}}, ""},
		{"scores beside", []*record.Entity{scored(tool("a", "A", "1"), 5)}, [][2]*record.Entity{
			{scored(tool("a", "A", "1"), 5), scored(tool("a", "A", "2"), 6)}, {scored(tool("a", "A", "2"), 7), scored(tool("a", "A", "3"), 8)}},
			`entity.updated tool/a A: version "1"→"3", scores.composite 5.0→8.0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newMadeHistory()
			for _, e := range c.before {
				p.add(nil, e)
			}
			from := len(p.changes)
			for _, step := range c.way {
				p.add(step[0], step[1])
			}
			var got []string
			for _, e := range fold(t, steps(t, p, from, len(p.changes))) {
				line := fmt.Sprintf("%s %s/%s %s: ", e.Name, e.Type, e.Slug, e.Entity)
				for i, f := range e.Changes {
					if i > 0 {
						line += ", "
					}
					line += fmt.Sprintf("%s %s→%s", f.Field, f.Old, f.New)
				}
				got = append(got, line)
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), c.want)
			}
		})
	}
}

// TestCoalesceOfAlreadySent coalesces steps when earlier events include some of them. Those
// steps affect the values in the new events, but are not listed in them.
func TestCoalesceOfAlreadySent(t *testing.T) {
	p := newMadeHistory()
	for v := range 5 {
		p.add(p.now()["tool/a"], &record.Entity{Type: "tool", Slug: "a", Name: "A", Version: fmt.Sprint(v), Status: record.Active})
	}
	for told, want := range map[string]string{
		"----": `"0"→"4" of 1234`, "x---": `"1"→"4" of 234`, "-x--": `"0"→"4" of 134`, "xx--": `"2"→"4" of 34`,
		"---x": "", "xxx-": `"3"→"4" of 4`, "xxxx": "", "x-x-": `"1"→"4" of 24`,
	} {
		list := steps(t, p, 1, 5)
		for i := range list {
			list[i].AlreadySent = told[i] == 'x'
		}
		got := ""
		for _, e := range fold(t, list) {
			got += fmt.Sprintf("%s→%s of ", e.Changes[0].Old, e.Changes[0].New)
			for _, id := range e.ChangeIDs {
				got += fmt.Sprint(p.places[id])
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", told, got, want)
		}
	}
}
