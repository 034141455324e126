package content

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"kindex/builder/content/yamldoc"
	"kindex/exports/board"
	"kindex/exports/didyoumean"
	"kindex/exports/record"
)

// vocabulary looks up the words of a record.Vocabulary.
type vocabulary struct {
	capabilities, tags map[string]string // by slug or synonym: the slug
	known              []string          // the words for capabilities, for suggestions
}

// newVocabulary returns nil if there is no vocabulary.
func newVocabulary(v *record.Vocabulary) *vocabulary {
	if v == nil {
		return nil
	}
	index := func(words []record.Word) map[string]string {
		of := make(map[string]string, len(words))
		for _, w := range words {
			of[w.Slug] = w.Slug
			for _, s := range w.Synonyms {
				of[s] = w.Slug
			}
		}
		return of
	}
	words := &vocabulary{capabilities: index(v.Capabilities), tags: index(v.Tags)}
	for w := range words.capabilities {
		words.known = append(words.known, w)
	}
	slices.Sort(words.known)
	return words
}

// check calls add with the problems in an entity's capabilities and tags. A nil vocabulary allows all words.
func (v *vocabulary) check(e *record.Entity, add func(path []string, message, suggestion string)) {
	if v == nil {
		return
	}
	check := func(field string, values []string, wrong func(string) (message, suggestion string)) {
		for i, value := range values {
			if message, suggestion := wrong(value); message != "" {
				add([]string{field, strconv.Itoa(i)}, message, suggestion)
			}
		}
	}
	check("capabilities", e.Capabilities, v.wrongCapability)
	check("tags", e.Tags, v.wrongTag)
}

// checkBoard calls add with the problems in the conditions of a board, as check does.
func (v *vocabulary) checkBoard(b *board.Board, add func(path []string, message, suggestion string)) {
	if v == nil {
		return
	}
	for name, wrong := range map[string]func(string) (message, suggestion string){"capability": v.wrongCapability, "tag": v.wrongTag} {
		for i, alternative := range b.Where[name] {
			for value := range strings.SplitSeq(alternative, ",") {
				if message, suggestion := wrong(value); message != "" {
					add([]string{"where", name, strconv.Itoa(i)}, message, suggestion)
				}
			}
		}
	}
}

// wrongCapability returns the reason an entity cannot have a capability, or "".
func (v *vocabulary) wrongCapability(value string) (message, suggestion string) {
	if len(v.capabilities) == 0 || v.capabilities[value] != "" || !ValidSlug(value) {
		return wrongSynonym(value, v.capabilities)
	}
	return yamldoc.Quote(value) + " is not in vocabulary.yaml", v.capabilities[didyoumean.Name(value, v.known)]
}

func (v *vocabulary) wrongTag(value string) (message, suggestion string) {
	return wrongSynonym(value, v.tags)
}

func wrongSynonym(value string, words map[string]string) (message, suggestion string) {
	if slug := words[value]; slug != "" && slug != value {
		return yamldoc.Quote(value) + " is only a synonym in vocabulary.yaml", slug
	}
	return "", ""
}

// maxSynonymWords is the maximum number of words in a phrase.
const maxSynonymWords = 6

// checkSynonyms refuses entries that occur in two groups, so that it is unclear what they mean, or have no words.
func checkSynonyms(d *yamldoc.Document) {
	groups, _ := yamldoc.ValueAt(d.Value, []string{"synonyms"}).([]any)
	first := map[string]int{} // by folded entry: its group
	for i, group := range groups {
		entries, _ := group.([]any)
		for j, entry := range entries {
			path := []string{"synonyms", strconv.Itoa(i), strconv.Itoa(j)}
			text, ok := entry.(string)
			if !ok || d.Reported(path...) {
				continue
			}
			words := strings.FieldsFunc(record.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
			key := strings.Join(words, " ")
			before, seen := first[key]
			message := ""
			switch {
			case key == "":
				message = " has no letters or digits"
			case len(words) > maxSynonymWords:
				message = " has more than " + strconv.Itoa(maxSynonymWords) + " words"
			case seen && before == i:
				message = givenTwice
			case seen:
				message = " is also in synonyms[" + strconv.Itoa(before) + "]; merge the groups, or remove it from one"
			}
			if message != "" {
				d.Fail(path, yamldoc.Quote(text)+message)
			} else {
				first[key] = i
			}
		}
	}
}
