package indexes_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
	"kindex/indexes"
)

// judged is a query with the entities that answer it, by grade: 3 for a right answer, 2 for a
// good one, 1 for a fair one.
type judged struct {
	query  string
	grades [4][]string // lists of selectors by grade
}

// readJudged reads testdata/judged.csv. A selector is type/slug, or conditions joined by +, each
// category:X, tag:X, can:X or type:X. Judged by what people who ask this look for.
func readJudged(t testing.TB) (list []judged) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "judged.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		j := judged{query: row[0]}
		for i, cell := range row[1:] {
			j.grades[3-i] = strings.Fields(cell)
		}
		list = append(list, j)
	}
	return list
}

// grade returns how well an entity answers a query.
func (j *judged) grade(t testing.TB, e *record.Entity) int {
	for g := 3; g > 0; g-- {
		if slices.ContainsFunc(j.grades[g], func(s string) bool { return selects(t, s, e) }) {
			return g
		}
	}
	return 0
}

func selects(t testing.TB, selector string, e *record.Entity) bool {
	for part := range strings.SplitSeq(selector, "+") {
		kind, value, ok := strings.Cut(part, ":")
		switch {
		case !ok && part == e.Key():
		case kind == "category" && e.Category == value, kind == "type" && e.Type == value:
		case kind == "tag" && slices.Contains(e.Tags, value), kind == "can" && slices.Contains(e.Capabilities, value):
		case ok && !slices.Contains([]string{"category", "type", "tag", "can"}, kind):
			t.Fatalf("judged.csv: unknown selector %q", part)
		default:
			return false
		}
	}
	return true
}

// relevance is the quality of the answers to the judged queries.
type relevance struct {
	ndcg   float64 // mean NDCG@10 with gains 2^grade - 1
	first  float64 // share of the queries whose first hit is a right answer
	faulty []string
}

// judge searches for every judged query.
func judge(t testing.TB, c *catalogue, list []judged) (r relevance) {
	t.Helper()
	var entities []*record.Entity
	c.each(t, func(e *record.Entity) { entities = append(entities, e) })
	for i := range list {
		j := &list[i]
		var grades []int
		for _, e := range entities {
			if g := j.grade(t, e); g > 0 {
				grades = append(grades, g)
			}
		}
		slices.SortFunc(grades, func(a, b int) int { return b - a })
		if len(grades) == 0 || grades[0] < 3 {
			t.Errorf("judged.csv: %q has no right answer in the content", j.query)
			continue
		}
		keys, res := c.find(t, j.query, 10)
		var found []int
		for _, h := range res.Hits {
			e, err := c.build.Entity(h.Ordinal)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, j.grade(t, e))
		}
		ndcg := dcg(found) / dcg(grades[:min(10, len(grades))])
		r.ndcg += ndcg / float64(len(list))
		if len(found) > 0 && found[0] == 3 {
			r.first += 1 / float64(len(list))
		}
		if ndcg < 0.7 || len(found) == 0 || found[0] < 3 {
			r.faulty = append(r.faulty, j.query+": "+strings.Join(graded(keys, found), " "))
		}
	}
	return r
}

func graded(keys []string, grades []int) []string {
	out := make([]string, len(keys))
	for i := range keys {
		out[i] = keys[i] + "=" + string(rune('0'+grades[i]))
	}
	return out
}

// dcg returns the discounted cumulative gain (K. Järvelin, J. Kekäläinen, 2002) with the gains
// that web searches use.
func dcg(grades []int) (sum float64) {
	for i, g := range grades {
		sum += (math.Exp2(float64(g)) - 1) / math.Log2(float64(i)+2)
	}
	return sum
}

// TestRelevance judges the answers to queries as people type them, with the synonyms of the
// content and without them.
func TestRelevance(t *testing.T) {
	suite.WithoutRace(t)
	list := readJudged(t)
	if len(list) < 150 {
		t.Fatalf("judged.csv has only %d queries", len(list))
	}
	c := realCatalogue(t)
	with := judge(t, c, list)
	plain := *c
	plain.index = indexes.WithoutSynonyms(c.index)
	without := judge(t, &plain, list)
	for _, line := range with.faulty {
		t.Log(line)
	}
	t.Logf("%d queries: NDCG@10 %.3f, first hit right %.1f%%; without synonyms %.3f, %.1f%%",
		len(list), with.ndcg, 100*with.first, without.ndcg, 100*without.first)
	// Among few entities, many queries have only one or two good answers.
	if with.ndcg < 0.75 || with.first < 0.9 || with.ndcg-without.ndcg < 0.05 {
		t.Error("want NDCG@10 of at least 0.75, a right first hit for 90% of the queries, and less without synonyms")
	}
}
