package croissant_test

import (
	"bytes"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/croissant"
	"kindex/exports/kinds"
	"kindex/exports/store"
)

func manifest() *store.Manifest {
	file := func(path, mediaType string) store.File {
		return store.File{Path: path, Size: 1234, SHA256: strings.Repeat("0123456789abcdef", 4), MediaType: mediaType, License: "CC-BY-SA-4.0 AND MIT"}
	}
	compressed := file("entities.csv.gz", "text/csv; charset=utf-8; header=present")
	compressed.Encoding = "gzip"
	return &store.Manifest{FormatVersion: 2, ID: "20261101-0123456789abcdef", Title: "kindex", Description: "Tools & models, <described>.",
		AsOf: "2026-11-01T00:00:00Z", CommitTime: "2026-11-02T03:04:05Z", License: "CC-BY-SA-4.0 AND MIT",
		Counts:  store.Counts{Entities: 3, Types: map[string]int{"tool": 2, "model": 1}},
		Sources: []store.Source{{Name: "A list", URL: "https://example.org/list", License: "MIT"}},
		Files: []store.File{
			file("categories.json", "application/json"), file("changelog.jsonl", "application/x-ndjson"), file("changelog.parquet", "application/vnd.apache.parquet"),
			file("entities.csv", "text/csv; charset=utf-8; header=present"), compressed, file("entities.parquet", "application/vnd.apache.parquet"),
			file("feed.xml", "application/rss+xml"), file("leaderboards.json", "application/json"),
			file("lookup/versions.jsonl.gz", "application/octet-stream"), file("scoring.json", "application/json"),
		}}
}

func describe(t *testing.T, m *store.Manifest) []byte {
	t.Helper()
	return suite.Must(croissant.Describe(m, kinds.Default(), "https://kindex.example.org", nil))(t)
}

func TestDescribe(t *testing.T) {
	const file = "testdata/croissant.json"
	doc := describe(t, manifest())
	suite.Golden(t, file, doc)
	for _, v := range violations(doc) {
		t.Error(v)
	}
	if again := describe(t, manifest()); !bytes.Equal(doc, again) {
		t.Error("the same build has two descriptions")
	}
}

// TestRules checks that the rules detect violations.
func TestRules(t *testing.T) {
	doc := string(describe(t, manifest()))
	for change, want := range map[[2]string]string{
		{`"conformsTo": "http://mlcommons.org/croissant/1.1"`, `"conformsTo": "http://mlcommons.org/croissant/1.0"`}: "dct:conformsTo",
		{`"conformsTo": "dct:conformsTo"`, `"conformsTo": "conforms"`}:                                               "dct:conformsTo",
		{`"@type": "sc:Dataset"`, `"@type": "sc:Thing"`}:                                                             "@type is",
		{`"@type": "sc:Organization"`, `"@type": "sc:Thing"`}:                                                        "creator",
		{`"creator":`, `"maker":`}:                                                                                   "creator",
		{`"datePublished": "2026-11-01"`, `"datePublished": "1 November"`}:                                           "datePublished",
		{`"url": "https://kindex.example.org/"`, `"url": "/"`}:                                                       "url is",
		{`"https://spdx.org/licenses/CC-BY-SA-4.0.html"`, `"CC-BY-SA-4.0"`}:                                          "license is CC-BY-SA-4.0",
		{`"license": [`, `"licence": [`}:                                                                             "license",
		{`"version": "2.0.0+`, `"version": "2+`}:                                                                     "MAJOR.MINOR.PATCH",
		{`"citeAs": "@misc`, `"citeAs": "misc`}:                                                                      "BibTeX",
		{`"contentUrl": "https://kindex.example.org`, `"contentUrl": "`}:                                             "contentUrl",
		{`"contentSize": "1234 B"`, `"contentSize": "much"`}:                                                         "contentSize",
		{`"sha256": "0`, `"sha256": "x`}:                                                                             "sha256",
		{`"encodingFormat": "text/csv"`, `"encodingFormat": "text/csv; header=present"`}:                             "encodingFormat",
		{`"@id": "entities.parquet"`, `"@id": "entities.csv"`}:                                                       "twice",
		{"Field\",\n          \"@id\": \"entities/slug\"", "Field\",\n          \"@id\": \"slug\""}:                  "does not begin with",
		{`"@type": "cr:FileObject"`, `"@type": "sc:FileObject"`}:                                                     "FileObject: @type",
		{`"dataType": "sc:Float"`, `"dataType": "sc:Number"`}:                                                        "no atomic type",
		{`"arrayShape": "-1"`, `"arrayShape": "many"`}:                                                               "arrayShape",
		{`"isArray": true`, `"isArray": "yes"`}:                                                                      "isArray",
		{`"column": "slug"`, `"spalte": "slug"`}:                                                                     "Extract",
		{`"jsonPath": "$.all[*].rank"`, `"jsonPath": "rank"`}:                                                        "Extract",
		{`"fileObject": {`, `"file": {`}:                                                                             "no FileObject",
		{`"isLiveDataset": "cr:isLiveDataset",`, ``}:                                                                 "nothing says what /isLiveDataset means",
		{`"keywords"`, `"tagwords"`}:                                                                                 "nothing says what /tagwords means",
	} {
		broken := strings.Replace(doc, change[0], change[1], 1)
		if broken == doc {
			t.Errorf("%s is not in the description", change[0])
		}
		suite.Contains(t, strings.Join(violations([]byte(broken)), "\n"), want, change[1], "the violations")
	}
}

// TestDescribeHostile checks that hostile strings in the content cannot change the
// structure of a description.
func TestDescribeHostile(t *testing.T) {
	m := manifest()
	m.Title, m.Description = `A "}} \cite{x} & 50% #1_^~`, "</script>\u2028\x00"
	m.License = "(MIT OR Apache-2.0)"
	doc := describe(t, m)
	if got := violations(doc); len(got) > 0 || !strings.Contains(string(doc), `"name": "(MIT OR Apache-2.0)"`) {
		t.Errorf("violations %q in %s", got, doc)
	}
	const want = `title = {{A \"\\}\\} \\textbackslash{}cite\\{x\\} \\& 50\\% \\#1\\_\\textasciicircum{}\\textasciitilde{}}}`
	suite.Contains(t, string(doc), want)
}

// TestDescribeSmall describes a build that has no licence and lacks some of the files.
func TestDescribeSmall(t *testing.T) {
	m := manifest()
	m.License, m.Sources, m.Files = "", nil, m.Files[:1]
	doc := string(describe(t, m))
	if strings.Contains(doc, `"isBasedOn"`) || strings.Count(doc, `"cr:RecordSet"`) != 1 || strings.Count(doc, `"cr:FileObject"`) != 1 {
		t.Errorf("it is described as %s", doc)
	}
}
