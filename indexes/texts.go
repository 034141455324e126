package indexes

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/blevesearch/vellum"

	"kindex/exports/store"
)

// The files of texts: the number of each word, where the texts of each record
// begin, and the texts.
const (
	vocabularyFile = "vocabulary.fst"
	placesFile     = "places.bin"
	textsFile      = "texts.bin"
)

// texts are the words of all records in the order in which they stand, to find
// phrases with. Words are kept as numbers: seven bits a byte, the highest first,
// with the eighth bit set in the last one. So a phrase is a sequence of bytes,
// and it begins where it is found if the byte before is the last of a word.
//
// A record has the lengths of its names and its topics as uvarints, then names,
// topics and description. Between two values stands the number 0.
type texts struct {
	vocabulary *vellum.FST
	places     []byte // one more than there are documents
	words      []byte
}

func (t *texts) open(files *mappedFiles) error {
	vocabulary, err := files.open(vocabularyFile)
	if err != nil {
		return err
	}
	if t.vocabulary, err = vellum.Load(vocabulary); err != nil {
		return &store.DamageError{Path: vocabularyFile, Problem: err.Error()}
	}
	if t.places, err = files.open(placesFile); err != nil {
		return err
	}
	t.words, err = files.open(textsFile)
	return err
}

func (t *texts) documents() int { return len(t.places)/8 - 1 }

// of are the words of a document in a list: those of names, topics or the description.
func (t *texts) of(number uint32, list int) []byte {
	b := t.words[binary.LittleEndian.Uint64(t.places[8*number:]):binary.LittleEndian.Uint64(t.places[8*number+8:])]
	name, n := binary.Uvarint(b)
	topic, m := binary.Uvarint(b[n:])
	switch b = b[n+m:]; list {
	case inName:
		return b[:name]
	case inTopic:
		return b[name : name+topic]
	}
	return b[name+topic:]
}

// pattern is the sequence of bytes that a phrase is, nil where no record has
// one of its words.
func (t *texts) pattern(phrase []string) ([]byte, error) {
	var b []byte
	for _, w := range phrase {
		number, ok, err := t.vocabulary.Get([]byte(w))
		if err != nil || !ok {
			return nil, err
		}
		b = appendWord(b, number)
	}
	return b, nil
}

// phrase is a sequence of words.
type phrase struct {
	words   []string
	pattern []byte // as stored records have it, nil where none has all of the words
}

// phrase returns a phrase that is to be looked for, nil where no record can have it.
func (x *Index) phrase(words []string) (*phrase, error) {
	pattern, err := x.texts.pattern(words)
	if err != nil || pattern == nil && len(x.layers) == 0 {
		return nil, err
	}
	return &phrase{words, pattern}, nil
}

// hasPhrase tells whether a record has a phrase in a list.
func (x *Index) hasPhrase(o uint32, p *phrase, list int) bool {
	number := x.number(o)
	switch {
	case number == nowhere:
		return x.document(o).hasPhrase(p.words)[list]
	case p.pattern == nil:
		return false
	}
	return hasPhrase(x.texts.of(number, list), p.pattern)
}

// hasPhrase tells whether a text holds a pattern.
func hasPhrase(text, pattern []byte) bool {
	for from := 0; len(text)-from >= len(pattern); {
		at := bytes.Index(text[from:], pattern)
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
func appendWord(dst []byte, number uint64) []byte {
	from := len(dst)
	dst = append(dst, byte(number)|0x80)
	for number >>= 7; number > 0; number >>= 7 {
		dst = append(dst, byte(number)&0x7f)
	}
	slices.Reverse(dst[from:])
	return dst
}
