package indexes

import (
	"errors"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/packed"
	"kindex/exports/store"
)

// prefixesFile contains, for each prefix that very many terms have, the documents that have one of these
// terms. Combining the documents of the terms in each search would take milliseconds.
const prefixesFile = "prefixes.bin"

// minPrefixed is the minimum number of terms that must start with a prefix for prefixesFile to include it.
const minPrefixed = 128

// prefixFields are the fields that Search looks up by prefix. Suggest also uses suffixField, which has no
// stored sets.
var prefixFields = [...]int{nameField, topicField, textField, exactField}

// writePrefixes writes prefixesFile from the terms and postings of a segment.
func writePrefixes(dir string, segment *segmentReader, documents int) error {
	sets := map[string]*roaring.Bitmap{}
	for _, f := range prefixFields {
		if err := addPrefixes(sets, segment, f, documents); err != nil {
			return err
		}
	}
	sections, err := packed.PackPostings(sets)
	if err != nil {
		return err
	}
	return writeSections(filepath.Join(dir, prefixesFile), sections)
}

// addPrefixes adds the sets of a field. Terms are sorted, so those with the same prefix are consecutive.
func addPrefixes(sets map[string]*roaring.Bitmap, segment *segmentReader, field, documents int) error {
	frequent, err := frequentPrefixes(segment, field)
	if err != nil || len(frequent) == 0 {
		return err
	}
	type openPrefix struct {
		prefix string
		set    set
	}
	var open []openPrefix // each is a prefix of the next one
	var free []set
	end := func() {
		last := open[len(open)-1]
		if open = open[:len(open)-1]; len(open) > 0 {
			open[len(open)-1].set.or(last.set)
		}
		found := last.set.bitmap()
		found.RunOptimize()
		sets[fieldNames[field]+"\x00"+last.prefix] = found
		clear(last.set)
		free = append(free, last.set)
	}
	begin := func(prefix string) {
		if len(free) == 0 {
			free = append(free, make(set, setWords(documents)))
		}
		open = append(open, openPrefix{prefix, free[len(free)-1]})
		free = free[:len(free)-1]
	}
	postings := &postingReader{scratch: make(set, setWords(documents))}
	var failed error
	err = eachTerm(segment.terms[field], func(_ int, term []byte, value uint64) {
		t := string(term)
		for len(open) > 0 && !strings.HasPrefix(t, open[len(open)-1].prefix) {
			end()
		}
		for n := range prefixLengths(t) {
			if frequent[t[:n]] && (len(open) == 0 || n > len(open[len(open)-1].prefix)) {
				begin(t[:n])
			}
		}
		if len(open) > 0 && failed == nil {
			failed = postings.add(segment.data, open[len(open)-1].set, value)
		}
	})
	for len(open) > 0 {
		end()
	}
	return errors.Join(err, failed)
}

// frequentPrefixes returns the prefixes that at least minPrefixed terms have.
func frequentPrefixes(segment *segmentReader, field int) (map[string]bool, error) {
	frequent := map[string]bool{}
	var last string
	var counts []int // by length in bytes: the number of terms so far with that prefix of last
	err := eachTerm(segment.terms[field], func(_ int, term []byte, _ uint64) {
		t := string(term)
		shared := 0
		for shared < min(len(t), len(last)) && t[shared] == last[shared] {
			shared++
		}
		counts = append(counts[:min(len(counts), shared+1)], make([]int, max(0, len(t)+1-min(len(counts), shared+1)))...)
		for n := range prefixLengths(t) {
			if counts[n]++; counts[n] == minPrefixed {
				frequent[t[:n]] = true
			}
		}
		last = t
	})
	return frequent, err
}

// prefixLengths yields the lengths in bytes of the prefixes of a term, without the empty one.
func prefixLengths(term string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for n := 0; n < len(term); {
			_, size := utf8.DecodeRuneInString(term[n:])
			if n += size; !yield(n) {
				return
			}
		}
	}
}

// openPostings opens a file that consists of postings.
func (x *diskIndex) openPostings(name string) (packed.Postings, error) {
	data, err := x.files.open(name)
	if err != nil {
		return packed.Postings{}, err
	}
	s := packed.NewSectionReader(func(string) []byte { return data })
	p := s.Postings(name, s.Open(name, packed.PostingSections))
	if err := s.Err(); err != nil {
		return packed.Postings{}, &store.DamageError{Path: filepath.Join(x.files.dir, name), Problem: err.Error()}
	}
	return p, nil
}
