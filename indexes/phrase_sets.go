package indexes

import (
	"bufio"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/packed"
)

// phraseSetsFile contains a set for each phrase of one or two words in a list for which a search would otherwise
// read the words of very many documents. Among the documents that have the terms for these words, those in the
// set have the phrase.
const phraseSetsFile = "phrases.bin"

// minReadDocuments is the number of documents whose words a search reads in about half a millisecond. A search
// in a large index may read up to a 64th of all documents. Tests set a lower value.
var minReadDocuments = 1 << 12

// maxReadDocuments returns the maximum number of documents whose words a search should read to find
// a phrase of one or two words.
func maxReadDocuments(documents int) int { return max(minReadDocuments, documents/64) }

// minPairCounters and maxPairCounters limit the number of counters for pairs of words. Few are enough even
// for a large index, in which a pair must occur in many documents before it needs sets.
const (
	minPairCounters = 1 << 12
	maxPairCounters = 1 << 22
)

// phraseCounter counts words by list, and pairs of consecutive words. It finds out for which phrases
// phraseSetsFile needs sets, without a counter for each of millions of pairs.
type phraseCounter struct {
	words [wordFields][]uint32 // by the number of the word
	pairs []uint32             // a power of two counters; pairs that share one are counted together
}

func newPhraseCounter(documents int) phraseCounter {
	n := min(max(4*documents, minPairCounters), maxPairCounters)
	return phraseCounter{pairs: make([]uint32, 1<<bits.Len(uint(n-1)))}
}

// pair returns the counter for a pair of words.
func (c *phraseCounter) pair(first, second uint64) *uint32 {
	return &c.pairs[pairHash(first, second)>>(bits.LeadingZeros64(uint64(len(c.pairs)))+1)]
}

// addWord counts a word, and the pair of words that it ends if before is not 0.
func (c *phraseCounter) addWord(list int, before, word uint64) {
	if n := int(word) + 1 - len(c.words[list]); n > 0 {
		c.words[list] = append(c.words[list], make([]uint32, n)...)
	}
	c.words[list][word]++
	if before != 0 {
		*c.pair(before, word)++
	}
}

// word returns how often a word occurs in a list.
func (c *phraseCounter) word(list int, word uint64) int {
	if word >= uint64(len(c.words[list])) {
		return 0
	}
	return int(c.words[list][word])
}

// phraseSets collects the sets of phraseSetsFile. A frequent pair of words has a set for each list: a document passes
// pairFilter if it has the pair in any list.
type phraseSets struct {
	documents int
	limit     int // result of maxReadDocuments
	counter   *phraseCounter
	words     [wordFields]map[uint64]*roaring.Bitmap
	pairs     map[[2]uint64]*[wordFields]*roaring.Bitmap
}

// newPhraseSets decides which words need sets: those whose candidates, the documents that narrowPhrase leaves, are too
// many. These have the word in any list if it is a stop word. Otherwise, they have the word or,
// except in names, a word with the same singular.
func newPhraseSets(counter *phraseCounter, vocabulary map[string]*token, documents int) *phraseSets {
	s := &phraseSets{documents: documents, limit: maxReadDocuments(documents), counter: counter,
		pairs: map[[2]uint64]*[wordFields]*roaring.Bitmap{}}
	var candidates [wordFields]map[string]int // by stem
	for list := range wordFields {
		s.words[list], candidates[list] = map[uint64]*roaring.Bitmap{}, map[string]int{}
		for _, v := range vocabulary {
			candidates[list][v.stem] += counter.word(list, v.id)
		}
	}
	for _, v := range vocabulary {
		anywhere := 0
		for list := range wordFields {
			anywhere += counter.word(list, v.id)
		}
		for list := range wordFields {
			n := candidates[list][v.stem]
			switch {
			case v.stop:
				n = anywhere
			case list == nameField:
				n = counter.word(list, v.id)
			}
			if n > s.limit {
				s.words[list][v.id] = roaring.New()
			}
		}
	}
	return s
}

// add adds the words of a document in a list, as phraseStore stores them.
func (s *phraseSets) add(docNum uint32, list int, words []byte) {
	before, word := uint64(0), uint64(0)
	for _, b := range words {
		word = word<<7 | uint64(b&0x7f)
		if b < 0x80 {
			continue
		}
		if found := s.words[list][word]; found != nil {
			found.Add(docNum)
		}
		if before != 0 && word != 0 && int(*s.counter.pair(before, word)) > s.limit {
			pair := [2]uint64{before, word}
			found := s.pairs[pair]
			if found == nil {
				found = &[wordFields]*roaring.Bitmap{roaring.New(), roaring.New(), roaring.New()}
				s.pairs[pair] = found
			}
			found[list].Add(docNum)
		}
		before, word = word, 0
	}
}

// sections returns the content of phraseSetsFile. words has the words by their number.
func (s *phraseSets) sections(words []*token) ([][]byte, error) {
	sets := map[string]*roaring.Bitmap{}
	for list := range wordFields {
		s.widen(list, words)
		for word, found := range s.words[list] {
			sets[fieldNames[list]+"\x00"+words[word].term] = found
		}
	}
	for pair, lists := range s.pairs {
		if roaring.FastOr(lists[:]...).GetCardinality() <= uint64(s.limit) {
			continue // it was counted together with others
		}
		for list, found := range lists {
			sets[fieldNames[list]+"\x00"+words[pair[0]].term+" "+words[pair[1]].term] = found
		}
	}
	for _, found := range sets {
		found.RunOptimize()
	}
	return packed.PackPostings(sets)
}

// widen replaces the set of each word that has no other form in a list with the set of all documents, which takes
// next to no space: among the candidates, it contains the same documents. In names, candidates may also have
// the word as part of a joined term.
func (s *phraseSets) widen(list int, words []*token) {
	if list == nameField {
		return
	}
	all := roaring.New()
	all.AddRange(0, uint64(s.documents))
	forms := map[string]int{} // by stem: the number of words in the list
	for _, v := range words[1:] {
		if s.counter.word(list, v.id) > 0 {
			forms[v.stem]++
		}
	}
	for word := range s.words[list] {
		if v := words[word]; !v.stop && forms[v.stem] == 1 && s.counter.word(list, word) > 0 {
			s.words[list][word] = all
		}
	}
}

// writePhraseSets writes phraseSetsFile, after phrasesFile has been written.
func (c *collector) writePhraseSets() error {
	sets := newPhraseSets(&c.counter, c.vocabulary, int(c.nextOrdinal))
	if err := c.eachText(sets.add); err != nil {
		return err
	}
	words := make([]*token, len(c.vocabulary)+1)
	for _, v := range c.vocabulary {
		words[v.id] = v
	}
	sections, err := sets.sections(words)
	if err != nil {
		return err
	}
	return writeSections(filepath.Join(c.dir, phraseSetsFile), sections)
}

// eachText calls f with the words of each document in each list, as phraseStore stores them.
func (c *collector) eachText(f func(docNum uint32, list int, words []byte)) error {
	file, err := os.Open(filepath.Join(c.dir, phrasesFile))
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 1<<18)
	var text []byte
	for docNum := range c.nextOrdinal {
		size := packed.Uint64At(c.phraseOffsets, int(docNum)+1) - packed.Uint64At(c.phraseOffsets, int(docNum))
		text = slices.Grow(text[:0], int(size))[:size]
		if _, err := io.ReadFull(r, text); err != nil {
			return err
		}
		for list, words := range textLists(text) {
			f(docNum, list, words)
		}
	}
	return nil
}

// phraseSet returns a set of records: among those that are not in memory and that narrowPhrase keeps, the set contains
// those with a phrase in a list. ok is false if there is no set for the phrase, so that the words of
// documents must be read.
func (s *session) phraseSet(phrase []string, list int) (found set, ok bool) {
	if s.exhaustive || len(phrase) > 2 {
		return nil, false
	}
	stored := s.index.phraseSets.Find(fieldNames[list], strings.Join(phrase, " "))
	if stored == nil {
		return nil, false
	}
	found = s.set()
	stored.WriteDenseTo(found)
	return found, true
}

// keepPhrase removes the records that do not have a phrase in a list. candidates must be the result of narrowPhrase.
func (s *session) keepPhrase(candidates set, p *phrase, list int) {
	known, ok := s.phraseSet(p.words, list)
	if ok {
		known.and(candidates)
		candidates.and(s.inMemory())
	}
	candidates.keep(func(records []uint32, kept []bool) { s.havePhrase(records, kept, p, list) })
	candidates.or(known)
}
