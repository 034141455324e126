package docs_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestQuestions compares the answers of the recipe that joins tables with those computed from
// the entities, over the content for tests.
func TestQuestions(t *testing.T) {
	suite.InTest(t)
	p := start(t)
	p.must("bash", "fetch.sh", "entities_full.parquet", "signals.parquet", "offers.parquet")
	prices, stars, ok := strings.Cut(p.must("node", "questions.mjs"), "stars against downloads")
	if !ok {
		t.Fatalf("the recipe prints %s", prices)
	}
	type entity struct {
		Slug, Name, Status string
		Capabilities       []string
		ContextTokens      float64
		PriceBlended       *float64
	}
	var models []entity
	suite.Check(t, json.Unmarshal(p.get("/api/export/entities?fields=all&type=model"), &models))
	models = slices.DeleteFunc(models, func(m entity) bool {
		return m.Status != "active" || m.PriceBlended == nil || m.ContextTokens < 200000 || !slices.Contains(m.Capabilities, "tool-call")
	})
	slices.SortFunc(models, func(a, b entity) int {
		return cmp.Or(cmp.Compare(*a.PriceBlended, *b.PriceBlended), strings.Compare(a.Name, b.Name))
	})
	if len(models) < 10 {
		t.Fatalf("only %d models qualify", len(models))
	}
	for i, m := range models[:10] {
		if row := regexp.MustCompile(fmt.Sprintf(`(?m)^│ *%d *│ *'(.*?)' *│ *'?([0-9.]+)'? *│`, i)).FindStringSubmatch(prices); row == nil || row[1] != m.Name || row[2] != fmt.Sprint(*m.PriceBlended) {
			t.Errorf("row %d is %q, want %s at %v, in\n%s", i, row, m.Name, *m.PriceBlended, prices)
		}
	}
	var figures []struct {
		Slug, Signal string
		Value        *float64
	}
	suite.Check(t, json.Unmarshal(p.get("/api/export/signals?type=tool"), &figures))
	known := map[string]map[string]float64{"stars": {}, "downloads": {}}
	for _, f := range figures {
		if m := known[f.Signal]; m != nil {
			m[f.Slug] = *f.Value
		}
	}
	rows := regexp.MustCompile(`(?m)^│ *[0-9]+ *│ *'(.*?)' *│ *([0-9.]+) *│ *([0-9.]+) *│`).FindAllStringSubmatch(stars, -1)
	if len(rows) != 10 {
		t.Fatalf("%d rows in %s", len(rows), stars)
	}
	for _, row := range rows {
		if row[2] != fmt.Sprint(known["stars"][row[1]]) || row[3] != fmt.Sprint(int(known["downloads"][row[1]])) {
			t.Errorf("%s, want %v stars and %v downloads", row[0], known["stars"][row[1]], known["downloads"][row[1]])
		}
	}
}
