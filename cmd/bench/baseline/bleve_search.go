package baseline

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
)

// BleveSearch searches with Bleve's own API in the Bleve index that is part of kindex's search
// index. Bleve scores every match and returns the best 20.
type BleveSearch struct {
	index  bleve.Index
	record func(document uint32) []byte
	stem   func(word string) string
}

// The lists of words in the index, with the weights that kindex gives them. Names contain the
// words as they are, the other lists their stems.
var bleveLists = []struct {
	field  string
	weight float64
	stems  bool
}{{"name", 8, false}, {"topic", 3, true}, {"text", 1.5, true}}

// OpenBleve opens the index in a folder. record returns the record of a document, and stem the
// form in which the index has a word.
func OpenBleve(dir string, record func(uint32) []byte, stem func(string) string) (*BleveSearch, error) {
	x, err := bleve.OpenUsing(dir, map[string]any{"read_only": true})
	if err != nil {
		return nil, err
	}
	return &BleveSearch{x, record, stem}, nil
}

// Close closes the index.
func (x *BleveSearch) Close() error { return x.index.Close() }

// All finds the top 20 documents that contain all of the words.
func (x *BleveSearch) All(dst []byte, words ...string) ([]byte, int, error) {
	all := make([]query.Query, len(words))
	for i, w := range words {
		all[i] = anyList(w, x.stem(w), func(w string) query.FieldableQuery { return bleve.NewTermQuery(w) })
	}
	return x.found(dst, bleve.NewConjunctionQuery(all...))
}

// Prefix finds the top 20 documents that contain a word with the given prefix.
func (x *BleveSearch) Prefix(dst []byte, begin string) ([]byte, int, error) {
	return x.found(dst, anyList(begin, begin, func(w string) query.FieldableQuery { return bleve.NewPrefixQuery(w) }))
}

// Fuzzy finds the top 20 documents that contain a word within the edit distance that kindex
// allows.
func (x *BleveSearch) Fuzzy(dst []byte, word string) ([]byte, int, error) {
	edits := 1
	if utf8.RuneCountInString(word) >= 8 {
		edits = 2
	}
	return x.found(dst, anyList(word, word, func(w string) query.FieldableQuery {
		q := bleve.NewFuzzyQuery(w)
		q.SetFuzziness(edits)
		return q
	}))
}

// anyList returns a query for a word in any list, or for its stem in lists that contain stems.
func anyList(word, stem string, of func(string) query.FieldableQuery) query.Query {
	lists := make([]query.Query, len(bleveLists))
	for i, l := range bleveLists {
		w := word
		if l.stems {
			w = stem
		}
		q := of(w)
		q.SetField(l.field)
		if b, ok := q.(query.BoostableQuery); ok {
			b.SetBoost(l.weight)
		}
		lists[i] = q
	}
	return bleve.NewDisjunctionQuery(lists...)
}

// found appends the records of the top 20 matches to dst.
func (x *BleveSearch) found(dst []byte, q query.Query) ([]byte, int, error) {
	res, err := x.index.Search(bleve.NewSearchRequestOptions(q, topHits, 0, false))
	if err != nil {
		return dst, 0, err
	}
	for _, h := range res.Hits {
		if len(h.ID) != 4 {
			return dst, 0, fmt.Errorf("unexpected document ID %x", h.ID)
		}
		dst = append(dst, x.record(binary.BigEndian.Uint32([]byte(h.ID)))...)
	}
	return dst, len(res.Hits), nil
}

// topHits is the number of records that a search returns, the API's default.
const topHits = 20
