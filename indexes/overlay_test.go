package indexes_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/store"
	"kindex/exports/table"
	"kindex/exports/view"
	"kindex/indexes"
)

var someTitles = map[string]string{"agents": "Agents & Automation"}

// publish writes a build of entities and its index, and opens them.
func publish(t testing.TB, entities []*record.Entity) *catalogue {
	t.Helper()
	root := t.TempDir()
	publishInto(t, root, entities)
	return openOutput(t, root)
}

// publishInto writes a build of entities and its index to an output folder.
func publishInto(t testing.TB, root string, entities []*record.Entity) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		suite.Check(t, err)
	}
	x, err := indexes.Write(root, entities, someTitles)
	check(err)
	w, err := exports.NewWriter(root)
	check(err)
	m := &store.Manifest{Builder: "test", Title: "Test", AsOf: "2026-11-01T00:00:00Z", Index: x.Stub,
		Counts: store.Counts{Types: map[string]int{}}}
	var order []int
	for i, e := range entities {
		if e.Status != record.Withdrawn {
			order = append(order, i)
			m.Counts.Entities++
			if e.Scores.Composite.Known() {
				m.Counts.Ranked++
			}
			continue
		}
		m.Counts.Withdrawn++
	}
	slices.SortFunc(order, func(x, y int) int { return record.CompareKey(entities[x], entities[y]) })
	err = w.WriteTable(&exports.Table{Base: exports.EntitiesFile, Columns: table.EntityColumns, Rows: func(write func(table.Row, []byte) error) error {
		for _, i := range order {
			if err := write(table.EntityRow(table.EntityColumns, entities[i], 0), nil); err != nil {
				return err
			}
		}
		return nil
	}})
	check(err)
	check(w.WriteNeighbours(make([][]exports.Neighbour, len(entities)), nil))
	check(w.WriteRecords(entities))
	check(w.Add(exports.ScoringFile, []byte("{}\n")))
	check(w.Add(exports.CategoriesFile, []byte(`[{"slug":"agents","title":"`+someTitles["agents"]+`"}]`)))
	check(w.Finalize(m, func(string) string { return "CC0-1.0" }))
	check(w.Install(m))
	check(x.Install(m.ID))
	check(store.Publish(root, m.ID))
}

// mutator is a catalogue that is edited at random.
type mutator struct {
	rng      *rand.Rand
	entities map[string]*record.Entity
	words    []string // words in names and descriptions
	taken    map[string]bool
}

// newMutator returns a catalogue that contains one in every entities of another twice, once with
// some words replaced, so that there are many ties.
func newMutator(t testing.TB, c *catalogue, every int, seed uint64) *mutator {
	d := &mutator{rng: rand.New(rand.NewPCG(seed, 5)), entities: map[string]*record.Entity{}, taken: map[string]bool{}}
	n := 0
	c.each(t, func(e *record.Entity) {
		if n++; n%every != 0 {
			return
		}
		d.entities[e.Key()] = e
		d.words = append(d.words, strings.Fields(e.Name)...)
		d.words = append(d.words, strings.Fields(e.Description)...)
	})
	for _, key := range slices.Sorted(maps.Keys(d.entities)) {
		twin := *d.entities[key]
		twin.Slug += "-twin"
		twin.Description = d.shuffled(twin.Description)
		twin.Scores.Composite = d.score()
		d.entities[twin.Key()] = &twin
	}
	return d
}

func (d *mutator) word() string { return d.words[d.rng.IntN(len(d.words))] }

func (d *mutator) score() (s record.Score) {
	if d.rng.IntN(5) > 0 {
		s = record.ScoreOf(float64(d.rng.IntN(8)) * 12.5)
	}
	return s
}

// shuffled replaces a third of the words in a text.
func (d *mutator) shuffled(text string) string {
	list := strings.Fields(text)
	for i := range list {
		if d.rng.IntN(3) == 0 {
			list[i] = d.word()
		}
	}
	return strings.Join(list, " ")
}

// sorted returns the catalogue in the order of ordinals.
func (d *mutator) sorted() []*record.Entity {
	return slices.SortedFunc(maps.Values(d.entities), record.CompareRank)
}

// edits returns n edits, at most one per entity.
func (d *mutator) edits(n int) []exports.Edit {
	var edits []exports.Edit
	put := func(e *record.Entity) {
		d.entities[e.Key()] = e
		edits = append(edits, exports.Edit{Type: e.Type, Slug: e.Slug, Entity: e})
	}
	keys := slices.Sorted(maps.Keys(d.entities))
	for _, i := range d.rng.Perm(len(keys))[:n] {
		was := d.entities[keys[i]]
		e := *was
		switch d.rng.IntN(8) {
		case 0:
			e.Name = strings.TrimSpace(d.shuffled(e.Name) + " " + d.word())
		case 1:
			e.Description = d.shuffled(e.Description)
		case 2:
			e.Tags, e.Provider = []string{"edited", strings.ToLower(d.word())}, d.word()
		case 3:
			e.Scores.Composite = d.score()
		case 4: // a new entity, similar to an existing one
			e.Slug = fmt.Sprintf("new-%d", len(d.entities))
			e.Name = d.shuffled(e.Name)
		case 5:
			delete(d.entities, was.Key())
			edits = append(edits, exports.Edit{Type: was.Type, Slug: was.Slug})
			continue
		case 6:
			e.Status = record.Withdrawn
		case 7: // renamed
			delete(d.entities, was.Key())
			edits = append(edits, exports.Edit{Type: was.Type, Slug: was.Slug})
			e.Slug, e.Name, e.Formerly = fmt.Sprintf("renamed-%d", len(d.entities)), d.shuffled(e.Name), append(slices.Clone(e.Formerly), was.Slug)
		}
		if d.entities[e.Key()] != nil && e.Key() != was.Key() {
			continue
		}
		put(&e)
	}
	return edits
}

// comparison compares the search results of two catalogues by key.
type comparison struct {
	testing.TB
	edited, fresh *catalogue
}

func (a *comparison) equal(what string, with, fresh any) {
	a.Helper()
	if w, f := fmt.Sprint(with), fmt.Sprint(fresh); w != f {
		a.Fatalf("%s\nwith edits  %s\nrebuilt     %s", what, w, f)
	}
}

// keys returns the keys of ordinals.
func (c *catalogue) keys(list []uint32) []string {
	out := make([]string, len(list))
	for i, o := range list {
		typ, slug := c.build.Key(o)
		out[i] = typ + "/" + slug
	}
	return out
}

func (a *comparison) search(q string) (hits int) {
	for _, filter := range []*view.Filter{{}, {Fields: map[string][][]string{"type": {{"model"}}}},
		{Fields: map[string][][]string{"status": {{"withdrawn"}, {"deprecated"}}}}} {
		var lines [2][]string
		for i, c := range []*catalogue{a.edited, a.fresh} {
			lines[i] = c.allResults(q, c.build.Select(filter))
		}
		a.equal(fmt.Sprintf("search %q within %v", q, filter.Fields), lines[0], lines[1])
		hits += len(lines[1]) - 1
	}
	return hits
}

// allResults returns the first page of a search and all matches.
func (c *catalogue) allResults(q string, within *roaring.Bitmap) (lines []string) {
	res := c.index.Search(q, within, nil, 0, 20)
	for _, h := range res.Hits {
		lines = append(lines, c.hit(res, h))
	}
	return append(lines, fmt.Sprint(c.keys(c.build.InKeyOrder(res.Matches))))
}

func (c *catalogue) hit(res *indexes.Result, h indexes.Hit) string {
	e := c.build.Entity(h.Ordinal)
	return fmt.Sprintln(e.Key(), h.Relevance, res.Highlights(e))
}

func (a *comparison) suggestions(q string) {
	var lines [2][]string
	for i, c := range []*catalogue{a.edited, a.fresh} {
		best, total := c.index.Suggest(q, c.all, 5)
		near, instead := c.index.NearestNames(q, c.all, 9), c.index.Alternatives(q, c.all, 4)
		lines[i] = append(lines[i], fmt.Sprint(c.keys(best), total, c.keys(near), c.keys(instead)))
	}
	a.equal(fmt.Sprintf("suggest, near, instead %q", q), lines[0], lines[1])
}

// TestEditsAnswerAsANewIndex applies all kinds of edits to an index and compares
// all results with those of an index of the edited content.
func TestEditsAnswerAsANewIndex(t *testing.T) {
	suite.InTest(t)
	c := realCatalogue(t)
	numbers := suite.Pick([]int{1, 7, 60}, []int{1, 7, 60, 60, 7, 1, 300})
	for seed, n := range numbers {
		t.Run(fmt.Sprint(n, " edits"), func(t *testing.T) {
			t.Parallel()
			d := newMutator(t, c, suite.Pick(2, 1), uint64(seed))
			base := publish(t, d.sorted())
			edits := d.edits(n)
			with := suite.Must(base.build.WithEdits(edits))(t)
			x := suite.Must(base.index.WithEdits(with, someTitles))(t)
			all := with.Select(&view.Filter{})
			a := &comparison{t, &catalogue{with, x, all, someTitles}, publish(t, d.sorted())}
			compareAnswers(a, base, d.rng)
			for _, e := range edits {
				a.search(e.Slug)
				a.suggestions(e.Slug)
				if e.Entity != nil {
					a.search(e.Entity.Name)
					a.search(`"` + e.Entity.Name + `"`)
					a.search(strings.ReplaceAll(e.Entity.Name, " ", ""))
					a.suggestions(e.Entity.Name)
				}
			}
			if _, err := x.WithEdits(with, nil); err == nil {
				t.Error("edits were applied to edits")
			}
			if _, err := a.fresh.index.WithEdits(with, nil); err == nil {
				t.Error("edits of another build were accepted")
			}
		})
	}
}

// compareAnswers runs queries of all kinds, with words that the edits added and
// words that they removed.
func compareAnswers(a *comparison, base *catalogue, rng *rand.Rand) {
	for _, words := range []*corpusWords{wordsOf(base), wordsOf(a.fresh)} {
		queries := words.queries()
		for _, class := range slices.Sorted(maps.Keys(queries)) { // so that the same queries are made every time
			query := queries[class]
			hits := 0
			for n := 0; n < 8 || hits == 0 && n < 40; n++ {
				q := query(rng)
				hits += a.search(q)
				a.suggestions(q)
				a.suggestions(q[:min(len(q), 1+rng.IntN(5))])
			}
			if hits == 0 && class != "nothing" {
				a.Errorf("no %s query found anything", class)
			}
		}
	}
}
