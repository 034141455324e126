package diff

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kindex/builder/content"
	"kindex/builder/suite"
	declared "kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/score"
)

var asOf = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// formula returns a formula that scores a tool only by its stars.
func formula(t *testing.T) *score.Formula {
	t.Helper()
	f := suite.Must(score.ParseChecked(declared.Default(), []byte(`{"version":"1","types":{"tool":{"minimumCoverage":0.5,"dimensions":{"adoption":{"weight":1,"prior":20,
		"minimumCoverage":0.5,"measures":[{"signal":"stars","map":"log","full":1000000,"weight":1}]}}}}}`)))(t)
	return f
}

func tool(slug string, stars float64, formerly ...string) *record.Entity {
	e := &record.Entity{Type: "tool", Slug: slug, Name: strings.Repeat(slug, 3), Category: "c", Description: "D " + slug, Status: record.Active, Formerly: formerly}
	if stars > 0 {
		e.Signals.Facts = []record.Fact{{Name: "stars", Number: stars, Date: "2026-01-01", Source: "https://example.org/"}}
	}
	return e
}

func revisionOf(f *score.Formula, list ...*record.Entity) Revision {
	return Revision{&content.Content{Entities: list, Categories: []record.Category{{Slug: "c", Title: "C"}}}, f}
}

// eventsOf formats a comparison on one line, which contains the event, the composite score and
// the overall rank of each entity.
func eventsOf(c *Comparison) string {
	var list []string
	for _, e := range c.Entities {
		s := strings.TrimPrefix(e.Event, "entity.") + " "
		if e.FormerSlug != "" {
			s += string(e.FormerSlug) + ">"
		}
		s += e.Slug
		if e.LeadsTo != "" {
			s += ">" + string(e.LeadsTo)
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

func TestEvents(t *testing.T) {
	f := formula(t)
	dated := tool("a", 10)
	dated.Signals.Facts[0].Date = "2026-02-01"
	moved := func(slug string) *record.Entity {
		e := tool(slug, 10, "tool/a")
		e.Type = "model"
		return e
	}
	measured := func(source string, v float64) *record.Entity {
		e := tool("a", 0)
		e.Signals.Benchmarks = []record.Benchmark{{Name: "B", Value: v, Source: source}}
		return e
	}
	for name, c := range map[string]struct {
		before, after []*record.Entity
		want          string
	}{
		"the same":                {[]*record.Entity{tool("a", 10)}, []*record.Entity{tool("a", 10)}, ""},
		"created":                 {[]*record.Entity{tool("a", 10)}, []*record.Entity{tool("a", 10), tool("b", 9)}, "created b"},
		"deleted":                 {[]*record.Entity{tool("a", 10), tool("b", 9)}, []*record.Entity{tool("a", 10)}, "deleted b"},
		"updated":                 {[]*record.Entity{tool("a", 10)}, []*record.Entity{tool("a", 11)}, "updated a"},
		"only a date":             {[]*record.Entity{tool("a", 10)}, []*record.Entity{dated}, "touched a"},
		"only a source":           {[]*record.Entity{measured("x", 1)}, []*record.Entity{measured("y", 1)}, "touched a"},
		"a result":                {[]*record.Entity{measured("x", 1)}, []*record.Entity{measured("y", 2)}, "updated a"},
		"only an earlier slug":    {[]*record.Entity{tool("a", 10)}, []*record.Entity{tool("a", 10, "z")}, "touched a"},
		"renamed":                 {[]*record.Entity{tool("a", 10)}, []*record.Entity{tool("b", 10, "a")}, "updated a>b"},
		"renamed twice":           {[]*record.Entity{tool("b", 10, "a")}, []*record.Entity{tool("c", 10, "a", "b")}, "updated b>c"},
		"moved":                   {[]*record.Entity{tool("a", 10)}, []*record.Entity{moved("a")}, "updated a>a"},
		"moved and renamed":       {[]*record.Entity{tool("a", 10)}, []*record.Entity{moved("b")}, "updated a>b"},
		"another in its place":    {[]*record.Entity{tool("a", 10)}, []*record.Entity{tool("a", 10), tool("b", 10, "a")}, "created a, updated a>b"},
		"moved on":                {[]*record.Entity{tool("a", 1), tool("b", 2)}, []*record.Entity{tool("b", 1, "a"), tool("c", 2, "b")}, "updated a>b, updated b>c"},
		"merged into a new one":   {[]*record.Entity{tool("a", 1), tool("b", 2)}, []*record.Entity{tool("c", 3, "a", "b")}, "updated b>c, deleted a>tool/c"},
		"merged into an old one":  {[]*record.Entity{tool("a", 1), tool("b", 2)}, []*record.Entity{tool("a", 1, "b")}, "deleted b>tool/a, touched a"},
		"in order, kind by kind":  {[]*record.Entity{tool("b", 1), tool("d", 1), tool("e", 2)}, []*record.Entity{tool("a", 1), tool("c", 1), tool("e", 1)}, "created a, created c, updated e, deleted b, deleted d"},
		"claimed by two new ones": {[]*record.Entity{tool("a", 1)}, []*record.Entity{tool("b", 1, "a"), tool("c", 1, "a")}, "created c, updated a>b"},
	} {
		got := Compare(revisionOf(f, c.before...), revisionOf(f, c.after...), asOf)
		if eventsOf(got) != c.want || got.Changed != (c.want != "") {
			t.Errorf("%s: %s instead of %s", name, eventsOf(got), c.want)
		}
		suite.Equal(t, got.Counts.Created+got.Counts.Updated+got.Counts.Deleted+got.Counts.Touched, len(got.Entities), name, got.Counts)
	}
}

// TestShrink checks the share of entities that a build may delete.
func TestShrink(t *testing.T) {
	f := formula(t)
	var all []*record.Entity
	for i := range 20 {
		all = append(all, tool(fmt.Sprintf("t%02d", i), 1))
	}
	for deleted, refused := range map[int]bool{0: false, 2: false, 3: true} {
		if c := Compare(revisionOf(f, all...), revisionOf(f, all[deleted:]...), asOf); c.Shrink.Refused != refused || c.Shrink.Deleted != deleted || c.Shrink.Of != 20 {
			t.Errorf("%d: %+v", deleted, c.Shrink)
		}
	}
	// A rename is not a deletion.
	if c := Compare(revisionOf(f, tool("a", 1)), revisionOf(f, tool("b", 1, "a")), asOf); c.Shrink.Refused || c.Counts.Renamed != 1 || c.Counts.Updated != 1 {
		t.Errorf("%+v", c)
	}
}
