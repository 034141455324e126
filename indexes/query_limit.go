package indexes

import (
	"slices"
	"strings"
)

// TruncateQuery shortens a query to the words and phrases that count, and among them to a
// number of phrases: each may have to be looked for in the texts of all records. left
// is what it leaves out, as people write it. A query of no more is returned as it is.
func TruncateQuery(text string, maxPhrases int) (query string, dropped []string) {
	var kept []string
	for _, w := range parseAll(text) {
		term := w.term
		if w.phrase != nil {
			term = `"` + strings.Join(w.phrase, " ") + `"`
		}
		if len(kept) == maxClauses || w.phrase != nil && maxPhrases == 0 {
			dropped = append(dropped, term)
			continue
		}
		if w.phrase != nil {
			maxPhrases--
		}
		kept = append(kept, term)
	}
	if dropped == nil {
		return text, nil
	}
	return strings.Join(kept, " "), slices.Clip(dropped)
}

// Unquoted is a query without its quotes.
func Unquoted(text string) string { return strings.Join(splitQuotes(text), " ") }
