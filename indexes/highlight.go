package indexes

import (
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"kindex/exports/record"
)

// Highlight is the text of a field that matches a search, as HTML with <mark>
// around the matching words and everything else escaped.
type Highlight struct {
	Field, Text string
}

// Highlights returns the matching fields of a hit. There is always at least one.
// The slug, earlier slugs, the category title, the licence, the type and declared fields are included
// only if nothing else matches.
func (r *Result) Highlights(e *record.Entity) []Highlight {
	var out []Highlight
	for i, t := range fieldTexts(e, r.index.titles[e.Category]) {
		if i >= alwaysMarked && len(out) > 0 {
			break
		}
		if marked, found := r.highlight(&t); found {
			out = append(out, Highlight{t.field, marked})
		}
	}
	if len(out) > 0 {
		return out
	}
	if len(r.synonyms) == 0 { // an identifier or a category matches
		if e.Name != "" {
			out = []Highlight{{"name", "<mark>" + html.EscapeString(e.Name) + "</mark>"}}
		}
		return out
	}
	loose := *r
	loose.synonyms, loose.clauses = nil, append(r.loosen(), r.clauses...)
	return loose.Highlights(e)
}

type fieldText struct {
	field, text string
	isName      bool
}

const alwaysMarked = 6

func fieldTexts(e *record.Entity, categoryTitle string) []fieldText {
	list := []fieldText{{field: "name", text: e.Name, isName: true}, {field: "description", text: e.Description}, {field: "provider", text: e.Provider},
		{field: "tags", text: strings.Join(e.Tags, ", ")}, {field: "capabilities", text: strings.Join(e.Capabilities, ", ")}, {field: "category", text: e.Category},
		{field: "categoryTitle", text: categoryTitle}, {field: "license", text: e.License}, {field: "slug", text: e.Slug, isName: true}, {field: "type", text: e.Type},
		{field: "formerly", text: strings.Join(slices.Sorted(slices.Values(e.Formerly)), ", "), isName: true}}
	for _, v := range e.Values {
		list = append(list, fieldText{field: v.Field.Path, text: strings.Join(factWords(v), ", ")})
	}
	return list
}

// highlight returns the text with <mark> around the matching words and everything
// else escaped for HTML. found is false if no word matches. If only the beginning
// of a word matches, the whole word is marked. Names and slugs also match if their
// words are written without spaces.
func (r *Result) highlight(t *fieldText) (highlighted string, found bool) {
	var b strings.Builder
	at, words := 0, spans(t.text)
	for i := 0; i < len(words); {
		n := r.matchAt(words[i:], t.isName)
		if n == 0 {
			i++
			continue
		}
		start, end := words[i].start, words[i+n-1].end
		b.WriteString(html.EscapeString(t.text[at:start]) + "<mark>" + html.EscapeString(t.text[start:end]) + "</mark>")
		at, found = end, true
		i += n
	}
	if !found {
		return "", false
	}
	return b.String() + html.EscapeString(t.text[at:]), true
}

// matchAt returns how many words at the start of a list match the query, or 0 if
// none does.
func (r *Result) matchAt(list []span, name bool) int {
	n := 0
	term := list[0].term
	stemmed := stem(term)
	for i := range r.clauses {
		switch w := &r.clauses[i]; {
		case w.phrase != nil:
			if w.matchesPhrase(list) {
				n = max(n, len(w.phrase))
			}
		case w.matches(term, stemmed):
			n = max(n, 1)
		case name:
			n = max(n, w.matchJoined(list))
		case len(w.stem) > 1 && strings.HasPrefix(stemmed, w.stem) || w.isForm(stemmed, w.base()):
			n = max(n, 1) // in other texts than names, other forms of the word match too
		}
	}
	for _, spellings := range r.synonyms {
		for i := range spellings {
			n = max(n, spellings[i].matchExactly(list))
		}
	}
	if n == 0 && name && r.joined != "" {
		n = (&clause{term: r.joined}).matchJoined(list)
	}
	return n
}

func (w *clause) matchesPhrase(list []span) bool {
	return len(list) >= len(w.phrase) &&
		slices.EqualFunc(list[:len(w.phrase)], w.phrase, func(s span, t string) bool { return s.term == t })
}

// matches reports whether a word in a text, of which the singular is given too, matches a word
// in the query.
func (w *clause) matches(term, stemmed string) bool {
	return stemmed == w.stem || strings.HasPrefix(term, w.term) || strings.HasPrefix(stemmed, w.term) ||
		w.fuzzy.matches(term) || w.fuzzy.matches(stemmed)
}

// matchJoined returns how many words at the start of a list match a word in the
// query when they are joined without spaces, or 0 if they do not match.
func (w *clause) matchJoined(list []span) int {
	if w.fuzzy == nil && !strings.HasPrefix(w.term, list[0].term) && !strings.HasPrefix(list[0].term, w.term) {
		return 0 // the case for most words
	}
	var b strings.Builder
	for i, s := range list {
		b.WriteString(s.term)
		if strings.HasPrefix(b.String(), w.term) {
			return i + 1
		}
		if b.Len() > len(w.term)+maxEdits*utf8.UTFMax {
			return 0 // more words cannot match
		}
	}
	if w.fuzzy.matches(b.String()) {
		return len(list)
	}
	return 0
}
