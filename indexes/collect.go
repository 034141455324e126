package indexes

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/vellum"
	"github.com/blevesearch/zapx/v16"
	"golang.org/x/sync/errgroup"
)

// collector takes the documents of a build in the order of their ordinals and
// makes the files of the index.
type collector struct {
	dir        string
	bleve      bleve.Builder
	terms      fieldTerms // of one record
	vocabulary map[string]*vocable
	places     []byte
	lengths    []byte
	texts      *bufferedFile
	written    uint64
	parts      [listCount][]byte // of one record
	formerly   [][]byte          // keys of earlier slugs
	next       uint32            // the ordinal of the next document
}

// vocable is a word as it stands in texts.
type vocable struct {
	number       uint64 // in texts
	term, single string // as it is, and in the singular
	stop         bool
}

// batchSize is how many documents a segment has before all are merged into one.
// Larger ones take more memory and hardly less time.
const batchSize = 4000

func newCollector(dir string, records int) (*collector, error) {
	if records == 0 {
		return nil, errors.New("indexes: there are no documents to index")
	}
	m, err := newTermMapping()
	if err != nil {
		return nil, err
	}
	b, err := bleve.NewBuilder(filepath.Join(dir, storeDir), m, map[string]any{
		"buildPathPrefix": dir, "batchSize": batchSize, "mergeMax": records/batchSize + 2,
		"forceSegmentType": "zap", "forceSegmentVersion": int(zap.Version),
	})
	if err != nil {
		return nil, err
	}
	texts, err := createFile(filepath.Join(dir, textsFile))
	if err != nil {
		return nil, err
	}
	return &collector{
		dir: dir, bleve: b, texts: texts, vocabulary: make(map[string]*vocable),
		places: make([]byte, 8, 8*records+8), lengths: make([]byte, 0, records),
	}, nil
}

// add takes over the next document.
func (c *collector) add(d *document) error {
	for i := range c.parts {
		c.parts[i] = c.parts[i][:0]
	}
	for f := range c.terms {
		c.terms[f] = c.terms[f][:0]
	}
	d.terms(&c.terms, c.vocable)
	for _, slug := range d.formerly {
		c.formerly = append(c.formerly, formerlyKey(c.next, slug))
	}
	c.lengths = append(c.lengths, d.length())
	own := new(fieldTerms)
	for f, list := range c.terms {
		own[f] = slices.Clone(list)
	}
	if err := c.bleve.Index(docID(c.next), own); err != nil {
		return err
	}
	c.next++
	return c.writeTexts()
}

// vocable looks a word up and appends it to the texts of the record.
func (c *collector) vocable(part int, t string) *vocable {
	if t == "" {
		c.parts[part] = appendWord(c.parts[part], 0)
		return nil
	}
	v := c.vocabulary[t]
	if v == nil {
		v = newVocable(t)
		v.number = uint64(len(c.vocabulary) + 1)
		c.vocabulary[t] = v
	}
	c.parts[part] = appendWord(c.parts[part], v.number)
	return v
}

func (c *collector) writeTexts() error {
	head := binary.AppendUvarint(nil, uint64(len(c.parts[inName])))
	head = binary.AppendUvarint(head, uint64(len(c.parts[inTopic])))
	for _, b := range append([][]byte{head}, c.parts[:]...) {
		if _, err := c.texts.Write(b); err != nil {
			return err
		}
		c.written += uint64(len(b))
	}
	c.places = binary.LittleEndian.AppendUint64(c.places, c.written)
	return nil
}

// abandon releases what is open. Bleve's builder has files open only while it
// works, and closing it would complete the index.
func (c *collector) abandon() error { return c.texts.close() }

// segmentFiles lists the segments in a folder, whose name may hold what a pattern
// would take for a wildcard.
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
			err = fmt.Errorf("search index %s has %d segments instead of one", c.dir, len(segments))
		}
		if err != nil {
			return err
		}
		return checkNumbers(segments[0], int(c.next))
	})
	g.Go(func() error { return c.writeVocabulary(c.dir) })
	g.Go(func() error { return writeFormerly(c.dir, c.formerly) })
	g.Go(c.texts.close)
	g.Go(func() error { return os.WriteFile(filepath.Join(c.dir, placesFile), c.places, 0o644) })
	g.Go(func() error { return os.WriteFile(filepath.Join(c.dir, lengthsFile), c.lengths, 0o644) })
	return g.Wait()
}

func (c *collector) writeVocabulary(dir string) error {
	list := make([]string, 0, len(c.vocabulary))
	for t := range c.vocabulary {
		list = append(list, t)
	}
	slices.Sort(list)
	return writeTransducer(filepath.Join(dir, vocabularyFile), func(insert func(key []byte, value uint64)) {
		for _, t := range list {
			insert([]byte(t), c.vocabulary[t].number)
		}
	})
}

// writeTransducer writes keys in order, each with a value.
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

// bufferedFile is a file that is written in large pieces.
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
