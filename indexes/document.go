package indexes

import (
	"crypto/sha256"
	"hash"
	"slices"
	"strings"

	"kindex/exports"
)

// The fields of the index. Each holds words that were already split and folded,
// so that queries, highlights and the index agree on what a word is.
const (
	fieldExact  = "exact"  // the whole name and slug, words joined by a space
	fieldStarts = "starts" // the same from each word on, for completion
	fieldName   = "name"   // words of name and slug, and the name as one word
	fieldTopic  = "topic"  // words of provider, category, tags, capabilities
	fieldText   = "text"   // words of the description
)

// document is what the index knows of an entity.
type document struct {
	exact, starts     []string
	name, topic, text []string
	nameLength        int
}

func newDocument(e *exports.Entity, categoryTitle string) document {
	words := terms(e.Name)
	var d document
	for _, alias := range append([]string{e.Slug}, e.Formerly...) {
		d.exact = append(d.exact, strings.Join(terms(alias), " "))
	}
	d.exact = append(d.exact, strings.Join(words, " "))
	for i := range words {
		d.starts = append(d.starts, strings.Join(words[i:], " "))
	}
	d.nameLength = max(1, len(words))
	d.name = append(d.name, words...)
	d.name = append(d.name, strings.Join(words, ""))
	for _, alias := range append([]string{e.Slug}, e.Formerly...) {
		d.name = append(d.name, terms(alias)...)
	}
	for _, t := range terms(e.Provider) { // its stop words count: it is a name
		d.topic = append(d.topic, stem(t))
	}
	for _, s := range slices.Concat([]string{e.Category, categoryTitle, e.Type}, e.Tags, e.Capabilities) {
		d.topic = append(d.topic, meaningful(s)...)
	}
	d.text = meaningful(e.Description)
	for _, list := range []*[]string{&d.exact, &d.starts, &d.name, &d.topic, &d.text} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
		if len(*list) > 0 && (*list)[0] == "" {
			*list = (*list)[1:]
		}
	}
	return d
}

// fields is the document in the form that Bleve takes.
func (d document) fields() map[string]any {
	return map[string]any{
		fieldExact: d.exact, fieldStarts: d.starts,
		fieldName:  strings.Join(d.name, " "),
		fieldTopic: strings.Join(d.topic, " "),
		fieldText:  strings.Join(d.text, " "),
	}
}

// fingerprint adds the document to a checksum over all documents.
func (d document) fingerprint(h hash.Hash) {
	for _, list := range [][]string{d.exact, d.starts, d.name, d.topic, d.text} {
		for _, s := range list {
			h.Write([]byte(s))
			h.Write([]byte{0})
		}
		h.Write([]byte{1})
	}
	h.Write([]byte{2, byte(d.nameLength)})
}

func newFingerprint() hash.Hash { return sha256.New() }
