package indexes

import (
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"kindex/exports/didyoumean"
	"kindex/exports/record"
)

// vocabulary holds the terms of a field in memory, in order. Because fields are short, set
// operations find and rank records in a fraction of the time that scoring every posting takes. For words
// within a number of edits, all terms are compared: an automaton that walks a dictionary takes many times as long,
// because with three edits, it visits nearly every prefix of three letters.
type vocabulary []word

type word struct {
	text    string
	letters int32           // their number
	only    uint32          // the record that has the term, if set is nil
	set     *roaring.Bitmap // the records that have it
	mask    uint64          // result of didyoumean.LetterMask
}

func readVocabulary(s segment.Segment, field string, first uint32) (words vocabulary, err error) {
	terms, err := s.Dictionary(field)
	if err != nil {
		return nil, err
	}
	words = make(vocabulary, 0, terms.Cardinality())
	var list segment.PostingsList
	var postings segment.PostingsIterator
	var found []uint32
	for it := terms.AutomatonIterator(nil, nil, nil); ; {
		e, err := it.Next()
		if e == nil || err != nil {
			return words, err
		}
		if list, err = terms.PostingsList([]byte(e.Term), nil, list); err != nil {
			return nil, err
		}
		postings, found = list.Iterator(false, false, false, postings), found[:0]
		for {
			p, err := postings.Next()
			if err != nil {
				return nil, err
			}
			if p == nil {
				break
			}
			found = append(found, first+uint32(p.Number()))
		}
		w := word{text: e.Term, letters: int32(utf8.RuneCountInString(e.Term)), mask: didyoumean.LetterMask(e.Term)}
		if len(found) == 1 {
			w.only = found[0]
		} else {
			w.set = roaring.BitmapOf(found...)
		}
		words = append(words, w)
	}
}

// readVocabularies reads all fields of a segment. first is the ordinal of its first document.
func readVocabularies(s segment.Segment, first int) (fields [fieldCount]vocabulary, err error) {
	for f := range fields {
		if fields[f], err = readVocabulary(s, fieldNames[f], uint32(first)); err != nil {
			break
		}
	}
	return fields, err
}

// with returns the vocabulary without hidden records and with another vocabulary.
func (v vocabulary) with(more vocabulary, hidden *roaring.Bitmap) vocabulary {
	out := make(vocabulary, 0, len(v)+len(more))
	for _, w := range v {
		for len(more) > 0 && more[0].text < w.text {
			out, more = append(out, more[0]), more[1:]
		}
		w.set = roaring.AndNot(w.records(), hidden)
		if len(more) > 0 && more[0].text == w.text {
			w.set.Or(more[0].records())
			more = more[1:]
		}
		if !w.set.IsEmpty() {
			out = append(out, w)
		}
	}
	return append(out, more...)
}

// records returns the records that have a term. Neither they nor the results of the methods below must be
// modified.
func (w *word) records() *roaring.Bitmap {
	if w.set == nil {
		return roaring.BitmapOf(w.only)
	}
	return w.set
}

// union returns the records that have any of the terms.
func (v vocabulary) union() *roaring.Bitmap {
	switch len(v) {
	case 0:
		return none
	case 1:
		return v[0].records()
	}
	var sets []*roaring.Bitmap
	var single []uint32
	for i := range v {
		if w := &v[i]; w.set == nil {
			single = append(single, w.only)
		} else {
			sets = append(sets, w.set)
		}
	}
	return roaring.FastOr(append(sets, roaring.BitmapOf(single...))...)
}

var none = roaring.New()

// starting returns the terms with a prefix, which must not be empty.
func (v vocabulary) starting(prefix string) vocabulary {
	if prefix == "" {
		return nil
	}
	from := sort.Search(len(v), func(i int) bool { return v[i].text >= prefix })
	n := sort.Search(len(v)-from, func(i int) bool { return !strings.HasPrefix(v[from+i].text, prefix) })
	return v[from : from+n]
}

// near returns the terms within the number of edits that a pattern allows, with that number.
func (v vocabulary) near(p *pattern) iter.Seq2[*word, int] {
	return func(yield func(*word, int) bool) {
		for i := range v {
			w := &v[i]
			if n := int(w.letters) - p.letters; n > p.edits || -n > p.edits || didyoumean.MinDistance(p.mask, w.mask) > p.edits {
				continue
			}
			if d := didyoumean.Distance(p.text, w.text); d <= p.edits && !yield(w, d) {
				return
			}
		}
	}
}

// byEdits holds sets of records by the number of edits.
type byEdits [maxEdits + 1]*roaring.Bitmap

// near returns the records that have a term of a field within the number of edits that a pattern allows.
func (x *Index) near(field int, p *pattern) (found byEdits) {
	for d := range found {
		found[d] = roaring.New()
	}
	for w, d := range x.fields[field].near(p) {
		found[d].Or(w.records())
	}
	return found
}

// term returns the records that have a term in a field.
func (x *Index) term(field int, term string) *roaring.Bitmap {
	v := x.fields[field]
	if i := sort.Search(len(v), func(i int) bool { return v[i].text >= term }); i < len(v) && v[i].text == term {
		return v[i].records()
	}
	return none
}

// prefix returns the records that have a term with a prefix in a field.
func (x *Index) prefix(field int, prefix string) *roaring.Bitmap {
	return x.fields[field].starting(prefix).union()
}

// fieldSets holds the records that match a word, by list.
type fieldSets [wordFields]*roaring.Bitmap

func (f *fieldSets) empty() bool {
	return !slices.ContainsFunc(f[:], func(s *roaring.Bitmap) bool { return s != nil && !s.IsEmpty() })
}

// exact returns the records that contain a word: names must contain the word itself,
// other text its singular.
func (x *Index) exact(term string) fieldSets {
	return fieldSets{x.term(nameField, term), x.term(topicField, stem(term)), x.term(textField, stem(term))}
}

// phrase returns the records of a set that have consecutive words, as they are written, in a list.
func (x *Index) phrase(list int, words []string, within *roaring.Bitmap) *roaring.Bitmap {
	var sets []*roaring.Bitmap
	for _, w := range words {
		switch {
		case list == nameField:
			sets = append(sets, x.term(list, w))
		case !stopWords[w]: // others may be missing from the index
			sets = append(sets, x.term(list, stem(w)))
		}
	}
	found, want := roaring.New(), " "+strings.Join(words, " ")+" "
	for o := range roaring.Values(roaring.FastAnd(append(sets, within)...)) {
		if strings.Contains(x.split(x.build.Entity(o)).lists[list], want) {
			found.Add(o)
		}
	}
	return found
}

// splitTexts holds the texts of an entity, split into words.
type splitTexts struct {
	lists [wordFields]string // the words as they are written, each between spaces
	texts []fieldText
}

// split returns the texts of an entity. They are kept once they have been searched for a phrase, or marked.
func (x *Index) split(e *record.Entity) *splitTexts {
	if kept, ok := x.kept.Load(e); ok {
		return kept.(*splitTexts)
	}
	d, out := newDocument(e, x.titles), &splitTexts{texts: fieldTexts(e, x.titles[e.Category])}
	for list := range out.lists {
		for _, text := range d.list(list) {
			out.lists[list] += " " + strings.Join(terms(text), " ") + " \n"
		}
	}
	x.kept.Store(e, out)
	return out
}

// pattern is a word of at most maxFuzzyLen letters that terms are compared
// with.
type pattern struct {
	text    string
	letters int
	mask    uint64 // result of didyoumean.LetterMask
	edits   int    // maximum number of edits
}

func newPattern(word string, edits int) *pattern {
	return &pattern{word, utf8.RuneCountInString(word), didyoumean.LetterMask(word), edits}
}

// matches reports whether a term is within the allowed number of edits of a word.
func (w *pattern) matches(term string) bool {
	n := utf8.RuneCountInString(term)
	return n >= w.letters-w.edits && n <= w.letters+w.edits && didyoumean.Distance(w.text, term) <= w.edits
}
