// Package exports defines the files of a build, and writes, opens and queries them.
// It is the contract between the builder and the edge. Package record defines the
// content of the files, package table their rows and columns, package view the
// catalogue in memory, package history what happened to it, and package store the
// folder of a build.
//
// A build is immutable. It is stored in exports/builds/<id>/ in an output folder;
// exports/current contains the ID of the served build. Every byte of a build is
// determined by the content, the commit and the as-of time.
package exports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/blevesearch/mmap-go"

	"kindex/exports/history"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/store"
	"kindex/exports/view"
)

// Open maps a build into memory and decodes its records. It does not compare the files with their
// sums in the manifest; to do that too, call store.Verify first.
func Open(dir string) (*Build, error) {
	r, err := store.OpenFiles(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	m, _, err := store.OpenManifest(r)
	if err != nil {
		return nil, err
	}
	b := &Build{Dir: dir, Manifest: m, files: make(map[string]mmap.MMap, len(m.Files))}
	if err := b.mapFiles(r); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	if err := b.openLookups(); err != nil {
		return nil, errors.Join(&store.DamageError{Path: dir, Problem: "has inconsistent lookup files: " + err.Error()}, b.Close())
	}
	return b, nil
}

// OpenCurrent opens the published build of an output folder without verifying it.
func OpenCurrent(root string) (*Build, error) {
	id, err := store.Current(root)
	if err != nil {
		return nil, err
	}
	return Open(filepath.Join(store.BuildsDir(root), id))
}

// mapFiles maps the files of the build.
func (b *Build) mapFiles(dir *os.Root) (err error) {
	for _, f := range b.Manifest.Files {
		if b.files[f.Path], err = mapFile(dir, f); err != nil {
			return err
		}
	}
	return nil
}

func mapFile(dir *os.Root, f store.File) (mmap.MMap, error) {
	file, err := store.OpenFile(dir, f)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if f.Size == 0 {
		return nil, nil // empty files cannot be mapped
	}
	m, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", file.Name(), err)
	}
	return m, nil
}

// openLookups reads the files that are kept in memory.
func (b *Build) openLookups() error {
	terms, err := b.readTerms()
	if err != nil {
		return err
	}
	entities, records, err := readRecords(terms.Kinds(), bytes.Clone(b.files[recordsFile]))
	if err != nil {
		return err
	}
	b.View = view.New(entities, records, terms, "")
	b.formula = sync.OnceValues(func() (*score.Formula, error) { return score.ParseChecked(terms.Kinds(), b.files[ScoringFile]) })
	if b.history, err = b.openHistory(); err != nil {
		return err
	}
	if err := errors.Join(b.openSimilar(), b.openBoards(), b.openLeaderboards()); err != nil {
		return err
	}
	if c := b.Manifest.Counts; b.Listed() != c.Entities || b.Ranked() != c.Ranked {
		return fmt.Errorf("%s has %d listed and %d ranked entities, but the manifest says %d and %d", recordsFile, b.Listed(), b.Ranked(), c.Entities, c.Ranked)
	}
	return nil
}

func (b *Build) openHistory() (*history.Archive, error) {
	s := history.Source{File: func(name string) []byte { return b.files[name] }, Records: b.View, Formula: b.formula}
	s.AsOf, _ = time.Parse(time.RFC3339, b.Manifest.AsOf) // without one, the history ends with its last version
	for _, f := range b.Manifest.Files {
		s.Files = append(s.Files, f.Path)
	}
	return history.Open(s)
}

// readTerms reads what the content declares besides entities. A file that is missing declares nothing.
func (b *Build) readTerms() (*view.Terms, error) {
	var providers pricing.Providers
	var categories []record.Category
	for _, f := range []struct {
		name string
		to   any
	}{
		{ProvidersFile, &providers}, {CategoriesFile, &categories},
		{SynonymsFile, &b.synonyms}, {VocabularyFile, &b.vocabulary},
	} {
		if data := b.files[f.name]; data != nil {
			if err := json.Unmarshal(data, f.to); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	declared := kinds.Default()
	if data := b.files[KindsFile]; data != nil {
		var err error
		if declared, err = kinds.Parse(data); err != nil {
			return nil, fmt.Errorf("%s: %w", KindsFile, err)
		}
	}
	t := view.NewTerms(declared, providers)
	for _, c := range categories {
		t.Replace("category", c.Slug, c.Formerly)
	}
	if b.vocabulary == nil {
		return t, nil
	}
	for _, w := range b.vocabulary.Capabilities {
		t.Replace("capability", w.Slug, w.Synonyms)
	}
	for _, w := range b.vocabulary.Tags {
		t.Replace("tag", w.Slug, w.Synonyms)
	}
	return t, nil
}
