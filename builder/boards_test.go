package builder_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports"
	boardpkg "kindex/exports/board"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/view"
)

const testBoards = `boards:
  - slug: open-models
    title: Open models
    description: Models with open weights, by two benchmarks.
    type: model
    where:
      category: [nlp, vision]
      openWeights: true
      tag: "a,b"
    formula:
      minimumCoverage: 0.5
      dimensions:
        quality:
          weight: 2
          prior: 30
          measures:
            - {benchmark: Code, by: independent, variants: true, map: linear, from: 0, to: 100, weight: 2}
            - {benchmark: Math, by: independent, map: linear, from: 0, to: 100, weight: 1}
        adoption:
          weight: 1
          prior: 10
          measures:
            - {signal: likes, map: log, full: 1000, weight: 1}
    needs: {sources: 2}
  - slug: used-tools
    title: Used tools
    description: Tools by the formula of all tools.
    type: tool
    where: {minScore: 20, signal: "stars>=50"}
`

// boardHistory is a content folder with boards, which random edits change.
type boardHistory struct {
	*randomHistory
	n int
}

func (h *boardHistory) pick(list ...string) string { return list[h.rand.IntN(len(list))] }

// model returns a model about which little or much is known.
func (h *boardHistory) model(i int) string {
	date := func() string {
		return time.Date(2026, 1, 1+h.rand.IntN(70), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	text := fmt.Sprintf("name: Model %d\ndescription: An example.\ncategory: %s\nopenWeights: %s\ntags: [%s]\n", i,
		h.pick("nlp", "vision", "audio"), h.pick("true", "true", "false"), h.pick("a, b", "b, a, c", "a"))
	if h.rand.IntN(10) == 0 {
		text += "status: " + h.pick("withdrawn", "deprecated") + "\n"
	}
	text += fmt.Sprintf("signals:\n  likes: {value: %d, date: %s, source: https://example.org/}\n  benchmarks:\n", h.rand.IntN(3), date())
	text += fmt.Sprintf("    - {name: Other, value: 1, date: %s, source: https://example.org/}\n", date())
	for _, name := range []string{"Code", "Code (2, hard)", "Math", "Math"} {
		if h.rand.IntN(4) > 0 {
			text += fmt.Sprintf("    - {name: %q, value: %d, by: %s, publisher: %s, date: %s, source: https://example.org/}\n", name, h.rand.IntN(5)*20,
				h.pick("independent", "independent", "maker"), h.pick("Ada", "Ada", "Bob", "Cy"), date())
		}
	}
	return text
}

func newBoardHistory(t *testing.T, seed uint64) *boardHistory {
	h := &boardHistory{randomHistory: newRandomHistory(t, seed), n: 120}
	h.rand = rand.New(rand.NewPCG(seed, 11))
	h.write("scoring.yaml", h.scoring())
	h.write("boards.yaml", testBoards)
	for i := range h.n {
		h.edit(i)
	}
	h.git("init", "-q", "-b", "main")
	h.commit("begin")
	return h
}

// edit writes a model and a tool.
func (h *boardHistory) edit(i int) {
	h.write(fmt.Sprintf("model/m%d.yaml", i), h.model(i))
	h.write(fmt.Sprintf("tool/t%d.yaml", i), fmt.Sprintf("name: Tool %d\ndescription: An example.\ncategory: nlp\n"+
		"signals:\n  stars: {value: %d, date: 2026-02-01, source: https://example.org/}\n"+
		"  downloads: {value: 100000, date: 2026-02-01, source: https://example.org/}\n"+
		"  lastCommit: {value: 2026-01-20, date: 2026-02-01, source: https://example.org/}\n", i, h.rand.IntN(6)*25))
}

// placed is an entity on a board in the model of the test.
type placed struct {
	key   string
	score record.Score
}

// plainSort returns a board by a plain sort of the scores of all matching entities.
func plainSort(b *boardpkg.Board, formula *score.Formula, entities []*record.Entity, asOf time.Time) (list []placed) {
	f := &score.Formula{Version: formula.Version, DeprecatedCap: formula.DeprecatedCap, Types: map[string]*score.TypeFormula{b.Type: b.TypeFormula()}}
	for _, e := range entities {
		fits := e.Type == b.Type && e.Status != record.Withdrawn
		if b.Slug == "open-models" {
			fits = fits && (e.Category == "nlp" || e.Category == "vision") && e.Values.Answer("openWeights") == "true" &&
				slices.Contains(e.Tags, "a") && slices.Contains(e.Tags, "b") && len(publishers(f.Explain(e, asOf), e)) >= 2
		} else {
			stars, _ := e.Signals.Fact("stars")
			fits = fits && e.Scores.Composite.Known() && e.Scores.Composite.Float() >= 20 && stars.Number >= 50
		}
		if s := f.Scores(e, asOf).Composite; fits && s.Known() {
			list = append(list, placed{e.Key(), s})
		}
	}
	slices.SortFunc(list, func(x, y placed) int {
		return cmp.Or(y.score.Compare(x.score), strings.Compare(x.key, y.key))
	})
	return list
}

// publishers returns who published the results that count according to an explanation.
func publishers(x *score.Explanation, e *record.Entity) map[string]bool {
	found := map[string]bool{}
	for _, d := range x.Dimensions {
		for _, m := range d.Measures {
			if m.State != score.Counted || m.Result == nil {
				continue
			}
			for _, b := range e.Signals.Benchmarks {
				if b.By != record.ByMaker && b.Date == *m.Date && any(b.Value) == m.Value && strings.HasPrefix(b.Name, m.Measure.Benchmark) {
					found[b.Publisher] = true
				}
			}
		}
	}
	return found
}

// allOf decodes all records of a catalogue.
func allOf(t *testing.T, c *view.View) (list []*record.Entity) {
	t.Helper()
	set := c.Select(&view.Filter{})
	for _, o := range set.ToArray() {
		e := c.Entity(o)
		list = append(list, e)
	}
	return list
}

// checkBoards compares the boards of a build, now and on all days with a snapshot, with a plain
// sort of their records' scores.
func checkBoards(t *testing.T, b *exports.Build, formula *score.Formula, asOf time.Time) {
	t.Helper()
	list := suite.Must(boardpkg.Open(b, formula, asOf))(t)
	compare := func(what string, own *boardpkg.Board, r *boardpkg.Ranking, at time.Time) {
		t.Helper()
		var got []placed
		for _, entry := range r.Entries {
			typ, slug := r.Catalogue.Key(entry.Ordinal)
			got = append(got, placed{typ + "/" + slug, entry.Score})
		}
		if want := plainSort(own, formula, allOf(t, r.Catalogue), at); !slices.Equal(got, want) {
			t.Errorf("%s of %s:\ngot  %v\nwant %v", own.Slug, what, got, want)
		}
	}
	for _, own := range list.Boards {
		now := list.Now(own)
		if !now.Published() {
			t.Errorf("%s has only %d entries, too few for a test", own.Slug, len(now.Entries))
		}
		compare("today", own, now, asOf)
		for _, day := range b.History().Snapshots() {
			s := suite.Must(b.History().Day(day))(t)
			at, _ := time.Parse(time.DateOnly, day)
			compare(day, own, list.At(own, s.View), at)
		}
	}
}

// TestBoards compares boards with a plain sort: in full and in incremental builds, which are the
// same, byte for byte, and with edits on top of a build, as serve --watch shows them.
func TestBoards(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	h := newBoardHistory(t, 5)
	out := t.TempDir()
	for i := range suite.Pick(2, 3) {
		report := h.build(out, 3)
		full := h.build(t.TempDir(), 1)
		sameBuild(t, report.Dir, full.Dir)
		loaded, _, err := builder.LoadContent(h.dir, nil)
		suite.Check(t, err)
		b := built(t, report)
		checkBoards(t, b, loaded.Formula, h.asOf)

		// Edits give the boards of a build with these edits.
		h.now = h.now.Add(60 * time.Hour)
		edits := h.editSome(t, loaded.Formula)
		edited := suite.Must(b.WithEdits(edits))(t)
		checkBoards(t, edited, loaded.Formula, h.asOf)
		if t.Failed() {
			t.Fatalf("in round %d", i)
		}
		h.commit(fmt.Sprint("change ", i))
		h.asOf = h.asOf.AddDate(0, 0, i*8)
	}
}

// editSome changes, adds and removes entities, and returns the same as edits of a build.
func (h *boardHistory) editSome(t *testing.T, formula *score.Formula) (edits []exports.Edit) {
	t.Helper()
	gone := map[string]bool{}
	for range 10 {
		h.edit(h.rand.IntN(h.n + 5))
	}
	for range 3 {
		key := fmt.Sprintf("model/m%d", h.rand.IntN(h.n))
		if !gone[key] {
			h.remove(key + ".yaml")
			gone[key] = true
		}
	}
	loaded, problems, err := builder.LoadContent(h.dir, nil)
	if n, _ := problems.Count(); err != nil || n > 0 {
		t.Fatal(problems, err)
	}
	for key := range gone {
		typ, slug, _ := strings.Cut(key, "/")
		edits = append(edits, exports.Edit{Type: typ, Slug: slug})
	}
	for _, e := range loaded.Entities { // an unchanged entity as an edit changes nothing
		e.Scores, e.Computed = formula.Scores(e, h.asOf), loaded.Providers.Compute(e, h.asOf.Format(time.DateOnly))
		edits = append(edits, exports.Edit{Type: e.Type, Slug: e.Slug, Entity: e})
	}
	for key := range gone { // so that it can be edited again
		var i int
		_, _ = fmt.Sscanf(filepath.Base(key), "m%d", &i)
		h.write(key+".yaml", h.model(i))
	}
	return edits
}
