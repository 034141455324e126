package indexes

import "encoding/binary"

// pairBits is the number of bits in the filter of word pairs of each document.
const pairBits = 256

// pairHashes is the number of bits that are set for each pair. Each is in its own part of the filter.
const pairHashes = 4

// pairRows returns the rows of the filter in which a pair of words sets a bit. first and second are the numbers of
// the words.
func pairRows(first, second uint64) (rows [pairHashes]int) {
	h := pairHash(first, second)
	for i := range rows {
		rows[i] = i*pairBits/pairHashes + int(h>>58)
		h <<= 6
	}
	return rows
}

// pairHash returns a hash of a pair of words.
func pairHash(first, second uint64) uint64 {
	return (first*0x9e3779b97f4a7c15 ^ second) * 0xd6e8feb86659fd93 // odd numbers without a pattern
}

// pairFilter holds a Bloom filter (Bloom, CACM 13, 1970) of the pairs of consecutive words in each document. Most
// documents that have all words of a phrase do not have the phrase, and reading the words of a document at a random
// place would take longer than all other work of a search. The filter is stored by bit, as the set of documents in which
// the bit is set, so that a search filters all documents at once by reading a few of these sets from start to end.
// That is the layout of bit-sliced signature files (Faloutsos and Chan, VLDB 1988).
type pairFilter struct {
	rows []byte // for each bit, a set of documents, as little-endian u64
	size int    // the number of u64 in each row
}

// pairFilterSize returns the size of the filter in bytes.
func pairFilterSize(documents int) int { return pairBits * 8 * setWords(documents) }

func newPairFilter(documents int) pairFilter {
	return pairFilter{make([]byte, pairFilterSize(documents)), setWords(documents)}
}

// add adds a pair of words of a document.
func (f *pairFilter) add(docNum uint32, first, second uint64) {
	for _, row := range pairRows(first, second) {
		f.rows[8*(row*f.size+int(docNum>>6))+int(docNum>>3&7)] |= 1 << (docNum & 7)
	}
}

// narrow removes from a set the documents that certainly do not contain a phrase.
func (f *pairFilter) narrow(documents set, p *phrase) {
	for _, row := range p.rows {
		members := f.rows[8*row*f.size:][:8*f.size]
		for i, w := range documents[:f.size] {
			if w != 0 {
				documents[i] = w & binary.LittleEndian.Uint64(members[8*i:])
			}
		}
	}
}

// mayContain returns the records that may contain one of the phrases: those in memory, and those that pass the
// filter. In an exhaustive search, these are all records.
func (s *session) mayContain(phrases []*phrase) set {
	x := s.index
	found := s.set()
	if s.exhaustive {
		found.fill(x.maxDoc())
		return found
	}
	for _, p := range phrases {
		if p.encoded == nil {
			continue
		}
		documents := s.set()
		documents.fill(x.phrases.numDocs())
		x.phrases.pairs.narrow(documents, p)
		found.or(documents)
	}
	found.or(s.inMemory())
	return found
}

// inMemory returns the records whose documents are in memory. The set must not be modified.
func (s *session) inMemory() set {
	if s.memory == nil {
		s.memory = make(set, setWords(s.index.maxDoc()))
		for _, m := range s.index.memSegments {
			for o := range m.documents {
				s.memory.add(o)
			}
		}
	}
	return s.memory
}
