package pages_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kindex/exports"
	"kindex/exports/quality"
	"kindex/site/pages"
)

// collectStatus is what a collector with hostile sources says.
const collectStatus = `{"sources": {"github": {"read": "2026-11-20", "covers": 12, "answers": 9, "values": ["stars"], "lastFail": "<b>429</b>"}},
 "stopped": [{"entity": "tool/priced-kit", "name": "stars", "source": "github", "held": 90000, "found": 14, "reason": "<script>fell</script>"},
  {"entity": "tool/never-was", "name": "license", "source": "github", "held": null, "found": "MIT", "reason": "r"}]}`

// checkQuality compares the page about quality with quality.json, and checks that texts from upstream stay
// texts.
func checkQuality(t *testing.T, s *pages.Site, out string) {
	data, _ := s.Build.ReadFile(exports.QualityFile)
	var report quality.Report
	if err := json.Unmarshal(data, &report); err != nil || len(report.Groups) < 4 || report.StoppedCount != 2 {
		t.Fatalf("%v %s", err, data)
	}
	answer := get(t, s, "/quality/")
	if body := string(answer.Body); strings.Contains(body, "<script>fell") || strings.Contains(body, "<b>429") {
		t.Error("texts of the collector are not escaped")
	}
	const notIncluded = "Edits since the last build are not included."
	edited := siteOf(t, out, pages.Options{}, exports.Edit{Type: "tool", Slug: "priced-kit"})
	if strings.Contains(string(answer.Body), notIncluded) || !strings.Contains(string(get(t, edited, "/quality/").Body), notIncluded) {
		t.Errorf("with edits, and only then, the page must say %q", notIncluded)
	}
	p := parse(t, answer.Body)
	rows := plain(p.named("tr"))
	for _, want := range []string{"Priced KitStars github90,00014<script>fell</script>", "tool/never-wasLicence githubnothingMITr"} {
		if !slices.Contains(rows, want) {
			t.Errorf("the page lacks %q: %q", want, rows[len(rows)-8:])
		}
	}
	for _, g := range report.Groups {
		if g.Category == nil {
			for _, f := range g.Facts {
				count := fmt.Sprintf("%d", f.Entities)
				if !slices.ContainsFunc(rows, func(r string) bool { return strings.Contains(r, count) && strings.HasSuffix(r, "%") }) {
					t.Errorf("no row for %s %s: %d", g.Type, f.Fact, f.Entities)
				}
			}
			continue
		}
		if link := fmt.Sprintf(`href="/categories/%s/"`, *g.Category); !strings.Contains(string(answer.Body), link) {
			t.Errorf("the page lacks %s", link)
		}
	}
}
