package indexes

import (
	"bytes"
	"maps"
	"slices"

	"github.com/blevesearch/vellum"
)

// memSegment is an in-memory segment on top of the segment on disk or another memSegment. It
// holds the documents that have changed since that segment was built or that were changed by
// edits.
type memSegment struct {
	documents  map[uint32]*document // by ordinal
	terms      [fieldCount]memTerms
	deleted    set // ordinals in the segments underneath that are no longer valid, or nil
	numDeleted int // size of deleted
}

// memTerms holds the terms that the documents have in a field.
type memTerms struct {
	fst        *vellum.FST // maps terms to indexes into postings; nil if there are no terms
	postings   [][]uint32
	vocabulary *vocabulary // terms of the transducer, if the field has a vocabulary
}

// memRegistrySize is the number of states that are remembered while an in-memory
// transducer is built. There are few terms, so a small registry is enough.
const memRegistrySize = 512

func newMemSegment(documents map[uint32]*document) (*memSegment, error) {
	l := &memSegment{documents: documents}
	var postings [fieldCount]map[string][]uint32
	for f := range postings {
		postings[f] = map[string][]uint32{}
	}
	known := map[string]*token{}
	for _, o := range slices.Sorted(maps.Keys(documents)) {
		var terms fieldTerms
		documents[o].terms(&terms, func(_ int, word string) *token {
			if known[word] == nil {
				known[word] = newToken(word)
			}
			return known[word]
		})
		for f, list := range terms {
			for _, term := range list {
				postings[f][term] = append(postings[f][term], o)
			}
		}
	}
	for f := range postings {
		if err := l.terms[f].build(postings[f]); err != nil {
			return nil, err
		}
	}
	for f := range wordFields {
		if err := l.terms[f].buildVocabulary(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (t *memTerms) build(postings map[string][]uint32) error {
	if len(postings) == 0 {
		return nil
	}
	var data bytes.Buffer
	b, err := vellum.New(&data, &vellum.BuilderOpts{Encoder: 1, RegistryTableSize: memRegistrySize, RegistryMRUSize: 1})
	if err != nil {
		return err
	}
	for _, term := range slices.Sorted(maps.Keys(postings)) {
		if err := b.Insert([]byte(term), uint64(len(t.postings))); err != nil {
			return err
		}
		t.postings = append(t.postings, postings[term])
	}
	if err := b.Close(); err != nil {
		return err
	}
	t.fst, err = vellum.Load(data.Bytes())
	return err
}

// buildVocabulary sets the vocabulary, of a field in which near words are searched.
func (t *memTerms) buildVocabulary() error {
	sections, err := packVocabulary(t.fst)
	if err != nil {
		return err
	}
	t.vocabulary, err = openVocabulary(sections)
	return err
}

func (t *memTerms) term(term string) ([]uint32, error) {
	if t.fst == nil {
		return nil, nil
	}
	i, ok, err := t.fst.Get([]byte(term))
	if err != nil || !ok {
		return nil, err
	}
	return t.postings[i], nil
}

func (t *memTerms) prefix(s *session, prefix string) (ordinals []uint32, err error) {
	err = s.eachPrefixed(t.fst, prefix, func(i uint64) error {
		ordinals = append(ordinals, t.postings[i]...)
		return nil
	})
	return ordinals, err
}

func (t *memTerms) fuzzy(w *fuzzyPattern) (ordinals [maxEdits + 1][]uint32, err error) {
	err = t.vocabulary.fuzzy(w, func(_ string, i uint64, edits int) error {
		ordinals[edits] = append(ordinals[edits], t.postings[i]...)
		return nil
	})
	return ordinals, err
}

// mergeMemSegment merges own, the matches in an in-memory segment, into a set of records. It
// removes the records that the segment marks as deleted and adds own. It returns nil if the
// result is empty.
func (s *session) mergeMemSegment(found set, l *memSegment, own []uint32) set {
	if found != nil && l.deleted != nil {
		if found.andNot(l.deleted); len(own) == 0 && found.empty() {
			return nil
		}
	}
	if found == nil && len(own) > 0 {
		found = s.set()
	}
	for _, o := range own {
		found.add(o)
	}
	return found
}

// document returns a record's document in an in-memory segment, or nil if the
// document is in the segment on disk.
func (x *Index) document(o uint32) *document {
	for _, l := range x.memSegments {
		if d := l.documents[o]; d != nil {
			return d
		}
	}
	return nil
}
