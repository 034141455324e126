package indexes

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"kindex/exports"
)

// Index is the opened search index of a build. Its methods may be called from
// many goroutines.
type Index struct {
	store   *store
	scores  func(ordinal uint32) float64 // composite, 0 to 100
	ordinal []uint32                     // of each document of the store
	lengths []byte                       // words of the name, by ordinal
}

// Open opens the index that belongs to a build. It checks the manifest, not the
// bytes of the files: Verify does that, and should come first.
func Open(root string, b *exports.Build) (*Index, error) {
	dir := Dir(root, b.Manifest.ID)
	path := filepath.Join(dir, manifestFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &exports.DamageError{Path: path, Problem: "is missing"}
	}
	if err != nil {
		return nil, err
	}
	if _, err := parseManifest(path, data, b.Manifest.ID, b.Manifest.Index); err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(filepath.Join(dir, ordinalsFile))
	if err != nil {
		return nil, err
	}
	n := b.Manifest.Index.Documents
	if len(raw) != 5*n || n != b.Len() {
		return nil, &exports.DamageError{Path: filepath.Join(dir, ordinalsFile), Problem: fmt.Sprintf("does not fit %d documents", b.Len())}
	}
	x := &Index{ordinal: make([]uint32, n), lengths: raw[4*n:], scores: func(o uint32) float64 { return b.Score("composite", o).Float() }}
	for i := range x.ordinal {
		x.ordinal[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	if x.store, err = openStore(filepath.Join(dir, storeDir)); err != nil {
		return nil, err
	}
	return x, nil
}

// Close releases the index. No search may be under way.
func (x *Index) Close() error { return x.store.Close() }
