package indexes

import (
	"maps"
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
	text    string
	letters int      // their number
	mask    uint64   // result of didyoumean.LetterMask
	records []uint32 // that have it: most words are in so few that a set would take many times the memory
}

func newWord(text string, records []uint32) word {
	return word{text, utf8.RuneCountInString(text), didyoumean.LetterMask(text), records}
}

// newVocabularies returns the vocabularies of the records of a build, as those of a new index of it.
func (x *Index) newVocabularies() (fields [fieldCount]vocabulary) {
	var records [fieldCount]map[string][]uint32
	for f := range records {
		records[f] = map[string][]uint32{}
	}
	for o, e := range x.build.All {
		for f, list := range newDocument(e, x.titles).terms() {
			for _, term := range list {
				if has := records[f][term]; len(has) == 0 || has[len(has)-1] != o {
					records[f][term] = append(has, o)
				}
			}
		}
	}
	for f, has := range records {
		for _, term := range slices.Sorted(maps.Keys(has)) {
			fields[f] = append(fields[f], newWord(term, has[term]))
		}
	}
	return fields
}

func readVocabulary(s segment.Segment, field string) (words vocabulary, err error) {
	terms, err := s.Dictionary(field)
	if err != nil {
		return nil, err
	}
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
		records := make([]uint32, 0, list.Count())
		p, err := postings.Next()
		for ; p != nil && err == nil; p, err = postings.Next() {
			records = append(records, uint32(p.Number()))
		}
		if err != nil {
			return nil, err
		}
		words = append(words, newWord(e.Term, records))
	}
}

func (v vocabulary) records() *roaring.Bitmap {
	found := roaring.New()
	for i := range v {
		found.AddMany(v[i].records)
	}
	return found
}

// starting returns the terms with a prefix, which must not be empty.
func (v vocabulary) starting(prefix string) vocabulary {
	if prefix == "" {
		return nil
	}
	from := sort.Search(len(v), func(i int) bool { return v[i].text >= prefix })
	n := sort.Search(len(v)-from, func(i int) bool { return !strings.HasPrefix(v[from+i].text, prefix) })
	return v[from : from+n]
}

type byEdits [maxEdits + 1]*roaring.Bitmap

// near returns the records that have one of some terms within the number of edits that a pattern allows.
func (v vocabulary) near(p *pattern, some func(text string) bool) (found byEdits) {
	for d := range found {
		found[d] = roaring.New()
	}
	for _, w := range v {
		if n := w.letters - p.letters; n > p.edits || -n > p.edits || didyoumean.MinDistance(p.mask, w.mask) > p.edits {
			continue
		}
		if d := didyoumean.Distance(p.text, w.text); d <= p.edits && some(w.text) {
			found[d].AddMany(w.records)
		}
	}
	return found
}

func all(string) bool { return true }

// term returns the records that have a term in a field.
func (x *Index) term(field int, term string) *roaring.Bitmap {
	v := x.fields[field]
	if i := sort.Search(len(v), func(i int) bool { return v[i].text >= term }); i < len(v) && v[i].text == term {
		return roaring.BitmapOf(v[i].records...)
	}
	return roaring.New()
}

func (x *Index) prefix(field int, prefix string) *roaring.Bitmap {
	return x.fields[field].starting(prefix).records()
}

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
	found, want := roaring.New(), run(words)
	for o := range roaring.Values(roaring.FastAnd(append(sets, within)...)) {
		if strings.Contains(x.words[o][list], want) {
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
