package edge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/view"
)

const factProviders = "providers:\n  - {slug: acme, name: Acme, url: https://acme.example/, maker: Acme}\n  - {slug: host, name: Host}\n"

// factSheet returns the content file of a model or tool with the given facts.
func factSheet(name string, facts ...string) string {
	return fmt.Sprintf("name: %s\ncategory: alpha\nprovider: Acme\ndescription: Finds things in heaps of data.\n%s\n", name, strings.Join(facts, "\n"))
}

func factSignals(pairs ...string) string {
	text := "signals:"
	for pair := range slices.Chunk(pairs, 2) {
		text += fmt.Sprintf("\n  %s: {value: %s, date: 2026-07-01, source: https://a.example/}", pair[0], pair[1])
	}
	return text
}

func factOffers(list ...string) string {
	return "offersRead: {date: 2026-07-01, source: https://a.example/}\noffers:\n  - " + strings.Join(list, "\n  - ")
}

// serveFacts serves a build of a history of facts up to a day, which is also the as-of day.
func serveFacts(t *testing.T, day string) *served {
	t.Helper()
	r := NewRepository(t)
	r.Commit("2026-08-01T08:00:00Z", "first", "providers.yaml", factProviders,
		"model/big.yaml", factSheet("Big", "family: big", "openWeights: false", "modalities: {input: [text, image], output: [text]}",
			"lifecycle: {retires: 2026-12-31, source: https://a.example/}", "parameters: {total: 70000000000}", factSignals("contextTokens", "1000000", "stars", "10"),
			factOffers("{provider: acme, id: big, input: 3, output: 15}", "{provider: host, id: big, input: 1, output: 1}")),
		"model/small.yaml", factSheet("Small", "family: small", "openWeights: true", "modalities: {input: [text], output: [text, audio]}",
			factSignals("contextTokens", "128000", "stars", "1000", "parameters", "7000000000"), factOffers("{provider: host, id: small, input: 0.1, output: 0.500001}")),
		"model/free.yaml", factSheet("Free", "family: small", "modalities: {input: [audio], output: []}", factOffers("{provider: host, id: free, input: 0, output: 0, free: true}")),
		"model/bare.yaml", factSheet("Bare"),
		"tool/kept.yaml", factSheet("Kept", factSignals("lastCommit", "2026-06-01", "stars", "5000")),
		"tool/old.yaml", factSheet("Old", strings.ReplaceAll(factSignals("lastCommit", "2024-06-01"), "2026-07-01", "2025-09-01")),
		"tool/ended.yaml", factSheet("Ended", factSignals("archived", "1", "lastCommit", "2026-06-01", "stars", "1000")))
	if day > "2026-10-20" {
		r.Commit("2026-10-20T08:00:00Z", "second",
			"model/small.yaml", factSheet("Small", "family: small", "openWeights: true", "modalities: {input: [text], output: [text, audio]}",
				factSignals("contextTokens", "200000", "stars", "1001", "parameters", "7000000000"), factOffers("{provider: host, id: small, input: 4, output: 20}")),
			"tool/new.yaml", factSheet("New", factSignals("lastCommit", "2025-10-01", "stars", "1000")))
	}
	return serveRepository(t, r, day)
}

// slugs returns the slugs of a list, in its order.
func (s *served) slugs(t *testing.T, path string) string {
	t.Helper()
	var list []string
	for _, raw := range s.pages(t, path) {
		var e struct{ Slug string }
		suite.Check(t, json.Unmarshal(raw, &e))
		list = append(list, e.Slug)
	}
	return strings.Join(list, " ")
}

// TestFactFilters filters and sorts by facts, prices and signals, now and in the past. Package exports tests
// that edits count.
func TestFactFilters(t *testing.T) {
	suite.InTest(t)
	s, then := serveFacts(t, "2026-11-01"), serveFacts(t, "2026-09-06")
	for _, c := range []struct{ query, now, then string }{
		{"family=small", "free small", "free small"},
		{"modality=image&modality=audio", "big free", "big free"},
		{"modality=text,image", "big", "big"},
		{"outputModality=audio", "small", "small"},
		{"signal=lastCommit<=2024-12-31", "old", "old"},
		{"openWeights=false&openWeights=true", "big small", "big small"},
		{"maintenance=dormant", "", "old"}, // read more than 400 days before
		{"maintenance=slow&maintenance=archived", "ended new", "ended"},
		{"maxPrice=0.2", "free", "free small"},
		{"maxPrice=6", "big free", "big free small"},
		{"minContext=128001", "big small", "big"},
		{"retiresBefore=2027-01-01", "big", "big"},
		{"minParameters=20B", "big", "big"},
		{"maxParameters=7,000,000,000", "small", "small"},
		{"minParameters=0.03+trillion&maxParameters=70000M", "big", "big"},
		{"signal=stars>=1k&signal=stars<=1000", "ended new", "small ended"},
		{"modality=text&maxPrice=100&signal=stars<=1000", "big", "big small"},
	} {
		path := "/api/entities?sort=name&fields=slug&" + strings.NewReplacer("<", "%3C", ">", "%3E").Replace(c.query)
		words := func(list string) []string { return slices.Sorted(slices.Values(strings.Fields(list))) }
		for what, x := range map[string]struct{ got, want string }{
			"now": {s.slugs(t, path), c.now}, "then": {then.slugs(t, path), c.then}, "at": {s.slugs(t, path+"&at=2026-09-06"), c.then},
		} {
			suite.Equal(t, words(x.got), words(x.want), c.query, what)
		}
		jsonl := s.ask(t, "GET", "/api/export/entities?format=jsonl&fields=slug&"+strings.SplitN(path, "&", 3)[2])
		if n := bytes.Count(jsonl.body, []byte("\n")); jsonl.status != 200 || n != len(strings.Fields(c.now)) {
			t.Errorf("%s: %d exported, status %d", c.query, n, jsonl.status)
		}
	}
	for _, c := range []struct{ query, now, then string }{
		{"sort=price", "free big small bare ended kept new old", "free small big bare ended kept old"},
		{"sort=context", "big small bare free ended kept new old", "big small bare free ended kept old"},
		{"sort=signal.stars", "kept small ended new big bare free old", "kept small ended big bare free old"},
	} {
		for what, x := range map[string]struct{ got, want string }{
			"now": {s.slugs(t, "/api/entities?"+c.query), c.now}, "then": {then.slugs(t, "/api/entities?"+c.query), c.then},
			"at": {s.slugs(t, "/api/entities?"+c.query+"&at=2026-09-06"), c.then},
		} {
			suite.Equal(t, x.got, x.want, c.query, what)
		}
	}
	s.facetsOfFacts(t)
}

func (s *served) facetsOfFacts(t *testing.T) {
	var found struct {
		Facets map[string][]view.FacetCount
	}
	unpack(t, s.ask(t, "GET", "/api/search?q=things&facets=family,modality,maintenance,openWeights&maxPrice=100").body, &found)
	suite.Equal(t, fmt.Sprint(found.Facets), "map[family:[{small 2} {big 1}] maintenance:[] modality:[{text 2} {audio 1} {image 1}] openWeights:[{false 1} {true 1}]]")
}

// receivedPoint is a point of a series as a client decodes it.
type receivedPoint struct {
	Name            string
	Value           any
	Date, Timestamp string
	Commit          *string
}

func (s *served) series(t *testing.T, path string) (list []receivedPoint) {
	t.Helper()
	for _, record := range s.pages(t, path) {
		var p receivedPoint
		unpack(t, record, &p)
		list = append(list, p)
	}
	return list
}

// TestSignals reads series across a deletion, a restoration, a rename and a reading of the same
// value on another day.
func TestSignals(t *testing.T) {
	suite.InTest(t)
	s := readHistory(t)
	type point struct {
		value     any
		date, day string
	}
	for path, want := range map[string][]point{
		"tool/back/signals?name=stars":     {{502.0, "2026-07-01", "2026-08-01"}, {nil, "", "2026-09-10"}, {800.0, "2026-07-01", "2026-09-20"}},
		"tool/gone/signals?name=stars":     {{501.0, "2026-07-01", "2026-08-01"}, {nil, "", "2026-09-10"}},
		"tool/a/signals?name=stars":        {{900.0, "2026-07-01", "2026-09-01"}},
		"tool/n8/signals?name=stars":       {{2610.0, "2026-07-01", "2026-08-01"}, {2610.0, "2026-07-02", "2026-10-30"}},
		"tool/n7/signals?name=stars":       {{1910.0, "2026-07-01", "2026-08-01"}, {20.0, "2026-07-01", "2026-10-27"}},
		"tool/n7/signals?name=lastRelease": {{"2026-06-07", "2026-07-01", "2026-08-01"}, {"2026-06-21", "2026-07-01", "2026-10-27"}},
	} {
		var got []point
		for _, p := range s.series(t, "/api/entity/"+path) {
			got = append(got, point{p.Value, p.Date, p.Timestamp[:10]})
			suite.Holds(t, p.Commit != nil && len(*p.Commit) == 40, path, "commit", p.Commit)
		}
		suite.Equal(t, got, want, path)
	}
	var names []string
	for _, p := range s.series(t, "/api/entity/tool/n7/signals") {
		names = append(names, p.Name)
	}
	if want := []string{"contributors", "downloads", "downloads", "lastRelease", "lastRelease", "stars", "stars"}; !slices.Equal(names, want) {
		t.Errorf("without a name there are points of %v", names)
	}
}

// TestSignalsOfEdits checks that a preview adds the edited values as points without a commit.
func TestSignalsOfEdits(t *testing.T) {
	suite.InTest(t)
	s := readHistory(t)
	o, _, _ := s.published().Build.Find("tool", "n7")
	e := s.published().Build.Entity(o)
	edited := *e
	edited.Signals.Facts = []record.Fact{{Name: "stars", Number: 77, Date: "2026-10-31"}}
	s.ApplyEdits([]exports.Edit{{Type: "tool", Slug: "n7", Entity: &edited}, {Type: "tool", Slug: "n9"}})
	last := func(path string) receivedPoint {
		list := s.series(t, path)
		return list[len(list)-1]
	}
	if p := last("/api/entity/tool/n7/signals?name=stars"); p.Value != 77.0 || p.Date != "2026-10-31" || p.Timestamp != "" || p.Commit != nil {
		t.Errorf("the edited value is %+v", p)
	}
	for path, what := range map[string]string{"tool/n7/signals?name=contributors": "a removed signal", "tool/n9/signals?name=stars": "a removed entity"} {
		if p := last("/api/entity/" + path); p.Value != nil || p.Commit != nil {
			t.Errorf("%s ends with %+v", what, p)
		}
	}
}

// TestVocabulary serves an index with a closed list of capabilities: filters accept synonyms,
// pages show titles, and submissions must use the listed words.
func TestVocabulary(t *testing.T) {
	suite.InTest(t)
	r := NewRepository(t)
	r.Commit("2026-11-01T07:00:00Z", "New words",
		"vocabulary.yaml", "capabilities:\n  - {slug: tool-call, title: Tool calling, synonyms: [function-calling]}\n  - {slug: gpu}\ntags:\n  - {slug: vector-search, synonyms: [vector-similarity]}\n",
		"tool/n1.yaml", sheet("Tool 1", "alpha", 710, "capabilities: [tool-call]\ntags: [vector-search, other]\n"),
		"tool/n2.yaml", sheet("Tool 2", "alpha", 720, "capabilities: [gpu, tool-call]\n"))
	s := serveRepository(t, r, "2026-11-01")
	for path, want := range map[string]int{
		"/api/entities?capability=function-calling": 2, "/api/entities?capability=function-calling,gpu": 1,
		"/api/search?q=heaps&capability=function-calling&facets=capability": 2, "/api/entities?tag=vector-similarity,other": 1,
		"/api/entities?capability=Function-Calling,GPU": 1, "/api/entities?type=Tool&tag=VECTOR-similarity": 1,
	} {
		now := strings.NewReplacer("function-calling", "tool-call", "vector-similarity", "vector-search").Replace(strings.ToLower(path))
		a, b := s.list(t, path), s.list(t, now)
		suite.Holds(t, a.Count == want && b.Count == want &&
			slices.EqualFunc(a.Data, b.Data, sameRecord), path, a.Count, "records", now, b.Count, want)
	}
	for path, to := range map[string]string{"/capabilities/function-calling/": "/capabilities/tool-call/", "/tags/vector-similarity/": "/tags/vector-search/"} {
		s.ask(t, "GET", path).want(t, 301).wantHeader(t, "Location", to)
	}
	for path, want := range map[string]string{
		"/capabilities/":           `<a href="/capabilities/tool-call/"><bdi>Tool calling</bdi>`,
		"/capabilities/tool-call/": "<bdi>Tool calling</bdi></h1>",
		"/capabilities/gpu/":       "<bdi>gpu</bdi></h1>",
		"/tool/n1/":                `href="/capabilities/tool-call/"><bdi>Tool calling</bdi></a>`,
	} {
		s.ask(t, "GET", path).want(t, 200, want)
	}
	key, _ := s.keyOf(t, "ada")
	const draft = `{"type":"tool","name":"New","description":"New.","category":"alpha","url":"https://new.example/","capabilities":["gpu","`
	s.send(t, "POST", "/api/submit", key, draft+`function-calling"]}`).
		want(t, 400, `"field":"capabilities[1]"`, `did you mean \"tool-call\"?`)
	s.send(t, "POST", "/api/submit", key, draft+`tool-call"]}`).want(t, 201)
}
