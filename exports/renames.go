package exports

import (
	"encoding/json"
	"fmt"

	"kindex/exports/record"
)

// renames maps values of filter fields that have been replaced: the former slugs of categories,
// and the synonyms of capabilities and tags.
type renames struct {
	preferred map[fieldValue]string   // replaced value → its replacement
	others    map[fieldValue][]string // replacement → the values that it replaces
}

// fieldValue is a value of a filter field, folded like the values that it is compared with.
type fieldValue struct{ field, value string }

func foldedValue(field, value string) fieldValue { return fieldValue{field, record.Fold(value)} }

// openWords reads which values the content has replaced, and which words are synonyms.
func (b *Build) openWords() error {
	b.renames = renames{map[fieldValue]string{}, map[fieldValue][]string{}}
	data := b.files[CategoriesFile]
	if data == nil {
		return nil
	}
	var categories []record.Category
	if err := json.Unmarshal(data, &categories); err != nil {
		return fmt.Errorf("%s: %w", CategoriesFile, err)
	}
	for _, c := range categories {
		b.renames.add("category", c.Slug, c.Formerly)
	}
	if data := b.files[SynonymsFile]; data != nil {
		if err := json.Unmarshal(data, &b.synonyms); err != nil {
			return fmt.Errorf("%s: %w", SynonymsFile, err)
		}
	}
	return b.openVocabulary()
}

func (b *Build) openVocabulary() error {
	data := b.files[VocabularyFile]
	if data == nil {
		return nil
	}
	b.vocabulary = new(record.Vocabulary)
	if err := json.Unmarshal(data, b.vocabulary); err != nil {
		return fmt.Errorf("%s: %w", VocabularyFile, err)
	}
	for _, w := range b.vocabulary.Capabilities {
		b.renames.add("capability", w.Slug, w.Synonyms)
	}
	for _, w := range b.vocabulary.Tags {
		b.renames.add("tag", w.Slug, w.Synonyms)
	}
	return nil
}

// Vocabulary returns the words for capabilities and tags, or nil if the content does not define
// any. The caller must not modify it.
func (b *Build) Vocabulary() *record.Vocabulary { return b.vocabulary }

func (r *renames) add(field, to string, from []string) {
	for _, old := range from {
		r.preferred[foldedValue(field, old)] = to
	}
	if len(from) > 0 {
		r.others[foldedValue(field, to)] = from
	}
}

// Synonyms returns groups of words and phrases that mean the same in searches. The caller must
// not modify them.
func (b *Build) Synonyms() [][]string { return b.synonyms }

// Preferred returns the value that replaces a value of a filter field: the current slug of a
// category, given a former one, or a capability or tag, given a synonym. If nothing replaces the
// value, it is returned unchanged and replaced is false.
func (b *Build) Preferred(field, value string) (preferred string, replaced bool) {
	if preferred, replaced = b.renames.preferred[foldedValue(field, value)]; replaced {
		return preferred, true
	}
	return value, false
}

// ReplacedBy returns the values that a value of a filter field replaces. The caller must not
// modify them.
func (b *Build) ReplacedBy(field, value string) []string {
	return b.renames.others[foldedValue(field, value)]
}

// sameValues returns a value's replacement and all values that this replaces. Records of
// earlier days can have any of them.
func (b *Build) sameValues(field, value string) []string {
	value, _ = b.Preferred(field, value)
	return append([]string{value}, b.ReplacedBy(field, value)...)
}
