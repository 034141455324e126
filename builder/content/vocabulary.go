package content

import (
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/exports/board"
	"kindex/exports/didyoumean"
	"kindex/exports/record"
)

// checkVocabulary refuses words that are given twice, as slugs or as synonyms.
func checkVocabulary(d *yamldoc.Document) {
	for _, field := range []string{"capabilities", "tags"} {
		list, _ := yamldoc.ValueAt(d.Value, []string{field}).([]any)
		of := make(map[string]string, len(list)) // by word: the slug that it belongs to
		for i := range list {
			path := []string{field, strconv.Itoa(i), "slug"}
			slug, ok := yamldoc.ValueAt(d.Value, path).(string)
			if ok && of[slug] != "" {
				d.AddAt(path, false, yamldoc.Problem{Message: yamldoc.Quote(slug) + givenTwice})
			}
			of[slug] = slug
		}
		for i := range list {
			path := []string{field, strconv.Itoa(i), "synonyms"}
			slug, _ := yamldoc.ValueAt(d.Value, append(path[:2:2], "slug")).(string)
			own := map[string]bool{} // the schema reports duplicates within a list
			for j, word := range yamldoc.Texts(yamldoc.ValueAt(d.Value, path)) {
				message := ""
				if of[word] == word {
					message = " is a slug of this list, so it cannot be a synonym"
				} else if of[word] != "" && !own[word] {
					message = " is also a synonym of " + yamldoc.Quote(of[word])
				}
				if message != "" {
					d.AddAt(append(path[:3:3], strconv.Itoa(j)), false, yamldoc.Problem{Message: yamldoc.Quote(word) + message})
				}
				if own[word] = true; of[word] == "" {
					of[word] = slug
				}
			}
		}
	}
}

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

// check calls add with the problems in an entity's capabilities and tags. A nil vocabulary
// allows all words.
func (v *vocabulary) check(e *record.Entity, add func(path []string, message, suggestion string)) {
	if v == nil {
		return
	}
	for i, value := range e.Capabilities {
		if message, suggestion := v.wrongCapability(value); message != "" {
			add([]string{"capabilities", strconv.Itoa(i)}, message, suggestion)
		}
	}
	for i, value := range e.Tags {
		if message, suggestion := v.wrongTag(value); message != "" {
			add([]string{"tags", strconv.Itoa(i)}, message, suggestion)
		}
	}
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

// wrongTag returns the reason an entity cannot have a tag, or "".
func (v *vocabulary) wrongTag(value string) (message, suggestion string) {
	return wrongSynonym(value, v.tags)
}

func wrongSynonym(value string, words map[string]string) (message, suggestion string) {
	if slug := words[value]; slug != "" && slug != value {
		return yamldoc.Quote(value) + " is only a synonym in vocabulary.yaml", slug
	}
	return "", ""
}
