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
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"kindex/exports/history"
	"kindex/exports/kinds"
	"kindex/exports/parallel"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/store"
	"kindex/exports/view"
)

// Open opens a build and decodes its records. It does not compare the files with their sums in the manifest;
// to do that too, call store.Verify first.
func Open(dir string) (*Build, error) {
	r, err := store.OpenFiles(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	m, err := store.OpenManifest(r)
	if err != nil {
		return nil, err
	}
	b := &Build{Dir: dir, Manifest: m, files: make(map[string]*os.File, len(m.Files))}
	for _, f := range m.Files {
		if b.files[f.Path], err = store.OpenFile(r, f); err != nil {
			delete(b.files, f.Path)
			return nil, errors.Join(err, b.Close())
		}
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

func (b *Build) openLookups() error {
	terms, err := b.readTerms()
	if err != nil {
		return err
	}
	entities, err := b.readRecords(terms.Kinds())
	if err != nil {
		return err
	}
	b.View = view.New(entities, b.storedRecord, terms, "")
	if c := b.Manifest.Counts; b.Listed() != c.Entities || b.Ranked() != c.Ranked {
		return fmt.Errorf("%s has %d listed and %d ranked entities, but the manifest says %d and %d", recordsFile, b.Listed(), b.Ranked(), c.Entities, c.Ranked)
	}
	b.formula = sync.OnceValues(func() (*score.Formula, error) {
		data, err := b.ReadFile(ScoringFile)
		if err != nil {
			return nil, err
		}
		return score.ParseChecked(terms.Kinds(), data)
	})
	open := []func() error{b.openHistory, b.openBoards, b.openSimilar, b.openLeaderboards}
	return parallel.Each(len(open), func(i int) error { return open[i]() })
}

func (b *Build) openHistory() (err error) {
	s := history.Source{File: b.ReadFile, Records: b.View, Formula: b.formula}
	s.AsOf, _ = time.Parse(time.RFC3339, b.Manifest.AsOf) // without one, the history ends with its last version
	for _, f := range b.Manifest.Files {
		s.Files = append(s.Files, f.Path)
	}
	b.history, err = history.Open(s)
	return err
}

// readTerms reads what the content declares besides entities. A file that is missing declares nothing.
func (b *Build) readTerms() (*view.Terms, error) {
	var providers pricing.Providers
	for _, f := range []struct {
		name string
		to   any
	}{
		{ProvidersFile, &providers}, {CategoriesFile, &b.categories},
		{SynonymsFile, &b.synonyms}, {VocabularyFile, &b.vocabulary},
	} {
		if err := b.readJSON(f.name, f.to); err != nil {
			return nil, err
		}
	}
	declared := kinds.Default()
	data, err := b.ReadFile(KindsFile)
	if data != nil && err == nil {
		declared, err = kinds.Parse(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", KindsFile, err)
	}
	t := view.NewTerms(declared, providers)
	t.AsOf = b.Manifest.AsOf[:min(len(time.DateOnly), len(b.Manifest.AsOf))]
	for _, c := range b.categories {
		t.Replace("category", c.Slug, c.Formerly)
	}
	for filter, list := range map[string]string{"capability": record.CapabilityWords, "tag": record.TagWords} {
		for _, w := range b.vocabulary[list] {
			t.Replace(filter, w.Slug, w.Synonyms)
		}
	}
	for _, f := range declared.Leaves() {
		for _, w := range b.vocabulary[f.Vocabulary] {
			t.Replace(f.Query, w.Slug, w.Synonyms)
			f.SetTitle(w.Slug, string(w.Title))
		}
	}
	return t, nil
}

func (b *Build) readJSON(name string, to any) error {
	data, err := b.ReadFile(name)
	if data != nil && err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
