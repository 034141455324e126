package scaffold_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"kindex/builder/content"
	"kindex/builder/scaffold"
	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/score"
)

// FuzzOptions checks that, for any title, either the new index has that title, or nothing is
// written and the error names the option.
func FuzzOptions(f *testing.F) {
	for _, s := range []string{"Tools", "a: b", "#1", "null", "Yes", "- x", "*a", "it's", `"q" \ %`, "2026", " x ", "a\nb", "é — ✓", "\u2028", "{{.Title}}", "| a |"} {
		f.Add(s, "")
		f.Add("T", s)
	}
	f.Fuzz(func(t *testing.T, title, description string) {
		dir := filepath.Join(t.TempDir(), "new")
		_, err := scaffold.Write(dir, scaffold.Options{Title: title, Description: description})
		var option *scaffold.OptionError
		if errors.As(err, &option) {
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("after %v, files remain: %v", option, err)
			}
			return
		}
		suite.Check(t, err)
		c, problems, err := content.Load(filepath.Join(dir, "content"), nil)
		if err != nil || len(problems) > 0 {
			t.Fatalf("%v %v", err, problems)
		}
		if c.Index.Title != title || c.Index.Description != description {
			t.Errorf("%q, %q became %q, %q", title, description, c.Index.Title, c.Index.Description)
		}
	})
}

// TestScoringFile checks that scoring.yaml contains the built-in formula, with its comments.
func TestScoringFile(t *testing.T) {
	dir := t.TempDir()
	suite.Must(scaffold.Write(dir, scaffold.Options{Title: "T"}))(t)
	data := suite.Must(os.ReadFile(filepath.Join(dir, "content", "scoring.yaml")))(t)
	got, problems := content.ParseScoring(kinds.Default(), "scoring.yaml", data)
	want, more := content.ParseScoring(kinds.Default(), "default.yaml", score.Default)
	if len(problems)+len(more) > 0 || string(got) != string(want) {
		t.Errorf("%v %v: %s instead of %s", problems, more, got, want)
	}
}

// TestExamples checks that the example entities cover both types and every category, and
// that each figure has a date and a source.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	suite.Must(scaffold.Write(dir, scaffold.Options{Title: "T"}))(t)
	c, problems, err := content.Load(filepath.Join(dir, "content"), nil)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v", err, problems)
	}
	used := map[string]bool{}
	for _, e := range c.Entities {
		used[e.Category], used[e.Type] = true, true
		if len(e.Signals.Facts) == 0 {
			t.Errorf("%s has no figures", e.Slug)
		}
		for _, f := range e.Signals.Facts {
			if f.Date == "" || f.Source == "" {
				t.Errorf("%s: %s names no day or no source", e.Slug, f.Name)
			}
		}
	}
	for _, category := range c.Categories {
		if !used[category.Slug] {
			t.Errorf("no example in %s", category.Slug)
		}
	}
	if !used["tool"] || !used["model"] {
		t.Errorf("the examples are not of both types")
	}
}
