package exports

import (
	"bytes"
	"crypto/sha256"

	"kindex/exports/bulk"
	"kindex/exports/store"
)

// Writer writes the files of one build. Its methods may be called concurrently, but
// each file writer belongs to one goroutine.
type Writer struct {
	*store.Staging
	Tables   bulk.Options
	previous *Build // build from which unchanged files are copied, or nil
	records  [][sha256.Size]byte
}

// NewWriter starts a build in root, the output folder.
func NewWriter(root string) (*Writer, error) {
	s, err := store.NewStaging(root)
	if err != nil {
		return nil, err
	}
	return &Writer{Staging: s}, nil
}

// ReuseFrom makes the writer copy compressed data from an earlier build wherever the result
// would be identical. The build must have passed store.VerifyKnown, must have been written by the
// same version of the builder, and must stay open until all files are written. ReuseFrom must
// be called before anything is written.
func (w *Writer) ReuseFrom(previous *Build) {
	if w.previous = previous; previous != nil {
		w.Tables.Earlier = &bulk.Earlier{Dir: previous.Dir, Manifest: previous.Manifest, File: func(path string) []byte { return previous.files[path] }}
	}
}

// RecordSum returns the SHA-256 of a record, which WriteLookups must have written.
func (w *Writer) RecordSum(ordinal int) [sha256.Size]byte { return w.records[ordinal] }

// WriteTable writes a table in every format, with compressed variants.
func (w *Writer) WriteTable(t *bulk.Table) error {
	return bulk.Write(w.Staging, t, w.Tables)
}

// AddVariants writes a small file and its compressed variants.
func (w *Writer) AddVariants(name string, data []byte) error {
	if err := w.Add(name, data); err != nil {
		return err
	}
	known := w.previous.hasFile(name, data)
	for _, enc := range store.Encodings {
		if enc == "br" && len(data) > store.MaxBrotliLen {
			continue
		}
		var packed []byte
		var err error
		if known {
			packed, _, known = w.previous.File(name + store.EncodingExtension(enc))
		}
		if !known {
			packed, err = store.Compress(enc, data)
		}
		if err != nil {
			return err
		}
		if err := w.Add(name+store.EncodingExtension(enc), packed); err != nil {
			return err
		}
	}
	return nil
}

// hasFile reports whether the build has a file with exactly this content. b may
// be nil.
func (b *Build) hasFile(name string, data []byte) bool {
	if b == nil {
		return false
	}
	was, _, ok := b.File(name)
	return ok && bytes.Equal(was, data)
}
