package indexes_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/store"
	"kindex/indexes"
)

// maxChanged is the maximum number of documents that a small index may have outside
// its shared files.
const maxChanged = 64

// indexedTexts returns all text of an entity that is indexed.
func indexedTexts(e *record.Entity) string {
	return fmt.Sprintf("%q", []any{e.Type, e.Slug, e.Name, e.Provider, e.Category, e.Description, e.Tags, e.Capabilities,
		slices.Sorted(slices.Values(e.Formerly))})
}

// chain is a mutator whose catalogue is published again and again in the same
// folder. Each index reuses the previous one.
type chain struct {
	*mutator
	root    string
	base    map[string]bool // documents in the segment
	segment map[string]bool // words in the segment's names and descriptions
	latest  *catalogue
}

func newChain(t testing.TB, every int, seed uint64) *chain {
	c := &chain{mutator: newMutator(t, realCatalogue(t), every, seed), root: t.TempDir()}
	if n := c.publish(t); n != len(c.sorted()) {
		t.Fatalf("%d documents of the first index were indexed", n)
	}
	return c
}

// changedCount returns the number of documents outside the segment.
func (c *chain) changedCount() (n int) {
	for _, e := range c.sorted() {
		if !c.base[indexedTexts(e)] {
			n++
		}
	}
	return n
}

// publish publishes the catalogue, opens it, and removes all earlier builds. It
// returns how many documents were indexed.
func (c *chain) publish(t testing.TB) int {
	t.Helper()
	previousID := ""
	if c.latest != nil {
		previousID = c.latest.build.Manifest.ID
	}
	indexed := publishInto(t, c.root, c.sorted(), previousID)
	c.latest = openOutput(t, c.root)
	m := c.latest.build.Manifest
	if _, err := indexes.Verify(indexes.Dir(c.root, m.ID), m.ID, m.Index); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Prune(c.root, m.ID, 1); err != nil {
		t.Fatal(err)
	}
	if err := indexes.Prune(c.root, []string{m.ID}); err != nil {
		t.Fatal(err)
	}
	if indexed == len(c.sorted()) {
		c.base, c.segment = map[string]bool{}, map[string]bool{}
		for _, e := range c.sorted() {
			c.base[indexedTexts(e)] = true
			addWords(c.segment, e)
		}
	}
	return indexed
}

// removedWords returns words that the segment contains although no entity has them
// any more. Searches must find the nearest remaining words instead.
func (c *chain) removedWords() []string {
	left := map[string]bool{}
	for _, e := range c.sorted() {
		addWords(left, e)
	}
	var list []string
	for w := range c.segment {
		if !left[w] {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return list
}

func addWords(to map[string]bool, e *record.Entity) {
	for _, w := range indexes.Words(strings.Join(append([]string{e.Name, e.Slug, e.Description}, e.Formerly...), " ")) {
		to[w] = true
	}
}

// rescore changes the scores of many entities, so that the order of records
// changes.
func (c *chain) rescore() {
	for _, old := range c.sorted() {
		if c.rng.IntN(3) == 0 {
			e := *old
			e.Scores.Composite = c.score()
			c.entities[e.Key()] = &e
		}
	}
}

// compareRebuilt compares the results for a catalogue with those of an index built from
// scratch, including results for edited entities.
func (c *chain) compareRebuilt(t *testing.T, with *catalogue, edits []exports.Edit) {
	t.Helper()
	a := &comparison{t, with, publish(t, c.sorted())}
	if with.build.OverlayID() == "" {
		a.equal("the id", with.build.Manifest.ID, a.fresh.build.Manifest.ID)
	}
	compareAnswers(a, a.fresh, c.rng)
	for _, word := range c.removedWords() {
		for _, q := range []string{word, word[:len(word)-1], word + " " + c.word(), c.word() + " " + word + " " + c.word()} {
			a.search(q)
			a.suggestions(q)
		}
	}
	for _, e := range edits {
		a.search(e.Slug)
		a.suggestions(e.Slug)
		if e.Entity != nil {
			a.search(e.Entity.Name)
			a.search(`"` + e.Entity.Name + `"`)
			a.suggestions(e.Entity.Name)
		}
	}
}

// TestReuseAnswersAsRebuilt publishes all kinds of edits one after another and compares all
// results with those of an index built from scratch. Each index reuses the previous one,
// which is then removed. Edits that have not been built are applied on top.
func TestReuseAnswersAsRebuilt(t *testing.T) {
	suite.InTest(t)
	chains, steps := suite.Pick[uint64](1, 2), suite.Pick(2, 3)
	for seed := range chains {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := newChain(t, suite.Pick(2, 1), 100+seed)
			for step := range steps {
				edits := c.edits(1 + c.rng.IntN(12))
				for c.changedCount() == 0 { // for example, if all edits are removals
					edits = append(edits, c.edits(1)...)
				}
				if step%2 == 1 {
					c.rescore()
				}
				want := c.changedCount()
				if n := c.publish(t); n != want || n == 0 {
					t.Errorf("%d documents were indexed, %d are not in the segment", n, want)
				}
				c.compareRebuilt(t, c.latest, edits)
			}
			c.editUnbuilt(t, 20)
		})
	}
}

// editUnbuilt applies edits on top of the published index without building them.
func (c *chain) editUnbuilt(t *testing.T, n int) {
	t.Helper()
	edits := c.edits(n)
	with, err := c.latest.build.WithEdits(edits)
	if err != nil {
		t.Fatal(err)
	}
	x, err := c.latest.index.WithEdits(with, someTitles)
	if err != nil {
		t.Fatal(err)
	}
	all, err := with.Select(&exports.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	c.compareRebuilt(t, &catalogue{with, x, all, someTitles}, edits)
	c.compareReopened(t)
}

// compareReopened checks that edits did not change the published index.
func (c *chain) compareReopened(t *testing.T) {
	t.Helper()
	for _, q := range []string{"model", "pytrch", `"neural network"`} {
		before := c.latest.allResults(t, q, c.latest.all)
		if again := openOutput(t, c.root).allResults(t, q, c.latest.all); !slices.Equal(before, again) {
			t.Errorf("%q has other results after edits", q)
		}
	}
}

// TestReuseOddNames searches for names that are hard to find, and for one entity by an
// earlier slug, after the order of all the records has changed.
func TestReuseOddNames(t *testing.T) {
	suite.InTest(t)
	odd := open(t, oddContent(t))
	var entities []*record.Entity
	odd.each(t, func(e *record.Entity) {
		if e.Slug == "hammer" {
			e.Formerly = []string{"nail-driver", "old-hammer"}
		}
		entities = append(entities, e)
	})
	root := t.TempDir()
	publishInto(t, root, entities, "")
	first, err := store.Current(root)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entities {
		moved := *e
		moved.Scores.Composite = record.ScoreOf(float64(i))
		if e.Slug == "scikit-learn" {
			moved.Formerly = []string{"sk-toolkit"}
		}
		entities[i] = &moved
	}
	slices.SortFunc(entities, record.CompareRank)
	if n := publishInto(t, root, entities, first); n != 1 {
		t.Errorf("%d documents were indexed", n)
	}
	c := openOutput(t, root)
	a := &comparison{t, c, publish(t, entities)}
	for _, q := range odd.manyQueries(t) {
		a.search(q)
		a.suggestions(q)
	}
	for q, want := range map[string]string{"naildriver": "tool/hammer", "sk-toolkit": "tool/scikit-learn"} {
		keys, res := c.find(t, q, 5)
		if len(keys) == 0 || keys[0] != want {
			t.Fatalf("%q finds %v, want %s", q, keys, want)
		}
		e, err := c.build.Entity(res.Hits[0].Ordinal)
		if err != nil {
			t.Fatal(err)
		}
		list, err := res.Highlights(res.Hits[0], e, "")
		if err != nil || len(list) != 1 || list[0].Field != "formerly" {
			t.Errorf("%q marks %v: %v", q, list, err)
		}
	}
}

// TestReuseWordsThatAreGone searches for words that only removed documents
// contained. As in an index that never contained them, the nearest words must match
// instead. Words near a word that still exists must not match.
func TestReuseWordsThatAreGone(t *testing.T) {
	var entities []*record.Entity
	for i, name := range []string{"Quarkly Reader", "Quark Leader", "Reader", "Quarkle Reader", "Leader of Readers", "Quarkles", "Loader", "Render"} {
		entities = append(entities, &record.Entity{Type: "tool", Slug: fmt.Sprint("t", i), Name: name, Category: "agents", Status: record.Active,
			Description: "For a leader."})
	}
	root := t.TempDir()
	publishInto(t, root, entities, "")
	id, err := store.Current(root)
	if err != nil {
		t.Fatal(err)
	}
	entities = slices.Delete(entities, 3, 4)
	renamed := *entities[4]
	renamed.Name = "Quarks"
	entities[4] = &renamed
	if n := publishInto(t, root, entities, id); n != 1 {
		t.Errorf("%d documents were indexed", n)
	}
	a := &comparison{t, openOutput(t, root), publish(t, entities)}
	for _, q := range []string{"quarkle reader", "reader quarkle", "quarkle", "quarkl", "quarkles", "quarkles loader", "quarkle leader", `"quarkle reader"`} {
		if a.search(q) == 0 && q[0] != '"' {
			t.Errorf("%q finds nothing", q)
		}
		a.suggestions(q)
	}
}

// TestBuildReusing builds a content folder, edits a file and builds again. The
// second index must reuse the first, which is then removed, and return the same
// results as a build in an empty folder.
func TestBuildReusing(t *testing.T) {
	suite.InTest(t)
	content, out, fresh := oddContent(t), t.TempDir(), t.TempDir()
	if err := buildInto(content, out); err != nil {
		t.Fatal(err)
	}
	before := openOutput(t, out)
	if err := replaceIn("tool/hammer.yaml", "old-hammer", "mallet")(content); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(buildInto(content, out), buildInto(content, fresh)); err != nil {
		t.Fatal(err)
	}
	a := &comparison{t, openOutput(t, out), openOutput(t, fresh)}
	// Content outside git has a different history in a new output folder.
	ids := map[string]string{out: a.edited.build.Manifest.ID, fresh: a.fresh.build.Manifest.ID}
	a.equal("the index", a.edited.build.Manifest.Index, a.fresh.build.Manifest.Index)
	if _, err := os.Stat(indexes.Dir(out, before.build.Manifest.ID)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the previous index still exists: %v", err)
	}
	for root, want := range map[string]bool{out: true, fresh: false} {
		if _, err := os.Stat(filepath.Join(indexes.Dir(root, ids[root]), "edited.json")); (err == nil) != want {
			t.Errorf("does %s reuse another: want %v, got %v", root, want, err)
		}
	}
	if a.search("mallet") == 0 {
		t.Error("the new address is not found")
	}
	for _, q := range before.manyQueries(t) {
		a.search(q)
		a.suggestions(q)
	}
}

// TestReuseUntilAllIsIndexed publishes until there are too many documents outside the
// segment. Then all documents must be indexed again, and the next index must share the new
// files.
func TestReuseUntilAllIsIndexed(t *testing.T) {
	suite.InTest(t)
	c := newChain(t, 1, 7) // large enough that too many are outside before too few are inside
	rebuilt, most := 0, 0
	for i := 0; i < 24 && rebuilt < suite.Pick(1, 2); i++ {
		c.edits(15)
		want := c.changedCount()
		n := c.publish(t)
		if all := len(c.sorted()); want > maxChanged {
			if rebuilt++; n != all {
				t.Errorf("%d documents were indexed, %d of %d are outside", n, want, all)
			}
			continue
		}
		if most = max(most, n); n != want {
			t.Errorf("%d documents were indexed, %d are outside", n, want)
		}
	}
	if rebuilt == 0 || most < maxChanged-10 {
		t.Errorf("all were indexed %d times, otherwise at most %d", rebuilt, most)
	}
	c.edits(3)
	if want, n := c.changedCount(), c.publish(t); n != want {
		t.Errorf("%d documents were indexed after all had been, %d are outside", n, want)
	}
	c.compareRebuilt(t, c.latest, nil)
}

// TestReuseWhatDiffers checks which changes to an entity change its document.
func TestReuseWhatDiffers(t *testing.T) {
	suite.InTest(t)
	c := newChain(t, 2, 8)
	id, list := c.latest.build.Manifest.ID, c.sorted()
	count := func(of func(*record.Entity) bool) (n int) {
		for _, e := range list {
			if of(e) {
				n++
			}
		}
		return n
	}
	changed := func(change func(e *record.Entity)) []*record.Entity {
		e := *list[5]
		change(&e)
		return slices.Replace(slices.Clone(list), 5, 6, &e)
	}
	small := slices.IndexFunc(list, func(e *record.Entity) bool {
		return count(func(f *record.Entity) bool { return f.Category == e.Category }) <= maxChanged
	})
	if small < 0 {
		t.Fatal("no small category")
	}
	titled := list[small].Category
	for name, k := range map[string]struct {
		entities []*record.Entity
		titles   map[string]string
		want     int
	}{
		"nothing": {list, someTitles, 0},
		"a title": {list, map[string]string{"agents": someTitles["agents"], titled: "Another"},
			count(func(e *record.Entity) bool { return e.Category == titled })},
		"a provider":              {changed(func(e *record.Entity) { e.Provider += "x" }), someTitles, 1},
		"an earlier slug":         {changed(func(e *record.Entity) { e.Formerly = append(e.Formerly, "before") }), someTitles, 1},
		"a tag that a capability": {changed(func(e *record.Entity) { e.Capabilities, e.Tags = append(e.Tags, e.Capabilities...), nil }), someTitles, 1},
		"a licence":               {changed(func(e *record.Entity) { e.License, e.URL, e.LastUpdated = "MIT", "", "2026-01-01" }), someTitles, 0},
		"half of them gone":       {list[len(list)/2:], someTitles, len(list) - len(list)/2},
		"a tenth of them gone":    {list[len(list)/10:], someTitles, 0},
		"one entity":              {list[:1], someTitles, 1},
	} {
		p := indexes.Prepare(k.entities, k.titles)
		p.ReuseFrom(id, nil)
		dir, err := p.Write(c.root)
		if err != nil {
			t.Fatal(err)
		}
		if p.Indexed != k.want {
			t.Errorf("%s: %d documents were indexed, want %d", name, p.Indexed, k.want)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReuseSharesFiles compares the files of an index with those of an index that
// reuses it. Large files must be shared, but not files that Bleve locks.
func TestReuseSharesFiles(t *testing.T) {
	suite.InTest(t)
	d := newMutator(t, realCatalogue(t), 2, 11)
	root := t.TempDir()
	publishInto(t, root, d.sorted(), "")
	before, err := store.Current(root)
	if err != nil {
		t.Fatal(err)
	}
	d.edits(3)
	publishInto(t, root, d.sorted(), before)
	id, err := store.Current(root)
	if err != nil || id == before {
		t.Fatalf("%s upon %s: %v", id, before, err)
	}
	shared := 0
	err = filepath.WalkDir(indexes.Dir(root, before), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "manifest.json" {
			return err
		}
		one, err := os.Stat(path)
		if err != nil {
			return err
		}
		two, err := os.Stat(strings.Replace(path, before, id, 1))
		if err != nil {
			return err
		}
		if bolt := e.Name() == "root.bolt"; os.SameFile(one, two) == bolt || one.Mode() != two.Mode() {
			t.Errorf("%s: %v and %v", path, one.Mode(), two.Mode())
		} else if !bolt {
			shared++
		}
		return nil
	})
	if err != nil || shared < 6 {
		t.Errorf("%d files are shared: %v", shared, err)
	}
}

// TestManySearchesReusing is for the race detector. It searches an index that shares files
// concurrently, with and without edits.
func TestManySearchesReusing(t *testing.T) {
	suite.InRace(t)
	c := newChain(t, 2, 12)
	c.edits(20)
	c.rescore()
	c.publish(t)
	searchAtOnce(t, c.latest)
	with, err := c.latest.build.WithEdits(c.edits(10))
	if err != nil {
		t.Fatal(err)
	}
	x, err := c.latest.index.WithEdits(with, someTitles)
	if err != nil {
		t.Fatal(err)
	}
	all, err := with.Select(&exports.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	searchAtOnce(t, &catalogue{with, x, all, someTitles})
}
