package score_test

import (
	"fmt"
	"log"
	"time"

	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/score"
)

// Parse a formula and explain the scores of an entity.
func ExampleFormula_Explain() {
	formula, err := score.ParseChecked(kinds.Default(), []byte(`{
		"version": "1",
		"types": {"tool": {
			"minimumCoverage": 0.5,
			"dimensions": {
				"adoption": {"weight": 3, "prior": 20, "minimumCoverage": 0.5, "measures": [
					{"signal": "stars", "map": "log", "full": 100000, "weight": 2},
					{"signal": "forks", "map": "log", "full": 10000, "weight": 1}
				]},
				"freshness": {"weight": 1, "prior": 30, "minimumCoverage": 0, "measures": [
					{"signal": "lastRelease", "map": "age", "halfLife": 365, "weight": 1}
				]}
			}
		}}
	}`))
	if err != nil {
		log.Fatal(err)
	}
	entity := &record.Entity{Type: "tool", Slug: "example", Name: "Example", Status: record.Active,
		Signals: record.Signals{Facts: []record.Fact{{Name: "stars", Number: 9999}}}}
	x := formula.Explain(entity, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	fmt.Printf("composite %s, coverage %.2f\n", x.Composite, x.Coverage)
	for _, d := range x.Dimensions {
		fmt.Printf("%s: counts as %.1f, weight %g\n", d.Name, d.Counted, d.Weight)
		for _, m := range d.Measures {
			fmt.Printf("  %s: %s\n", m.Name, m.State)
		}
	}
	// Output:
	// composite 52.5, coverage 0.75
	// adoption: counts as 60.0, weight 3
	//   stars: counted
	//   forks: missing
	// freshness: counts as 30.0, weight 1
	//   lastRelease: missing
}
