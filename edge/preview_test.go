package edge

import (
	"encoding/json"
	"strings"
	"testing"

	"kindex/exports"
	"kindex/exports/record"
)

// TestPreview previews an edit in a category that the build does not have, with scores from a
// different formula than those in the published build. Lists and exports must show the scores
// that the explanation computes.
func TestPreview(t *testing.T) {
	s := serve(t, 10)
	o, _, _ := s.published().Build.Find("tool", "n3")
	e := s.published().Build.Entity(o)
	edited := *e
	edited.Category = "not-yet-built"
	edited.Scores = record.Scores{}
	s.Preview([]exports.Edit{{Type: "tool", Slug: "n3", Entity: &edited}})

	var authored struct{ Scores struct{ Composite *float64 } }
	var explained struct{ Composite *float64 }
	unpack(t, s.ask(t, "GET", "/api/entity/tool/n3").body, &authored)
	unpack(t, s.ask(t, "GET", "/api/entity/tool/n3/score").body, &explained)
	if authored.Scores.Composite == nil || explained.Composite == nil || *authored.Scores.Composite != *explained.Composite {
		t.Errorf("record %v, explanation %v", authored.Scores.Composite, explained.Composite)
	}
	for _, format := range []string{"json", "jsonl", "csv"} {
		for _, path := range []string{"/api/export/leaderboard?category=not-yet-built&format=", "/api/export/entities?format="} {
			a := s.ask(t, "GET", path+format)
			if a.status != 200 || !strings.Contains(string(a.body), "not-yet-built") {
				t.Errorf("%s%s: %d %.200s", path, format, a.status, a.body)
			}
		}
	}
	if a := s.ask(t, "GET", "/api/export/manifest"); a.header.Get("X-Build") != s.reloader.ID() {
		t.Errorf("the manifest of %s names build %s", s.reloader.ID(), a.header.Get("X-Build"))
	}
}

func unpack(t *testing.T, body []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%v: %.200s", err, body)
	}
}
