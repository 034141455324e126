package builder_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/score"
)

// boardsAsOf is the day for which the golden leaderboards are valid. Scores fade over time, so
// without a fixed day, the leaderboards would change by themselves.
var boardsAsOf = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

type row struct {
	Type, Slug string
	Composite  float64
	BoardScore float64 // on a board of boards.yaml
}

// board is one leaderboard of the shipped content, together with the number of entities that are
// eligible for it.
type board struct {
	name string
	rows []row
	of   int
}

// TestTopTens compares the top of each leaderboard with a golden file, which makes the effect of
// a change to a figure or to the formula visible. After an intended change, run: go test
// ./builder -run TopTens -update
func TestTopTens(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	var b strings.Builder
	fmt.Fprintf(&b, "The first ten of each leaderboard with eight ranked entities or more, as of %s.\n", boardsAsOf.Format(time.DateOnly))
	for _, board := range boards(t) {
		if len(board.rows) < 8 {
			continue
		}
		fmt.Fprintf(&b, "\n%s (%d of %d ranked)\n", board.name, len(board.rows), board.of)
		for i, r := range board.rows[:min(10, len(board.rows))] {
			fmt.Fprintf(&b, "%4d  %4.1f  %s/%s\n", i+1, r.Composite, r.Type, r.Slug)
		}
	}
	suite.Golden(t, filepath.Join("testdata", "leaderboards.golden.txt"), []byte(b.String()))
}

// TestKnownAlternatives checks the entities similar to well-known entities of the shipped
// content, most similar first.
func TestKnownAlternatives(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	b, err := exports.Open(shipped(t).Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var got strings.Builder
	for _, key := range []string{"tool/pytorch", "tool/xgboost", "tool/faiss", "tool/mlflow", "tool/einops", "model/gpt-4o"} {
		typ, slug, _ := strings.Cut(key, "/")
		o, _, _ := b.Find(typ, slug)
		near := b.Similar(o)
		for _, kind := range []string{exports.Alternative, exports.Related} {
			fmt.Fprintf(&got, "%s, %s:", key, kind)
			for _, n := range near {
				if typ, slug := b.Key(n.Ordinal); n.Kind() == kind {
					got.WriteString(" " + typ + "/" + slug)
				}
			}
			got.WriteString("\n")
		}
	}
	suite.Golden(t, filepath.Join("testdata", "alternatives.golden.txt"), []byte(got.String()))
}

// boards reads the leaderboards of the shipped content: overall, for each type, and
// for each board and category.
func boards(t *testing.T) []board {
	t.Helper()
	r := shipped(t)
	read := func(name string) (rows []row) {
		text, err := os.ReadFile(filepath.Join(r.Dir, "leaderboards", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	all := board{name: "all", rows: read("all"), of: r.Counts.Entities}
	list := []board{all}
	for _, typ := range record.Types {
		of := slices.DeleteFunc(slices.Clone(all.rows), func(r row) bool { return r.Type != typ })
		list = append(list, board{name: "type " + typ, rows: of, of: r.Counts.Types[typ]})
	}
	c, _ := fixtureContent(t)
	for _, own := range c.Boards {
		rows := read(own.Slug)
		for i := range rows {
			rows[i].Composite = rows[i].BoardScore
		}
		list = append(list, board{name: "board " + own.Slug, rows: rows, of: r.Counts.Types[own.Type]})
	}
	members := map[string]int{}
	for _, e := range c.Entities {
		if e.Status != record.Withdrawn {
			members[e.Category]++
		}
	}
	for _, category := range c.Categories {
		list = append(list, board{name: category.Slug, rows: read(category.Slug), of: members[category.Slug]})
	}
	return list
}

// fixtureContent loads the shipped content and its formula.
func fixtureContent(t *testing.T) (*content.Content, *score.Formula) {
	t.Helper()
	c, problems, err := content.Load(filepath.Join("..", "content"), nil)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	f, err := score.ParseChecked(c.Scoring)
	if err != nil {
		t.Fatal(err)
	}
	return c, f
}

// TestRanksAreEarned checks that the formula never produces an undeserved rank.
func TestRanksAreEarned(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	c, f := fixtureContent(t)
	entities := map[string]*record.Entity{}
	for _, e := range c.Entities {
		entities[e.Key()] = e
	}
	for _, b := range boards(t)[:1+len(record.Types)] {
		if len(b.rows) < 30 {
			t.Errorf("only %d of %s are ranked", len(b.rows), b.name)
			continue
		}
		for i, r := range b.rows {
			e := entities[r.Type+"/"+r.Slug]
			if i < 20 && e.Status != record.Active {
				t.Errorf("%s is %s but has rank %d in %s", e.Key(), e.Status, i+1, b.name)
			}
			earned(t, f, e)
		}
	}
	for _, key := range []string{"tool/pytorch", "tool/tensorflow", "tool/scikit-learn", "tool/transformers"} {
		if x := f.Explain(entities[key], boardsAsOf); x.Composite.Float() < 75 {
			t.Errorf("%s has %s: experts would not expect that", key, x.Composite)
		}
	}
}

// earned checks that a ranked entity has enough data. A ranked model must have a result that
// its maker did not measure.
func earned(t *testing.T, f *score.Formula, e *record.Entity) {
	t.Helper()
	x := f.Explain(e, boardsAsOf)
	if !x.Ranked || x.Coverage < x.MinimumCoverage {
		t.Errorf("%s is on a leaderboard with a coverage of %g, below %g", e.Key(), x.Coverage, x.MinimumCoverage)
	}
	others := 0 // results that somebody other than the maker measured
	for _, d := range x.Dimensions {
		if d.Score.Known() && d.Coverage < d.MinimumCoverage {
			t.Errorf("%s has a score for %s with a coverage of %g, below %g", e.Key(), d.Name, d.Coverage, d.MinimumCoverage)
		}
		for _, m := range d.Measures {
			if m.Result != nil && m.Score != nil && !strings.Contains(*m.Result, "(maker") {
				others++
			}
		}
	}
	if e.Type == "model" && others == 0 {
		t.Errorf("%s is ranked by %d results, %d of them not by its maker", e.Key(), len(e.Signals.Benchmarks), others)
	}
}

// TestRetiredModelsNameTheNotice checks that every retired model links to its maker's notice,
// because the status is a claim about somebody else's product.
func TestRetiredModelsNameTheNotice(t *testing.T) {
	suite.InTest(t)
	c, _ := fixtureContent(t)
	retired := 0
	for _, e := range c.Entities {
		notice := slices.ContainsFunc(e.Links, func(l record.Link) bool { return l.Name == "deprecation" })
		if e.Type == "model" && notice != (e.Status != record.Active) {
			t.Errorf("%s is %s and has a link to a notice: %v", e.Key(), e.Status, notice)
		}
		if notice {
			retired++
		}
	}
	if retired < 20 {
		t.Errorf("only %d models are retired", retired)
	}
}

// TestReadmeExample recomputes the example in content/README.md.
func TestReadmeExample(t *testing.T) {
	suite.InTest(t)
	c, f := fixtureContent(t)
	const key = "tool/vllm"
	i := slices.IndexFunc(c.Entities, func(e *record.Entity) bool { return e.Key() == key })
	if i < 0 {
		t.Fatalf("%s no longer exists: use another example", key)
	}
	readme, err := os.ReadFile(filepath.Join("..", "content", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if example := worked(f.Explain(c.Entities[i], boardsAsOf)); !strings.Contains(string(readme), example) {
		t.Errorf("the example in content/README.md is out of date; it should be:\n\n%s", example)
	}
}

// worked formats the calculation of a score as a table, followed by the arithmetic.
func worked(x *score.Explanation) string {
	var b strings.Builder
	fmt.Fprintln(&b, "| Dimension | Figure | Value | Score | Trust | Counts as | Weight |\n|---|---|---|---|---|---|---|")
	var sum, weights []string
	for _, d := range x.Dimensions {
		var inner, innerWeights []string
		for _, m := range d.Measures {
			if m.Score == nil {
				continue
			}
			name := m.Name
			if m.Result != nil {
				name = *m.Result
			}
			counts := *m.Trust**m.Score + (1-*m.Trust)*d.Prior
			fmt.Fprintf(&b, "| %s | %s | %v | %.1f | %.0f%% | %.1f | %g |\n", d.Name, name, m.Value, *m.Score, 100**m.Trust, counts, m.Measure.Weight)
			inner = append(inner, fmt.Sprintf("%g × %.1f", m.Measure.Weight, counts))
			innerWeights = append(innerWeights, fmt.Sprintf("%g", m.Measure.Weight))
		}
		how := "unknown: the prior"
		switch {
		case len(inner) > 1:
			how = fmt.Sprintf("(%s) / (%s)", strings.Join(inner, " + "), strings.Join(innerWeights, " + "))
		case len(inner) == 1:
			how = "the same"
		}
		fmt.Fprintf(&b, "| **%s** | %s | | | | **%.1f** | %g |\n", d.Name, how, d.Counted, d.Weight)
		sum = append(sum, fmt.Sprintf("%g × %.1f", d.Weight, d.Counted))
		weights = append(weights, fmt.Sprintf("%g", d.Weight))
	}
	fmt.Fprintf(&b, "| **composite** | (%s) / (%s) | | | | **%s** | |\n", strings.Join(sum, " + "), strings.Join(weights, " + "), x.Composite)
	fmt.Fprintf(&b, "\nThe known dimensions have %.0f%% of the total weight; %.0f%% is needed.\n", 100*x.Coverage, 100*x.MinimumCoverage)
	return b.String()
}

// TestLeadersInTour compares the table of leaders with the golden leaderboards.
func TestLeadersInTour(t *testing.T) {
	golden, err := os.ReadFile(filepath.Join("testdata", "leaderboards.golden.txt"))
	if err != nil {
		t.Fatal(err)
	}
	tourFile := filepath.Join("..", "site", "docs", "tour.md")
	tour, err := os.ReadFile(tourFile)
	if err != nil {
		t.Fatal(err)
	}
	boards := map[string][]string{}
	board := ""
	for line := range strings.Lines(string(golden)) {
		if fields := strings.Fields(line); len(fields) == 3 && strings.Contains(fields[2], "/") {
			boards[board] = append(boards[board], fields[1]+" "+fields[2])
		} else {
			board, _, _ = strings.Cut(line, " (")
		}
	}
	table := "```\n     all                                tools                      models\n"
	for i := range 10 {
		columns := [3]string{}
		for j, name := range []string{"all", "type tool", "type model"} {
			columns[j] = boards[name][i]
		}
		table += strings.TrimRight(fmt.Sprintf("%2d  %-35s %-34s %s", i+1, columns[0], columns[1], columns[2]), " ") + "\n"
	}
	if !leaders.Match(tour) {
		t.Fatalf("%s has no table of leaders", tourFile)
	}
	replaced := leaders.ReplaceAllLiteralString(string(tour), table+"```\n")
	suite.Golden(t, tourFile, []byte(replaced))
}

// leaders matches the table of leaders in the tour.
var leaders = regexp.MustCompile("(?s)```\n     all  .*?\n```\n")
