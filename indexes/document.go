package indexes

import (
	"slices"
	"strings"
)

// document is the indexed form of an entity. Its text is already split into folded
// words, so that queries, highlights and the index agree on what a word is.
type document struct {
	names  [][]string // words of the name, the slug and the earlier slugs
	topics [][]string // words of the provider, category, category title, type, tags and capabilities
	text   []string   // words of the description

	aliases []string
}

func newDocument(s *source) *document {
	d := &document{names: [][]string{terms(s.Name), terms(s.Slug)}, text: terms(s.Description), aliases: s.Formerly}
	for _, alias := range s.Formerly {
		d.names = append(d.names, terms(alias))
	}
	for _, t := range s.topics() {
		d.topics = append(d.topics, terms(t))
	}
	return d
}

// nameLength returns the number of words in the name, plus the words of the slug that are not
// in the name, up to a maximum of 255.
func (d *document) nameLength() byte {
	name, slug := d.names[0], d.names[1]
	n, joined := len(name), strings.Join(name, "")
	for _, w := range slug {
		if !strings.Contains(joined, w) {
			n++
		}
	}
	return byte(min(max(1, n), 255))
}

// newToken returns the token for a word. Its id is not set.
func newToken(t string) *token { return &token{term: t, stem: stem(t), stop: stopWords[t]} }

// tokenLookup returns the token for a word. It is called with the words of the names, the
// topics or the description in order, and with "" between two names or topics.
type tokenLookup func(part int, word string) *token

// terms appends the terms of the document in each field.
func (d *document) terms(to *fieldTerms, lookup tokenLookup) {
	d.nameTerms(to, lookup)
	for i, topic := range d.topics {
		if i > 0 {
			lookup(topicField, "")
		}
		to.addStops(topic)
		for _, t := range topic {
			v := lookup(topicField, t)
			if i == 0 || !v.stop { // the first topic is the provider, where stop words matter
				to.add(topicField, v.stem)
			}
		}
	}
	to.addStops(d.text)
	for _, t := range d.text {
		if v := lookup(textField, t); !v.stop {
			to.add(textField, v.stem)
		}
	}
}

// nameTerms appends the terms of the name, which is the first element of names, and of the
// slugs.
func (d *document) nameTerms(to *fieldTerms, lookup tokenLookup) {
	for i, name := range d.names {
		if i > 0 {
			lookup(nameField, "")
		}
		to.addStops(name)
		for j, t := range name {
			to.add(nameField, lookup(nameField, t).term)
			if i == 0 {
				to.add(nameField, strings.Join(name[j:], ""))
				to.add(suffixField, strings.Join(name[j:], " "))
			}
		}
		joined := strings.Join(name, "")
		to.add(nameField, joined)
		to.add(exactField, strings.Join(name, " "))
		to.add(joinedField, joined)
	}
}

// addStops appends the stop words in a text, and pairs of adjacent stop words.
// Topics and descriptions have no other terms for stop words, but a phrase may
// consist only of stop words.
func (t *fieldTerms) addStops(text []string) {
	before := ""
	for _, w := range text {
		if !stopWords[w] {
			before = ""
			continue
		}
		t.add(stopField, w)
		if before != "" {
			t.add(stopField, before+" "+w)
		}
		before = w
	}
}

func (t *fieldTerms) add(field int, term string) {
	if term != "" {
		t[field] = append(t[field], term)
	}
}

// hasPhrase reports which of the document's lists contain a phrase.
func (d *document) hasPhrase(phrase []string) (found [wordFields]bool) {
	for list, texts := range [wordFields][][]string{nameField: d.names, topicField: d.topics, textField: {d.text}} {
		found[list] = slices.ContainsFunc(texts, func(text []string) bool {
			for i := range text {
				if len(text)-i >= len(phrase) && slices.Equal(text[i:i+len(phrase)], phrase) {
					return true
				}
			}
			return false
		})
	}
	return found
}
