package record_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// whole returns an entity with every kind of member.
func whole() *record.Entity {
	return &record.Entity{
		Type: "model", Slug: "a-1", Name: `A "1" \ é`, Provider: "maker", Description: "Plans, \"codes\": {all} in, \nlines", Category: "language",
		Version: "1.0", PricingModel: "freemium", License: "MIT", URL: "https://example.org/?a=1&b=<2>", Capabilities: []string{"vision", `a"b`},
		Scores: record.Scores{Composite: record.ScoreOf(95.1), Quality: record.ScoreOf(0)}, AddedDate: "2026-01-01", LastUpdated: "2026-02-01", Status: record.Active,
		Links: []record.Link{{Name: "docs", URL: "https://example.org/docs"}, {Name: "paper", URL: "https://example.org/{p}"}},
		Signals: record.Signals{
			Facts: []record.Fact{{Name: "context", Number: 1e6, Date: "2026-01", Source: "https://example.org"}, {Name: "lastCommit", Day: "2026-02-03"}, {Name: "stars", Number: 12.5}},
			Benchmarks: []record.Benchmark{{Name: "MMLU, (five)", Value: 80.25, Metric: "pass@1", Harness: "h", Variant: "v", Dataset: "d", Version: "2", By: record.ByMaker,
				Publisher: "p", Date: "2026-01-02", Source: "https://example.org/b"}, {Name: "second", Value: 1}},
		},
		IDs: []record.ID{{Namespace: "arxiv", Value: "2401.00001"}, {Namespace: "github", Value: "a/b"}},
		Values: record.ValuesOf(kinds.Default(), map[string]any{"family": "a", "openWeights": true, "knowledge": "2025-12",
			"modalities": map[string]any{"input": []string{"text", "image"}, "output": []string{"text"}},
			"parameters": map[string]any{"total": 7e9, "active": 1e9}, "reasoning": false, "reasoningEfforts": []string{"low", "high"}}),
		Lifecycle: &record.Lifecycle{Deprecated: "2026-03-01", Retires: "2026-09-01", ReplacedBy: "model/a-2", Source: "https://example.org/end"},
		Offers:    []record.Offer{{Provider: "maker", ID: "a", Prices: record.Prices{record.PriceOf(2500000)}, Context: 1000, Date: "2026-01-01", Source: "https://example.org/prices"}},
		Computed: record.Computed{Maintenance: record.Maintenance{State: "active", AsOf: "2026-02-03"},
			Price: record.PriceSummary{Input: record.PriceOf(2500000), Provider: "maker", Date: "2026-01-01"}},
	}
}

// TestDecodeEntity decodes records as they are written, and with white space.
func TestDecodeEntity(t *testing.T) {
	suite.InTest(t)
	for name, want := range map[string]*record.Entity{"whole": whole(), "empty": {}} {
		data := want.AppendJSON(nil)
		var spaced bytes.Buffer
		suite.Check(t, json.Indent(&spaced, data, " ", "\t"))
		for _, b := range [][]byte{data, spaced.Bytes(), bytes.ReplaceAll(spaced.Bytes(), []byte("\n"), []byte("\r\n"))} {
			var got record.Entity
			if err := json.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(&got, want) {
				t.Errorf("%s: decoded as\n%+v, not\n%+v: %v", name, got, *want, err)
			}
		}
	}
	authored := whole()
	authored.Formerly = []string{"a", "a-0"}
	var got record.Entity
	if err := got.UnmarshalJSON(authored.AppendAuthored(nil)); err != nil || !reflect.DeepEqual(got.Formerly, authored.Formerly) || !reflect.DeepEqual(got.Links, authored.Links) {
		t.Errorf("decoded as %+v: %v", got, err)
	}
}

// TestDecodeWrongTypes decodes records whose members have wrong types. The error must name the member.
func TestDecodeWrongTypes(t *testing.T) {
	suite.InTest(t)
	for text, want := range map[string]string{
		`[]`:                                    "expected an object",
		`"x"`:                                   "expected an object",
		`{"name":"x"`:                           "unexpected end",
		`{"name":5}`:                            "name: json: cannot unmarshal",
		`{"tags":{"a":1}}`:                      "tags: json: cannot unmarshal",
		`{"tags":["a",1]}`:                      "tags: json: cannot unmarshal",
		`{"capabilities":"a"}`:                  "capabilities: json: cannot unmarshal",
		`{"scores":[1]}`:                        "scores: json: cannot unmarshal",
		`{"scores":{"composite":"1"}}`:          "scores: invalid score",
		`{"links":["a"]}`:                       "links: json: cannot unmarshal",
		`{"links":{"a":1}}`:                     "links: json: cannot unmarshal",
		`{"signals":"a"}`:                       "signals: json: cannot unmarshal",
		`{"signals":{"stars":[1]}}`:             "signals: stars: json: cannot unmarshal",
		`{"signals":{"stars":{"date":"2026"}}}`: "signals: stars: has no value",
		`{"signals":{"stars":{"value":true}}}`:  "signals: stars: ",
		`{"signals":{"stars":{"value":1,"date":2}}}`:    "signals: stars: json: cannot unmarshal",
		`{"signals":{"benchmarks":{"name":"a"}}}`:       "benchmarks: json: cannot unmarshal",
		`{"signals":{"benchmarks":["a"]}}`:              "benchmarks: json: cannot unmarshal",
		`{"signals":{"benchmarks":[{"value":"high"}]}}`: "benchmarks: value: json: cannot unmarshal",
		`{"lifecycle":5}`:                               "lifecycle: ",
	} {
		var e record.Entity
		if err := e.UnmarshalJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzDecodeEntity checks that no record makes the decoder panic, and that what is not JSON is refused.
func FuzzDecodeEntity(f *testing.F) {
	data := whole().AppendJSON(nil)
	for i := 0; i < len(data); i += 7 {
		f.Add(data[:i])
		f.Add(append(append([]byte{}, data[:i]...), data[min(len(data), i+3):]...))
	}
	f.Add([]byte(`{"tags":{"a":1},"links":["x"],"signals":{"benchmarks":{"a":[]},"stars":[1],"x":{"value":"2026","value":true}},"scores":[1]}`))
	f.Add([]byte(`[{"a":1}]`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e record.Entity
		if err := e.UnmarshalJSON(b); err == nil && !json.Valid(b) {
			t.Errorf("%q is accepted", b)
		}
	})
}
