package submission_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/content"
	"kindex/builder/content/yamlfmt"
	"kindex/builder/suite"
	"kindex/edge/submission"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// TestFile rewrites the file of every entity and checks that it keeps its meaning and
// is in canonical form.
func TestFile(t *testing.T) {
	suite.InTest(t)
	files, err := filepath.Glob(filepath.Join(suite.Content(t), "*", "*.yaml"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, path := range files {
		data := suite.Must(os.ReadFile(path))(t)
		typ, slug := filepath.Base(filepath.Dir(path)), strings.TrimSuffix(filepath.Base(path), ".yaml")
		e, _ := content.ParseEntity(kinds.Default(), path, typ, slug, data)
		if e == nil {
			t.Fatal(path)
		}
		sameFile(t, e)
	}
	e, _ := content.ParseEntity(kinds.Default(), "x", "model", "x", []byte(`name: "yes"
description: "- a: b"
category: c
status: withdrawn
formerly: [old, older]
addedDate: 2026-01-02
links: {deprecation: "https://x.example/"}
signals: {benchmarks: [{name: "1", value: -0.5}]}
`))
	sameFile(t, e)
}

func sameFile(t *testing.T, e *record.Entity) {
	t.Helper()
	data, err := submission.File(e)
	if err != nil {
		t.Fatalf("%s: %v", e.Key(), err)
	}
	again, problems := content.ParseEntity(kinds.Default(), e.Key(), e.Type, e.Slug, data)
	suite.Equal(t, again, e, e.Key(), "has different content", problems, data)
	if formatted, err := yamlfmt.Format(kinds.Default(), e.Key()+".yaml", data); err != nil || string(formatted) != string(data) {
		t.Errorf("%s is not in canonical form: %v\n%s", e.Key(), err, data)
	}
}

// TestSketch checks that the sketch has all valid fields and nothing else, whatever is wrong
// with the other fields.
func TestSketch(t *testing.T) {
	for _, c := range []struct{ members, sketch string }{
		{`{"category":"ml-framework"}`, "name: Fine Tool\n"},
		{`{"category":"ml-framework","tags":["a","B"],"links":{"homepage":"https://x.example/","paper":"x"},"slgu":"y"}`,
			"name: Fine Tool\nlinks:\n  homepage: https://x.example/\n"},
		{`{"category":"ml-framework","links":{"paper":"x"}}`, "name: Fine Tool\n"},
		{`{"category":"ml-framework","name":""}`, ""},
	} {
		fields := map[string]any{"type": "tool", "name": "Fine Tool"}
		for name, v := range fieldsOf(t, c.members) {
			fields[name] = v
		}
		_, err := submission.Parse(fields, index{})
		var invalid *submission.InvalidError
		if !errors.As(err, &invalid) {
			t.Fatalf("%s: %v", c.members, err)
		}
		suite.Equal(t, string(submission.Sketch(kinds.Default(), fields, invalid.Problems)), c.sketch, c.members)
	}
	_, err := submission.Parse(with(t, `{"slug":"-","license":"BSD 3-Clause"}`), index{})
	var invalid *submission.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Warnings) != 1 || invalid.Warnings[0].Suggestion != "BSD-3-Clause" {
		t.Errorf("the licence error is not reported alongside another problem: %v", err)
	}
}
