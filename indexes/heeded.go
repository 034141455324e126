package indexes

import (
	"slices"
	"strings"
)

// Heeded shortens a query to the words and phrases that count, and among them to a
// number of phrases: each may have to be looked for in the texts of all records. left
// is what it leaves out, as people write it. A query of no more is returned as it is.
func Heeded(text string, phrases int) (query string, left []string) {
	var kept []string
	for _, w := range parseAll(text) {
		written := w.term
		if w.phrase != nil {
			written = `"` + strings.Join(w.phrase, " ") + `"`
		}
		if len(kept) == maxWords || w.phrase != nil && phrases == 0 {
			left = append(left, written)
			continue
		}
		if w.phrase != nil {
			phrases--
		}
		kept = append(kept, written)
	}
	if left == nil {
		return text, nil
	}
	return strings.Join(kept, " "), slices.Clip(left)
}

// Unquoted is a query without its quotes.
func Unquoted(text string) string { return strings.Join(splitQuotes(text), " ") }
