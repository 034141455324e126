// Package indexes builds and searches the search index of a build.
//
// It is the search contract between the builder and the edge, and the only package
// that uses Bleve. Bleve's offline builder writes an ordinary index as a single segment, in
// which the number of a document is the record's ordinal. Open reads terms and postings through
// Bleve's interface of segments, and searches combine sets of records. Everything else that relevance
// needs comes from the build in memory.
//
// The index of a build is in indexes/builds/<id>/ and has its own manifest.
package indexes

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

	"kindex/exports/record"
	"kindex/exports/store"
)

// MappingVersion is the version of what is indexed and how. Indexes of different
// versions are rejected, and changing it changes the IDs of builds.
const MappingVersion = 8

const (
	manifestFile = "manifest.json"
	bleveDir     = "bleve"
	segmentsDir  = bleveDir + "/store" // where Bleve keeps segments
)

var buildsFolder = []string{"indexes", "builds"}

// Dir returns the folder of a build's index in an output folder.
func Dir(root, id string) string { return filepath.Join(root, "indexes", "builds", id) }

// Written is an index in a temporary folder.
type Written struct {
	Stub store.IndexStub // identifies the documents; it does not depend on how the index is built
	root string
	name string // of the folder
}

// Write writes an index to a temporary folder in an output folder. Install moves it to its final location. The entities
// must be in the order of their ordinals; titles maps category slugs to titles.
func Write(root string, entities []*record.Entity, titles map[string]string) (w *Written, err error) {
	if len(entities) == 0 {
		return nil, errors.New("indexes: no documents to index")
	}
	builds, err := store.MakeFolder(root, buildsFolder...)
	if err != nil {
		return nil, err
	}
	name, err := store.TemporaryDir(builds)
	if err = errors.Join(err, builds.Close()); err != nil {
		return nil, err
	}
	w = &Written{store.IndexStub{MappingVersion: MappingVersion, Documents: len(entities)}, root, name}
	documents, sum := make([]*document, len(entities)), sha256.New()
	out := json.NewEncoder(sum)
	for i, e := range entities {
		documents[i] = newDocument(e, titles)
		err = errors.Join(err, out.Encode(documents[i]))
	}
	w.Stub.SHA256 = hex.EncodeToString(sum.Sum(nil))
	dir := Dir(root, name)
	if err = errors.Join(err, writeBleve(filepath.Join(dir, bleveDir), dir, documents)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return w, nil
}

// Install writes the manifest and moves the index to its final location, as that of a build. It replaces an index that
// is already there, because the ID determines the bytes of a build but not those of an index.
func (w *Written) Install(id string) error {
	dir := Dir(w.root, w.name)
	m := store.IndexManifest{FormatVersion: store.FormatVersion, IndexStub: w.Stub, Build: id}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := store.Describe(dir, path)
		m.Files = append(m.Files, f)
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(m.Files, func(a, b store.File) int { return strings.Compare(a.Path, b.Path) })
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, manifestFile), append(data, '\n'), 0o644), store.SyncTree(dir)); err != nil {
		return err
	}
	builds, err := store.OpenFolder(w.root, buildsFolder...)
	if err != nil {
		return err
	}
	defer builds.Close()
	if err := builds.RemoveAll(id); err != nil {
		return err
	}
	return errors.Join(builds.Rename(w.name, id), store.SyncDir(builds.Name()))
}

// Verify checks the index of a build: that its versions are supported, that it was
// built from the documents that the build names, and that every file is intact. It
// reports problems as *store.DamageError.
func Verify(dir, id string, want store.IndexStub) (*store.IndexManifest, error) {
	m, err := readManifest(dir, id, want)
	if err != nil {
		return nil, err
	}
	return m, store.VerifyFiles(dir, m.Files)
}

// maxManifestSize is the maximum size of a manifest in bytes. A manifest lists
// about twenty files.
const maxManifestSize = 1 << 20

// readManifest reads the manifest of a build's index and checks that this program
// supports it, and that the index was built from the expected documents.
func readManifest(dir, id string, want store.IndexStub) (*store.IndexManifest, error) {
	path := filepath.Join(dir, manifestFile)
	files, err := store.OpenFiles(dir)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	data, err := store.ReadFile(files, manifestFile, maxManifestSize)
	if err != nil {
		return nil, err
	}
	var m store.IndexManifest
	damage := func(format string, args ...any) error {
		return &store.DamageError{Path: path, Problem: fmt.Sprintf(format, args...)}
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, damage("is not a valid manifest: %v", err)
	}
	switch {
	case m.FormatVersion != store.FormatVersion:
		return nil, damage("has format version %d, but this program reads version %d; build it again with this program", m.FormatVersion, store.FormatVersion)
	case m.MappingVersion != MappingVersion:
		return nil, damage("has mapping version %d, but this program reads version %d; build it again with this program", m.MappingVersion, MappingVersion)
	case m.Build != id:
		return nil, damage("belongs to build %s, not %s", m.Build, id)
	}
	if err := store.CheckFiles(m.Files); err != nil {
		return nil, damage("%v", err)
	}
	if m.IndexStub != want {
		return nil, damage("was not built from the build's documents")
	}
	return &m, nil
}

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

const termSeparator = "\n"

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
func writeBleve(path, tmp string, documents []*document) error {
	m, err := newMapping()
	if err != nil {
		return err
	}
	b, err := bleve.NewBuilder(path, m, map[string]any{"buildPathPrefix": tmp, "batchSize": batchSize, "mergeMax": len(documents)/batchSize + 2,
		"forceSegmentType": zap.Type, "forceSegmentVersion": int(zap.Version)})
	if err != nil {
		return err
	}
	for o, d := range documents {
		texts := map[string]string{}
		for f, list := range d.terms() {
			texts[fieldNames[f]] = strings.Join(list, termSeparator)
		}
		if err := b.Index(docID(o), texts); err != nil {
			return err
		}
	}
	return b.Close()
}
