package exports

import (
	"crypto/sha256"

	"kindex/exports/store"
)

// Writer writes the files of one build. Its methods may be called concurrently, but
// each file writer belongs to one goroutine.
type Writer struct {
	*store.Staging
	records [][sha256.Size]byte
}

// NewWriter starts a build in root, the output folder.
func NewWriter(root string) (*Writer, error) {
	s, err := store.NewStaging(root)
	if err != nil {
		return nil, err
	}
	return &Writer{Staging: s}, nil
}

// RecordSum returns the SHA-256 of a record, which WriteLookups must have written.
func (w *Writer) RecordSum(ordinal int) [sha256.Size]byte { return w.records[ordinal] }
