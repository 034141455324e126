package builder_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
)

const (
	others = "signals:\n  downloads: {value: 1000, date: 2026-02-01, source: https://example.org/}\n" // without stars
	old    = "  stars: {value: 5000, date: 2019-02-01, source: https://example.org/}\n"
)

// weekSteps lists entities that change in every way within a week. Each has three states: long
// before the week, shortly before it, and within it.
func weekSteps() map[string][3]*source {
	thing := func(status, stars, date, lists string) *source {
		return &source{name: "X", status: status, stars: stars, date: date, lists: lists}
	}
	return map[string][3]*source{
		"gains":         {thing("", "100", "2026-02-01", ""), nil, thing("", "5000", "2026-02-01", "")},
		"loses":         {thing("", "5000", "2026-02-01", ""), nil, thing("", "100", "2026-02-01", "")},
		"another-name":  {thing("", "100", "2026-02-01", ""), nil, thing("", "100", "2026-02-01", "tags: [x]\n")},
		"stale-renewed": {thing("", "5000", "2019-02-01", ""), nil, thing("", "5000", "2026-03-01", "tags: [x]\n")},
		"one-renewed":   {thing("", "", "", others+old), nil, thing("", "5000", "2026-02-01", "tags: [x]\n")},
		"dates-only":    {thing("", "5000", "2026-02-01", ""), nil, thing("", "5000", "2026-03-01", "")},
		"came-back":     {thing("", "5000", "2026-02-01", ""), thing("", "", "", others), thing("", "5000", "2026-02-01", "")},
		"more-came":     {thing("", "100", "2026-02-01", ""), thing("", "", "", others), thing("", "5000", "2026-02-01", "")},
		"blinks":        {thing("", "100", "2026-02-01", ""), nil, thing("", "5000", "2026-02-01", "")},
		"one-more":      {thing("", "", "", others), nil, thing("", "", "", others+strings.NewReplacer("stars: {value: 5000", "forks: {value: 40000", "2019", "2026").Replace(old))},
		"vanishes":      {thing("", "5000", "2026-02-01", ""), nil, thing("", "", "", others)},
		"created":       {nil, nil, thing("", "5000", "2026-02-01", "")},
		"withdrawn":     {thing("", "100", "2026-02-01", ""), nil, thing("withdrawn", "5000", "2026-02-01", "")},
		"no-longer-old": {thing("deprecated", "70000", "2026-02-01", ""), nil, thing("", "70000", "2026-02-01", "")},
		"never-scored":  {thing("", "", "", ""), nil, thing("", "5000", "2026-02-01", "")},
		"read-again":    {thing("", "100", "2026-03-03", ""), nil, thing("", "5000", "2026-03-17", "")},
		"read-late":     {thing("", "100", "2026-03-02", ""), nil, thing("", "5000", "2026-03-17", "")},
		"at-rest":       {thing("", "5000", "2026-02-01", ""), nil, nil},
	}
}

// commitStates commits the i-th states of all steps. Within the week, one tool loses its stars for a
// day.
func (s *randomHistory) commitStates(steps map[string][3]*source, i int) {
	if i == 2 {
		s.now = s.now.AddDate(0, 0, -1)
		s.put("tool/blinks", &source{name: "blinks", lists: others})
		s.commit("blink")
		s.now = s.now.AddDate(0, 0, 1)
	}
	for slug, step := range steps {
		if step[i] != nil {
			f := *step[i]
			f.name = slug
			s.put("tool/"+slug, &f)
		}
	}
	s.commit("begin")
}

// TestTrends makes changes of every kind within a week, and checks which of
// them count as gains. Entities whose figures appeared, vanished, came back or were out of date are
// left out.
func TestTrends(t *testing.T) {
	s := newRandomHistory(t, 1)
	s.git("init", "-q", "-b", "main")
	steps := weekSteps()
	for i := range 3 {
		s.commitStates(steps, i)
		s.now = s.now.AddDate(0, 0, 8)
	}
	b := built(t, s.build(t.TempDir(), 1)) // the third commit is dated 17 March, and the as-of day is 20 March
	w := b.History().Window("7d")
	got := map[string]string{}
	for _, x := range w.List {
		_, slug := b.Key(x.Ordinal)
		what := "nothing"
		if x.Gain() > 0 {
			what = "gain"
		}
		if now := b.Entity(x.Ordinal).Scores.Composite; x.Score != now || x.Previous.Known() && x.Gain() != now.Tenths()-x.Previous.Tenths() {
			t.Errorf("%s gained %d tenths from %s to %s", slug, x.Gain(), x.Previous, now)
		}
		if !x.Previous.Known() {
			what += ", none before"
		}
		got[slug] = fmt.Sprintf("%s, %d", what, x.Changes)
	}
	want := map[string]string{
		"gains": "gain, 1", "another-name": "nothing, 1", "stale-renewed": "nothing, none before, 1", "created": "nothing, none before, 1",
		"read-again":    "gain, 1",
		"no-longer-old": "gain, 1", "never-scored": "nothing, none before, 1",
	}
	for _, slug := range slices.Sorted(maps.Keys(steps)) {
		suite.Equal(t, got[slug], want[slug], slug)
	}
	checkGrowth(t, b)
	if w.Empty || len(got) != len(want) {
		t.Errorf("empty %v: %s", w.Empty, strings.Join(slices.Sorted(maps.Keys(got)), ", "))
	}
}

// checkGrowth checks which counts of TestTrends have grown within the week.
func checkGrowth(t *testing.T, b *exports.Build) {
	t.Helper()
	w := b.History().Window("7d")
	var got []string
	for _, g := range w.GrowthOf("stars") {
		_, slug := b.Key(g.Ordinal)
		got = append(got, fmt.Sprintf("%s %.0f→%.0f", slug, g.Previous, g.Now))
	}
	want := []string{"gains 100→5000", "read-again 100→5000"} // more-came vanished in between
	if !slices.Equal(got, want) || w.Since != "2026-03-13" {
		t.Errorf("since %s, stars grew: %q, want %q", w.Since, got, want)
	}
	suite.Equal(t, len(w.Growth), len(got), "growth of other signals")
}
