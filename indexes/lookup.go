package indexes

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"kindex/exports/didyoumean"
)

// lookup finds the records that have a term. Searches combine these sets: because fields are short,
// set operations find and rank records in a fraction of the time that scoring every posting takes.
//
// Sets must not be modified, except by the function that created them. After the first error, which
// means that the index is damaged, all sets are empty.
type lookup struct {
	*Index
	dictionaries [fieldCount][2]segment.TermDictionary // by field and part, those that have been used
	err          error
}

// fieldSets holds the records that match a word, by list.
type fieldSets [wordFields]*roaring.Bitmap

func (f *fieldSets) empty() bool {
	return !slices.ContainsFunc(f[:], func(s *roaring.Bitmap) bool { return s != nil && !s.IsEmpty() })
}

// dictionary returns the terms of a field in a part.
func (l *lookup) dictionary(part, field int) segment.TermDictionary {
	d := &l.dictionaries[field][part]
	if *d == nil {
		var err error
		if *d, err = l.parts[part].Dictionary(fieldNames[field]); err != nil {
			l.err = err
		}
	}
	return *d
}

// postings returns the records that have a term in a field of a part.
func (l *lookup) postings(part int, terms segment.TermDictionary, term string) *roaring.Bitmap {
	p := l.parts[part]
	list, err := terms.PostingsList([]byte(term), p.hidden, nil)
	if err != nil {
		l.err = err
		return roaring.New()
	}
	it, ok := list.Iterator(false, false, false, nil).(segment.OptimizablePostingsIterator)
	if !ok { // it is empty
		return roaring.New()
	}
	found := it.ActualBitmap()
	if o, ok := it.DocNum1Hit(); ok {
		found = roaring.BitmapOf(uint32(o))
	}
	switch {
	case found == nil:
		return roaring.New()
	case p.first > 0:
		return roaring.AddOffset(found, p.first)
	}
	return found
}

// term returns the records that have a term in a field.
func (l *lookup) term(field int, term string) *roaring.Bitmap {
	var found *roaring.Bitmap
	for part := range l.parts {
		terms := l.dictionary(part, field)
		if l.err != nil {
			return roaring.New()
		}
		if more := l.postings(part, terms, term); found == nil {
			found = more
		} else {
			found.Or(more)
		}
	}
	return found
}

// prefix returns the records that have a term with a prefix in a field.
func (l *lookup) prefix(field int, prefix string) *roaring.Bitmap {
	if starts := startsOf[field]; starts > 0 && utf8.RuneCountInString(prefix) <= maxBeginning {
		return l.term(starts, prefix)
	}
	found := roaring.New()
	for part := range l.parts {
		terms := l.dictionary(part, field)
		if l.err != nil {
			break
		}
		it := terms.AutomatonIterator(nil, []byte(prefix), prefixEnd(prefix))
		for {
			e, err := it.Next()
			if l.err = err; e == nil || err != nil {
				break
			}
			found.Or(l.postings(part, terms, e.Term))
		}
	}
	return found
}

// prefixEnd returns the first key after all keys with a prefix, or nil if there is
// none.
func prefixEnd(prefix string) []byte {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xff {
			b[i]++
			return b[:i+1]
		}
	}
	return nil
}

// exact returns the records that contain a word: names must contain the word itself,
// other text its singular.
func (l *lookup) exact(term string) fieldSets {
	return fieldSets{l.term(nameField, term), l.term(topicField, stem(term)), l.term(textField, stem(term))}
}

// phrase returns the records of a set that have consecutive words, as they are written, in a list. An
// index of pairs finds them. Having all pairs of a longer phrase is not enough to have the phrase.
func (l *lookup) phrase(list int, words []string, within *roaring.Bitmap) *roaring.Bitmap {
	found := within
	for i := range max(1, len(words)-1) {
		found = roaring.And(l.term(runField+list, strings.Join(words[i:min(i+2, len(words))], " ")), found)
		if found.IsEmpty() {
			return found
		}
	}
	if len(words) <= 2 {
		return found
	}
	kept := roaring.New()
	for o := range roaring.Values(found) {
		if newDocument(l.build.Entity(o), l.titles).hasPhrase(list, words) {
			kept.Add(o)
		}
	}
	return kept
}

// hasPhrase reports whether a text in a list contains a phrase.
func (d *document) hasPhrase(list int, phrase []string) bool {
	want := " " + strings.Join(phrase, " ") + " "
	return slices.ContainsFunc(d.list(list), func(text string) bool {
		return strings.Contains(" "+strings.Join(terms(text), " ")+" ", want)
	})
}

// near returns the records that have, in a list, a term within the number of edits that a pattern
// allows, by number of edits.
func (l *lookup) near(list int, w *pattern) (found [maxEdits + 1]*roaring.Bitmap) {
	for d := range found {
		found[d] = roaring.New()
	}
	for part, p := range l.parts {
		terms := l.dictionary(part, list)
		words, err := p.words[list]()
		if l.err == nil {
			l.err = err
		}
		for term, edits := range words.near(w) {
			if l.err == nil {
				found[edits].Or(l.postings(part, terms, term))
			}
		}
	}
	return found
}

// vocabulary holds the terms of a list in memory, to find those within a number of edits of a word. An
// automaton that walks the dictionary takes many times as long: with three edits, it visits nearly every
// prefix of three letters.
type vocabulary []word

type word struct {
	text    string
	letters int    // their number
	mask    uint64 // result of didyoumean.LetterMask
}

func readVocabulary(s segment.Segment, list int) (words vocabulary, err error) {
	terms, err := s.Dictionary(fieldNames[list])
	if err != nil {
		return nil, err
	}
	words = make(vocabulary, 0, terms.Cardinality())
	it := terms.AutomatonIterator(nil, nil, nil)
	for {
		e, err := it.Next()
		if e == nil || err != nil {
			return words, err
		}
		if n := utf8.RuneCountInString(e.Term); n <= maxFuzzyLen+maxEdits {
			words = append(words, word{e.Term, n, didyoumean.LetterMask(e.Term)})
		}
	}
}

// near calls yield with each term within the number of edits that w allows, and the number of edits.
func (v vocabulary) near(w *pattern) func(yield func(term string, edits int) bool) {
	return func(yield func(term string, edits int) bool) {
		for i := range v {
			t := &v[i]
			if n := t.letters - w.Letters(); n > w.edits || -n > w.edits || w.MinDistance(t.mask) > w.edits {
				continue
			}
			if d := w.Distance(t.text); d <= w.edits && !yield(t.text, d) {
				return
			}
		}
	}
}

// pattern is a word of at most maxFuzzyLen letters that terms are compared
// with.
type pattern struct {
	*didyoumean.Word
	edits int // maximum number of edits
}

func newPattern(word string, edits int) *pattern {
	return &pattern{Word: didyoumean.NewWord(word), edits: edits}
}

// matches reports whether a term is within the allowed number of edits of a word.
func (w *pattern) matches(term string) bool {
	n := utf8.RuneCountInString(term)
	return n >= w.Letters()-w.edits && n <= w.Letters()+w.edits && w.Distance(term) <= w.edits
}
