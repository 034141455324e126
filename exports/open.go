// Package exports defines the files of a build, and writes, opens and queries them.
// It is the contract between the builder and the edge. Package record defines the
// content of the files, package table their rows and columns, package packed the
// layout of the binary files, and package store the folder of a build.
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

	"github.com/blevesearch/mmap-go"

	"kindex/exports/packed"
	"kindex/exports/parallel"
	"kindex/exports/record"
	"kindex/exports/store"
)

// Open maps a build into memory. It checks the manifest but not the content of the
// files; to check that too, call store.Verify first.
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

// mapFiles maps the files of the build. Most of the time is spent in system calls, so several files are
// opened at once.
func (b *Build) mapFiles(dir *os.Root) error {
	files := b.Manifest.Files
	maps, errs := make([]mmap.MMap, len(files)), make([]error, len(files))
	parallel.Ranges(len(files), func(from, to int) {
		for i := from; i < to; i++ {
			maps[i], errs[i] = mapFile(dir, files[i])
		}
	})
	var first error
	for i, f := range files {
		switch err := errs[i]; {
		case err == nil:
			b.files[f.Path] = maps[i]
		case first == nil:
			first = err
		}
	}
	return first
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

func (b *Build) openOrders(s *packed.SectionReader) {
	parts := s.Open(ordersFile, orderSections*len(columnKeys))
	for key := range columnKeys {
		own := parts[orderSections*key:]
		b.orders = append(b.orders, own[0], own[1])
		if !hasPrefixSets(key) {
			b.prefixes = append(b.prefixes, packed.PrefixSets{})
			continue
		}
		b.prefixes = append(b.prefixes, s.PrefixSets(ordersFile, own[2], b.n, own[1]))
	}
}

func (b *Build) openLookups() error {
	s := packed.NewSectionReader(func(name string) []byte { return b.files[name] })
	b.records, b.offsets = b.files[recordsFile], b.files[offsetsFile]
	b.n = max(0, len(b.offsets)/8-1)
	keys := s.Open(keysFile, 3)
	b.keys, b.targets, b.keyRank = s.Strings(keysFile, keys[0]), keys[1], keys[2]
	cols := s.Open(columnsFile, len(record.ScoreNames)+4)
	k := len(record.ScoreNames)
	b.scores, b.nameRank, b.dates = cols[:k], cols[k], [2]packed.Uint32s{cols[k+1], cols[k+2]}
	b.names = s.Strings(columnsFile, cols[k+3])
	b.openOrders(s)
	b.openMeasures(s)
	values := s.Open(valuesFile, 5)
	b.values, b.spellings, b.bitmapOffsets = s.Strings(valuesFile, values[0]), s.Strings(valuesFile, values[1]), values[2]
	b.valueSizes, b.valuesBySize = values[3], values[4]
	s.Check(valuesFile, s.Err() != nil || b.valueSizes.Len() == b.values.Len() && b.valuesBySize.Len() == b.values.Len())
	b.bitmaps = b.files[bitmapsFile]
	facets := s.Open(facetsFile, 4)
	b.facets = [2]packed.Uint32s{facets[0], facets[1]}
	b.frequent, b.frequentSets = facets[2], facets[3]
	s.Check(facetsFile, s.Err() != nil || len(b.frequentSets) == b.frequent.Len()*8*((b.n+63)/64))
	similar := s.Open(similarFile, 2)
	b.similar = [2][]byte{similar[0], similar[1]}
	b.features = s.Strings(featuresFile, b.files[featuresFile])
	if data := b.files[ProvidersFile]; data != nil {
		if err := json.Unmarshal(data, &b.providers); err != nil {
			return fmt.Errorf("%s: %w", ProvidersFile, err)
		}
	}
	b.openDays(s)
	b.openIDs(s)
	b.offers = openOffers(s, offersFile, b.Manifest.Counts.Entities)
	if data := b.files[NamespacesFile]; data != nil {
		if err := json.Unmarshal(data, &b.namespaces); err != nil {
			return fmt.Errorf("%s: %w", NamespacesFile, err)
		}
	}
	if err := b.openWords(); err != nil {
		return err
	}
	b.openSources(s)
	b.openArchive(s)
	b.openBoards(s)
	b.openLeaderboards(s)
	if s.Err() != nil {
		return s.Err()
	}
	b.listed = b.Manifest.Counts.Entities
	if len(b.offsets) != 8*(b.n+1) || b.keyRank.Len() != b.n || b.listed > b.n || b.Manifest.Counts.Ranked > b.listed {
		return packed.ErrSections
	}
	return nil
}
