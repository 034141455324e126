package indexes

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"

	"github.com/blevesearch/vellum"

	"kindex/exports/store"
)

// The files of the phrase store: the number of each word, the offsets of each
// record's words, the words, and the pairFilter.
const (
	vocabularyFile    = "vocabulary.fst"
	phraseOffsetsFile = "places.bin"
	phrasesFile       = "texts.bin"
	pairsFile         = "pairs.bin"
)

// phraseStore stores the words of all records in order, so that phrases can be
// found. Words are stored as numbers with seven bits per byte, most significant
// first, and the eighth bit set in the last byte. So a phrase is a sequence of
// bytes. An occurrence of these bytes is valid if it is at the start or if the byte
// before it is the last byte of a word.
//
// A record is stored as the length of its names and the length of its topics, both
// as uvarints, followed by names, topics and description. Values within a list are
// separated by the number 0.
type phraseStore struct {
	vocabulary *vellum.FST
	offsets    []byte // the start of each document, then the end of the last document
	words      []byte
	pairs      pairFilter
}

func (t *phraseStore) open(files *mappedFiles) error {
	vocabulary, err := files.open(vocabularyFile)
	if err != nil {
		return err
	}
	if t.vocabulary, err = vellum.Load(vocabulary); err != nil {
		return &store.DamageError{Path: vocabularyFile, Problem: err.Error()}
	}
	if t.offsets, err = files.open(phraseOffsetsFile); err != nil {
		return err
	}
	if t.words, err = files.open(phrasesFile); err != nil {
		return err
	}
	pairs, err := files.open(pairsFile)
	if err == nil && len(pairs) != pairFilterSize(t.numDocs()) {
		err = &store.DamageError{Path: pairsFile, Problem: fmt.Sprintf("has %d bytes for %d documents", len(pairs), t.numDocs())}
	}
	t.pairs = pairFilter{pairs, setWords(t.numDocs())}
	return err
}

func (t *phraseStore) numDocs() int { return len(t.offsets)/8 - 1 }

// docWords returns the words of a document in a list: names, topics or
// description.
func (t *phraseStore) docWords(docNum uint32, list int) []byte {
	return textLists(t.text(docNum))[list]
}

// text returns the words of a document as they are stored.
func (t *phraseStore) text(docNum uint32) []byte {
	return t.words[binary.LittleEndian.Uint64(t.offsets[8*docNum:]):binary.LittleEndian.Uint64(t.offsets[8*docNum+8:])]
}

// textLists splits a stored document into its lists.
func textLists(b []byte) [wordFields][]byte {
	name, n := binary.Uvarint(b)
	topic, m := binary.Uvarint(b[n:])
	b = b[n+m:]
	return [wordFields][]byte{nameField: b[:name], topicField: b[name : name+topic], textField: b[name+topic:]}
}

// phrase is a sequence of words to search for.
type phrase struct {
	words   []string
	encoded []byte // the stored form of the phrase, or nil if one of its words does not occur in any stored record
	rows    []int  // the rows of pairFilter for its pairs of words
}

// encode sets the stored form of a phrase.
func (t *phraseStore) encode(p *phrase) error {
	var b []byte
	last := uint64(0)
	for i, w := range p.words {
		id, ok, err := t.vocabulary.Get([]byte(w))
		if err != nil || !ok {
			return err
		}
		if b = appendWord(b, id); i > 0 {
			rows := pairRows(last, id)
			p.rows = append(p.rows, rows[:]...)
		}
		last = id
	}
	p.encoded = b
	return nil
}

// encodePhrase prepares a phrase for searching. It returns nil if no record can
// contain the phrase.
func (x *Index) encodePhrase(words []string) (*phrase, error) {
	p := &phrase{words: words}
	if err := x.phrases.encode(p); err != nil || p.encoded == nil && len(x.memSegments) == 0 {
		return nil, err
	}
	return p, nil
}

// hasPhrase reports whether a record contains a phrase in a list.
func (s *session) hasPhrase(o uint32, p *phrase, list int) bool {
	x := s.index
	switch {
	case !x.isStored(o):
		return x.document(o).hasPhrase(p.words)[list]
	case p.encoded == nil:
		return false
	}
	return hasPhrase(x.phrases.docWords(o, list), p.encoded)
}

// havePhrase sets has[i] to whether records[i] contains a phrase in a list. There must be at most keepBatch records.
func (s *session) havePhrase(records []uint32, has []bool, p *phrase, list int) {
	x := s.index
	var texts [keepBatch][]byte
	for i, o := range records {
		if !x.isStored(o) {
			has[i] = x.document(o).hasPhrase(p.words)[list]
		} else if p.encoded != nil {
			texts[i] = x.phrases.text(o)
		}
	}
	// The places in memory are random. Reading the first byte of all texts before anything else lets the
	// processor overlap the cache misses.
	var touched byte
	for _, text := range texts[:len(records)] {
		if len(text) > 0 {
			touched += text[0]
		}
	}
	for i, text := range texts[:len(records)] {
		if text != nil {
			has[i] = hasPhrase(textLists(text)[list], p.encoded)
		}
	}
	runtime.KeepAlive(touched) // or the compiler would leave out those reads
}

// hasPhrase reports whether a text contains an encoded phrase.
func hasPhrase(text, encoded []byte) bool {
	for from := 0; len(text)-from >= len(encoded); {
		at := bytes.Index(text[from:], encoded)
		if at < 0 {
			return false
		}
		if at += from; at == 0 || text[at-1] >= 0x80 {
			return true
		}
		from = at + 1
	}
	return false
}

// appendWord encodes the number of a word.
func appendWord(dst []byte, id uint64) []byte {
	from := len(dst)
	dst = append(dst, byte(id)|0x80)
	for id >>= 7; id > 0; id >>= 7 {
		dst = append(dst, byte(id)&0x7f)
	}
	slices.Reverse(dst[from:])
	return dst
}
