package submission_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kindex/builder/content"
	"kindex/builder/content/yamlfmt"
	"kindex/builder/suite"
	"kindex/edge/submission"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// TestCorrection checks what corrections change, and the lines of the file that differ.
func TestCorrection(t *testing.T) {
	for _, c := range []struct{ body, changes, lines string }{
		{`{"amends":"tool/taken","license":"Apache-2.0"}`, `{"license":"Apache-2.0"}`, "-license: MIT\n+license: Apache-2.0\n"},
		{`{"amends":"tool/old","license":"Apache-2.0"}`, `{"license":"Apache-2.0"}`, "-license: MIT\n+license: Apache-2.0\n"},
		{`{"amends":"tool/taken","type":"tool","slug":"taken","license":"MIT","version":1.10}`, `{"version":"1.10"}`, "+version: \"1.10\"\n"},
		{`{"amends":"tool/taken","license":null,"tags":null}`, `{"license":null,"tags":null}`, "-license: MIT\n-tags: [python, x]\n"},
		{`{"amends":"tool/taken","links":{"paper":null,"homepage":"https://www.taken.example/","repository":"https://r.example/r"}}`,
			`{"links":{"paper":null,"repository":"https://r.example/r"}}`, "-  paper: https://paper.example/\n+  repository: https://r.example/r\n"},
		{`{"amends":"tool/taken","signals":{"stars":{"value":8,"date":"2026-06-01","source":"https://stars.example/"}}}`,
			`{"signals":{"stars":{"date":"2026-06-01","source":"https://stars.example/","value":8}}}`,
			"-  stars: {value: 7, date: 2026-05-01, source: https://stars.example/}\n+  stars: {value: 8, date: 2026-06-01, source: https://stars.example/}\n"},
		{`{"amends":"tool/taken","signals":{"stars":null}}`, `{"signals":{"stars":null}}`, "-  stars: {value: 7, date: 2026-05-01, source: https://stars.example/}\n"},
		{`{"amends":"tool/taken","signals":{"benchmarks":[{"name":"MMLU","value":50},{"name":"GPQA","value":3,"source":"https://b.example/"}]}}`,
			`{"signals":{"benchmarks":[{"name":"MMLU","value":50},{"name":"GPQA","source":"https://b.example/","value":3}]}}`,
			"+    - {name: GPQA, value: 3, source: https://b.example/}\n"},
	} {
		d, err := submission.Parse(fieldsOf(t, c.body), index{})
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		changes, err := json.Marshal(d.Changes)
		suite.Holds(t, err == nil && string(changes) == c.changes, "changes", changes, err)
		before := suite.Must(submission.File(d.Before))(t)
		suite.Equal(t, differingLines(string(before), string(d.YAML)), c.lines)
	}
}

// differingLines lists the lines that only the first text has, and those that only the second has.
func differingLines(a, b string) (lines string) {
	only := func(sign, a, b string) {
		for line := range strings.Lines(a) {
			if !strings.Contains(b, line) {
				lines += sign + line
			}
		}
	}
	only("-", a, b)
	only("+", b, a)
	return lines
}

// TestWrongCorrection checks the field and the message of every error.
func TestWrongCorrection(t *testing.T) {
	const source = "state the page on which the figure can be checked"
	for _, c := range []struct{ body, field, says string }{
		{`{"amends":7}`, "amends", "must name an entity by type and slug, such as tool/example"},
		{`{"amends":""}`, "amends", "must name an entity"},
		{`{"amends":"../../x/y"}`, "amends", "must name an entity"},
		{`{"amends":"tool/takn","license":"MIT"}`, "amends", `the index has no tool/takn (did you mean "tool/taken"?)`},
		{`{"amends":"tool/taken"}`, "amends", "changes nothing, because tool/taken already has these values"},
		{`{"amends":"tool/taken","license":"MIT","links":{"demo":null}}`, "amends", "changes nothing, because tool/taken already has these values"},
		{`{"amends":"tool/taken","slug":"took"}`, "slug", `leave it out (did you mean "taken"?)`},
		{`{"amends":"tool/taken","type":"model"}`, "type", "cannot be corrected here"},
		{`{"amends":"tool/taken","name":null}`, "name", "is missing"},
		{`{"amends":"tool/taken","category":"ml-framework"}`, "category", `did you mean "ml-frameworks"?`},
		{`{"amends":"tool/taken","licence":"MIT"}`, "licence", `did you mean "license"?`},
		{`{"amends":"tool/taken","links":{"web":"https://x.example"}}`, "links.web", "unknown field"},
		{`{"amends":"tool/taken","lifecycle":{"replacedBy":"tool/taken"}}`, "lifecycle.replacedBy", "is the entity itself"},
		{`{"amends":"tool/taken","signals":{"stars":{"value":8}}}`, "signals.stars.source", source},
		{`{"amends":"tool/taken","signals":{"forks":{"value":8,"date":"2026-06-01"}}}`, "signals.forks.source", source},
		{`{"amends":"tool/taken","signals":{"stars":{"value":1e999,"source":"https://x.example/"}}}`, "signals.stars.value", "not a valid number"},
		{`{"amends":"tool/taken","signals":{"benchmarks":[{"name":"MMLU","value":51}]}}`, "signals.benchmarks[0].source", source},
		{`{"amends":"tool/taken","url":"javascript:alert(1)"}`, "url", "use a full URL"},
	} {
		_, err := submission.Parse(fieldsOf(t, c.body), index{})
		var invalid *submission.InvalidError
		if !errors.As(err, &invalid) || len(invalid.Problems) == 0 || invalid.Problems[0].Field != c.field || !strings.Contains(invalid.Problems[0].Text(), c.says) {
			t.Errorf("%s: %v, not %s: …%s…", c.body, err, c.field, c.says)
		}
	}
}

// TestCorrectReal corrects the license of real entities: the draft and the merge into the
// original file give the same entity, and a correction that has been made is recognized. The soak
// corrects all of them.
func TestCorrectReal(t *testing.T) {
	suite.InTest(t)
	files, err := filepath.Glob(filepath.Join(suite.Content(t), "*", "*.yaml"))
	suite.Require(t, err == nil && len(files) >= 100, len(files), "files", err)
	changes := map[string]any{"license": "Zlib", "signals": map[string]any{"stars": nil}}
	every := suite.Pick(5, 1)
	for i := 0; i < len(files); i += every {
		path := files[i]
		data := suite.Must(os.ReadFile(path))(t)
		typ, slug := filepath.Base(filepath.Dir(path)), strings.TrimSuffix(filepath.Base(path), ".yaml")
		e, _ := content.ParseEntity(kinds.Default(), path, typ, slug, data)
		before := suite.Must(submission.File(e))(t)
		merged := suite.Must(yamlfmt.Merge(kinds.Default(), path, data, changes))(t)
		alone := suite.Must(yamlfmt.Merge(kinds.Default(), path, before, changes))(t)
		a, problems := content.ParseEntity(kinds.Default(), path, typ, slug, merged)
		b, _ := content.ParseEntity(kinds.Default(), path, typ, slug, alone)
		suite.Holds(t, a != nil && reflect.DeepEqual(a, b) && a.License == "Zlib", path, problems)
		for _, c := range []struct {
			e    *record.Entity
			want bool
		}{{e, false}, {a, true}} {
			suite.Equal(t, suite.Must(submission.Corrected(c.e, changes))(t), c.want, path)
		}
	}
}

func TestIdentity(t *testing.T) {
	one := submission.Identity("Fine Tool", "https://fine.example/tool")
	for _, c := range []struct {
		name, url string
		same      bool
	}{
		{"fine  tool", "http://www.fine.example/tool/", true},
		{"Fine\u00a0Tool", "https://fine.example:443/tool", true},
		{"FineTool", "https://fine.example/tool", false},
		{"Fine Tool", "https://fine.example/tools", false},
		{"Fine", "Tool https://fine.example/tool", false},
	} {
		suite.Equal(t, submission.Identity(c.name, c.url) == one, c.same, c.name, c.url, "same")
	}
}

// TestFile rewrites the file of every entity and checks that it keeps its meaning and
// is in canonical form.
func TestFile(t *testing.T) {
	suite.InTest(t)
	files, err := filepath.Glob(filepath.Join(suite.Content(t), "*", "*.yaml"))
	suite.Require(t, err == nil && len(files) >= 100, len(files), "files", err)
	for _, path := range files {
		data := suite.Must(os.ReadFile(path))(t)
		typ, slug := filepath.Base(filepath.Dir(path)), strings.TrimSuffix(filepath.Base(path), ".yaml")
		e, _ := content.ParseEntity(kinds.Default(), path, typ, slug, data)
		suite.Require(t, e != nil, path)
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
	suite.Require(t, err == nil, e.Key(), err)
	again, problems := content.ParseEntity(kinds.Default(), e.Key(), e.Type, e.Slug, data)
	suite.Equal(t, again, e, e.Key(), "has different content", problems, data)
	formatted := suite.Must(yamlfmt.Format(kinds.Default(), e.Key()+".yaml", data))(t)
	suite.Holds(t, string(formatted) == string(data), e.Key(), "is not in canonical form", data)
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
		suite.Require(t, errors.As(err, &invalid), c.members, err)
		suite.Equal(t, string(submission.Sketch(kinds.Default(), fields, invalid.Problems)), c.sketch, c.members)
	}
	_, err := submission.Parse(with(t, `{"slug":"-","license":"BSD 3-Clause"}`), index{})
	var invalid *submission.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Warnings) != 1 || invalid.Warnings[0].Suggestion != "BSD-3-Clause" {
		t.Errorf("the licence error is not reported alongside another problem: %v", err)
	}
}
