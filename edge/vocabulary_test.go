package edge

import (
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestVocabulary serves an index with a closed list of capabilities: filters accept synonyms,
// pages show titles, and submissions must use the listed words.
func TestVocabulary(t *testing.T) {
	suite.InTest(t)
	s, r := serveHistory(t, "2026-11-01", Options{})
	r.Commit("2026-11-01T06:00:00Z", "Old words", "tool/n1.yaml", r.Read("tool/n1.yaml")+"capabilities: [function-calling]\ntags: [vector-similarity, other]\n")
	r.Commit("2026-11-01T07:00:00Z", "New words",
		"vocabulary.yaml", "capabilities:\n  - {slug: tool-call, title: Tool calling, synonyms: [function-calling]}\n  - {slug: gpu}\ntags:\n  - {slug: vector-search, synonyms: [vector-similarity]}\n",
		"tool/n1.yaml", strings.NewReplacer("function-calling", "tool-call", "vector-similarity", "vector-search").Replace(r.Read("tool/n1.yaml")),
		"tool/n2.yaml", r.Read("tool/n2.yaml")+"capabilities: [gpu, tool-call]\n")
	buildDay(t, r, s.out, "2026-11-01")
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"/api/entities?capability=function-calling": 2, "/api/entities?capability=function-calling,gpu": 1,
		"/api/search?q=heaps&capability=function-calling&facets=capability": 2, "/api/entities?tag=vector-similarity,other": 1,
		"/api/entities?capability=Function-Calling,GPU": 1, "/api/entities?tag=VECTOR-similarity": 1, "/api/entities?tag=Vector-Search": 1,
		"/api/entities?type=Tool&capability=GPU": 1,
	} {
		now := strings.NewReplacer("function-calling", "tool-call", "vector-similarity", "vector-search").Replace(strings.ToLower(path))
		a, b := s.list(t, path), s.list(t, now)
		if a.Count != want || b.Count != want || !slices.EqualFunc(a.Data, b.Data, sameRecord) {
			t.Errorf("%s: %d records, but %s has %d; want %d", path, a.Count, now, b.Count, want)
		}
	}
	for path, to := range map[string]string{"/capabilities/function-calling/": "/capabilities/tool-call/", "/tags/vector-similarity/": "/tags/vector-search/"} {
		if a := s.ask(t, "GET", path); a.status != 301 || a.header.Get("Location") != to {
			t.Errorf("%s: %d %q, want a redirect to %s", path, a.status, a.header.Get("Location"), to)
		}
	}
	for path, want := range map[string]string{
		"/capabilities/":           `<a href="/capabilities/tool-call/"><bdi>Tool calling</bdi></a>`,
		"/capabilities/tool-call/": "<bdi>Tool calling</bdi></h1>",
		"/capabilities/gpu/":       "<bdi>gpu</bdi></h1>",
		"/tool/n1/":                `href="/capabilities/tool-call/"><bdi>Tool calling</bdi></a>`,
	} {
		if a := s.ask(t, "GET", path); a.status != 200 || !strings.Contains(string(a.body), want) {
			t.Errorf("%s: %d, want %s", path, a.status, want)
		}
	}
	key, _ := s.keyOf(t, "ada")
	const draft = `{"type":"tool","name":"New","description":"New.","category":"alpha","url":"https://new.example/","capabilities":["gpu","`
	if a := s.send(t, "POST", "/api/submit", key, draft+`function-calling"]}`); a.status != 400 ||
		!strings.Contains(string(a.body), `"field":"capabilities[1]"`) || !strings.Contains(string(a.body), `did you mean \"tool-call\"?`) {
		t.Errorf("submission: %d %s", a.status, a.body)
	}
	if a := s.send(t, "POST", "/api/submit", key, draft+`tool-call"]}`); a.status != 201 {
		t.Errorf("submission: %d %s", a.status, a.body)
	}
}
