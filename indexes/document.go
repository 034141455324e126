package indexes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

// document is what is indexed of an entity: texts in three lists.
type document struct {
	Names  []string // the name, the slug and the earlier slugs
	Topics []string // what the entity is about, starting with the provider
	Text   string
	Facts  []string // words of other declared fields, such as a colour
}

// newDocument is the only function that reads what an entity declares.
func newDocument(e *record.Entity, titles map[string]string) *document {
	d := &document{Names: append([]string{e.Name, e.Slug}, slices.Sorted(slices.Values(e.Formerly))...), Text: e.Description}
	d.Topics = slices.Concat([]string{e.Provider, e.Category, titles[e.Category], e.Type}, e.Tags, e.Capabilities, []string{e.License})
	for _, v := range e.Values {
		if v.Field.Filter && v.Value == true { // it is known for what it has
			d.Topics = append(d.Topics, v.Field.Title)
		}
		d.Facts = append(d.Facts, factWords(v)...)
	}
	return d
}

// factWords returns the words in a declared field: texts, slugs, the titles of values, and the slugs of other
// entities.
func factWords(v record.Value) (words []string) {
	switch v.Field.Words() {
	case kinds.Text, kinds.Slug, kinds.Enum, kinds.Reference:
		for _, word := range v.Field.Texts(v.Value) {
			if title := v.Field.Titles[word]; title != "" {
				words = append(words, title)
			}
			if v.Field.Words() == kinds.Reference {
				_, word, _ = strings.Cut(word, "/")
			}
			words = append(words, word)
		}
	}
	return words
}

// list returns the texts of a list.
func (d *document) list(list int) []string {
	switch list {
	case nameField:
		return d.Names
	case topicField:
		return d.Topics
	}
	return append([]string{d.Text}, d.Facts...)
}

// digest returns the SHA-256 of documents, in hexadecimal.
func digest(documents func(yield func(*document) bool)) (sum string, err error) {
	h := sha256.New()
	out := json.NewEncoder(h)
	for d := range documents {
		if err := out.Encode(d); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// nameLength returns the number of words in the name of an entity, plus the words of the slug that
// are not in the name.
func nameLength(e *record.Entity) uint8 {
	name := terms(e.Name)
	n, joined := len(name), strings.Join(name, "")
	for _, w := range terms(e.Slug) {
		if !strings.Contains(joined, w) {
			n++
		}
	}
	return uint8(min(max(1, n), 255))
}

// fieldTerms holds the terms of a document by field. A term may occur several times.
type fieldTerms [fieldCount][]string

func (d *document) terms() *fieldTerms {
	t := new(fieldTerms)
	for list := range wordFields {
		for i, text := range d.list(list) {
			words := terms(text)
			if list == nameField {
				t.addName(words, i == 0)
				continue
			}
			for _, w := range words { // stop words matter only in names, such as those of providers
				if !stopWords[w] || list == topicField && i == 0 {
					t.add(list, stem(w))
				}
			}
		}
	}
	return t
}

// addName adds the terms of the name or of a slug.
func (t *fieldTerms) addName(words []string, isName bool) {
	joined := strings.Join(words, "")
	for i, w := range words {
		t.add(nameField, w)
		if isName {
			t.add(nameField, strings.Join(words[i:], ""))
			t.add(suffixField, strings.Join(words[i:], " "))
		}
	}
	t.add(nameField, joined)
	t.add(exactField, strings.Join(words, " "))
	t.add(joinedField, joined)
}

func (t *fieldTerms) add(field int, term string) {
	if term != "" {
		t[field] = append(t[field], term)
	}
}
