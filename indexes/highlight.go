package indexes

import (
	"html"
	"strings"
)

// Highlight returns the text with <mark> around the words that the search met
// and everything else escaped for HTML; found is false where it met none.
func (r *Result) Highlight(text string) (marked string, found bool) {
	var b strings.Builder
	at := 0
	for _, s := range spans(text) {
		if !r.met(s.term) {
			continue
		}
		found = true
		b.WriteString(html.EscapeString(text[at:s.start]))
		b.WriteString("<mark>" + html.EscapeString(text[s.start:s.end]) + "</mark>")
		at = s.end
	}
	b.WriteString(html.EscapeString(text[at:]))
	return b.String(), found
}

// met tells whether a word of a text answers a word of the query.
func (r *Result) met(term string) bool {
	stemmed := stem(term)
	for _, w := range r.words {
		switch {
		case strings.HasPrefix(term, w.term), strings.HasPrefix(stemmed, w.stem):
			return true
		case w.blurred != nil:
			if ok, _ := w.blurred.MatchAndDistance(term); ok {
				return true
			}
		}
	}
	return false
}
