package indexes

import (
	"encoding/binary"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	bleved "github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"
)

// The fields of the Bleve index. The first three contain words and are called lists: each
// represents one part of a record in which a word may occur.
const (
	nameField   = iota // words of the name and slugs; each slug joined; the name from each word on, joined
	topicField         // words of the provider, category, type, tags and capabilities
	textField          // words of the description
	exactField         // the name, the slug and earlier slugs, their words joined by spaces
	suffixField        // the name, starting from each of its words
	joinedField        // the name and the slugs, their words joined without spaces
	stopField          // stop words in all fields, alone and as adjacent pairs
	fieldCount

	wordFields = textField + 1 // number of lists
)

var fieldNames = [fieldCount]string{
	nameField: "name", topicField: "topic", textField: "text", exactField: "exact", suffixField: "starts", joinedField: "joined", stopField: "stops",
}

// newIndexMapping returns the mapping: no stored fields, no term vectors and no doc values.
// Fields are short, so only the presence of a word matters, not its frequency. Documents
// provide their terms themselves. The analyzers are for Bleve's own queries.
func newIndexMapping() (*mapping.IndexMappingImpl, error) {
	m := bleve.NewIndexMapping()
	err := m.AddCustomAnalyzer("words", map[string]any{
		"type": custom.Name, "tokenizer": whitespace.Name, "token_filters": []string{lowercase.Name}})
	if err != nil {
		return nil, err
	}
	doc := bleve.NewDocumentStaticMapping()
	for f, name := range fieldNames {
		fm := bleve.NewTextFieldMapping()
		fm.Analyzer = keyword.Name
		if f < wordFields {
			fm.Analyzer = "words"
		}
		fm.Store, fm.IncludeTermVectors, fm.IncludeInAll, fm.DocValues = false, false, false, false
		doc.AddFieldMappingsAt(name, fm)
	}
	doc.AddSubDocumentMapping("_all", bleve.NewDocumentDisabledMapping())
	m.DefaultMapping = doc
	m.DefaultField = fieldNames[nameField]
	return m, nil
}

// termMapping is the mapping for documents whose terms are already known, which
// avoids reflection and analysis.
type termMapping struct {
	*mapping.IndexMappingImpl
	freqs [fieldCount]index.TokenFrequencies
}

func newTermMapping() (*termMapping, error) {
	m, err := newIndexMapping()
	if err != nil {
		return nil, err
	}
	t := &termMapping{IndexMappingImpl: m}
	for f := range t.freqs {
		t.freqs[f] = index.TokenFrequencies{}
	}
	return t, nil
}

// fieldTerms holds the terms of a document by field. A term may occur several
// times.
type fieldTerms [fieldCount][]string

// MapDocument implements mapping.IndexMapping.
func (t *termMapping) MapDocument(doc *bleved.Document, data any) error {
	terms, ok := data.(*fieldTerms)
	if !ok {
		return fmt.Errorf("indexes: expected terms, got %T", data)
	}
	fields := make([]termField, fieldCount)
	for f, list := range terms {
		if len(list) > 0 {
			fields[f] = termField{name: fieldNames[f], terms: list, freqs: t.freqs[f]}
			doc.AddField(&fields[f])
		}
	}
	return nil
}

// termField is a field whose terms are known.
type termField struct {
	name  string
	terms []string
	freqs index.TokenFrequencies // shared by all documents
}

// singleFreq is the frequency of every term. With a frequency of one, the segment stores
// the only document of a term together with the term.
var singleFreq = func() *index.TokenFreq {
	f := &index.TokenFreq{}
	f.SetFrequency(1)
	return f
}()

// AnalyzedTokenFrequencies returns the terms. The map is valid until the same field
// of another document is requested, which is enough because segments process
// documents one at a time.
func (f *termField) AnalyzedTokenFrequencies() index.TokenFrequencies {
	clear(f.freqs)
	for _, t := range f.terms {
		f.freqs[t] = singleFreq
	}
	return f.freqs
}

// AnalyzedLength is constant because field lengths do not affect the ranking.
func (f *termField) AnalyzedLength() int { return 1 }

func (f *termField) Name() string                        { return f.name }
func (f *termField) Analyze()                            {}
func (f *termField) Options() index.FieldIndexingOptions { return index.IndexField }
func (f *termField) EncodedFieldType() byte              { return 't' }
func (f *termField) ArrayPositions() []uint64            { return nil }
func (f *termField) Value() []byte                       { return nil }
func (f *termField) NumPlainTextBytes() uint64           { return 0 }
func (f *termField) Size() int                           { return 0 }

// docID returns the external ID of a document: its ordinal.
func docID(ordinal uint32) string { return string(binary.BigEndian.AppendUint32(nil, ordinal)) }
