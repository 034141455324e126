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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// buildsFolder is the folder of all indexes in an output folder.
var buildsFolder = []string{"indexes", "builds"}

// Manifest describes the index of one build.
type Manifest struct {
	FormatVersion int `json:"formatVersion"`
	store.IndexStub
	Build string       `json:"build"`
	Files []store.File `json:"files"`
}

// Dir returns the folder of a build's index in an output folder.
func Dir(root, id string) string { return filepath.Join(root, "indexes", "builds", id) }

// Prepared holds a build's documents, ready to be indexed.
type Prepared struct {
	// Stub identifies the input of the index. Write sets it. It does not depend on how the
	// index is built.
	Stub store.IndexStub

	entities []*record.Entity
	titles   map[string]string
}

// Prepare prepares the documents of entities, which must be in the order of their
// ordinals. titles maps category slugs to titles.
func Prepare(entities []*record.Entity, titles map[string]string) *Prepared {
	return &Prepared{entities: entities, titles: titles}
}

// Write writes the index to a temporary folder in an output folder and returns that
// folder. Install moves it to its final location.
func (p *Prepared) Write(root string) (dir string, err error) {
	builds, err := store.MakeFolder(root, buildsFolder...)
	if err != nil {
		return "", err
	}
	name, err := store.TemporaryDir(builds)
	if err = errors.Join(err, builds.Close()); err != nil {
		return "", err
	}
	dir = filepath.Join(Dir(root, ""), name)
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	sum, err := digest(p.documents)
	if err != nil {
		return "", err
	}
	p.Stub = store.IndexStub{MappingVersion: MappingVersion, Documents: len(p.entities), SHA256: sum}
	if len(p.entities) == 0 {
		return "", errors.New("indexes: no documents to index")
	}
	return dir, writeBleve(filepath.Join(dir, bleveDir), dir, len(p.entities), p.documents)
}

// documents calls yield with the documents in order.
func (p *Prepared) documents(yield func(*document) bool) {
	for _, e := range p.entities {
		if !yield(newDocument(e, p.titles)) {
			return
		}
	}
}

// Install writes the manifest into a folder that Write returned and moves it to the final
// location. It replaces an index that is already there, because the ID determines the bytes of a
// build but not those of an index.
func (p *Prepared) Install(root, dir, id string) error {
	final := Dir(root, id)
	m := Manifest{FormatVersion: store.FormatVersion, IndexStub: p.Stub, Build: id}
	var err error
	if m.Files, err = p.describe(dir); err != nil {
		return err
	}
	slices.SortFunc(m.Files, func(a, b store.File) int { return strings.Compare(a.Path, b.Path) })
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, manifestFile), append(data, '\n'), 0o644); err != nil {
		return err
	}
	if err := store.SyncTree(dir); err != nil {
		return err
	}
	builds, err := store.OpenFolder(root, buildsFolder...)
	if err != nil {
		return err
	}
	defer builds.Close()
	if err := builds.RemoveAll(id); err != nil {
		return err
	}
	if err := builds.Rename(filepath.Base(dir), id); err != nil {
		return err
	}
	return store.SyncDir(filepath.Dir(final))
}

// describe lists the files of an index.
func (p *Prepared) describe(dir string) (files []store.File, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := store.Describe(dir, path)
		files = append(files, f)
		return err
	})
	return files, err
}

// Verify checks the index of a build: that its versions are supported, that it was
// built from the documents that the build names, and that every file is intact. It
// reports problems as *store.DamageError.
func Verify(dir, id string, want store.IndexStub) (*Manifest, error) {
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
func readManifest(dir, id string, want store.IndexStub) (*Manifest, error) {
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
	var m Manifest
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
