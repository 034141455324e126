package indexes

import (
	"errors"
	"fmt"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// store reads the one segment of a Bleve index that was built offline. It gives
// the lists of documents as bitmaps, which the search then combines: with short
// texts, set operations find and rank in a fraction of the time that scoring
// every posting takes.
type store struct {
	index    bleve.Index
	reader   index.IndexReader
	segment  segment.Segment
	sessions sync.Pool // of *session
}

// session is what one goroutine reads the store with: a term dictionary has a
// place in it that lookups move.
type session struct {
	fields map[string]segment.TermDictionary
}

// fields are those that are searched.
var fields = []string{fieldExact, fieldStarts, fieldName, fieldTopic, fieldText}

func openStore(path string) (*store, error) {
	idx, err := bleve.OpenUsing(path, map[string]any{"read_only": true})
	if err != nil {
		return nil, fmt.Errorf("open search index %s: %w", path, err)
	}
	s := &store{index: idx}
	if err := s.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open search index %s: %w", path, err), s.Close())
	}
	return s, nil
}

func (s *store) open() error {
	advanced, err := s.index.Advanced()
	if err != nil {
		return err
	}
	if s.reader, err = advanced.Reader(); err != nil {
		return err
	}
	snapshot, ok := s.reader.(*scorch.IndexSnapshot)
	if !ok {
		return fmt.Errorf("it is kept as %T", s.reader)
	}
	segments := snapshot.Segments()
	if len(segments) != 1 {
		return fmt.Errorf("it has %d segments instead of one", len(segments))
	}
	s.segment = segments[0].Segment()
	first, err := s.session()
	if err == nil {
		s.sessions.Put(first)
	}
	return err
}

// session takes a session from the pool or makes one; the caller puts it back.
func (s *store) session() (*session, error) {
	if x, ok := s.sessions.Get().(*session); ok {
		return x, nil
	}
	x := &session{fields: make(map[string]segment.TermDictionary, len(fields))}
	for _, f := range fields {
		d, err := s.segment.Dictionary(f)
		if err != nil {
			return nil, err
		}
		x.fields[f] = d
	}
	return x, nil
}

// Close releases the index.
func (s *store) Close() error {
	var err error
	if s.reader != nil {
		err = s.reader.Close()
	}
	return errors.Join(err, s.index.Close())
}

// postings returns the documents that have a term in a field. The set must not
// be changed: it may lie in the mapped file.
func (x *session) postings(field string, term []byte) (*roaring.Bitmap, error) {
	list, err := x.fields[field].PostingsList(term, nil, nil)
	if err != nil {
		return nil, err
	}
	it := list.Iterator(false, false, false, nil)
	if fast, ok := it.(segment.OptimizablePostingsIterator); ok {
		if doc, one := fast.DocNum1Hit(); one {
			return roaring.BitmapOf(uint32(doc)), nil
		}
		if set := fast.ActualBitmap(); set != nil {
			return set, nil
		}
	}
	set := roaring.New()
	for {
		p, err := it.Next()
		if err != nil || p == nil {
			return set, err
		}
		set.Add(uint32(p.Number()))
	}
}

// matching calls yield with the terms of a field that an automaton accepts
// within a range, until yield returns false.
func (x *session) matching(field string, a segment.Automaton, from, to []byte, yield func(term string) bool) error {
	it := x.fields[field].AutomatonIterator(a, from, to)
	for {
		e, err := it.Next()
		if err != nil || e == nil {
			return err
		}
		if !yield(e.Term) {
			return nil
		}
	}
}

// prefixEnd is the first key behind all keys with a prefix, nil where there is none.
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
