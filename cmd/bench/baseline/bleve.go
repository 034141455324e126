package baseline

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"kindex/exports/record"
)

// Bleve is a Bleve index that contains only the fields to filter by, indexed as
// keywords or numbers, and those to sort by. It is built offline into a single segment. Records are
// kept outside the index, so that returning a page requires no decoding.
type Bleve struct {
	index   bleve.Index
	records [][]byte
}

// Filters contains what matching records must have, and the order of the page.
type Filters struct {
	Terms  []Term
	Ranges []Range
	// Sort is the number to sort by, highest first. Ties are in the order of documents or,
	// unless Sort is composite, of types and slugs.
	Sort string
}

// Term is a value of a field: type, category, tag, modality or openWeights.
type Term struct{ Field, Value string }

// Range is a bound of a number: price, or a signal.
type Range struct {
	Field  string
	AtMost bool // rather than at least
	Bound  float64
}

// termFields are the fields of terms.
var termFields = []string{"type", "category", "tag", "modality", "openWeights"}

// terms returns the values of the termFields.
func (d *Document) terms() map[string]any {
	fields := map[string]any{"type": d.Type, "category": d.Category, "tag": d.Tags}
	if d.Model != nil {
		fields["modality"], fields["openWeights"] = d.Model.Input, d.Model.OpenWeights.String()
	}
	return fields
}

// NewBleve creates the index in a new folder. Each document's ID is its index in
// docs, so documents with equal scores keep their order.
func NewBleve(dir string, docs Documents) (*Bleve, error) {
	m := bleve.NewIndexMapping()
	doc := bleve.NewDocumentStaticMapping()
	for _, name := range append(termFields, "key") {
		f := bleve.NewTextFieldMapping()
		f.Analyzer = keyword.Name
		f.Store, f.IncludeTermVectors, f.IncludeInAll, f.DocValues = false, false, false, name == "key"
		f.SkipFreqNorm = true
		doc.AddFieldMappingsAt(name, f)
	}
	score := bleve.NewNumericFieldMapping()
	score.Store, score.IncludeInAll, score.DocValues = false, false, true
	doc.AddFieldMappingsAt("composite", score)
	addNumbers(doc)
	m.DefaultMapping = doc

	b, err := bleve.NewBuilder(dir, m, map[string]any{"batchSize": 4000, "mergeMax": 64})
	if err != nil {
		return nil, err
	}
	x := &Bleve{records: make([][]byte, docs.Len)}
	err = docs.each(func(i int, d *Document) error {
		x.records[i] = d.Record
		fields := d.terms()
		fields["key"] = d.Type + "\x00" + d.Slug
		d.addNumbers(fields)
		if s := d.Scores.Composite; s.Known() {
			fields["composite"] = s.Float()
		}
		return b.Index(string(binary.BigEndian.AppendUint32(nil, uint32(i))), fields)
	})
	if err := errors.Join(err, b.Close()); err != nil {
		return nil, err
	}
	x.index, err = bleve.OpenUsing(dir, map[string]any{"read_only": true})
	return x, err
}

// addNumbers maps the fields of ranges.
func addNumbers(doc *mapping.DocumentMapping) {
	names := []string{"price"}
	for _, s := range record.SignalTypes {
		names = append(names, s.Name)
	}
	for _, name := range names {
		f := bleve.NewNumericFieldMapping()
		f.Store, f.IncludeInAll, f.DocValues = false, false, name == "price" || name == "contextTokens"
		doc.AddFieldMappingsAt(name, f)
	}
}

// addNumbers adds the values of the fields of ranges. Signals that are dates have none.
func (d *Document) addNumbers(fields map[string]any) {
	if p := d.Price.Blended; p.Known() {
		fields["price"] = p.Float()
	}
	for _, f := range d.Signals.Facts {
		if f.Day == "" {
			fields[f.Name] = f.Number
		}
	}
}

// Page appends one page of records to dst, in the order of the filters. It returns the
// indexes of their documents and the total number of matches.
func (x *Bleve) Page(dst []byte, f Filters, offset, limit int) (out []byte, page []uint32, total uint64, err error) {
	q := make([]query.Query, 0, len(f.Terms)+len(f.Ranges))
	for _, t := range f.Terms {
		term := bleve.NewTermQuery(t.Value)
		term.SetField(t.Field)
		q = append(q, term)
	}
	inclusive := true
	for _, r := range f.Ranges {
		between := bleve.NewNumericRangeInclusiveQuery(&r.Bound, nil, &inclusive, &inclusive)
		if r.AtMost {
			between = bleve.NewNumericRangeInclusiveQuery(nil, &r.Bound, &inclusive, &inclusive)
		}
		between.SetField(r.Field)
		q = append(q, between)
	}
	req := bleve.NewSearchRequestOptions(bleve.NewConjunctionQuery(q...), limit, offset, false)
	if f.Sort == "composite" {
		req.SortBy([]string{"-composite", "_id"})
	} else {
		req.SortBy([]string{"-" + f.Sort, "key"})
	}
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
