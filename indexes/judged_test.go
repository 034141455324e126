package indexes_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/indexes"
)

// judged is a query with the entities that answer it, by grade: 3 for a right answer, 2 for a
// good one, 1 for a fair one.
type judged struct {
	class  string // the kind of query
	query  string
	grades [4][]string // lists of selectors by grade
}

// readJudged reads a file of testdata. A selector is type/slug, or conditions joined by +, each
// the name of a filter field and a value with hyphens for spaces, such as provider:z.ai; can is
// short for capability. Judged by what people who ask this look for, whatever a search answers.
func readJudged(t testing.TB, name string) (list []judged) {
	t.Helper()
	f := suite.Must(os.Open(filepath.Join("testdata", name)))(t)
	defer f.Close()
	rows := suite.Must(csv.NewReader(f).ReadAll())(t)
	for _, row := range rows[1:] {
		j := judged{class: row[0], query: row[1]}
		for i, cell := range row[2:] {
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
		if !ok && part == e.Key() {
			continue
		}
		if !ok {
			return false
		}
		if kind == "can" {
			kind = "capability"
		}
		if !slices.Contains(view.FilterFields(kinds.Default()), kind) {
			t.Fatalf("unknown selector %q", part)
		}
		if !slices.ContainsFunc(e.FieldValues(kind), func(v string) bool {
			return strings.EqualFold(strings.ReplaceAll(v, " ", "-"), value)
		}) {
			return false
		}
	}
	return true
}

// relevance is the quality of the answers to the judged queries.
type relevance struct {
	ndcg       float64 // mean NDCG@10 with gains 2^grade - 1
	first      float64 // share of the queries whose first hit is a right answer
	reciprocal float64 // mean reciprocal rank of the first right answer among ten
	n          int
	faulty     []string
}

func (r *relevance) String() string {
	return fmt.Sprintf("%d queries: NDCG@10 %.3f, first hit right %.1f%%, MRR %.3f", r.n, r.ndcg/float64(r.n), 100*r.first/float64(r.n), r.reciprocal/float64(r.n))
}

// judge searches for every judged query that has a right answer in the content, and returns the
// quality of the answers by class, and of all under "".
func judge(t testing.TB, c *catalogue, list []judged) map[string]*relevance {
	t.Helper()
	var entities []*record.Entity
	c.each(t, func(e *record.Entity) { entities = append(entities, e) })
	byClass := map[string]*relevance{"": {}}
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
			t.Logf("%q has no right answer in the content", j.query)
			continue
		}
		keys, res := c.find(t, j.query, 10)
		var found []int
		for _, h := range res.Hits {
			e := c.build.Entity(h.Ordinal)
			found = append(found, j.grade(t, e))
		}
		if byClass[j.class] == nil {
			byClass[j.class] = &relevance{}
		}
		ndcg, right := dcg(found)/dcg(grades[:min(10, len(grades))]), slices.Index(found, 3)
		for _, r := range []*relevance{byClass[""], byClass[j.class]} {
			r.n++
			r.ndcg += ndcg
			if right == 0 {
				r.first++
			}
			if right >= 0 {
				r.reciprocal += 1 / float64(right+1)
			}
			if ndcg < 0.7 || right != 0 {
				r.faulty = append(r.faulty, fmt.Sprintf("%.2f %s: %s", ndcg, j.query, strings.Join(graded(keys, found), " ")))
			}
		}
	}
	return byClass
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
// content and without them. With -content, the queries are those about the included content.
func TestRelevance(t *testing.T) {
	suite.WithoutRace(t)
	// Among few entities, many queries have only one or two good answers.
	name, minNDCG, minFirst := "judged.csv", 0.75, 0.9
	if *contentFolder != "" {
		name, minNDCG, minFirst = "catalogue.csv", 0.85, 0.9
	}
	list := readJudged(t, name)
	c := realCatalogue(t)
	byClass := judge(t, c, list)
	plain := *c
	plain.index = indexes.WithoutSynonyms(c.index)
	all, without := byClass[""], judge(t, &plain, list)[""]
	for _, line := range all.faulty {
		t.Log(line)
	}
	for _, class := range slices.Sorted(maps.Keys(byClass)) {
		t.Logf("%-12s %s", class, byClass[class])
	}
	t.Log("without synonyms:", without)
	n := float64(all.n)
	if all.n < 150 || all.ndcg < minNDCG*n || all.first < minFirst*n || all.ndcg-without.ndcg < 0.01*n {
		t.Errorf("want 150 queries with answers, NDCG@10 of at least %.2f, a right first hit for %.0f%%, and less without synonyms", minNDCG, 100*minFirst)
	}
}
