package submission_test

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"

	"kindex/builder/content"
	"kindex/builder/content/yamlfmt"
	"kindex/builder/suite"
	"kindex/edge/submission"
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// index is a small index: tool/taken, formerly tool/old, in one declared category, and the
// deleted tool/gone.
type index struct{}

func (index) Kinds() *kinds.Set { return kinds.Default() }

func (index) Categories() []record.Category {
	return []record.Category{{Slug: "ml-frameworks", Title: "Machine learning", Description: "What trains models."}}
}

func (index) Find(typ, slug string) (string, bool) {
	return "taken", typ == "tool" && (slug == "taken" || slug == "old")
}

func (index) Deleted(typ, slug string) string {
	if typ == "tool" && slug == "gone" {
		return "2026-05-06"
	}
	return ""
}

func (index) Named(name string) []*record.Entity {
	if record.Fold(name) == "taken" {
		return []*record.Entity{{Type: "tool", Slug: "taken", Name: "Taken", URL: "https://www.taken.example/"}}
	}
	return nil
}

// Identified knows one package, of tool/taken.
func (index) Identified(typ string, id record.ID) []*record.Entity {
	if typ == "tool" && id.Namespace == "pypi" && ids.Canonical("pypi", id.Value) == "taken-package" {
		return []*record.Entity{{Type: "tool", Slug: "taken", IDs: []record.ID{{Namespace: "pypi", Value: "Taken-Package"}}}}
	}
	return nil
}

// takenFile is the file of tool/taken.
const takenFile = `name: Taken
description: Takes.
category: ml-frameworks
license: MIT
url: https://www.taken.example/
links: {homepage: https://www.taken.example/, paper: https://paper.example/}
tags: [python, x]
formerly: [old]
lifecycle: {replacedBy: model/next}
signals:
  stars: {value: 7, date: 2026-05-01, source: https://stars.example/}
  benchmarks:
    - {name: MMLU, value: 50}
`

// Authored knows tool/taken, which model/next replaces, and model/next itself.
func (index) FindAuthored(typ, slug string) (*record.Entity, error) {
	switch typ + "/" + slug {
	case "tool/taken", "tool/old":
		e, problems := content.ParseEntity(kinds.Default(), "", "tool", "taken", []byte(takenFile))
		if e == nil {
			return nil, problems
		}
		return e, nil
	case "model/next":
		return &record.Entity{Type: "model", Slug: "next"}, nil
	}
	return nil, nil
}

func (index) Near(typ, slug string) string {
	if typ == "tool" && slug == "takn" {
		return "tool/taken"
	}
	return ""
}

func (index) Namespaces() []string { return append(ids.Names(), "example-hub") }

func (index) Addressed(string) bool { return true }

func (index) Vocabulary() record.Vocabulary { return words }

// words is the vocabulary of the index.
var words = record.Vocabulary{
	record.CapabilityWords: {{Slug: "tool-call", Synonyms: []string{"function-calling"}}, {Slug: "gpu"}, {Slug: "feature-extraction"}},
	record.TagWords:        {{Slug: "vector-search", Synonyms: []string{"vector-similarity"}}},
}

func (index) Providers() []string { return []string{"acme", "zeta"} }

// good is a valid submission.
const good = `{"type":"tool","name":"Fine Tool","description":"Does it.","category":"ml-frameworks","url":"https://fine.example/"}`

func fieldsOf(t testing.TB, body string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var fields map[string]any
	suite.Check(t, d.Decode(&fields))
	return fields
}

// with returns the valid submission with some fields replaced; null removes a field.
func with(t testing.TB, members string) map[string]any {
	fields := fieldsOf(t, good)
	for name, v := range fieldsOf(t, members) {
		if v == nil {
			delete(fields, name)
		} else {
			fields[name] = v
		}
	}
	return fields
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ members, file string }{
		{`{}`, "name: Fine Tool\ndescription: Does it.\ncategory: ml-frameworks\nurl: https://fine.example/\n"},
		{`{"tags":["python","x"],"version":1.10,"name":"  Été: \"fast\" #1 "}`,
			"name: \"Été: \\\"fast\\\" #1\"\ndescription: Does it.\ncategory: ml-frameworks\nversion: \"1.10\"\nurl: https://fine.example/\ntags: [python, x]\n"},
		{`{"signals":{"stars":{"value":1e3,"date":"2026-11-01"}},"links":{"repository":"https://example.org/r"}}`,
			"name: Fine Tool\ndescription: Does it.\ncategory: ml-frameworks\nurl: https://fine.example/\nlinks:\n  repository: https://example.org/r\nsignals:\n  stars: {value: 1000, date: 2026-11-01}\n"},
	} {
		d, err := submission.Parse(with(t, c.members), index{})
		suite.Holds(t, err == nil && string(d.YAML) == c.file, c.members, err, d.YAML)
	}
	d, err := submission.Parse(with(t, `{"slug":"gone","license":"Apache 2.0"}`), index{})
	if err != nil || len(d.Warnings) != 2 || !strings.Contains(d.Warnings[1].Message, "deleted on 2026-05-06") || d.Warnings[0].Suggestion != "Apache-2.0" {
		t.Errorf("%v: %+v", err, d)
	}
}

// TestWrongFields checks the field and the message of every error.
func TestWrongFields(t *testing.T) {
	for _, c := range []struct{ members, field, says string }{
		{`{"type":null}`, "type", "is missing"},
		{`{"type":"tol"}`, "type", `did you mean "tool"?`},
		{`{"type":"../tool"}`, "type", "is not one of model, tool"},
		{`{"type":["tool"]}`, "type", "is not one of"},
		{`{"name":null}`, "name", "is missing"},
		{`{"url":null}`, "url", "is missing"},
		{`{"category":null}`, "category", "is missing"},
		{`{"description":null}`, "description", "is missing"},
		{`{"description":" \u2003 "}`, "description", "must not be blank"},
		{`{"category":"ml-framework"}`, "category", `did you mean "ml-frameworks"?`},
		{`{"capabilities":["gpu","function-calling"]}`, "capabilities[1]", `did you mean "tool-call"?`},
		{`{"capabilities":["gpuu"]}`, "capabilities[0]", `did you mean "gpu"?`},
		{`{"tags":["vector-similarity"]}`, "tags[0]", `did you mean "vector-search"?`},
		{`{"name":"ツール"}`, "slug", "to derive it from"},
		{`{"slug":"../../etc/passwd"}`, "slug", `did you mean "etc-passwd"?`},
		{`{"slug":"aux"}`, "slug", "Windows"},
		{`{"name":"Con"}`, "slug", "Windows"},
		{`{"slug":"a/b"}`, "slug", "separated by single hyphens"},
		{`{"slug":"-rf"}`, "slug", "separated by single hyphens"},
		{`{"slug":""}`, "slug", "separated by single hyphens"},
		{`{"slug":7}`, "slug", "separated by single hyphens"},
		{`{"slug":"a\u0000b"}`, "slug", "separated by single hyphens"},
		{`{"slgu":"x"}`, "slgu", `did you mean "slug"?`},
		{`{"pricing":"free"}`, "pricing", `did you mean "pricingModel"?`},
		{`{"stars":7}`, "stars", `did you mean "signals.stars"?`},
		{`{"id":"sub_x"}`, "id", "unknown field"},
		{`{"scores":{"composite":100}}`, "scores", "unknown field"},
		{`{"accountId":"acc_x"}`, "accountId", "unknown field"},
		{`{"status":"accepted"}`, "status", "is not one of active, deprecated, withdrawn"},
		{`{"formerly":["taken"]}`, "formerly[0]", "is the slug of tool/taken"},
		{`{"formerly":["old"]}`, "formerly[0]", "is also claimed by tool/taken"},
		{`{"name":"a\nb: c"}`, "name", "use one line without control characters"},
		{`{"name":"a\u202eb"}`, "name", "use one line without control characters"},
		{`{"name":"a\u0000b"}`, "name", "use one line without control characters"},
		{`{"name":"a\ud800b"}`, "name", "U+FFFD"},
		{`{"url":"javascript:alert(1)"}`, "url", "use a full URL"},
		{`{"url":"https://a@b.example/"}`, "url", "or user name"},
		{`{"url":"https://b.example/\u200b"}`, "url", "the hidden character U+200B (zero width space)"},
		{`{"tags":["Big"]}`, "tags[0]", "use lower-case letters"},
		{`{"tags":"python"}`, "tags", "must be a list"},
		{`{"name":["x"]}`, "name", "must be text"},
		{`{"links":{"web":"https://x.example"}}`, "links.web", "unknown field"},
		{`{"signals":{"stars":{"value":-1}}}`, "signals.stars.value", "is below 0"},
		{`{"signals":{"stars":{"value":1e999}}}`, "signals.stars.value", "not a valid number"},
	} {
		_, err := submission.Parse(with(t, c.members), index{})
		var invalid *submission.InvalidError
		if !errors.As(err, &invalid) || len(invalid.Problems) != 1 || invalid.Problems[0].Field != c.field || !strings.Contains(invalid.Problems[0].Text(), c.says) {
			t.Errorf("%s: %v, not %s: …%s…", c.members, err, c.field, c.says)
		}
	}
	_, err := submission.Parse(map[string]any{"nme": "x", "tags": true}, index{})
	var all *submission.InvalidError
	suite.Holds(t, errors.As(err, &all) && len(all.Problems) == 7, "not all errors at once", err)
	// An unknown category is reported together with schema errors.
	_, err = submission.Parse(with(t, `{"category":"ml-framework","url":null}`), index{})
	suite.Holds(t, errors.As(err, &all) && len(all.Problems) == 2 && all.Problems[0].Field == "category" &&
		all.Problems[0].Suggestion == "ml-frameworks", "the category error is not reported with the others", err)
}

func TestTaken(t *testing.T) {
	for members, says := range map[string]string{
		`{"slug":"taken"}`: "the index already has tool/taken",
		`{"slug":"old"}`:   "tool/taken was formerly tool/old",
		`{"slug":"new","name":"TAKEN","url":"http://taken.example"}`:                 "tool/taken has the same name and URL",
		`{"type":"model","slug":"new","name":"Taken","url":"https://taken.example"}`: "tool/taken has the same name and URL",
	} {
		_, err := submission.Parse(with(t, members), index{})
		var taken *submission.TakenError
		suite.Holds(t, errors.As(err, &taken) && err.Error() == says, members, err)
	}
	d, err := submission.Parse(with(t, `{"slug":"new","name":"Taken"}`), index{})
	suite.Holds(t, err == nil && len(d.Warnings) == 1 &&
		d.Warnings[0].Field == "name", "the same name at another address", err, d)
}

// open is an index whose categories are not declared.
type open struct{ index }

func (open) Categories() []record.Category {
	return []record.Category{{Slug: "ml-frameworks", Title: "Ml frameworks"}}
}

func TestUndeclaredCategories(t *testing.T) {
	suite.Must(submission.Parse(with(t, `{"category":"another"}`), open{}))(t)
}

// hostile has strings with a special meaning in YAML, Markdown, shells or git.
var hostile = []string{"- x", "&a b", "*a", "!!js x", "a: b", "a #b", "---", "...", "? x", "%TAG", "{a}", "[a]", "| x", "> x",
	"null", "~", "yes", "0x1f", "1e3", "1:30", ".inf", "<<", "'", `"`, `\`, "@x", "`x`", "2026-01-01", "\u2028", "\u200b", "\ufeff", "é", "🙂", "=",
	"${x}", "$(x)", "-rf", "--output=x", "a\n---\nb: c", "\x00", "\u202e", "fixes #1", "<img src=x>"}

// FuzzParse checks that every accepted submission becomes a file in canonical form that
// package content accepts and that contains the fields that were sent.
func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Fuzz(takenInAsSent)
}

// FuzzTexts is like FuzzParse, but with fuzzed strings in every field.
func FuzzTexts(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, text, text, text, 1.5)
	}
	f.Fuzz(func(t *testing.T, name, description, version, word string, value float64) {
		body, err := json.Marshal(map[string]any{"type": "tool", "slug": "x", "name": name, "provider": name, "description": description,
			"category": "ml-frameworks", "version": version, "license": version, "url": "https://x.example/" + word, "tags": []string{"a", word},
			"signals": map[string]any{"benchmarks": []any{map[string]any{"name": name, "value": value, "date": "2026-01", "source": "https://x.example?" + word}}}})
		if err != nil {
			return // not a number that JSON can represent
		}
		takenInAsSent(t, string(body))
		fields := fieldsOf(t, string(body))
		delete(fields, "tags")
		body = suite.Must(json.Marshal(fields))(t)
		takenInAsSent(t, string(body))
	})
}

func takenInAsSent(t *testing.T, body string) {
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var fields map[string]any
	if d.Decode(&fields) != nil {
		return
	}
	draft, err := submission.Parse(fields, open{})
	if err != nil {
		var invalid *submission.InvalidError
		var taken *submission.TakenError
		suite.Require(t, errors.As(err, &invalid) || errors.As(err, &taken), body, err)
		return
	}
	e := draft.Entity
	read, problems := content.ParseEntity(kinds.Default(), "x", e.Type, e.Slug, draft.YAML)
	if n, _ := problems.Count(); n > 0 || !reflect.DeepEqual(read, e) {
		t.Fatalf("%s reads back differently: %v\n%s", body, problems, draft.YAML)
	}
	if formatted, err := yamlfmt.Format(kinds.Default(), e.Type+"/"+e.Slug+".yaml", draft.YAML); err != nil || string(formatted) != string(draft.YAML) {
		t.Fatalf("%s is not in canonical form: %v\n%s\n%s", body, err, draft.YAML, formatted)
	}
	sameFields(t, fields, draft.YAML)
}

// TestHostileTexts checks that at least those strings without control characters are accepted
// as names and have no effect.
func TestHostileTexts(t *testing.T) {
	taken := 0
	for _, text := range hostile {
		fields := with(t, `{"slug":"x"}`)
		fields["name"] = text
		body := suite.Must(json.Marshal(fields))(t)
		takenInAsSent(t, string(body))
		if d, err := submission.Parse(fields, open{}); err == nil {
			taken++
			suite.Equal(t, d.Entity.Name, strings.TrimSpace(text), text, "became")
		}
	}
	suite.Holds(t, taken >= len(hostile)-6, "only", taken, len(hostile), "are accepted")
}

// sameFields compares the submitted fields with those in the file.
func sameFields(t *testing.T, sent map[string]any, file []byte) {
	t.Helper()
	read := suite.Must(content.Fields(file))(t)
	sent = maps.Clone(sent)
	delete(sent, "type")
	delete(sent, "slug")
	if n, ok := sent["version"].(json.Number); ok {
		sent["version"] = string(n)
	}
	if !reflect.DeepEqual(plain(t, sent), plain(t, read)) {
		t.Fatalf("sent %v, the file has %v", plain(t, sent), plain(t, read))
	}
}

// plain returns a value with numbers as decoded from JSON and strings without leading or
// trailing white space.
func plain(t *testing.T, v any) any {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(t, v[i])
		}
		return list
	case map[string]any:
		set := map[string]any{}
		for name := range v {
			set[name] = plain(t, v[name])
		}
		return set
	case json.Number:
		return suite.Must(v.Float64())(t)
	case int64:
		return float64(v)
	}
	return v
}

// TestSlugifyIsBounded checks that the result is a valid slug whatever the input, even if it
// would be cut off at a hyphen.
func TestSlugifyIsBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("A ", 1000), strings.Repeat("ab ", 1000), strings.Repeat("a", 1000), strings.Repeat("a", 99) + " b",
		strings.Repeat("a", 98) + " b", strings.Repeat("a", 100) + " b", " - a - "} {
		if slug := content.Slugify(text); !content.ValidSlug(slug) || len(slug) < min(99, len(text)/10) {
			t.Errorf("%.20q…: %q (%d)", text, slug, len(slug))
		}
	}
}

// TestFactsAgainstIndex: a submission has the same problems with its identifiers, offers and
// lifecycle as its file would have among the files of the index.
func TestFactsAgainstIndex(t *testing.T) {
	for members, want := range map[string]string{
		`{"ids":{"pypi":"Taken_Package"}}`:                                                      `ids.pypi: "Taken_Package" is also an identifier of tool/taken`,
		`{"ids":{"example-hub":"x","github":"taken/taken"}}`:                                    ``,
		`{"ids":{"example-hubb":"x"}}`:                                                          `ids.example-hubb: unknown namespace; kinds.yaml can declare it (did you mean "example-hub"?)`,
		`{"lifecycle":{"replacedBy":"tool/taken"}}`:                                             ``,
		`{"lifecycle":{"replacedBy":"tool/old"}}`:                                               `lifecycle.replacedBy: "tool/old" does not exist`,
		`{"lifecycle":{"replacedBy":"model/none"}}`:                                             `lifecycle.replacedBy: "model/none" does not exist`,
		`{"lifecycle":{"retires":"2020-01-02"}}`:                                                `warning: lifecycle.retires: 2020-01-02 has passed, but status is active; set status to withdrawn, or correct the date`,
		`{"lifecycle":{"retires":"2020-01-02"},"status":"withdrawn"}`:                           ``,
		`{"type":"model","offers":[{"provider":"zeta","id":"x"},{"provider":"acne","id":"x"}]}`: `offers[1].provider: "acne" is not in providers.yaml (did you mean "acme"?)`,
	} {
		d, err := submission.Parse(with(t, members), index{})
		var found []string
		var invalid *submission.InvalidError
		switch {
		case errors.As(err, &invalid):
			for _, p := range invalid.Problems {
				found = append(found, p.Field+": "+p.Text())
			}
		case err != nil:
			t.Errorf("%s: %v", members, err)
		default:
			for _, p := range d.Warnings {
				found = append(found, "warning: "+p.Field+": "+p.Text())
			}
		}
		suite.Equal(t, strings.Join(found, "\n"), want, members)
	}
}
