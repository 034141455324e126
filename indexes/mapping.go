package indexes

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/regexp"
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
	textField          // words of the description and of declared fields, in the singular
	exactField         // the name, the slug and earlier slugs, their words joined by spaces
	suffixField        // the name, starting from each of its words
	joinedField        // the name and the slugs, their words joined without spaces
	fieldCount

	wordFields = textField + 1 // number of lists
)

var fieldNames = [fieldCount]string{"name", "topic", "text", "exact", "suffix", "joined"}

// newMapping returns the mapping: no stored fields, no term vectors and no doc values. Fields are
// short, so only the presence of a word matters, not its frequency. Queries, highlights and the index
// agree on what a word is, so Bleve only splits the text of a field at termSeparator.
func newMapping() (mapping.IndexMapping, error) {
	const terms = "terms"
	m := bleve.NewIndexMapping()
	err := errors.Join(m.AddCustomTokenizer(terms, map[string]any{"type": regexp.Name, "regexp": "[^" + termSeparator + "]+"}),
		m.AddCustomAnalyzer(terms, map[string]any{"type": custom.Name, "tokenizer": terms}))
	doc := bleve.NewDocumentStaticMapping()
	for _, name := range fieldNames {
		doc.AddFieldMappingsAt(name, &mapping.FieldMapping{Type: "text", Analyzer: terms, Index: true, SkipFreqNorm: true})
	}
	m.DefaultMapping, m.DefaultField = doc, fieldNames[nameField]
	return m, err
}

// termSeparator separates the terms of a field.
const termSeparator = "\n"

// fields returns the terms of a document as Bleve reads them.
func (t *fieldTerms) fields() map[string]string {
	texts := map[string]string{}
	for f, list := range t {
		texts[fieldNames[f]] = strings.Join(list, termSeparator)
	}
	return texts
}

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
	m, err := newMapping()
	if err != nil {
		return err
	}
	b, err := bleve.NewBuilder(path, m, map[string]any{"buildPathPrefix": tmp, "batchSize": batchSize, "mergeMax": n/batchSize + 2,
		"forceSegmentType": zap.Type, "forceSegmentVersion": int(zap.Version)})
	if err != nil {
		return err
	}
	o := 0
	for d := range documents {
		if err := b.Index(docID(o), d.terms().fields()); err != nil {
			return err
		}
		o++
	}
	return b.Close()
}
