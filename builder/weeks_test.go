package builder_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
)

// weekItems matches the items of the formats that may be those of weeks.
var weekItems = map[string]*regexp.Regexp{
	"feed.xml":  regexp.MustCompile(`(?s)<item>.*?</item>`),
	"feed.atom": regexp.MustCompile(`(?s)<entry>.*?</entry>`),
	"feed.json": regexp.MustCompile(`(?s)\n    \{\n.*?\n    \}`),
}

var weekID = regexp.MustCompile(`urn:kindex:week:([0-9]{4}-W[0-9]{2})-[0-9a-f]{24}`)

// weeksIn returns the items of weeks in the feeds of a build, byte for byte, by file and week.
func weeksIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for file, items := range weekItems {
		b := suite.Must(os.ReadFile(filepath.Join(dir, file)))(t)
		for _, item := range items.FindAllString(string(b), -1) {
			if m := weekID.FindStringSubmatch(item); m != nil {
				found[file+" "+m[1]] = item
			}
		}
	}
	return found
}

// names lists the names of weeks.
func names(weeks []*record.Week) (list []string) {
	for _, w := range weeks {
		list = append(list, w.Name())
	}
	return list
}

// buildOn builds the working tree as of a day.
func (s *randomHistory) buildOn(out, day string) *builder.Report {
	s.t.Helper()
	var err error
	if s.asOf, err = time.Parse(time.DateOnly, day); err != nil {
		s.t.Fatal(err)
	}
	return s.build(out, 2)
}

// standings lists the ranked tools of a build with their scores, best first.
func standings(b *exports.Build) (list []string) {
	for o := range uint32(b.Manifest.Counts.Ranked) {
		_, slug := b.Key(o)
		list = append(list, fmt.Sprint(slug, " ", b.Entity(o).Scores.Composite))
	}
	return list
}

// standing describes a tool on a board: its score, and its rank among the tools that are also on
// another board.
func standing(board, other []string, tool string) string {
	slug := func(line string) string { return strings.Fields(line)[0] }
	rank := 1
	for _, line := range board {
		if slug(line) == tool {
			return fmt.Sprint(line, " ", rank)
		}
		if slices.ContainsFunc(other, func(o string) bool { return slug(o) == slug(line) }) {
			rank++
		}
	}
	return "nothing"
}

// sameWeeks checks that the items of weeks in a build are those that earlier builds had, and
// remembers new ones.
func sameWeeks(t *testing.T, seen map[string]string, dir string) {
	t.Helper()
	for key, item := range weeksIn(t, dir) {
		if old, ok := seen[key]; ok && old != item {
			t.Errorf("%s was\n%s\nnow it is\n%s", key, old, item)
		}
		seen[key] = item
	}
}

// TestWeeks finds the movers of a week in which entities change in every way, and checks that
// nothing that happens later changes its item.
func TestWeeks(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	s := newRandomHistory(t, 1)
	s.git("init", "-q", "-b", "main")
	var before []string
	steps, out := weekSteps(), t.TempDir()
	for i := range 3 {
		s.commitStates(steps, i)
		if s.now = s.now.AddDate(0, 0, 8); i == 1 {
			before = standings(built(t, s.buildOn(out, "2026-03-15")))
		}
	}
	b := built(t, s.buildOn(t.TempDir(), "2026-03-22"))
	if weeks := b.History().Weeks(); len(weeks) > 0 {
		t.Errorf("on the last day of the week, there are the weeks %q", names(weeks))
	}
	after := standings(b)
	r := s.buildOn(out, "2026-03-23")
	weeks := built(t, r).History().Weeks()
	if !slices.Equal(names(weeks), []string{"2026-W12"}) {
		t.Fatalf("the weeks %q, want the one with movers", names(weeks))
	}
	checkWeek(t, weeks[0], before, after)
	seen := weeksIn(t, r.Dir)
	if item := seen["feed.xml 2026-W12"]; len(seen) != 3 || !strings.Contains(item, "<title>Movers of week 12, 2026: no-longer-old, gains and read-again</title>") ||
		!strings.Contains(item, "<pubDate>Mon, 23 Mar 2026 00:00:00 +0000</pubDate>") || !strings.Contains(item, "&lt;li&gt;gains: 100 → 5,000&lt;/li&gt;") {
		t.Errorf("the items are %q", seen)
	}

	s.write("scoring.yaml", formulaWith("6000"))
	sameWeeks(t, seen, s.buildOn(t.TempDir(), "2026-03-24").Dir) // the formula is not committed yet
	s.drop("tool/read-again")
	s.put("tool/won", &source{name: "Gains a lot", stars: "90000", date: "2026-02-02", formerly: []string{"gains"}})
	s.remove("tool/gains.yaml")
	s.now = time.Date(2026, 3, 30, 0, 0, 0, 0, time.UTC)
	s.commit("begin")
	for _, day := range []string{"2026-03-23", "2026-04-05", "2026-04-06", "2026-06-01"} {
		incremental, full := s.buildOn(out, day), s.buildOn(t.TempDir(), day)
		sameBuild(t, incremental.Dir, full.Dir)
		sameWeeks(t, seen, full.Dir)
	}
	if len(seen) != 6 || !strings.Contains(seen["feed.json 2026-W14"], "Movers of week 14, 2026: Gains a lot") || !strings.Contains(seen["feed.json 2026-W14"], "gains in score") {
		t.Errorf("the items are %q", seen)
	}
	// A commit that arrives late belongs to the week of its date, in every build.
	s.put("tool/stays", &source{name: "Stays", stars: "70", date: "2026-02-02"})
	s.now = time.Date(2026, 4, 4, 0, 0, 0, 0, time.UTC)
	s.commit("begin")
	late := s.buildOn(out, "2026-06-01")
	sameBuild(t, late.Dir, s.buildOn(t.TempDir(), "2026-06-01").Dir)
	suite.Contains(t, weeksIn(t, late.Dir)["feed.json 2026-W14"], "Stays", "the item with a late commit")
	if b := built(t, s.buildOn(out, "2026-09-01")); len(weeksIn(t, b.Dir)) > 0 {
		t.Errorf("weeks from long ago are still in the feed")
	}
}

// checkWeek compares the week of TestWeeks with the catalogue on the Sunday before it and on its
// own Sunday.
func checkWeek(t *testing.T, w *record.Week, before, after []string) {
	t.Helper()
	var slugs, figures []string
	for _, m := range w.Scores {
		slugs = append(slugs, m.Slug)
		then, now := fmt.Sprint(m.Slug, " ", m.Previous, " ", m.PreviousRank), fmt.Sprint(m.Slug, " ", m.Score, " ", m.Rank)
		if then != standing(before, after, m.Slug) || now != standing(after, before, m.Slug) {
			t.Errorf("moved from %s to %s, want from %s to %s", then, now, standing(before, after, m.Slug), standing(after, before, m.Slug))
		}
	}
	for _, m := range w.Figures {
		figures = append(figures, fmt.Sprintf("%s of %s %.0f→%.0f", m.Signal, m.Slug, m.Previous, m.Value))
	}
	if want := []string{"no-longer-old", "gains", "read-again"}; !slices.Equal(slugs, want) {
		t.Errorf("the scores of %q have risen, want %q", slugs, want)
	}
	if want := []string{"stars of gains 100→5000", "stars of read-again 100→5000"}; !slices.Equal(figures, want) {
		t.Errorf("what has grown is %q, want %q", figures, want)
	}
}

// TestWeeksWithoutFormula looks back at weeks at whose end the scoring file was empty, missing,
// invalid and too large. Figures are compared even without a valid formula.
func TestWeeksWithoutFormula(t *testing.T) {
	suite.InTest(t)
	s := newRandomHistory(t, 1)
	s.git("init", "-q", "-b", "main")
	s.put("tool/stays", &source{name: "Stays", stars: "10", date: "2026-02-25"})
	s.commit("begin")
	good := formulaWith("200000")
	for i, text := range []string{"", "version: [", "version: 1\n", good + strings.Repeat("# comment\n", 200_000), "missing", good} {
		if s.write("scoring.yaml", text); text == "missing" {
			s.remove("scoring.yaml")
		}
		s.now = time.Date(2026, 3, 2+7*i, 8, 0, 0, 0, time.UTC)
		s.put("tool/stays", &source{name: "Stays", stars: fmt.Sprint(20 << i), date: s.now.Format(time.DateOnly)})
		s.commit("begin")
	}
	weeks := built(t, s.buildOn(t.TempDir(), "2026-04-13")).History().Weeks()
	var got []string
	for _, w := range weeks {
		got = append(got, fmt.Sprintf("%s %d %d", w.Name(), len(w.Scores), len(w.Figures)))
	}
	if want := []string{"2026-W15 1 1", "2026-W14 1 1", "2026-W13 0 1", "2026-W12 0 1", "2026-W11 0 1", "2026-W10 0 1"}; !slices.Equal(got, want) {
		t.Errorf("the weeks are %q, want %q", got, want)
	}
}

// TestWeeksOfShallowClone completes a week in a clone that lacks the week's last commit to an
// entity.
func TestWeeksOfShallowClone(t *testing.T) {
	suite.InTest(t)
	s := newRandomHistory(t, 1)
	s.git("init", "-q", "-b", "main")
	s.commit("begin")
	s.put("tool/stays", &source{name: "Stays", stars: "5000", date: "2026-02-02"})
	s.now = time.Date(2026, 3, 10, 8, 0, 0, 0, time.UTC)
	s.git("commit", "-q", "-a", "-m", "a mover")
	s.now = s.now.AddDate(0, 0, 1)
	s.git("commit", "-q", "--allow-empty", "-m", "nothing")
	out := t.TempDir()
	s.buildOn(out, "2026-03-12")
	full := s.buildOn(t.TempDir(), "2026-03-16")
	clone := *s
	clone.dir = t.TempDir()
	clone.git("clone", "-q", "--depth", "1", "file://"+s.dir, ".")
	r := clone.buildOn(out, "2026-03-16")
	sameBuild(t, r.Dir, full.Dir)
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "today's scoring formula") || len(weeksIn(t, r.Dir)) != 3 {
		t.Errorf("warnings %q, weeks %q", r.Warnings, weeksIn(t, r.Dir))
	}
}
