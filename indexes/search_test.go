package indexes_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/indexes"
)

// catalogue is a build with its index.
type catalogue struct {
	build *exports.Build
	index *indexes.Index
	all   *roaring.Bitmap

	titles map[string]string // category titles by slug
}

func open(t testing.TB, content string) *catalogue {
	t.Helper()
	out := t.TempDir()
	suite.Check(t, buildInto(content, out))
	return openOutput(t, out)
}

// openOutput opens the published build of an output folder.
func openOutput(t testing.TB, out string) *catalogue {
	t.Helper()
	b := suite.Must(exports.OpenCurrent(out))(t)
	x := suite.Must(indexes.Open(out, b))(t)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	all := b.Select(&view.Filter{})
	data, _ := b.ReadFile(exports.CategoriesFile)
	var categories []record.Category
	suite.Check(t, json.Unmarshal(data, &categories))
	titles := map[string]string{}
	for _, cat := range categories {
		titles[cat.Slug] = cat.Title
	}
	return &catalogue{b, x, all, titles}
}

// built is the output folder of builtOut.
var built struct {
	sync.Once
	out string
}

// contentFolder lets people who edit content see what their synonyms do: go test ./indexes -run
// TestRelevance -v -content "$PWD/content"
var contentFolder = flag.String("content", "", "search this content folder instead of the content for tests")

// builtOut returns the output folder with the content for tests, built once.
func builtOut(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		built.out = suite.Must(os.MkdirTemp("", "kindex-indexes-test"))(t)
		content := *contentFolder
		if content == "" {
			content = suite.Content(t)
		}
		suite.Check(t, buildInto(content, built.out))
	})
	return built.out
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.out != "" && os.RemoveAll(built.out) != nil && code == 0 {
		code = 1
	}
	os.Exit(code)
}

func realCatalogue(t testing.TB) *catalogue {
	t.Helper()
	return openOutput(t, builtOut(t))
}

func buildInto(content, out string) error {
	_, err := builder.Build(context.Background(), builder.Options{Content: content, Out: out,
		AsOf: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Keep: 1})
	return err
}

// find returns the keys of the hits.
func (c *catalogue) find(t testing.TB, text string, limit int) ([]string, *indexes.Result) {
	t.Helper()
	res := c.index.Search(text, c.all, nil, 0, limit)
	var keys []string
	for _, h := range res.Hits {
		typ, slug := c.build.Key(h.Ordinal)
		keys = append(keys, typ+"/"+slug)
	}
	return keys, res
}

func (c *catalogue) each(t testing.TB, f func(e *record.Entity)) {
	t.Helper()
	for o := range uint32(c.build.Listed()) {
		e := c.build.Entity(o)
		f(e)
	}
}

// sharesName reports whether all of the given entities have the name of e: a model and the
// tool that runs it often do.
func sharesName(t testing.TB, c *catalogue, keys []string, e *record.Entity) bool {
	t.Helper()
	for _, key := range keys {
		typ, slug, _ := strings.Cut(key, "/")
		o, _, ok := c.build.Find(typ, slug)
		if !ok {
			t.Fatal(key)
		}
		if other := c.build.Entity(o); !strings.EqualFold(other.Name, e.Name) {
			return false
		}
	}
	return true
}

func TestExactNameAndSlugComeFirst(t *testing.T) {
	suite.WithoutRace(t)
	c := realCatalogue(t)
	c.each(t, func(e *record.Entity) {
		for _, q := range []string{e.Name, e.Slug, strings.ToUpper(e.Name), strings.ToLower(e.Name)} {
			keys, _ := c.find(t, q, 5)
			if i := slices.Index(keys, e.Key()); i < 0 || i > 0 && !sharesName(t, c, keys[:i], e) {
				t.Errorf("%q found %v, want %s first", q, keys, e.Key())
			}
		}
	})
}

func typos(rng *rand.Rand, s string) []string {
	r := []rune(s)
	i := 1 + rng.IntN(len(r)-2)
	letter := rune('a' + rng.IntN(26))
	return []string{
		string(r[:i]) + string(r[i+1:]),                                   // one letter left out
		string(r[:i]) + string(letter) + string(r[i:]),                    // one letter too many
		string(r[:i]) + string(letter) + string(r[i+1:]),                  // one letter replaced
		string(r[:i-1]) + string(r[i]) + string(r[i-1]) + string(r[i+1:]), // two exchanged
	}
}

func TestBeginningsPhrasesAndJoinedWords(t *testing.T) {
	suite.WithoutRace(t)
	c := realCatalogue(t)
	for q, want := range map[string]string{
		"pytor": "tool/pytorch", "scikit learn": "tool/scikit-learn", "scikitlearn": "tool/scikit-learn",
		"light gbm": "tool/lightgbm", "hyperparameter search": "tool/optuna", "  PyTorch  ": "tool/pytorch",
		"\"pytorch\"": "tool/pytorch", "pytorch lightning": "tool/pytorch-lightning", "the pytorch": "tool/pytorch",
	} {
		if keys, _ := c.find(t, q, 3); len(keys) == 0 || keys[0] != want {
			t.Errorf("%q finds %v, want %s first", q, keys, want)
		}
	}
	if keys, _ := c.find(t, "gradient boosting trees for tabular purple elephants", 3); len(keys) == 0 {
		t.Error("if no record has all words, those with the telling ones should match")
	}
	for _, q := range []string{"zzzzqqq", "!!!", "\x00", "   ", strings.Repeat("x", 400)} {
		if keys, res := c.find(t, q, 3); len(keys) != 0 || !res.Matches.IsEmpty() {
			t.Errorf("%.20q finds %v", q, keys)
		}
	}
	for _, q := range []string{"a", "é", "的", "C++", "naïve Bayés", strings.Repeat("word ", 80)} {
		c.find(t, q, 3) // must not fail
	}
}

func TestFilterPagingAndOrder(t *testing.T) {
	suite.WithoutRace(t)
	c := realCatalogue(t)
	models := c.build.Select(&view.Filter{Fields: map[string][][]string{"type": {{"model"}}}})
	whole := c.index.Search("open model", models, nil, 0, 1000)
	if int(whole.Matches.GetCardinality()) != len(whole.Hits) || len(whole.Hits) < 5 {
		t.Fatalf("%d matches, %d hits", whole.Matches.GetCardinality(), len(whole.Hits))
	}
	seen := map[uint32]bool{}
	for i, h := range whole.Hits {
		if !models.Contains(h.Ordinal) || seen[h.Ordinal] {
			t.Errorf("hit %d is outside the filter or twice", i)
		}
		seen[h.Ordinal] = true
		if i > 0 && (h.Relevance > whole.Hits[i-1].Relevance || h.Relevance == whole.Hits[i-1].Relevance && h.Ordinal < whole.Hits[i-1].Ordinal) {
			t.Errorf("hit %d is out of order", i)
		}
	}
	var after *indexes.After
	var paged []indexes.Hit
	for {
		res := c.index.Search("open model", models, after, 0, 3)
		if len(res.Hits) == 0 {
			break
		}
		paged = append(paged, res.Hits...)
		last := res.Hits[len(res.Hits)-1]
		after = &indexes.After{Relevance: last.Relevance, SortPosition: float64(last.Ordinal)}
	}
	if fmt.Sprint(paged) != fmt.Sprint(whole.Hits) {
		t.Error("the pages do not add up to the whole")
	}
}

func TestSuggest(t *testing.T) {
	suite.WithoutRace(t)
	c := realCatalogue(t)
	found, total := c.index.Suggest("pyt", c.all, 5)
	if len(found) < 2 || total < len(found) {
		t.Fatal(found)
	}
	for i, o := range found {
		e := c.build.Entity(o)
		if !strings.Contains(strings.ToLower(e.Name), "pyt") || i > 0 && o < found[i-1] {
			t.Errorf("%d: %s", i, e.Name)
		}
	}
	if found, _ := c.index.Suggest("lightning", c.all, 5); len(found) == 0 {
		t.Error("a later word of a name suggests nothing")
	}
	for _, q := range []string{"", "zzzz", "!", "\xff\xff"} {
		if found, _ := c.index.Suggest(q, c.all, 5); len(found) != 0 {
			t.Errorf("%q suggests %v", q, found)
		}
	}
}

// TestManySearchesAtOnce is for the race detector.
func TestManySearchesAtOnce(t *testing.T) {
	suite.InRace(t)
	searchAtOnce(t, realCatalogue(t))
}

func searchAtOnce(t *testing.T, c *catalogue) {
	queries := []string{"pytrch", "gradient boosting", "gpt", "vision language", "open weights model"}
	want := make([]string, len(queries))
	for i, q := range queries {
		keys, _ := c.find(t, q, 20)
		want[i] = strings.Join(keys, " ")
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, q := range queries {
				res := c.index.Search(q, c.all, nil, 0, 20)
				var keys []string
				for _, h := range res.Hits {
					typ, slug := c.build.Key(h.Ordinal)
					keys = append(keys, typ+"/"+slug)
				}
				suite.Equal(t, strings.Join(keys, " "), want[i], q)
			}
		})
	}
	wg.Wait()
}

func FuzzSearch(f *testing.F) {
	c := realCatalogue(f)
	f.Add("PyTorch C++ 3.5 naïve 的 \"x\"")
	f.Add("\"gradient boosting\" gpu4 “the of")
	f.Fuzz(func(t *testing.T, q string) {
		if len(q) > 500 {
			return
		}
		res := c.index.Search(q, c.all, nil, 0, 10)
		for _, h := range res.Hits {
			if h.Relevance <= 0 || !res.Matches.Contains(h.Ordinal) {
				t.Errorf("%q: %+v", q, h)
			}
			e := c.build.Entity(h.Ordinal)
			if list := res.Highlights(e); len(list) == 0 {
				t.Errorf("%q: nothing of %s is marked", q, e.Key())
			}
			for _, hl := range res.Highlights(&record.Entity{Name: q, Description: q}) {
				suite.Equal(t, strings.Count(hl.Text, "<mark>"), strings.Count(hl.Text, "</mark>"), q, hl.Text)
			}
		}
		c.index.Suggest(q, c.all, 5)
		if near := c.index.Alternatives(q, c.all, 5); len(near) > 5 {
			t.Fatalf("%q: %v", q, near)
		}
	})
}
