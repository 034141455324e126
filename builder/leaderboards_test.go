package builder_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/score"
)

// boardsAsOf is the day of the build that tests share. Readings become too old to count, so without
// a fixed day, scores would change by themselves.
var boardsAsOf = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// fixtureContent loads the content for tests and its formula.
func fixtureContent(t *testing.T) (*content.Content, *score.Formula) {
	t.Helper()
	c, problems, err := content.Load(suite.Content(t), nil)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	f := suite.Must(score.ParseChecked(kinds.Default(), c.Scoring))(t)
	return c, f
}

// TestTopTens compares the top of each board with what experts have agreed to; content/boards.md
// says why. After an intended change: go test ./builder -run TopTens -update
func TestTopTens(t *testing.T) {
	l, problems, err := builder.LoadContent(suite.Content(t), nil)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	boards := l.RankBoards(boardsAsOf)
	var b strings.Builder
	for _, r := range boards {
		fmt.Fprintf(&b, "%s (%d)\n", r.Slug, len(r.Entries))
		for _, entry := range r.Entries[:min(10, len(r.Entries))] {
			fmt.Fprintf(&b, "  %s %s\n", entry.Score, r.Catalogue.Entity(entry.Ordinal).Slug)
			figures := score.Formula{Types: map[string]*score.TypeFormula{r.Type: r.TypeFormula()}}
			suite.Equal(t, r.Needs.Unmet("it", figures.Explain(r.Catalogue.Entity(entry.Ordinal), boardsAsOf).Figures()), "", r.Slug, r.Catalogue.Entity(entry.Ordinal).Key())
		}
		if r.Note() != "" {
			t.Error(r.Note())
		}
	}
	suite.Golden(t, filepath.Join("testdata", "top_tens.golden.txt"), []byte(b.String()))
}

// TestScoresExample recomputes the example in content/scores.md.
func TestScoresExample(t *testing.T) {
	suite.InTest(t)
	c, _ := fixtureContent(t)
	path := filepath.Join("testdata", "scoring-2026.4.yaml") // a copy of the formula that the example is about
	text := suite.Must(os.ReadFile(path))(t)
	asJSON, problems := content.ParseScoring(kinds.Default(), path, text)
	f, err := score.ParseChecked(kinds.Default(), asJSON)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	const key = "tool/vllm"
	i := slices.IndexFunc(c.Entities, func(e *record.Entity) bool { return e.Key() == key })
	if i < 0 {
		t.Fatalf("%s no longer exists: use another example", key)
	}
	page := suite.Must(os.ReadFile(filepath.Join("..", "content", "scores.md")))(t)
	if example := worked(f.Explain(c.Entities[i], boardsAsOf)); !strings.Contains(string(page), example) {
		t.Errorf("the example in content/scores.md is out of date; it should be:\n\n%s", example)
	}
}

// worked formats the calculation of a score as a table, followed by the arithmetic.
func worked(x *score.Explanation) string {
	var b strings.Builder
	fmt.Fprintln(&b, "| Dimension | Figure | Value | Score | Weight |\n|---|---|---|---|---|")
	var sum, weights []string
	for _, d := range x.Dimensions {
		var inner, innerWeights []string
		for _, m := range d.Measures {
			name, value, counts := m.Name, any("missing: the prior"), d.Prior
			if m.Score != nil {
				value, counts = m.Value, *m.Score
			}
			if m.Result != nil {
				name = *m.Result
			}
			fmt.Fprintf(&b, "| %s | %s | %v | %.1f | %g |\n", d.Name, name, value, counts, m.Measure.Weight)
			inner = append(inner, fmt.Sprintf("%g × %.1f", m.Measure.Weight, counts))
			innerWeights = append(innerWeights, fmt.Sprintf("%g", m.Measure.Weight))
		}
		how := "the same"
		if len(inner) > 1 {
			how = fmt.Sprintf("(%s) / (%s)", strings.Join(inner, " + "), strings.Join(innerWeights, " + "))
		}
		fmt.Fprintf(&b, "| **%s** | %s | | **%.1f** | %g |\n", d.Name, how, d.Counted, d.Weight)
		sum = append(sum, fmt.Sprintf("%g × %.1f", d.Weight, d.Counted))
		weights = append(weights, fmt.Sprintf("%g", d.Weight))
	}
	fmt.Fprintf(&b, "| **composite** | (%s) / (%s) | | **%s** | |\n", strings.Join(sum, " + "), strings.Join(weights, " + "), x.Composite)
	fmt.Fprintf(&b, "\nThe known dimensions have %.0f%% of the total weight; %.0f%% is needed.\n", 100*x.Coverage, 100*x.MinimumCoverage)
	return b.String()
}
