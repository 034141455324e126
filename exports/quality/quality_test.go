package quality_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/quality"
	"kindex/exports/record"
)

func fact(name string, n float64, date string) record.Fact {
	return record.Fact{Name: name, Number: n, Date: date}
}

func offer(provider string, input, output, context int64) record.Offer {
	o := record.Offer{Provider: provider, ID: "m", Context: context}
	o.Prices[record.InputPrice], o.Prices[record.OutputPrice] = record.PriceOf(input), record.PriceOf(output)
	return o
}

// TestGroups checks the counts, the days and the order of groups and facts.
func TestGroups(t *testing.T) {
	entities := []*record.Entity{
		{Type: "tool", Slug: "a", Category: "x", License: "MIT", Signals: record.Signals{Facts: []record.Fact{fact("stars", 5, "2026-01-03"), fact("forks", 1, "")}}},
		{Type: "tool", Slug: "b", Category: "x", License: "MIT", Version: "1", Signals: record.Signals{Facts: []record.Fact{fact("stars", 9, "2026-01-01")}}},
		{Type: "tool", Slug: "c", Category: "w", Signals: record.Signals{Benchmarks: []record.Benchmark{{Name: "B", Date: "2026-01-02"}}}},
		{Type: "tool", Slug: "gone", Category: "v", Status: record.Withdrawn, License: "MIT"},
	}
	got := suite.Must(json.MarshalIndent(quality.New(kinds.Default(), entities, quality.Status{}).Groups, "", " "))(t)
	text := strings.Join(strings.Fields(string(got)), " ")
	for _, want := range []string{
		`"category": null, "entities": 3, "ranked": 0, "facts": [ { "fact": "license", "entities": 2 }, { "fact": "stars", "entities": 2 }, { "fact": "benchmarks", "entities": 1 }, { "fact": "forks", "entities": 1 }, { "fact": "version", "entities": 1 } ], "figures": { "count": 4, "dated": 3, "oldest": "2026-01-01", "median": "2026-01-02", "newest": "2026-01-03", "oldestOf": "tool/b" }`,
		`"category": "w", "entities": 1, "ranked": 0, "facts": [ { "fact": "license", "entities": 0 }`,
		`"category": "x", "entities": 2`,
	} {
		suite.Contains(t, text, want)
	}
	if strings.Contains(text, `"v"`) || strings.Contains(text, `"model"`) {
		t.Error("a group without listed entities:", text)
	}
}

// TestContradictions checks which offers contradict their model or the others.
func TestContradictions(t *testing.T) {
	e := &record.Entity{Type: "model", Slug: "m", Signals: record.Signals{Facts: []record.Fact{fact("contextTokens", 1000, ""), fact("outputTokens", 100, "")}},
		Offers: []record.Offer{offer("a", 1_000_000, 2_000_000, 1000), offer("b", 1_000_000, 2_000_000, 1001), offer("c", 10_000_000, 200_001, 999), offer("d", 0, 0, 0)}}
	e.Offers[3].OutputLimit = 101
	c := quality.New(kinds.Default(), []*record.Entity{e}, quality.Status{}).Contradictions
	got := []string{}
	for _, x := range c.Data {
		got = append(got, fmt.Sprint(x.Entity, " ", x.Offer, " ", x.Field, " ", x.Value, " ", x.Expected))
	}
	want := []string{"model/m b/m context 1001 1000", "model/m c/m input 10 1", "model/m d/m outputLimit 101 100"}
	if !slices.Equal(got, want) || c.Count != len(want) {
		t.Errorf("%q, expected %q", got, want)
	}
	for len(e.Offers) < 2*quality.MaxListed {
		e.Offers = append(e.Offers, offer("p", 1_000_000, 2_000_000, 2000))
	}
	if c := quality.New(kinds.Default(), []*record.Entity{e}, quality.Status{}).Contradictions; len(c.Data) != quality.MaxListed || c.Count <= quality.MaxListed {
		t.Errorf("%d of %d listed", len(c.Data), c.Count)
	}
}

// TestParseStatus checks that only what the collector writes is read.
func TestParseStatus(t *testing.T) {
	whole := quality.Status{Sources: map[string]quality.SourceStatus{"npm": {Read: "2026-01-01", Covers: 2, Answers: 1, Values: []string{"downloads"}}},
		Stopped: []quality.Stopped{{Entity: "tool/a", Name: "stars", Source: "npm", Held: 5.0, Found: nil, Reason: "r"}}}
	data := suite.Must(json.Marshal(whole))(t)
	if got, err := quality.ParseStatus(data); err != nil || !reflect.DeepEqual(got, whole) {
		t.Error(got, err)
	}
	many := quality.Status{Sources: map[string]quality.SourceStatus{}}
	for i := range 201 {
		many.Sources[fmt.Sprint(i)] = quality.SourceStatus{}
	}
	tooMany := suite.Must(json.Marshal(many))(t)
	for text, wrong := range map[string]string{
		string(tooMany):                "sources: more than 200",
		"":                             "EOF",
		`{}{}`:                         "more than one value",
		`{"x":1}`:                      "unknown field",
		`{"stopped":[{"held":[1]}]}`:   "must be numbers, texts or null",
		`{"stopped":[{"found":{}}]}`:   "must be numbers, texts or null",
		`{"sources":{"a":{"read":1}}}`: "cannot unmarshal",
		strings.Repeat(" ", quality.MaxStatusFile+1): "larger than",
	} {
		if _, err := quality.ParseStatus([]byte(text)); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%.40q: %v, expected %q", text, err, wrong)
		}
	}
}

// TestSources checks that a report lists the first stopped values and all sources.
func TestSources(t *testing.T) {
	s := quality.Status{Sources: map[string]quality.SourceStatus{"b": {}, "a": {Covers: 1}}, Stopped: make([]quality.Stopped, quality.MaxListed+1)}
	r := quality.New(kinds.Default(), nil, s)
	if len(r.Stopped) != quality.MaxListed || r.StoppedCount != quality.MaxListed+1 || len(r.Sources) != 2 || r.Sources[0].Name != "a" || r.Sources[1].Values == nil {
		t.Errorf("%+v", r)
	}
}
