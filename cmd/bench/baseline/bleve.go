package baseline

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/search/query"
)

// Bleve is a Bleve index that contains only the fields to filter by, indexed as
// keywords, and the score to sort by, indexed as a number. It is built offline
// into a single segment. Records are kept outside the index, so that returning a
// page requires no decoding.
type Bleve struct {
	index   bleve.Index
	records [][]byte
}

// Filters contains the values that matching records must have.
type Filters struct{ Type, Category, Tag string }

// NewBleve creates the index in a new folder. Each document's ID is its index in
// docs, so documents with equal scores keep their order.
func NewBleve(dir string, docs []Document) (*Bleve, error) {
	m := bleve.NewIndexMapping()
	doc := bleve.NewDocumentStaticMapping()
	for _, name := range []string{"type", "category", "tag"} {
		f := bleve.NewTextFieldMapping()
		f.Analyzer = keyword.Name
		f.Store, f.IncludeTermVectors, f.IncludeInAll, f.DocValues = false, false, false, false
		f.SkipFreqNorm = true
		doc.AddFieldMappingsAt(name, f)
	}
	score := bleve.NewNumericFieldMapping()
	score.Store, score.IncludeInAll, score.DocValues = false, false, true
	doc.AddFieldMappingsAt("composite", score)
	m.DefaultMapping = doc

	b, err := bleve.NewBuilder(dir, m, map[string]any{"batchSize": 4000, "mergeMax": 64})
	if err != nil {
		return nil, err
	}
	x := &Bleve{records: make([][]byte, len(docs))}
	for i := range docs {
		d := &docs[i]
		x.records[i] = d.Record
		fields := map[string]any{"type": d.Type, "category": d.Category, "tag": d.Tags}
		if s := d.Scores.Composite; s.Known() {
			fields["composite"] = s.Float()
		}
		if err := b.Index(string(binary.BigEndian.AppendUint32(nil, uint32(i))), fields); err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	if err := b.Close(); err != nil {
		return nil, err
	}
	x.index, err = bleve.OpenUsing(dir, map[string]any{"read_only": true})
	return x, err
}

// Page appends one page of records to dst, best score first. It returns the
// indexes of their documents and the total number of matches.
func (x *Bleve) Page(dst []byte, f Filters, offset, limit int) (out []byte, page []uint32, total uint64, err error) {
	q := make([]query.Query, 0, 3)
	for _, t := range []struct{ field, value string }{{"type", f.Type}, {"category", f.Category}, {"tag", f.Tag}} {
		term := bleve.NewTermQuery(t.value)
		term.SetField(t.field)
		q = append(q, term)
	}
	req := bleve.NewSearchRequestOptions(bleve.NewConjunctionQuery(q...), limit, offset, false)
	req.SortBy([]string{"-composite", "_id"})
	req.Score = "none" // relevance is not needed
	res, err := x.index.Search(req)
	if err != nil {
		return dst, nil, 0, err
	}
	for _, h := range res.Hits {
		if len(h.ID) != 4 {
			return dst, nil, 0, fmt.Errorf("unexpected document ID %x", h.ID)
		}
		o := binary.BigEndian.Uint32([]byte(h.ID))
		page = append(page, o)
		dst = append(dst, x.records[o]...)
	}
	return dst, page, res.Total, nil
}

// Close closes the index.
func (x *Bleve) Close() error { return x.index.Close() }
