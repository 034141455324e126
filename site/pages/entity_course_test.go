package pages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/edge/edgetest"
	"kindex/exports/boards"
	"kindex/site/pages"
)

// TestCourseOfOneDay: of what was ranked on one day alone there is a sentence, of all
// else that has a score a picture, and of what never had one nothing.
func TestCourseOfOneDay(t *testing.T) {
	t.Parallel()
	plain := t.TempDir() // no repository keeps it: there is this one build
	for _, name := range []string{"scoring.yaml", "tool/pytorch.yaml", "tool/keras.yaml", "model/o3.yaml"} {
		data, err := os.ReadFile(filepath.Join(edgetest.Root(t), "content", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(plain, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(plain, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bare := "name: Bare\ncategory: ml-frameworks\ndescription: Nothing is known of it.\n"
	if err := os.WriteFile(filepath.Join(plain, "tool/bare.yaml"), []byte(bare), 0o644); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	edgetest.Build(t, plain, out)
	counts := map[string]int{}
	for _, from := range []string{out, pastBuild(t)} {
		s := siteOf(t, from, pages.Options{})
		for o := range uint32(s.Build.Len()) {
			if passedOver(int(o)) && from != out {
				continue
			}
			counts[checkCourse(t, s, o)]++
		}
	}
	if counts["sentence"] < 3 || counts["nothing"] == 0 || counts["pictures"] < 10 {
		t.Errorf("of all pages there are %v", counts)
	}
}

// checkCourse reads what the page of a record says of its course, and tells which kind
// that is.
func checkCourse(t *testing.T, s *pages.Site, o uint32) string {
	t.Helper()
	e, err := s.Build.Entity(o)
	if err != nil {
		t.Fatal(err)
	}
	standings, err := s.Boards.Course(o)
	if err != nil {
		t.Fatal(err)
	}
	today := s.AsOf.Format(time.DateOnly)
	if len(standings) == 0 || standings[len(standings)-1].Day < today {
		rank, err := s.Boards.Rank(o)
		if err != nil {
			t.Fatal(err)
		}
		ranked, err := s.Boards.Ranked()
		if err != nil {
			t.Fatal(err)
		}
		standings = append(standings, boards.Standing{Day: today, Score: e.Scores.Composite, Rank: rank, Of: int(ranked.GetCardinality())})
	}
	var scored []boards.Standing
	ranks := 0
	for _, d := range standings {
		if d.Score.Known() {
			scored = append(scored, d)
		}
		if d.Rank > 0 {
			ranks++
		}
	}
	p := parse(t, get(t, s, "/"+e.Key()+"/").Body)
	section := p.all(func(n *node) bool { return n.attr["id"] == "course" })
	if len(scored) == 0 {
		if len(section) != 0 || p.links()["#course"] {
			t.Errorf("%s never had a score, and has a course", e.Key())
		}
		return "nothing"
	}
	if len(section) != 1 {
		t.Errorf("%s has no course", e.Key())
		return ""
	}
	c := section[0]
	pictures, tables, sentences := len(c.all(inClass("chart"))), len(c.named("table")), c.all(inClass("course-only"))
	if len(scored) > 1 {
		if want := 1 + min(1, ranks/2); pictures != want || tables != 1 || len(sentences) != 0 {
			t.Errorf("%s: %d pictures, want %d, and %d sentences for %d days", e.Key(), pictures, want, len(sentences), len(scored))
		}
		return "pictures"
	}
	if pictures != 0 || len(sentences) != 1 || (tables == 1) != (len(standings) > 1) {
		t.Errorf("%s: %d pictures, %d tables and %d sentences for one day", e.Key(), pictures, tables, len(sentences))
		return ""
	}
	only := scored[0]
	dated := func(day string) bool {
		return len(sentences[0].all(func(n *node) bool { return n.attr["datetime"] == day })) > 0
	}
	says := sentences[0].text()
	rank := "not ranked"
	if only.Rank > 0 {
		rank = fmt.Sprintf("rank %d of %d", only.Rank, only.Of)
	}
	if !dated(only.Day) || !dated(standings[0].Day) || !strings.Contains(says, "score "+only.Score.String()+", "+rank+".") || !strings.Contains(c.text(), "further days") {
		t.Errorf("%s: of %+v it says %q", e.Key(), only, says)
	}
	return "sentence"
}
