package indexes

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum"
	"github.com/blevesearch/zapx/v16"
)

// orderedPlugin is Bleve's segment format with the documents of each segment sorted by ID.
// Bleve's builder takes them from a map in random order; sorting makes each document's number
// equal to its ordinal.
type orderedPlugin struct{ *zap.ZapPlugin }

func init() { scorch.RegisterSegmentPlugin(orderedPlugin{&zap.ZapPlugin{}}, false) }

// New implements scorch.SegmentPlugin.
func (p orderedPlugin) New(docs []index.Document) (segment.Segment, uint64, error) {
	slices.SortFunc(docs, func(a, b index.Document) int { return cmp.Compare(a.ID(), b.ID()) })
	return p.ZapPlugin.New(docs)
}

// segmentReader reads the only segment of a Bleve index that was built offline. It
// returns the documents that have a term as a set. Searches combine these sets:
// because fields are short, set operations find and rank records in a fraction of
// the time that scoring every posting takes.
//
// Only the segment's file is opened. Bleve's metadata refers to files by path and
// is not validated when read, so a forged index could make Bleve open any file.
type segmentReader struct {
	segment *zap.Segment
	data    []byte                  // bytes of the segment
	terms   [fieldCount]*vellum.FST // nil if no document has the field
}

func (s *segmentReader) open(path string, documents int) (err error) {
	defer func() {
		if r := recover(); r != nil { // zapx panics on a corrupt segment
			err = fmt.Errorf("open search index %s: damaged segment: %v", path, r)
		}
	}()
	opened, err := new(zap.ZapPlugin).Open(path)
	if err != nil {
		return fmt.Errorf("open search index %s: %w", path, err)
	}
	seg, ok := opened.(*zap.Segment)
	if !ok {
		return errors.Join(fmt.Errorf("open search index %s: unexpected segment type %T", path, opened), opened.Close())
	}
	s.segment = seg
	if seg.NumDocs() != uint64(documents) {
		return fmt.Errorf("open search index %s: expected %d documents, got %d", path, documents, seg.NumDocs())
	}
	s.data = seg.Data()
	fields := seg.Fields()
	for f, name := range fieldNames {
		if !slices.Contains(fields, name) {
			continue
		}
		if s.terms[f], err = s.dictionary(seg, name); err != nil {
			return fmt.Errorf("open search index %s: field %s: %w", path, name, err)
		}
	}
	return nil
}

// dictionary returns the transducer of a field, which maps terms to postings. Bleve's own
// reader allocates memory for each term, and it looks up terms found by prefix or automaton
// twice.
func (s *segmentReader) dictionary(seg *zap.Segment, field string) (*vellum.FST, error) {
	at, err := seg.DictAddr(field)
	if err != nil {
		return nil, err
	}
	size, n := binary.Uvarint(s.data[at:])
	if n <= 0 || size > uint64(len(s.data))-at-uint64(n) {
		return nil, errors.New("truncated dictionary")
	}
	from := at + uint64(n)
	return vellum.Load(s.data[from : from+size])
}

// checkDocNums checks that the number of every document is its ordinal.
func (s *segmentReader) checkDocNums() error {
	for docNum := range s.segment.NumDocs() {
		id, err := s.segment.DocID(docNum)
		if err != nil {
			return err
		}
		if string(id) != docID(uint32(docNum)) {
			return fmt.Errorf("search index %s: document %d has ID %x", s.segment.Path(), docNum, id)
		}
	}
	return nil
}

// close releases the segment.
func (s *segmentReader) close() error {
	if s.segment == nil {
		return nil
	}
	return s.segment.Close()
}

// addPosting adds the documents of a term in the segment to a set.
func (s *session) addPosting(dst set, value uint64) error {
	return s.postings.add(s.index.segment.data, dst, value)
}

// postingReader is the working memory for reading postings.
type postingReader struct {
	bitmap  roaring.Bitmap // the postings being read
	scratch set            // as large as the sets of documents
}

// add adds the documents of a term to a set, given the value of the term. Postings are either a
// single document, which is stored with the term, or a bitmap that follows two
// offsets and its length (zapx describes the format in zap.md).
func (r *postingReader) add(segment []byte, dst set, value uint64) error {
	if value&zap.FSTValEncodingMask == zap.FSTValEncoding1Hit {
		docNum, _ := zap.FSTValDecode1Hit(value)
		dst.add(uint32(docNum))
		return nil
	}
	b := segment[value:]
	for range 2 {
		_, n := binary.Uvarint(b)
		b = b[n:]
	}
	size, n := binary.Uvarint(b)
	if _, err := r.bitmap.FromBuffer(b[n : n+int(size)]); err != nil {
		return err
	}
	dst.addBitmap(&r.bitmap, r.scratch)
	return nil
}

var _ scorch.SegmentPlugin = orderedPlugin{}
