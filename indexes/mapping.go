package indexes

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	bleved "github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/zapx/v16"
)

// The fields of the Bleve index. The first three contain words and are called lists: each
// represents one part of a record in which a word may occur.
const (
	nameField   = iota // words of the name and slugs; each slug joined; the name from each word on, joined
	topicField         // words of the provider, category, type, tags and capabilities, in the singular
	textField          // words of the description, in the singular
	exactField         // the name, the slug and earlier slugs, their words joined by spaces
	suffixField        // the name, starting from each of its words
	joinedField        // the name and the slugs, their words joined without spaces
	fieldCount

	wordFields = textField + 1 // number of lists
)

var fieldNames = [fieldCount]string{"name", "topic", "text", "exact", "suffix", "joined"}

// newMapping returns the mapping: no stored fields, no term vectors and no doc values. Fields are
// short, so only the presence of a word matters, not its frequency.
func newMapping() mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	doc := bleve.NewDocumentStaticMapping()
	for _, name := range fieldNames {
		fm := bleve.NewTextFieldMapping()
		fm.Analyzer = keyword.Name
		fm.Store, fm.IncludeTermVectors, fm.IncludeInAll, fm.DocValues = false, false, false, false
		doc.AddFieldMappingsAt(name, fm)
	}
	m.DefaultMapping, m.DefaultField = doc, fieldNames[nameField]
	return &termMapping{m}
}

// termMapping is a mapping for documents whose terms are already known. Queries, highlights and the
// index agree on what a word is, and Bleve need not analyse it.
type termMapping struct{ *mapping.IndexMappingImpl }

// MapDocument implements mapping.IndexMapping.
func (*termMapping) MapDocument(doc *bleved.Document, data any) error {
	terms, ok := data.(*fieldTerms)
	if !ok {
		return fmt.Errorf("indexes: expected terms, got %T", data)
	}
	for f, list := range terms {
		if len(list) > 0 {
			doc.AddField(&termField{name: fieldNames[f], terms: list})
		}
	}
	return nil
}

// termField is a field whose terms are known.
type termField struct {
	name  string
	terms []string
	freqs index.TokenFrequencies
}

// once is the frequency of every term.
var once = func() *index.TokenFreq {
	f := &index.TokenFreq{}
	f.SetFrequency(1)
	return f
}()

// Analyze implements index.Field.
func (f *termField) Analyze() {
	f.freqs = make(index.TokenFrequencies, len(f.terms))
	for _, t := range f.terms {
		f.freqs[t] = once
	}
}

func (f *termField) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.freqs }

func (f *termField) Name() string        { return f.name }
func (f *termField) AnalyzedLength() int { return 1 } // lengths do not matter
func (f *termField) Options() index.FieldIndexingOptions {
	return index.IndexField | index.SkipFreqNorm
}
func (f *termField) EncodedFieldType() byte    { return 't' }
func (f *termField) ArrayPositions() []uint64  { return nil }
func (f *termField) Value() []byte             { return nil }
func (f *termField) NumPlainTextBytes() uint64 { return 0 }
func (f *termField) Size() int                 { return 0 }

// docID returns the external ID of a document: its ordinal.
func docID(ordinal int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(ordinal))) }

// orderedPlugin is Bleve's segment format with the documents of each segment sorted by ID.
// Bleve's builder takes them from a map in random order; sorting makes each document's number
// equal to its ordinal.
type orderedPlugin struct{ *zap.ZapPlugin }

var segmentType = orderedPlugin{&zap.ZapPlugin{}}

func init() { scorch.RegisterSegmentPlugin(segmentType, false) }

// New implements scorch.SegmentPlugin.
func (p orderedPlugin) New(docs []index.Document) (segment.Segment, uint64, error) {
	slices.SortFunc(docs, func(a, b index.Document) int { return cmp.Compare(a.ID(), b.ID()) })
	return p.ZapPlugin.New(docs)
}

// batchSize is the number of documents per segment before the segments are merged into one.
// Larger segments take more memory but save hardly any time.
const batchSize = 4000

// writeBleve writes an index of documents. All segments are merged at once, so that the documents
// keep their order.
func writeBleve(path, tmp string, n int, documents func(yield func(*document) bool)) error {
	b, err := bleve.NewBuilder(path, newMapping(), map[string]any{"buildPathPrefix": tmp, "batchSize": batchSize, "mergeMax": n/batchSize + 2,
		"forceSegmentType": zap.Type, "forceSegmentVersion": int(zap.Version)})
	if err != nil {
		return err
	}
	o := 0
	for d := range documents {
		if err := b.Index(docID(o), d.terms()); err != nil {
			return err
		}
		o++
	}
	return b.Close()
}

// newSegment returns a segment in memory.
func newSegment(documents []*document) (segment.Segment, error) {
	docs := make([]index.Document, len(documents))
	for i, d := range documents {
		doc := bleved.NewDocument(docID(i))
		if err := newMapping().MapDocument(doc, d.terms()); err != nil {
			return nil, err
		}
		doc.AddIDField()
		doc.VisitFields(func(f index.Field) { f.Analyze() })
		docs[i] = doc
	}
	s, _, err := segmentType.New(docs)
	return s, err
}
