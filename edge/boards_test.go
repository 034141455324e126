package edge

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/edge/storage/storagetest"
	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/record"
)

const testBoards = `boards:
  - slug: starred
    title: Starred models
    description: Models by their likes and by one benchmark.
    type: model
    where: {openWeights: true}
    formula:
      minimumCoverage: 0.5
      dimensions:
        adoption:
          weight: 1
          prior: 0
          measures:
            - {signal: likes, map: linear, from: 0, to: 100, weight: 1}
        quality:
          weight: 1
          prior: 0
          measures:
            - {benchmark: B, by: independent, map: linear, from: 0, to: 100, weight: 1}
    needs: {sources: 1}
`

// boardModel is the file of a model on the board starred.
func boardModel(likes int, publisher, date string) string {
	return fmt.Sprintf("openWeights: true\nsignals:\n  likes: {value: %d, date: %s, source: 'https://example.org/'}\n"+
		"  benchmarks:\n    - {name: B, value: 50, by: independent, publisher: %s, date: 2026-09, source: 'https://example.org/'}\n", likes, date, publisher)
}

func serveBoards(t *testing.T) *served {
	t.Helper()
	content := filepath.Join(t.TempDir(), "content")
	for i := range 8 {
		writeEntity(t, content, fmt.Sprintf("model/m%d", i), boardModel(10*i, "Ada", "2026-10-1"+fmt.Sprint(i)))
	}
	writeEntity(t, content, "model/by-maker", strings.Replace(boardModel(90, "Ada", "2026-10-01"), "by: independent", "by: maker", 1))
	writeEntity(t, content, "model/closed", strings.Replace(boardModel(90, "Ada", "2026-10-01"), "true", "false", 1))
	writeEntity(t, content, "tool/t", "signals: {stars: {value: 5, date: 2026-10-01}}\n")
	writeFile(t, content, "boards.yaml", testBoards)
	out := filepath.Join(t.TempDir(), "out")
	buildInto(t, content, out, 3)
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t)})
	s.content = content
	return s
}

// boardAnswer is a page of a board.
type boardAnswer struct {
	Title, Description, Needs string
	FiguresOf                 struct{ Oldest, Newest string }
	Count                     int
	Data                      []struct {
		Slug       string
		Rank       int
		BoardScore float64
	}
}

// readBoard reads the board starred and returns it as a list of slugs and scores.
func (s *served) readBoard(t *testing.T, query string) (a boardAnswer, list []string) {
	t.Helper()
	got := s.ask(t, "GET", "/api/leaderboard/starred"+query)
	if got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	unpack(t, got.body, &a)
	for i, r := range a.Data {
		if r.Rank != i+1 {
			t.Errorf("rank %d at %d", r.Rank, i+1)
		}
		list = append(list, fmt.Sprint(r.Slug, " ", r.BoardScore))
	}
	return a, list
}

// TestBoards reads a board, and follows edits that move, add and remove its entities, as serve
// --watch publishes them, until too few are left.
func TestBoards(t *testing.T) {
	s := serveBoards(t)
	a, list := s.readBoard(t, "")
	want := []string{"m7 60", "m6 55", "m5 50", "m4 45", "m3 40", "m2 35", "m1 30", "m0 25"}
	if !slices.Equal(list, want) || a.Count != 8 || a.Title != "Starred models" || a.FiguresOf.Oldest != "2026-09-01" || a.FiguresOf.Newest != "2026-10-17" ||
		a.Needs != "Needs benchmark results from at least 1 independent source." {
		t.Errorf("%+v", a)
	}
	preview := func(edits ...exports.Edit) { s.Preview(edits) }
	o, _, _ := s.published().Build.Find("model", "m0")
	e := s.published().Build.Entity(o)
	risen := *e
	risen.Signals.Facts = []record.Fact{{Name: "likes", Number: 100, Date: "2026-10-20"}}
	preview(exports.Edit{Type: "model", Slug: "m0", Entity: &risen})
	if a, list := s.readBoard(t, ""); !slices.Equal(list, slices.Concat([]string{"m0 75"}, want[:7])) || a.FiguresOf.Newest != "2026-10-20" {
		t.Errorf("after an edit: %s, %+v", list, a.FiguresOf)
	}
	if body := string(s.ask(t, "GET", "/api/entity/model/m0/score?board=starred").body); !strings.Contains(body, `"boardScore":75`) {
		t.Errorf("the explanation differs: %s", body)
	}
	added := risen
	added.Slug, added.Name = "added", "Added"
	preview(exports.Edit{Type: "model", Slug: "m7"}, exports.Edit{Type: "model", Slug: "added", Entity: &added})
	if _, list := s.readBoard(t, "?limit=3"); !slices.Equal(list, []string{"added 75", "m6 55", "m5 50"}) {
		t.Errorf("after an addition and a removal: %s", list)
	}
	for _, format := range []string{"json", "csv"} {
		if body := string(s.ask(t, "GET", "/api/export/leaderboard?category=starred&format="+format).body); !strings.Contains(body, "added") {
			t.Errorf("the export as %s lacks the edit: %s", format, body)
		}
	}
	preview(exports.Edit{Type: "model", Slug: "m7"})
	for _, path := range []string{"/api/leaderboard/starred", "/api/export/leaderboard?category=starred"} {
		if a := s.ask(t, "GET", path); a.status != 404 || !strings.Contains(string(a.body), fmt.Sprintf("it has 7 ranked entities, and a board needs %d", board.MinEntries)) {
			t.Errorf("%s with seven entities: %d %s", path, a.status, a.body)
		}
	}
	if body := string(s.ask(t, "GET", "/api/boards").body); !strings.Contains(body, `"data":[],"count":0`) {
		t.Errorf("the list has a board that is not published: %s", body)
	}
	preview()
	if _, list := s.readBoard(t, ""); !slices.Equal(list, want) {
		t.Errorf("after undoing the edits: %s", list)
	}
}

// TestUnrankedOnBoard reads why entities are not on a board.
func TestUnrankedOnBoard(t *testing.T) {
	s := serveBoards(t)
	for entity, want := range map[string]string{
		"model/by-maker": "the board starred needs benchmark results from at least 1 independent source, and it has none",
		"model/closed":   "it does not meet the conditions of the board starred",
		"tool/t":         "the board starred ranks models, and this is a tool",
		"model/m1":       `"ranked":true,"reason":null`,
	} {
		if body := string(s.ask(t, "GET", "/api/entity/"+entity+"/score?board=starred").body); !strings.Contains(body, want) {
			t.Errorf("%s: %s", entity, body)
		}
	}
	if a := s.ask(t, "GET", "/api/leaderboard/stared"); a.status != 404 || !strings.Contains(string(a.body), `no category or board \"stared\"; expected one of: all, alpha, starred.`) ||
		!strings.Contains(string(a.body), `"suggestion":"starred"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
}
