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

// The fields of the Bleve index, in which documents have terms. The first three
// hold words and are the lists of a word; they say where records have it.
const (
	nameField   = iota // words of name and slugs, these as one word, and names from each word on as one word
	topicField         // words of provider, category, type, tags, capabilities
	textField          // words of the description
	exactField         // the name, the slug and earlier slugs, their words joined by spaces
	suffixField        // the name from each of its words on
	joinedField        // the name and the slugs, their words joined without spaces
	stopField          // stop words as they stand in texts, alone and two next to each other
	fieldCount

	wordFields = textField + 1 // of words
)

var fieldNames = [fieldCount]string{
	nameField: "name", topicField: "topic", textField: "text", exactField: "exact", suffixField: "starts", joinedField: "joined", stopField: "stops",
}

// newIndexMapping is the mapping: nothing stored, no term vectors, no doc values. Texts are
// short, so what a record says is what counts, not how often. Documents bring
// their terms along; the analyzers are for Bleve's own queries.
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

// termMapping is the mapping for documents whose words are known already, the
// terms of every field: they need not be found again by reflection and analysis.
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

// fieldTerms are the terms of a document by field. One may occur several times.
type fieldTerms [fieldCount][]string

// MapDocument implements mapping.IndexMapping.
func (t *termMapping) MapDocument(doc *bleved.Document, data any) error {
	terms, ok := data.(*fieldTerms)
	if !ok {
		return fmt.Errorf("indexes: %T instead of terms", data)
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
	freqs index.TokenFrequencies // shared by the field of all documents
}

// singleFreq is what is said about each term: that it is there. With a frequency of
// one, the segment keeps the document of a term that only one has beside the
// term.
var singleFreq = func() *index.TokenFreq {
	f := &index.TokenFreq{}
	f.SetFrequency(1)
	return f
}()

// AnalyzedTokenFrequencies returns the terms. The map is valid until another
// document is asked for the same field: segments take documents one by one.
func (f *termField) AnalyzedTokenFrequencies() index.TokenFrequencies {
	clear(f.freqs)
	for _, t := range f.terms {
		f.freqs[t] = singleFreq
	}
	return f.freqs
}

// AnalyzedLength is the same for all, since lengths do not count.
func (f *termField) AnalyzedLength() int { return 1 }

func (f *termField) Name() string                        { return f.name }
func (f *termField) Analyze()                            {}
func (f *termField) Options() index.FieldIndexingOptions { return index.IndexField }
func (f *termField) EncodedFieldType() byte              { return 't' }
func (f *termField) ArrayPositions() []uint64            { return nil }
func (f *termField) Value() []byte                       { return nil }
func (f *termField) NumPlainTextBytes() uint64           { return 0 }
func (f *termField) Size() int                           { return 0 }

// docID is the external id of a document: its ordinal.
func docID(ordinal uint32) string { return string(binary.BigEndian.AppendUint32(nil, ordinal)) }
