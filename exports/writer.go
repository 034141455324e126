package exports

import (
	"bytes"

	"kindex/exports/store"
)

// Writer writes the files of one build. Its methods may be called from several goroutines;
// each file is for one.
type Writer struct {
	*store.Staging
	previous *Build // that what is the same is taken from, nil for none
}

// NewWriter starts a build below root, the output folder.
func NewWriter(root string) (*Writer, error) {
	s, err := store.NewStaging(root)
	if err != nil {
		return nil, err
	}
	return &Writer{Staging: s}, nil
}

// ReuseFrom lets the writer take from an earlier build what it would otherwise compress
// to the same bytes. The build must have passed Verify and be made by the same
// version of the builder; it must stay open until the files are written. ReuseFrom is
// called before anything is written, if at all.
func (w *Writer) ReuseFrom(previous *Build) { w.previous = previous }

// AddVariants writes a small file together with its precompressed variants.
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

// hasFile reports whether a build, or none, has a file of just these bytes.
func (b *Build) hasFile(name string, data []byte) bool {
	if b == nil {
		return false
	}
	was, _, ok := b.File(name)
	return ok && bytes.Equal(was, data)
}
