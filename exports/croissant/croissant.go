// Package croissant describes a build as a dataset in MLCommons Croissant 1.1.
//
// Croissant is JSON-LD on top of schema.org/Dataset. It is read by tools that load
// machine-learning data.
package croissant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	"kindex/exports"
	"kindex/exports/kinds"
	"kindex/exports/sign"
	"kindex/exports/store"
)

// ConformsTo identifies the version of the specification.
const ConformsTo = "http://mlcommons.org/croissant/1.1"

// MediaType is the media type of a description: JSON-LD with this version's
// profile.
const MediaType = `application/ld+json; profile="` + ConformsTo + `"`

// Describe returns the description of a build whose files are at base+"/data/",
// as indented JSON. It is deterministic. base must not end with a slash. signature is nil if the
// build is not signed.
func Describe(m *store.Manifest, declared *kinds.Set, base string, signature *sign.Signature) ([]byte, error) {
	d := dataset{Context: context, Type: "sc:Dataset", ConformsTo: ConformsTo,
		Name: m.Title, Description: m.Description, URL: base + "/", License: licenses(string(m.License)),
		Creator: organization{"sc:Organization", m.Title + " contributors", base + "/"},
		CiteAs:  Cite(m, base), Keywords: keywords(declared), Version: version(m), DatePublished: day(m.AsOf),
		DateModified: m.LastModified().UTC().Format("2006-01-02"), InLanguage: "en", Live: true, Free: true,
		SubjectOf: statement(signature)}
	for _, s := range m.Sources {
		d.BasedOn = append(d.BasedOn, work{"sc:CreativeWork", s.Name, s.URL, licenses(s.License)})
	}
	for _, f := range m.Files {
		if text, ok := describe(f); ok {
			d.Distribution = append(d.Distribution, object(m, base, f, text))
		}
	}
	for _, r := range recordSets(declared) {
		if _, ok := m.File(r.file); ok {
			d.RecordSets = append(d.RecordSets, r.describe(declared))
		}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(d)
	return buf.Bytes(), err
}

// version returns the dataset version of a build. It is the format version, because
// the version of a live dataset describes its layout ("Live Datasets"), with the
// build ID as Semantic Versioning 2.0.0 build metadata.
func version(m *store.Manifest) string { return fmt.Sprintf("%d.0.0+%s", m.FormatVersion, m.ID) }

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
	SubjectOf     *document      `json:"subjectOf,omitempty"`
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

// work is a source of facts, or a licence that has no URL of its own.
type work struct {
	Type    string `json:"@type"`
	Name    string `json:"name"`
	URL     string `json:"url,omitempty"`
	License []any  `json:"license,omitempty"`
}

// document is the signed statement about a build. Croissant has no property for signatures;
// schema.org's subjectOf links to works about a dataset.
type document struct {
	Type           string `json:"@type"`
	Name           string `json:"name"`
	Description    string `json:"description"`
	Identifier     string `json:"identifier"` // the key
	ConformsTo     string `json:"conformsTo"`
	EncodingFormat string `json:"encodingFormat"`
	Text           string `json:"text"`
}

func statement(s *sign.Signature) *document {
	if s == nil {
		return nil
	}
	text := fmt.Sprintf("The build has a signature by the key %s (not verified by this service).", s.Key)
	if s.Verified {
		text = fmt.Sprintf("The build is signed with the key %s (verified by this service); it is number %d that was signed with it.", s.Key, s.Counter)
	}
	return &document{Type: "sc:DigitalDocument", Name: "Signed statement about the build", Description: text, Identifier: s.Key,
		ConformsTo: "https://c2sp.org/signed-note", EncodingFormat: "text/plain", Text: s.Statement}
}

type fileObject struct {
	Type           string `json:"@type"`
	ID             string `json:"@id"`
	Name           string `json:"name"`
	Description    string `json:"description"`
	ContentURL     string `json:"contentUrl"`
	ContentSize    string `json:"contentSize"`
	EncodingFormat any    `json:"encodingFormat"` // a string or a list of strings
	SHA256         string `json:"sha256"`
	SameAs         string `json:"sameAs,omitempty"`
	License        []any  `json:"license,omitempty"`
}

// object describes a file. The file's URL contains the build ID, so neither the content at
// that URL nor its checksum ever changes.
func object(m *store.Manifest, base string, f store.File, text string) fileObject {
	at := func(name string) string { return base + "/data/" + m.ID + "/" + name }
	o := fileObject{Type: "cr:FileObject", ID: f.Path, Name: path.Base(f.Path), Description: text, ContentURL: at(f.Path),
		ContentSize: strconv.FormatInt(f.Size, 10) + " B", EncodingFormat: encodingFormat(f.MediaType), SHA256: f.SHA256,
		License: licenses(f.License)}
	stem, ext, _ := strings.Cut(f.Path, ".")
	if tableText(stem) == "" || ext == "parquet" {
		return o
	}
	if other, ok := m.File(stem + ".parquet"); ok {
		o.SameAs = at(other.Path)
	}
	return o
}

var tables = map[string]string{
	exports.EntitiesFile:   "All listed entities, one record each.",
	exports.FullFile:       "All listed entities, one record each, with every column.",
	exports.SignalsFile:    "The figures of the listed entities, one record each.",
	exports.BenchmarksFile: "The benchmark results of the listed models, one record each.",
	exports.OffersFile:     "The offers of the listed models, with a record for each of their tiers and modes.",
	exports.IDsFile:        "The identifiers of the listed entities, one record each.",
	exports.ChangelogFile:  "All changes to entities, oldest first.",
}

func tableText(base string) string {
	if kind, ok := strings.CutPrefix(base, exports.KindFile("")); ok && tables[base] == "" {
		return "The listed entities of the type " + kind + ", one record each, with the columns of that type."
	}
	return tables[base]
}

// describe returns what a file contains. ok is false if it is not part of the
// dataset: compressed variants, feeds, and internal files.
func describe(f store.File) (text string, ok bool) {
	stem, _, _ := strings.Cut(f.Path, ".")
	switch {
	case f.Encoding != "" || strings.HasPrefix(f.Path, "lookup/"):
		return "", false
	case tableText(stem) != "":
		return tableText(stem), true
	}
	text, ok = files[f.Path]
	return text, ok
}

var files = map[string]string{
	exports.KindsFile:        "The declarations of the kinds of entities, of their fields and of signals.",
	exports.LeaderboardsFile: "The ranked entities of all categories, of each category and of each board, best first.",
	exports.BoardsFile:       "The boards: leaderboards with their own conditions and formulas.",
	exports.CategoriesFile:   "The categories, with the number of entities in each.",
	exports.ProvidersFile:    "The providers of offers.",
	exports.SynonymsFile:     "Groups of words and phrases that mean the same in searches.",
	exports.VocabularyFile:   "The words for capabilities, tags and declared fields, with their synonyms.",
	exports.QualityFile:      "How complete, how old and how consistent the data is.",
	exports.ScoringFile:      "The formula used to calculate the scores.",
	exports.SchemaFile:       "The JSON Schema of an entity's source file.",
}

// encodingFormat returns a format's media type without parameters. For two formats
// it returns both the registered type and the type that loaders recognize
// ("FileObject": encodingFormat may have many values).
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

// licenses returns the URLs of the licences in an SPDX expression. An expression
// with OR, WITH or parentheses becomes a work named after the expression, because
// no URL has the same meaning.
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

func keywords(declared *kinds.Set) (words []string) {
	for _, k := range declared.Order {
		words = append(words, k.Plural)
	}
	return append(words, "knowledge index")
}

func day(t string) string { return t[:min(len(t), len("2006-01-02"))] }

// Cite returns a BibTeX entry for the build.
func Cite(m *store.Manifest, base string) string {
	at := base + "/data/" + m.ID + "/" + store.ManifestFile
	return fmt.Sprintf("@misc{kindex-%s, title = {{%s}}, year = {%s}, note = {Build %s, as of %s}, url = {%s}}",
		m.ID, EscapeTeX(m.Title), m.AsOf[:min(len(m.AsOf), 4)], m.ID, day(m.AsOf), EscapeTeX(at))
}

// EscapeTeX escapes the characters that are special in TeX.
func EscapeTeX(s string) string { return texEscapes.Replace(s) }

var texEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "&", `\&`, "%", `\%`, "$", `\$`,
	"#", `\#`, "_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`)

// context defines the terms of a description ("Appendix 1: JSON-LD context"). Its IRI for
// schema.org is https://schema.org/, the same as in the datasets that MLCommons publishes for
// this version, because loaders use it to identify terms.
var context = func() map[string]any {
	c := map[string]any{
		"@language": "en",
		"@vocab":    "https://schema.org/",
		"sc":        "https://schema.org/",
		"cr":        "http://mlcommons.org/croissant/",
		"rai":       "http://mlcommons.org/croissant/RAI/",
		"dct":       "http://purl.org/dc/terms/",

		"conformsTo": "dct:conformsTo",
		"data":       map[string]string{"@id": "cr:data", "@type": "@json"},
		"dataType":   map[string]string{"@id": "cr:dataType", "@type": "@vocab"},
		"examples":   map[string]string{"@id": "cr:examples", "@type": "@json"},
	}
	for _, name := range []string{"annotation", "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty",
		"excludes", "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes", "isArray",
		"isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "readLines", "recordSet", "references", "regex",
		"repeated", "replace", "samplingRate", "sdVersion", "separator", "source", "subField", "transform", "unArchive", "value"} {
		c[name] = "cr:" + name
	}
	return c
}()
