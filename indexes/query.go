package indexes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxClauses is the maximum number of words and phrases in a query that are used. More words
// would only narrow down a query that is already narrow.
const maxClauses = 12

type clause struct {
	term         string
	stem         string
	fuzziness    int      // maximum number of edits
	filler       bool     // records need not have the word
	dropped      bool     // some matches lack the word because few records have all words
	singleLetter bool     // the query is a single letter
	phrase       []string // the words in quotes, or nil if there are no quotes
	fuzzy        *pattern // set if the word was searched with edits
	onlyNames    bool     // it was so only among the words of names
	isPrefix     bool     // a word of some name starts with the word
}

func newClause(term string) clause { return clause{term: term, stem: stem(term)} }

func parse(text string) []clause {
	words := parseAll(text)
	words = words[:min(len(words), maxClauses)]
	markFillers(words)
	return words
}

// parseAll splits a query into words and phrases. Stop words are dropped unless they are in
// quotes or the query contains nothing else. An unclosed quote extends to the end of the
// query.
func parseAll(text string) []clause {
	var kept, all []clause
	seen := map[string]bool{}
	for i, part := range splitQuotes(text) {
		list := terms(part)
		if quoted := i%2 == 1; quoted && len(list) > 0 {
			key := `"` + strings.Join(list, " ")
			if !seen[key] {
				w := clause{phrase: list}
				kept, all = append(kept, w), append(all, w)
			}
			seen[key] = true
			continue
		}
		for _, t := range list {
			if seen[t] {
				continue
			}
			seen[t] = true
			w := newClause(t)
			w.fuzziness = fuzziness(t)
			all = append(all, w)
			if !stopWords[t] {
				kept = append(kept, w)
			}
		}
	}
	if len(kept) == 0 {
		kept = all
	}
	if len(kept) == 1 && utf8.RuneCountInString(kept[0].term) == 1 {
		kept[0].singleLetter = true
	}
	return kept
}

// splitQuotes splits a query at quotes. Every second part was in quotes.
func splitQuotes(text string) []string {
	var parts []string
	for {
		at := strings.IndexAny(text, `"“”„`)
		if at < 0 {
			return append(parts, text)
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		parts = append(parts, text[:at])
		text = text[at+size:]
	}
}

// cutExclusions removes the words after a minus sign from the unquoted parts of a query, and
// returns each as its words. A query that consists of nothing else is returned as it is.
func cutExclusions(text string) (kept string, excluded [][]string) {
	var b strings.Builder
	for i, part := range splitQuotes(text) {
		if i%2 == 1 {
			b.WriteString(`"` + part + `"`)
			continue
		}
		for word := range strings.SplitAfterSeq(part, " ") {
			rest, minus := strings.CutPrefix(word, "-")
			first, _ := utf8.DecodeRuneInString(rest)
			if list := terms(rest); minus && unicode.IsLetter(first) && len(list) > 0 {
				excluded = append(excluded, list)
			} else {
				b.WriteString(word)
			}
		}
	}
	if len(excluded) == 0 || len(terms(b.String())) == 0 {
		return text, nil
	}
	return b.String(), excluded
}

// TruncateQuery limits a query to the words and phrases that are used and to a maximum number
// of phrases. dropped lists the discarded words and phrases. A query that is within the limits is
// returned unchanged.
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

// maxFuzzyLen is the maximum length, in letters, of a word for which near words are searched.
// Anything longer is unlikely to be a word.
const maxFuzzyLen = 40

const maxEdits = 3

// fuzziness returns the number of edits that a word allows: one if it has four
// letters or more, two if it has eight or more, and none if it contains digits,
// because GPT-4 is not GPT-5.
func fuzziness(t string) int {
	n := utf8.RuneCountInString(t)
	switch {
	case n < 4 || n > maxFuzzyLen || strings.ContainsAny(t, "0123456789"):
		return 0
	case n < 8:
		return 1
	}
	return 2
}
