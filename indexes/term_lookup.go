package indexes

import (
	"errors"

	"github.com/blevesearch/vellum"
)

// fieldSets holds a set of matching records for each list. A set is nil if it is
// empty.
type fieldSets [wordFields]set

func (f *fieldSets) empty() bool {
	return f[nameField] == nil && f[topicField] == nil && f[textField] == nil
}

// termSet returns the records that have a term in a field, or nil if there are
// none.
func (s *session) termSet(field int, term string) (found set, err error) {
	if r := s.readers[field]; r != nil {
		value, ok, err := r.Get([]byte(term))
		if err != nil {
			return nil, err
		}
		if ok {
			found = s.set()
			if err := s.addPosting(found, value); err != nil {
				return nil, err
			}
		}
	}
	for _, l := range s.index.memSegments {
		own, err := l.terms[field].term(term)
		if err != nil {
			return nil, err
		}
		found = s.mergeMemSegment(found, l, own)
	}
	return found, nil
}

// prefixSet returns the records that have a term with a given prefix in a field, or
// nil if there are none.
func (s *session) prefixSet(field int, prefix string) (found set, err error) {
	add := func(value uint64) error {
		if found == nil {
			found = s.set()
		}
		return s.addPosting(found, value)
	}
	if frequent := s.index.prefixes.Find(fieldNames[field], prefix); frequent != nil && !s.exhaustive {
		found = s.set()
		frequent.WriteDenseTo(found)
	} else if v := s.index.vocabulary(field); v != nil {
		err = v.prefix(prefix, add)
	} else {
		err = s.eachPrefixed(s.index.segment.terms[field], prefix, add)
	}
	if err != nil {
		return nil, err
	}
	for _, l := range s.index.memSegments {
		own, err := l.terms[field].prefix(s, prefix)
		if err != nil {
			return nil, err
		}
		found = s.mergeMemSegment(found, l, own)
	}
	return found, nil
}

// fuzzySets returns the records that have, in a list, a term within the number of edits that
// w allows. The records are grouped by number of edits; a set is nil if it is empty.
func (s *session) fuzzySets(list int, w *fuzzyPattern) (found [maxEdits + 1]set, err error) {
	err = s.index.vocabularies[list].fuzzy(w, func(_ string, value uint64, edits int) error {
		if found[edits] == nil {
			found[edits] = s.set()
		}
		return s.addPosting(found[edits], value)
	})
	for _, l := range s.index.memSegments {
		own, err := l.terms[list].fuzzy(w)
		if err != nil {
			return found, err
		}
		for edits := range found {
			found[edits] = s.mergeMemSegment(found[edits], l, own[edits])
		}
	}
	return found, err
}

// eachPrefixed calls f with the value (the postings) of each term that has a
// prefix.
func (s *session) eachPrefixed(terms *vellum.FST, prefix string, f func(value uint64) error) error {
	if terms == nil {
		return nil
	}
	err := s.iterator.Reset(terms, []byte(prefix), prefixEnd(prefix), nil)
	for ; err == nil; err = s.iterator.Next() {
		_, value := s.iterator.Current()
		if err := f(value); err != nil {
			return err
		}
	}
	if errors.Is(err, vellum.ErrIteratorDone) {
		return nil
	}
	return err
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
