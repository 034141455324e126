// Package croissant describes a build as a dataset, in the form that loaders of
// machine-learning data read: MLCommons Croissant 1.1, which is JSON-LD on top of
// schema.org/Dataset.
package croissant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"kindex/exports"
	"kindex/exports/store"
)

// ConformsTo names the edition of the specification that descriptions follow.
const ConformsTo = "http://mlcommons.org/croissant/1.1"

// MediaType is that of a description: JSON-LD with the profile of the edition.
const MediaType = `application/ld+json; profile="` + ConformsTo + `"`

// Describe returns the description of a build whose files lie below base+"/data/",
// as indented JSON. The same build and base give the same bytes. base has no slash
// at its end.
func Describe(m *store.Manifest, base string) ([]byte, error) {
	d := dataset{Context: context, Type: "sc:Dataset", ConformsTo: ConformsTo,
		Name: m.Title, Description: m.Description, URL: base + "/", License: licenses(string(m.License)),
		Creator: organization{"sc:Organization", m.Title + " contributors", base + "/"},
		CiteAs:  cite(m, base), Keywords: keywords(m), Version: version(m), DatePublished: day(m.AsOf),
		DateModified: m.LastModified().UTC().Format("2006-01-02"), InLanguage: "en", Live: true, Free: true}
	for _, s := range m.Sources {
		d.BasedOn = append(d.BasedOn, work{"sc:CreativeWork", s.Name, s.URL, licenses(s.License)})
	}
	for _, f := range m.Files {
		if _, ok := describe(f); ok {
			d.Distribution = append(d.Distribution, object(m, base, f))
		}
	}
	for _, r := range recordSets() {
		if _, ok := m.File(r.file); ok {
			d.RecordSets = append(d.RecordSets, r.describe())
		}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(d)
	return buf.Bytes(), err
}

// version is the version of a build as a dataset: that of the layout, which is what
// the versions of a live dataset are about ("Live Datasets"), with the build behind
// it as Semantic Versioning 2.0.0 has it.
func version(m *store.Manifest) string { return fmt.Sprintf("%d.0.0+%s", m.FormatVersion, m.ID) }

// dataset is the description of a build ("Dataset-level Information").
type dataset struct {
	Context       map[string]any `json:"@context"`
	Type          string         `json:"@type"`
	ConformsTo    string         `json:"conformsTo"`
	Name          string         `json:"name"`
	Description   string         `json:"description"`
	URL           string         `json:"url"`
	License       []any          `json:"license,omitempty"`
	Creator       organization   `json:"creator"`
	CiteAs        string         `json:"citeAs"`
	BasedOn       []work         `json:"isBasedOn,omitempty"`
	Keywords      []string       `json:"keywords"`
	Version       string         `json:"version"`
	DatePublished string         `json:"datePublished"`
	DateModified  string         `json:"dateModified"`
	InLanguage    string         `json:"inLanguage"`
	Live          bool           `json:"isLiveDataset"`
	Free          bool           `json:"isAccessibleForFree"`
	Distribution  []fileObject   `json:"distribution"`
	RecordSets    []recordSet    `json:"recordSet"`
}

type organization struct {
	Type string `json:"@type"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

// work is what facts were taken from, or a licence that has no address.
type work struct {
	Type    string `json:"@type"`
	Name    string `json:"name"`
	URL     string `json:"url,omitempty"`
	License []any  `json:"license,omitempty"`
}

// fileObject is one file ("FileObject").
type fileObject struct {
	Type           string `json:"@type"`
	ID             string `json:"@id"`
	Name           string `json:"name"`
	Description    string `json:"description"`
	ContentURL     string `json:"contentUrl"`
	ContentSize    string `json:"contentSize"`
	EncodingFormat any    `json:"encodingFormat"` // a text, or several
	SHA256         string `json:"sha256"`
	SameAs         string `json:"sameAs,omitempty"`
	License        []any  `json:"license,omitempty"`
}

// object describes a file. Its address names the build, so that its bytes, and with
// them the checksum, never change.
func object(m *store.Manifest, base string, f store.File) fileObject {
	text, _ := describe(f)
	at := func(name string) string { return base + "/data/" + m.ID + "/" + name }
	o := fileObject{Type: "cr:FileObject", ID: f.Path, Name: path.Base(f.Path), Description: text, ContentURL: at(f.Path),
		ContentSize: strconv.FormatInt(f.Size, 10) + " B", EncodingFormat: encodingFormat(f.MediaType), SHA256: f.SHA256,
		License: licenses(f.License)}
	stem, ext, _ := strings.Cut(f.Path, ".")
	if stem != exports.EntitiesFile && stem != exports.ChangelogFile || ext == "parquet" {
		return o
	}
	if other, ok := m.File(stem + ".parquet"); ok {
		o.SameAs = at(other.Path)
	}
	return o
}

// describe tells what is in a file; ok is false for what is no part of the dataset:
// compressed variants, feeds, and files of the service's own.
func describe(f store.File) (text string, ok bool) {
	stem, _, _ := strings.Cut(f.Path, ".")
	board, isBoard := strings.CutPrefix(stem, exports.LeaderboardsDir+"/")
	switch {
	case f.Encoding != "" || strings.HasPrefix(f.Path, "lookup/"):
		return "", false
	case stem == exports.EntitiesFile:
		return "Every listed entity, one record each.", true
	case stem == exports.ChangelogFile:
		return "Every change of an entity, the oldest first.", true
	case isBoard && board == exports.AllBoard:
		return "The ranked entities of all categories, the best first.", true
	case isBoard:
		return "The ranked entities of the category " + board + ", the best first.", true
	case f.Path == exports.CategoriesFile:
		return "The categories, with how many entities each has.", true
	case f.Path == exports.ScoringFile:
		return "The formula of the scores.", true
	case f.Path == exports.SchemaFile:
		return "The JSON Schema of an entity's source file.", true
	}
	return "", false
}

// encodingFormat names a format by its media type, without parameters. Two formats
// have a registered type and another one by which loaders know them; then it gives
// both ("FileObject": encodingFormat may have many values).
func encodingFormat(mediaType string) any {
	base, _, _ := strings.Cut(mediaType, ";")
	switch base {
	case "application/vnd.apache.parquet":
		return []string{base, "application/x-parquet"}
	case "application/x-ndjson":
		return []string{base, "application/jsonlines"}
	}
	return base
}

// licenses are the addresses of the licences that an SPDX expression names. One with
// OR, WITH or parentheses is a work with the expression as its name: no address means
// what it says.
func licenses(expression string) []any {
	if expression == "" {
		return nil
	}
	var list []any
	for _, part := range strings.Split(expression, " AND ") {
		if part == "" || strings.ContainsAny(part, " ()") {
			return []any{work{Type: "sc:CreativeWork", Name: expression}}
		}
		list = append(list, "https://spdx.org/licenses/"+part+".html")
	}
	return list
}

func keywords(m *store.Manifest) []string {
	words := []string{"artificial intelligence", "machine learning", "leaderboard", "knowledge index"}
	return append(words, slices.Sorted(maps.Keys(m.Counts.Types))...)
}

// day is the day of an RFC 3339 time.
func day(t string) string { return t[:min(len(t), len("2006-01-02"))] }

// cite is a BibTeX entry for the build.
func cite(m *store.Manifest, base string) string {
	at := base + "/data/" + m.ID + "/" + store.ManifestFile
	return fmt.Sprintf("@misc{kindex-%s, title = {{%s}}, year = {%s}, note = {Build %s, as of %s}, url = {%s}}",
		m.ID, bibtex(m.Title), m.AsOf[:min(len(m.AsOf), 4)], m.ID, day(m.AsOf), bibtex(at))
}

// bibtex keeps a text from ending its braces, or meaning something to TeX.
var bibtexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "&", `\&`, "%", `\%`, "$", `\$`,
	"#", `\#`, "_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`)

func bibtex(s string) string { return bibtexEscapes.Replace(s) }
