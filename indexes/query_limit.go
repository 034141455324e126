package indexes

import (
	"slices"
	"strings"
)

// TruncateQuery limits a query to the words and phrases that are used and to a maximum number
// of phrases, because finding a phrase may require scanning all records. dropped lists the
// discarded words and phrases. A query that is within the limits is returned unchanged.
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

// Unquoted returns a query without its quotes.
func Unquoted(text string) string { return strings.Join(splitQuotes(text), " ") }
