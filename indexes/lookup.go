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
)

// vocabulary holds the terms of a field in memory, in order. Because fields are short, set
// operations find and rank records in a fraction of the time that scoring every posting takes. For words
// within a number of edits, all terms are compared: an automaton that walks a dictionary takes many times as long,
// because with three edits, it visits nearly every prefix of three letters.
type vocabulary []word

type word struct {
	text     string
	letters  int             // their number
	mask     uint64          // result of didyoumean.LetterMask
	ordinals []uint32        // of the records that have it, unless they are many
	many     *roaring.Bitmap // the same
}

// manyRecords is the number of records from which a bitmap of them is faster to use and takes less memory than a list.
const manyRecords = 64

func newWord(text string, ordinals []uint32) word {
	w := word{text: text, letters: utf8.RuneCountInString(text), mask: didyoumean.LetterMask(text)}
	if len(ordinals) < manyRecords {
		w.ordinals = ordinals
	} else {
		w.many = roaring.BitmapOf(ordinals...)
	}
	return w
}

// addTo adds the records that have the word to a set.
func (w *word) addTo(set *roaring.Bitmap) {
	if set.AddMany(w.ordinals); w.many != nil {
		set.Or(w.many)
	}
}

// readVocabulary reads the terms of a field of a segment.
func readVocabulary(s segment.Segment, field string) (words vocabulary, err error) {
	terms, err := s.Dictionary(field)
	if err != nil {
		return nil, err
	}
	words = make(vocabulary, 0, terms.Cardinality())
	var list segment.PostingsList
	var postings segment.PostingsIterator
	for it := terms.AutomatonIterator(nil, nil, nil); ; {
		e, err := it.Next()
		if e == nil || err != nil {
			return words, err
		}
		if list, err = terms.PostingsList([]byte(e.Term), nil, list); err != nil {
			return nil, err
		}
		postings = list.Iterator(false, false, false, postings)
		ordinals := make([]uint32, 0, list.Count())
		p, err := postings.Next()
		for ; p != nil && err == nil; p, err = postings.Next() {
			ordinals = append(ordinals, uint32(p.Number()))
		}
		if err != nil {
			return nil, err
		}
		words = append(words, newWord(e.Term, ordinals))
	}
}

// readEdits makes the vocabularies of those of the index without edits.
func (x *Index) readEdits(base *Index) {
	edited, replaced := x.build.Edited(), x.build.Replaced()
	x.records = base.records - int(replaced.GetCardinality()) + len(edited)
	var added [fieldCount]map[string][]uint32
	for f := range added {
		added[f] = map[string][]uint32{}
	}
	for i, e := range edited {
		o := uint32(base.build.Len() + i)
		for f, list := range newDocument(e, x.titles).terms() {
			for _, term := range list {
				if has := added[f][term]; len(has) == 0 || has[len(has)-1] != o {
					added[f][term] = append(has, o)
				}
			}
		}
	}
	for f := range x.fields {
		x.fields[f] = base.fields[f].edited(replaced, added[f])
	}
}

// edited returns the vocabulary without some records, and with the terms of others, whose ordinals are higher.
func (v vocabulary) edited(without *roaring.Bitmap, added map[string][]uint32) vocabulary {
	with := make(vocabulary, 0, len(v)+len(added))
	for _, w := range v {
		more := added[w.text]
		delete(added, w.text)
		if more != nil || slices.ContainsFunc(w.ordinals, without.Contains) || w.many != nil && w.many.Intersects(without) {
			left := roaring.New()
			w.addTo(left)
			left.AndNot(without)
			if w = newWord(w.text, append(left.ToArray(), more...)); len(w.ordinals) == 0 && w.many == nil {
				continue
			}
		}
		with = append(with, w)
	}
	for text, ordinals := range added {
		with = append(with, newWord(text, ordinals))
	}
	slices.SortFunc(with, func(a, b word) int { return strings.Compare(a.text, b.text) })
	return with
}

// records returns the records that have any of the terms.
func (v vocabulary) records() *roaring.Bitmap {
	found := roaring.New()
	for i := range v {
		v[i].addTo(found)
	}
	return found
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
			if n := w.letters - p.letters; n > p.edits || -n > p.edits || didyoumean.MinDistance(p.mask, w.mask) > p.edits {
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
		w.addTo(found[d])
	}
	return found
}

// term returns the records that have a term in a field. The set must not be changed.
func (x *Index) term(field int, term string) *roaring.Bitmap {
	v := x.fields[field]
	if i := sort.Search(len(v), func(i int) bool { return v[i].text >= term }); i < len(v) && v[i].text == term {
		if v[i].many != nil {
			return v[i].many
		}
		return v[i : i+1].records()
	}
	return none
}

// prefix returns the records that have a term with a prefix in a field.
func (x *Index) prefix(field int, prefix string) *roaring.Bitmap {
	return x.fields[field].starting(prefix).records()
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
	found, want := roaring.New(), wordNumbers(words)
	for o := range roaring.Values(roaring.FastAnd(append(sets, within)...)) {
		if containsRun(x.words[o][list], want) {
			found.Add(o)
		}
	}
	return found
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

// matches reports whether a term is within the allowed number of edits of a word, if there is one.
func (w *pattern) matches(term string) bool {
	n := utf8.RuneCountInString(term)
	return w != nil && n >= w.letters-w.edits && n <= w.letters+w.edits && didyoumean.Distance(w.text, term) <= w.edits
}
