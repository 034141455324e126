package indexes

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/vellum"
	"github.com/blevesearch/zapx/v16"
	"golang.org/x/sync/errgroup"
)

// collector receives the documents of a build in the order of their ordinals and
// writes the files of the index.
type collector struct {
	dir           string
	bleve         bleve.Builder
	terms         fieldTerms // terms of the current record
	vocabulary    map[string]*token
	phraseOffsets []byte
	nameLengths   []byte
	phrases       *bufferedFile
	phrasesLen    uint64
	encoded       [wordFields][]byte // phrases of the current record
	last          [wordFields]uint64 // the last word of each, 0 at the start of a phrase
	pairs         pairFilter
	counter       phraseCounter
	aliasKeys     [][]byte // keys of earlier slugs
	nextOrdinal   uint32   // ordinal of the next document
}

// token is a word in the form in which phrasesFile stores it.
type token struct {
	id         uint64 // in texts
	term, stem string // the word as written, and the word in the singular
	stop       bool
}

// batchSize is the number of documents per segment before the segments are merged into one.
// Larger segments take more memory but save hardly any time.
const batchSize = 4000

// maxMerge is the maximum number of segments that are merged at once, if possible. The time for a
// merge grows with its number of terms times its number of segments.
const maxMerge = 32

// batches returns the number of documents per segment and the number of segments to merge at
// once. More than maxMerge segments are merged in two rounds. Bleve appends the result of each
// merge to the segments that are still to be merged, so the documents keep their order only if
// no merge combines segments of different rounds. This holds for m × m segments, merged m at a time.
func batches(documents int) (size, merge int) {
	n := (documents + batchSize - 1) / batchSize
	if n > maxMerge {
		m := int(math.Ceil(math.Sqrt(float64(n))))
		size = (documents + m*m - 1) / (m * m)
		if (documents+size-1)/size == m*m {
			return size, m
		}
	}
	return batchSize, n + 2
}

func newCollector(dir string, records int) (*collector, error) {
	if records == 0 {
		return nil, errors.New("indexes: no documents to index")
	}
	m, err := newTermMapping()
	if err != nil {
		return nil, err
	}
	size, merge := batches(records)
	b, err := bleve.NewBuilder(filepath.Join(dir, bleveDir), m, map[string]any{
		"buildPathPrefix": dir, "batchSize": size, "mergeMax": merge,
		"forceSegmentType": "zap", "forceSegmentVersion": int(zap.Version),
	})
	if err != nil {
		return nil, err
	}
	phrases, err := createFile(filepath.Join(dir, phrasesFile))
	if err != nil {
		return nil, err
	}
	return &collector{
		dir: dir, bleve: b, phrases: phrases, vocabulary: make(map[string]*token),
		pairs: newPairFilter(records), counter: newPhraseCounter(records), phraseOffsets: make([]byte, 8, 8*records+8), nameLengths: make([]byte, 0, records),
	}, nil
}

// add indexes the next document.
func (c *collector) add(d *document) error {
	for i := range c.encoded {
		c.encoded[i] = c.encoded[i][:0]
	}
	c.last = [wordFields]uint64{}
	for f := range c.terms {
		c.terms[f] = c.terms[f][:0]
	}
	d.terms(&c.terms, c.token)
	for _, slug := range d.aliases {
		c.aliasKeys = append(c.aliasKeys, aliasKey(c.nextOrdinal, slug))
	}
	c.nameLengths = append(c.nameLengths, d.nameLength())
	own := new(fieldTerms)
	for f, list := range c.terms {
		own[f] = slices.Clone(list)
	}
	if err := c.bleve.Index(docID(c.nextOrdinal), own); err != nil {
		return err
	}
	c.nextOrdinal++
	return c.writePhrases()
}

// token looks up a word and appends it to the phrases of the current record.
func (c *collector) token(part int, t string) *token {
	if t == "" {
		c.encoded[part] = appendWord(c.encoded[part], 0)
		c.last[part] = 0
		return nil
	}
	v := c.vocabulary[t]
	if v == nil {
		v = newToken(t)
		v.id = uint64(len(c.vocabulary) + 1)
		c.vocabulary[t] = v
	}
	c.encoded[part] = appendWord(c.encoded[part], v.id)
	c.counter.addWord(part, c.last[part], v.id)
	if c.last[part] != 0 {
		c.pairs.add(c.nextOrdinal, c.last[part], v.id)
	}
	c.last[part] = v.id
	return v
}

func (c *collector) writePhrases() error {
	head := binary.AppendUvarint(nil, uint64(len(c.encoded[nameField])))
	head = binary.AppendUvarint(head, uint64(len(c.encoded[topicField])))
	for _, b := range append([][]byte{head}, c.encoded[:]...) {
		if _, err := c.phrases.Write(b); err != nil {
			return err
		}
		c.phrasesLen += uint64(len(b))
	}
	c.phraseOffsets = binary.LittleEndian.AppendUint64(c.phraseOffsets, c.phrasesLen)
	return nil
}

// abort releases open files. It does not close Bleve's builder: the builder opens files only
// while it works, and closing it would complete the index.
func (c *collector) abort() error { return c.phrases.close() }

// segmentFiles lists the segments in a folder. It does not use a glob pattern,
// because the name of the folder may contain wildcards.
func segmentFiles(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".zap" {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// write completes the files.
func (c *collector) write() error {
	var g errgroup.Group
	g.Go(func() error {
		if err := c.bleve.Close(); err != nil {
			return err
		}
		segments, err := segmentFiles(filepath.Join(c.dir, filepath.FromSlash(segmentsDir)))
		if err == nil && len(segments) != 1 {
			err = fmt.Errorf("search index %s has %d segments; expected one", c.dir, len(segments))
		}
		if err != nil {
			return err
		}
		return c.readSegment(segments[0])
	})
	g.Go(func() error { return c.writeVocabulary(c.dir) })
	g.Go(func() error { return writeAliases(c.dir, c.aliasKeys) })
	g.Go(func() error {
		if err := c.phrases.close(); err != nil {
			return err
		}
		return c.writePhraseSets()
	})
	g.Go(func() error { return os.WriteFile(filepath.Join(c.dir, phraseOffsetsFile), c.phraseOffsets, 0o644) })
	g.Go(func() error { return os.WriteFile(filepath.Join(c.dir, nameLengthsFile), c.nameLengths, 0o644) })
	g.Go(func() error { return os.WriteFile(filepath.Join(c.dir, pairsFile), c.pairs.rows, 0o644) })
	return g.Wait()
}

// readSegment checks the complete segment and writes the vocabularies of its terms.
func (c *collector) readSegment(path string) (err error) {
	var s segmentReader
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.open(path, int(c.nextOrdinal)); err != nil {
		return err
	}
	if err := s.checkDocNums(); err != nil {
		return err
	}
	return errors.Join(writeVocabularies(c.dir, &s), writePrefixes(c.dir, &s, int(c.nextOrdinal)))
}

func (c *collector) writeVocabulary(dir string) error {
	list := make([]string, 0, len(c.vocabulary))
	for t := range c.vocabulary {
		list = append(list, t)
	}
	slices.Sort(list)
	return writeTransducer(filepath.Join(dir, vocabularyFile), func(insert func(key []byte, value uint64)) {
		for _, t := range list {
			insert([]byte(t), c.vocabulary[t].id)
		}
	})
}

// writeTransducer writes sorted keys with their values.
func writeTransducer(path string, each func(insert func(key []byte, value uint64))) error {
	f, err := createFile(path)
	if err != nil {
		return err
	}
	b, err := vellum.New(f, nil)
	if err != nil {
		return errors.Join(err, f.close())
	}
	each(func(key []byte, value uint64) {
		if err == nil {
			err = b.Insert(key, value)
		}
	})
	return errors.Join(err, b.Close(), f.close())
}

// bufferedFile is a file with buffered writes.
type bufferedFile struct {
	*bufio.Writer
	file *os.File
}

func createFile(path string) (*bufferedFile, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &bufferedFile{bufio.NewWriterSize(f, 1<<18), f}, nil
}

func (f *bufferedFile) close() error { return errors.Join(f.Flush(), f.file.Close()) }
