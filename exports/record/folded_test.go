package record_test

import (
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestUnfold takes names apart that content files contained before results had details.
func TestUnfold(t *testing.T) {
	for name, want := range map[string]record.Benchmark{
		"Aider Polyglot":                {Name: "Aider Polyglot"},
		"SWE-Bench Verified (maker)":    {Name: "SWE-Bench Verified", By: "maker"},
		"SWE-Bench Pro (Scale, public)": {Name: "SWE-Bench Pro", By: "independent", Publisher: "Scale", Dataset: "public"},
		"SWE-Bench Pro (Artificial Analysis, hard-aa, Claude Code, high)": {Name: "SWE-Bench Pro", By: "independent",
			Publisher: "Artificial Analysis", Dataset: "hard-aa", Harness: "Claude Code", Variant: "high"},
		"Terminal-Bench (Anthropic comparison, 2.1, Terminus-2)": {Name: "Terminal-Bench", By: "maker", Publisher: "Anthropic", Version: "2.1", Harness: "Terminus-2"},
		"Artificial Analysis Coding Agent Index (Codex, xhigh)":  {Name: "Artificial Analysis Coding Agent Index", Harness: "Codex", Variant: "xhigh"},
		"MMLU (5-shot)":                  {Name: "MMLU (5-shot)"},                  // unknown details stay in the name
		"SWE-Bench Pro (public, Scale)":  {Name: "SWE-Bench Pro (public, Scale)"},  // not in order
		"Terminal-Bench (Codex, 2.1)":    {Name: "Terminal-Bench (Codex, 2.1)"},    // not in order
		"Terminal-Bench (maker, 2.1":     {Name: "Terminal-Bench (maker, 2.1"},     // not closed
		"Terminal-Bench (Codex) (maker)": {Name: "Terminal-Bench (Codex) (maker)"}, // twice
	} {
		got := record.Benchmark{Name: name, Value: 5, Date: "2026-01", Source: "https://x.example/"}
		got.Unfold()
		want.Value, want.Date, want.Source = 5, "2026-01", "https://x.example/"
		suite.Equal(t, got, want, name)
		suite.Equal(t, got.FoldedName(), name, "is folded")
		again := got
		if again.Unfold(); again != got {
			t.Errorf("%s, taken apart twice, became %+v", name, again)
		}
	}
}

// TestUnfoldedIsNoChange compares folded results with the same results taken apart.
func TestUnfoldedIsNoChange(t *testing.T) {
	with := func(b record.Benchmark) *record.Entity {
		return &record.Entity{Type: "model", Slug: "m", Signals: record.Signals{Benchmarks: []record.Benchmark{b}}}
	}
	folded := record.Benchmark{Name: "Terminal-Bench (Artificial Analysis, 2.1, Codex, medium)", Value: 5}
	apart := folded
	apart.Unfold()
	changes, before, after := record.Transition(with(folded), with(apart))
	if len(changes) != 0 || before != after {
		t.Errorf("%+v", changes)
	}
	_, _, first := record.Transition(nil, with(folded))
	if _, _, second := record.Transition(nil, with(apart)); first != second {
		t.Error("the content of a folded and an unfolded result has different hashes")
	}
	for _, other := range []func(*record.Benchmark){
		func(b *record.Benchmark) { b.Metric = "pass@1" }, func(b *record.Benchmark) { b.By = "community" }, func(b *record.Benchmark) { b.Harness = "My harness" },
		func(b *record.Benchmark) { b.Value = 6 }, func(b *record.Benchmark) { b.Publisher = "" },
	} {
		b := apart
		if other(&b); len(record.Diff(with(apart), with(b))) != 1 {
			t.Errorf("%+v is no change", b)
		}
	}
	b := apart
	if b.Date, b.Source = "2026-01", "https://x.example/"; len(record.Diff(with(apart), with(b))) != 0 {
		t.Error("a new date and source are a change")
	}
}
