package collect_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/collect"
	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/record"
	"kindex/exports/score"
)

// static completes a source that has everything at hand: answers by the keys of entities, and a list.
func static(s collect.Source, answers map[string]collect.Answer, list ...collect.Candidate) *collect.Source {
	s.Title = s.Name
	s.Identify = func(e *record.Entity) string {
		if _, ok := answers[e.Key()]; ok {
			return e.Key()
		}
		return ""
	}
	s.Look = func(id string) collect.Answer { return answers[id] }
	s.List = func(context.Context, *collect.Client) ([]collect.Candidate, error) { return list, nil }
	return &s
}

func model(name, more string) string {
	return "name: " + name + "\ndescription: What " + name + " is.\ncategory: things\n" + more
}

// candidate returns a candidate with an identifier.
func candidate(typ, slug, namespace, id string, sellers int, values ...collect.Value) collect.Candidate {
	for i := range values {
		values[i].Source = "https://" + namespace + ".example/" + id
	}
	return collect.Candidate{Type: typ, Slug: slug, Sellers: sellers, Answer: collect.Answer{Values: values},
		Fields: map[string]any{"name": strings.ToUpper(slug), "ids": map[string]any{namespace: id}}}
}

func TestNewEntries(t *testing.T) {
	released := func(day string) collect.Value { return collect.Value{Name: "released", Text: day} }
	stars := func(n float64) collect.Value { return collect.Value{Name: "stars", Number: n} }
	a := static(collect.Source{Name: "a"}, nil,
		candidate("model", "one", "modelsdev", "lab/one", 1, released("2026-11-01")),                       // known by its identifier
		candidate("model", "two", "modelsdev", "lab/second", 1, released("2026-11-01")),                    // by its slug
		candidate("model", "old-two", "modelsdev", "lab/old", 1, released("2026-11-01")),                   // by a former slug
		candidate("model", "one-fp8", "openrouter", "shop/one:free", 1, released("2026-11-01")),            // as the same model elsewhere
		candidate("model", "three-20261101", "modelsdev", "lab/three-20261101", 9, released("2026-11-01")), // perhaps a version
		candidate("model", "declined", "modelsdev", "lab/Declined", 9, released("2026-11-01")),
		candidate("tool", "refused", "github", "own/refused", 0, stars(90000)),
		candidate("model", "famous", "modelsdev", "lab/famous", 12, released("2026-11-01")),
		candidate("model", "fresh", "modelsdev", "lab/fresh", 1, released("2026-11-20")),
		candidate("model", "aged", "modelsdev", "lab/aged", 12, released("2023-11")),
		candidate("tool", "loved", "github", "own/loved", 0, stars(120000)),
		candidate("tool", "small", "github", "own/small", 0, stars(6000)))
	b := static(collect.Source{Name: "b"}, nil,
		candidate("tool", "loved-too", "github", "OWN/Loved", 0, stars(1)),
		candidate("model", "broken", "modelsdev", "lab/broken", 0, released("soon"), collect.Value{Name: "likes", Number: -1}))
	dir := write(t, map[string]string{
		"model/one.yaml":   model("One", "ids:\n  modelsdev: lab/one\n"),
		"model/two.yaml":   model("Two", "formerly: [old-two]\n"),
		"model/three.yaml": model("Three", "provider: Lab Inc.\nids:\n  modelsdev: lab/three\n"),
		"collect.yaml":     "declined: [\"modelsdev:lab/declined\", tool/refused]\n",
	})
	o := options(t, dir, newClock("2026-11-23"), a, b)
	o.New = true
	r := mustRun(t, o)
	var got []string
	for _, e := range r.New {
		got = append(got, e.Entity+" "+e.Like)
	}
	want := []string{"model/famous ", "tool/loved ", "tool/small ", "model/fresh ", "model/three-20261101 model/three", "model/broken ", "model/aged "}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	loved := r.New[1].YAML
	if !slices.Equal(r.New[1].Sources, []string{"a", "b"}) || !strings.Contains(loved, "stars: {value: 120000,") {
		t.Errorf("%v\n%s", r.New[1].Sources, loved)
	}
	suite.Contains(t, r.New[0].YAML, "provider: Lab Inc.\n")
	if i := slices.IndexFunc(r.New, func(e collect.Entry) bool { return e.Entity == "model/broken" }); strings.Contains(r.New[i].YAML, "signals") {
		t.Errorf("values that no file may have:\n%s", r.New[i].YAML)
	}
	checkProposal(t, dir, r.New[0])
}

// checkProposal checks that validate refuses a proposed file until it has a description and a category.
func checkProposal(t *testing.T, dir string, e collect.Entry) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(e.Entity)+".yaml")
	for _, c := range []struct{ text, problem string }{
		{e.YAML, "is a placeholder"},
		{strings.Replace(e.YAML, "TODO: describe it", "Describes it", 1), ""},
	} {
		suite.Check(t, os.WriteFile(path, []byte(c.text), 0o666))
		_, problems, err := content.Load(dir, nil)
		suite.Check(t, err)
		n, _ := problems.Count()
		if c.problem == "" && n > 0 || c.problem != "" && (n != 1 || !strings.Contains(problems[0].Message, c.problem)) {
			t.Errorf("%v\n%s", problems, c.text)
		}
	}
}

func TestResults(t *testing.T) {
	const held = `signals:
  benchmarks:
    - {name: Bench, value: 50.12, version: 1.0.1, by: independent, publisher: Lab, date: 2026-05-01, source: https://lab.example/1}
    - {name: Other, value: 7, date: 2026-05-01}
`
	result := func(value float64, day string) record.Benchmark {
		return record.Benchmark{Name: "Bench", Version: "1.0.1", By: "independent", Publisher: "Lab", Value: value, Date: day, Source: "https://lab.example/2"}
	}
	unnamed := result(52.5, "2026-11-01")
	unnamed.Source = ""
	for name, c := range map[string]struct {
		result  record.Benchmark
		file    string // a part of the file afterwards
		stopped string // a part of the reason
	}{
		"the same":           {result(50.12, "2026-11-01"), "value: 50.12, version: 1.0.1, by: independent, publisher: Lab, date: 2026-05-01, source: https://lab.example/1}", ""},
		"the same, longer":   {result(50.1234, "2026-11-01"), "value: 50.12, version: 1.0.1, by: independent, publisher: Lab, date: 2026-05-01", ""},
		"run again":          {result(52.5, "2026-11-01"), "    - {name: Bench, value: 52.5, version: 1.0.1, by: independent, publisher: Lab, date: 2026-11-01, source: https://lab.example/2}\n    - {name: Other, value: 7, date: 2026-05-01}\n", ""},
		"without a day":      {result(52.5, ""), "value: 52.5, version: 1.0.1, by: independent, publisher: Lab, date: 2026-11-23", ""},
		"older":              {result(52.5, "2026-01-01"), "value: 50.12", ""},
		"much better":        {result(80, "2026-11-01"), "value: 50.12", "it changed from 50.12 by more than 20%"},
		"a share":            {result(0.5012, "2026-11-01"), "value: 50.12", "it is far from 52, the median of other models"},
		"in the future":      {result(52.5, "2027-01-01"), "value: 50.12", "is in the future"},
		"without an address": {unnamed, "value: 50.12", "its source is not a web address"},
		"another version": {record.Benchmark{Name: "Bench", Version: "2.0.1", By: "independent", Publisher: "Lab", Value: 3, Date: "2026-11-01", Source: "https://lab.example/2"},
			"    - {name: Other, value: 7, date: 2026-05-01}\n    - {name: Bench, value: 3, version: 2.0.1, by: independent, publisher: Lab, date: 2026-11-01, source: https://lab.example/2}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"model/a.yaml": model("A", held)}
			for _, other := range []string{"b", "c", "d", "e"} {
				files["model/"+other+".yaml"] = model(strings.ToUpper(other), strings.Replace(held, "50.12", "52", 1))
			}
			dir := write(t, files)
			s := static(collect.Source{Name: "list", Columns: []collect.Column{{Name: collect.ResultsColumn}}}, map[string]collect.Answer{"model/a": {Results: []record.Benchmark{c.result}}})
			o := options(t, dir, newClock("2026-11-23"), s)
			r := mustRun(t, o)
			suite.Contains(t, read(t, dir)["model/a.yaml"], c.file)
			if len(r.Stopped) > 1 || c.stopped == "" != (len(r.Stopped) == 0) || c.stopped != "" && !strings.Contains(r.Stopped[0].Reason, c.stopped) {
				t.Errorf("stopped %+v", r.Stopped)
			}
			if (r.Files == 0) != r.Routine && c.stopped == "" {
				t.Errorf("a changed result needs a look: %+v", r)
			}
			if c.stopped == "" || c.result.Source == "" || c.result.Date > "2026-12" {
				return
			}
			o.Accept = []string{"model/a:benchmarks"}
			if r = mustRun(t, o); r.Files != 1 || len(r.Accepted) != 1 {
				t.Errorf("accepted: %+v", r)
			}
		})
	}
}

func TestUnwritten(t *testing.T) {
	measures := []score.Measure{{Signal: "stars"}, {Signal: "downloads", Sum: []string{"pypiDownloads", "npmDownloads"}}, {Benchmark: "Bench (Lab, 1.0)"}, {Benchmark: "Bench (Lab, 1.0)"},
		{Benchmark: "Bench", Variants: true}, {Benchmark: "Closed", Source: "Closed Inc."}, {Signal: "citations"}}
	sources := []*collect.Source{{Name: "github", Columns: []collect.Column{{Name: "stars"}}}, {Name: "pypi", Columns: []collect.Column{{Name: "pypiDownloads"}}},
		{Name: "list", Columns: []collect.Column{{Name: collect.ResultsColumn}}, Results: []record.Benchmark{{Name: "Bench", Version: "1.0", Publisher: "Lab", By: "independent"}}}}
	off := false
	for name, c := range map[string]struct {
		config collect.Config
		want   []string
	}{
		"named":  {collect.Config{Exceptions: map[string]string{"downloads": "npm is not asked", "Closed": "no licence", "citations": "nobody has them"}}, nil},
		"silent": {collect.Config{}, []string{`no source writes "Closed", which a formula reads`, "no source writes citations, which", "no source writes npmDownloads, which"}},
		"too many": {collect.Config{Exceptions: map[string]string{"downloads": "x", "Closed": "x", "citations": "x", "stars": "x", "forks": "x"}},
			[]string{`exceptions: "forks": no formula reads it`, `exceptions: "stars": no formula reads it`}},
		"turned off": {collect.Config{Exceptions: map[string]string{"downloads": "x", "Closed": "x", "citations": "x"}, Sources: map[string]collect.SourceConfig{"github": {Enabled: &off}, "list": {Signals: []string{"stars"}}}},
			[]string{`no source writes "Bench (Lab, 1.0)"`, `no source writes "Bench", which`, "no source writes stars"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.config.Unwritten(measures, sources)
			ok := len(got) == len(c.want)
			for i := 0; ok && i < len(got); i++ {
				ok = strings.Contains(got[i], c.want[i])
			}
			if !ok {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}
