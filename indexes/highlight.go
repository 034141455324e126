package indexes

import (
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"kindex/exports/record"
)

// Highlight is a text of a record in which a search met something: HTML with
// <mark> around what was met and all else escaped.
type Highlight struct {
	Field, Text string
}

// Highlights returns the texts of a hit in which words were met; there is at
// least one. Slug, earlier slugs, the category's title and the type are
// among them only where nothing else is.
func (r *Result) Highlights(h Hit, e *record.Entity, categoryTitle string) ([]Highlight, error) {
	var out []Highlight
	add := func(field string, isName bool, text string) {
		if marked, found := r.highlight(text, isName); found {
			out = append(out, Highlight{field, marked})
		}
	}
	add("name", true, e.Name)
	add("description", false, e.Description)
	add("provider", false, e.Provider)
	add("tags", false, strings.Join(e.Tags, ", "))
	add("capabilities", false, strings.Join(e.Capabilities, ", "))
	add("category", false, e.Category)
	if len(out) == 0 {
		add("categoryTitle", false, categoryTitle)
	}
	if len(out) == 0 {
		add("slug", true, e.Slug)
	}
	if len(out) == 0 {
		add("type", false, e.Type)
	}
	if len(out) > 0 {
		return out, nil
	}
	aliases, err := r.index.aliases(h.Ordinal)
	add("formerly", true, strings.Join(aliases, ", "))
	return out, err
}

// highlight returns the text with <mark> around the words that the search met and
// everything else escaped for HTML; found is false where it met none. A word of
// which the beginning was met is marked as a whole. Names and slugs are also met
// by what has their words without spaces between them.
func (r *Result) highlight(text string, name bool) (highlighted string, found bool) {
	var b strings.Builder
	list := spans(text)
	at := 0
	for i := 0; i < len(list); {
		n := r.matchAt(list[i:], name)
		if n == 0 {
			i++
			continue
		}
		found = true
		start, end := list[i].start, list[i+n-1].end
		b.WriteString(html.EscapeString(text[at:start]))
		b.WriteString("<mark>" + html.EscapeString(text[start:end]) + "</mark>")
		at = end
		i += n
	}
	b.WriteString(html.EscapeString(text[at:]))
	return b.String(), found
}

// matchAt returns how many words at the beginning of a list answer the query, 0
// for none.
func (r *Result) matchAt(list []span, name bool) int {
	n := 0
	for i := range r.clauses {
		switch w := &r.clauses[i]; {
		case w.phrase != nil:
			if w.matchesPhrase(list) {
				n = max(n, len(w.phrase))
			}
		case w.matches(list[0].term):
			n = max(n, 1)
		case name:
			n = max(n, w.matchJoined(list))
		}
	}
	if n == 0 && name && r.joined != "" {
		n = (&clause{term: r.joined}).matchJoined(list)
	}
	return n
}

// matchesPhrase tells whether the words of a phrase stand at the beginning of a list.
func (w *clause) matchesPhrase(list []span) bool {
	return len(list) >= len(w.phrase) &&
		slices.EqualFunc(list[:len(w.phrase)], w.phrase, func(s span, t string) bool { return s.term == t })
}

// matches tells whether a word of a text answers a word of the query.
func (w *clause) matches(term string) bool {
	stemmed := stem(term)
	if term == w.term || stemmed == w.stem || strings.HasPrefix(term, w.term) || strings.HasPrefix(stemmed, w.term) {
		return true
	}
	return w.matchesFuzzy(term) || w.matchesFuzzy(stemmed)
}

// matchesFuzzy tells whether a term is within the edits of a word.
func (w *clause) matchesFuzzy(term string) bool {
	return w.fuzzy != nil && w.fuzzy.matches(term)
}

// maxEditBytes is how many bytes edits can add to a word: each a character.
const maxEditBytes = maxEdits * utf8.UTFMax

// matchJoined returns how many words at the beginning of a list answer a word of the
// query when nothing is between them, 0 for none.
func (w *clause) matchJoined(list []span) int {
	var b strings.Builder
	for i, s := range list {
		b.WriteString(s.term)
		if strings.HasPrefix(b.String(), w.term) {
			return i + 1
		}
		if b.Len() > len(w.term)+maxEditBytes {
			return 0 // whatever follows
		}
	}
	if w.matchesFuzzy(b.String()) {
		return len(list)
	}
	return 0
}
