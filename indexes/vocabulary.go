package indexes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sort"
	"unicode/utf8"

	"github.com/blevesearch/vellum"

	"kindex/exports/didyoumean"
	"kindex/exports/packed"
	"kindex/exports/parallel"
	"kindex/exports/store"
)

// termsFile contains the vocabularies of names, topics and descriptions. They repeat the terms of the
// segment's transducers, but in an order in which they can be scanned.
const termsFile = "terms.bin"

// vocabulary holds the terms of a field by length. It is used to find terms within
// a number of edits of a word. An automaton that walks the transducer would take milliseconds and
// megabytes: with three edits, it visits nearly every prefix of three letters.
type vocabulary struct {
	starts packed.Uint32s // by length in letters: index of the first term; then the number of terms
	ends   packed.Uint32s // term i is text[ends[i]:ends[i+1]]
	values []byte         // value (the postings) of each term in the transducer, as uint64
	text   []byte         // all terms, ordered by length, then alphabetically
	groups termGroups
}

// vocabularySections is the number of sections of a vocabulary in termsFile.
const vocabularySections = 4 + groupSections

// maxTermLen is recorded as the length of all terms that are too long to be near any word.
const maxTermLen = maxFuzzyLen + maxEdits + 1

// packVocabulary returns the sections of the vocabulary of a transducer, which may be nil.
func packVocabulary(fst *vellum.FST) (sections [][]byte, err error) {
	defer func() {
		if r := recover(); r != nil { // vellum panics on a corrupt transducer
			sections, err = nil, fmt.Errorf("cannot read the terms of the search index: %v", r)
		}
	}()
	// Reading the terms twice saves the memory for copying them.
	var next, at [maxTermLen + 2]int // by length: the index of the next term, and where its text starts
	err = eachTerm(fst, func(length int, term []byte, _ uint64) {
		next[length+1]++
		at[length+1] += len(term)
	})
	if err != nil {
		return nil, err
	}
	starts := make([]uint32, len(next))
	for n := range maxTermLen + 1 {
		next[n+1] += next[n]
		at[n+1] += at[n]
		starts[n+1] = uint32(next[n+1])
	}
	n, size := next[maxTermLen+1], at[maxTermLen+1]
	ends, masks, values, text := make([]byte, 4*(n+1)), make([]uint64, n), make([]byte, 8*n), make([]byte, size)
	err = eachTerm(fst, func(length int, term []byte, value uint64) {
		i := next[length]
		next[length]++
		at[length] += copy(text[at[length]:], term)
		binary.LittleEndian.PutUint32(ends[4*(i+1):], uint32(at[length]))
		masks[i] = didyoumean.LetterMask(string(term))
		binary.LittleEndian.PutUint64(values[8*i:], value)
	})
	return append([][]byte{packed.PackUint32s(starts), ends, values, text}, packGroups(starts, masks)...), err
}

// eachTerm calls f with each term of a transducer, which may be nil, its length and its value.
func eachTerm(fst *vellum.FST, f func(length int, term []byte, value uint64)) error {
	if fst == nil {
		return nil
	}
	it, err := fst.Iterator(nil, nil)
	for ; err == nil; err = it.Next() {
		term, value := it.Current()
		f(min(utf8.RuneCount(term), maxTermLen), term, value)
	}
	if errors.Is(err, vellum.ErrIteratorDone) {
		return nil
	}
	return err
}

// openVocabulary opens the sections that packVocabulary returned.
func openVocabulary(sections [][]byte) (*vocabulary, error) {
	v := &vocabulary{starts: sections[0], ends: sections[1], values: sections[2], text: sections[3]}
	n := v.ends.Len() - 1
	if v.starts.Len() != maxTermLen+2 || n < 0 || len(v.values) != 8*n ||
		int(v.starts.At(maxTermLen+1)) != n || int(v.ends.At(n)) != len(v.text) {
		return nil, packed.ErrSections
	}
	var err error
	v.groups, err = openGroups(sections[4:], n)
	return v, err
}

// writeVocabularies writes termsFile from the transducers of a segment.
func writeVocabularies(dir string, segment *segmentReader) error {
	var sections [][]byte
	for list := range wordFields {
		v, err := packVocabulary(segment.terms[list])
		if err != nil {
			return err
		}
		sections = append(sections, v...)
	}
	return writeSections(filepath.Join(dir, termsFile), sections)
}

// writeSections writes a lookup file.
func writeSections(path string, sections [][]byte) error {
	var lengths []int
	for _, s := range sections {
		lengths = append(lengths, len(s))
	}
	f, err := createFile(path)
	if err != nil {
		return err
	}
	_, err = f.Write(packed.SectionHead(lengths...))
	for _, s := range sections {
		_, errData := f.Write(s)
		_, errPadding := f.Write(packed.Padding(len(s)))
		err = errors.Join(err, errData, errPadding)
	}
	return errors.Join(err, f.close())
}

// openVocabularies opens termsFile.
func (x *diskIndex) openVocabularies() error {
	data, err := x.files.open(termsFile)
	if err != nil {
		return err
	}
	sections, err := packed.UnpackSections(data, wordFields*vocabularySections)
	for list := 0; list < wordFields && err == nil; list++ {
		x.vocabularies[list], err = openVocabulary(sections[list*vocabularySections:][:vocabularySections])
	}
	if err != nil {
		return &store.DamageError{Path: filepath.Join(x.files.dir, termsFile), Problem: err.Error()}
	}
	return nil
}

// vocabulary returns the vocabulary of a field, or nil if the field has none.
func (x *diskIndex) vocabulary(field int) *vocabulary {
	if field >= wordFields {
		return nil
	}
	return x.vocabularies[field]
}

func (v *vocabulary) term(i int) []byte { return v.text[v.ends.At(i):v.ends.At(i+1)] }

// parallelGroups is the number of groups from which the search for near terms is divided among all
// processors. Tests set a lower value.
var parallelGroups = 1 << 12

// fuzzy calls f with each term within the number of edits that w allows, its value (the postings)
// and the number of edits.
func (v *vocabulary) fuzzy(w *fuzzyPattern, f func(term string, value uint64, edits int) error) error {
	from, to := v.groups.of(max(0, w.Letters()-w.edits), w.Letters()+w.edits)
	workers := 1
	if to-from >= parallelGroups {
		workers = runtime.GOMAXPROCS(0)
	}
	near := make([][]nearTerm, workers)
	parallel.Do(workers, func(i int) {
		near[i] = v.near(w, from+i*(to-from)/workers, from+(i+1)*(to-from)/workers)
	})
	for _, list := range near {
		for _, t := range list {
			if err := f(string(v.term(t.index)), packed.Uint64At(v.values, t.index), t.edits); err != nil {
				return err
			}
		}
	}
	return nil
}

// nearTerm is a term near a word: its index in the vocabulary, and how many edits apart they are.
type nearTerm struct{ index, edits int }

// near returns the terms in a range of groups that are within the number of edits that w allows.
func (v *vocabulary) near(w *fuzzyPattern, from, to int) (list []nearTerm) {
	for term := range v.groups.promising(w, from, to) {
		if d := w.Distance(string(v.term(term))); d <= w.edits {
			list = append(list, nearTerm{term, d})
		}
	}
	return list
}

// prefix calls f with the value (the postings) of each term that has a prefix. Short
// prefixes have very many terms, and listing them here takes a tenth of the time of iterating over the
// transducer.
func (v *vocabulary) prefix(prefix string, f func(value uint64) error) error {
	for n := min(utf8.RuneCountInString(prefix), maxTermLen); n <= maxTermLen; n++ {
		from, to := int(v.starts.At(n)), int(v.starts.At(n+1))
		from += sort.Search(to-from, func(i int) bool { return string(v.term(from+i)) >= prefix })
		for i := from; i < to && bytes.HasPrefix(v.term(i), []byte(prefix)); i++ {
			if err := f(packed.Uint64At(v.values, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fuzzyPattern is a word of at most maxFuzzyLen letters that terms are compared
// with.
type fuzzyPattern struct {
	*didyoumean.Word
	edits int // maximum number of edits
}

func newFuzzyPattern(word string, edits int) *fuzzyPattern {
	return &fuzzyPattern{Word: didyoumean.NewWord(word), edits: edits}
}

// matches reports whether a term is within the allowed number of edits.
func (w *fuzzyPattern) matches(term string) bool {
	n := utf8.RuneCountInString(term)
	return n >= w.Letters()-w.edits && n <= w.Letters()+w.edits && w.Distance(term) <= w.edits
}
