// Package packed reads and writes the parts of memory-mapped lookup files: sections,
// string tables and inverted lists.
package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A lookup file consists of a section count, the length of each section, and the sections
// themselves, each starting at a multiple of eight bytes. Numbers are little-endian.

// PackSections returns a lookup file that consists of the given sections.
func PackSections(parts ...[]byte) []byte {
	lengths, size := make([]int, len(parts)), 8+8*len(parts)
	for i, p := range parts {
		lengths[i] = len(p)
		size += len(p) + len(Padding(len(p)))
	}
	out := append(make([]byte, 0, size), SectionHead(lengths...)...)
	for _, p := range parts {
		out = append(append(out, p...), Padding(len(p))...)
	}
	return out
}

// SectionHead returns the start of a lookup file whose sections have the given lengths. Padding
// follows each section.
func SectionHead(lengths ...int) []byte {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(lengths)))
	for _, n := range lengths {
		head = binary.LittleEndian.AppendUint64(head, uint64(n))
	}
	return head
}

// Padding returns the zeros after a section of n bytes.
func Padding(n int) []byte { return make([]byte, -n&7) }

// ErrSections reports a lookup file that is truncated or does not have the sections that its
// reader expects.
var ErrSections = errors.New("lookup file is truncated or has unexpected sections")

// UnpackSections returns the sections of a lookup file, which must have exactly
// want sections. They point into b.
func UnpackSections(b []byte, want int) ([][]byte, error) {
	if len(b) < 8 || binary.LittleEndian.Uint64(b) != uint64(want) || len(b) < 8+8*want {
		return nil, ErrSections
	}
	at := uint64(8 + 8*want)
	parts := make([][]byte, want)
	for i := range parts {
		n := binary.LittleEndian.Uint64(b[8+8*i:])
		if n > uint64(len(b)) || at+n > uint64(len(b)) {
			return nil, ErrSections
		}
		parts[i] = b[at : at+n : at+n]
		at = (at + n + 7) &^ 7
	}
	return parts, nil
}

// SectionReader opens lookup files and remembers the first error.
type SectionReader struct {
	file func(name string) []byte
	err  error
}

// NewSectionReader returns a reader of lookup files. It calls file to get the content of a
// named file.
func NewSectionReader(file func(name string) []byte) *SectionReader {
	return &SectionReader{file: file}
}

// Err returns the first error.
func (s *SectionReader) Err() error { return s.err }

// Open returns the sections of a file, which must have exactly want sections. If
// the file cannot be read, the sections are empty.
func (s *SectionReader) Open(name string, want int) [][]byte {
	parts, err := UnpackSections(s.file(name), want)
	if err != nil {
		s.Fail(name, err)
		return make([][]byte, want)
	}
	return parts
}

// Strings opens a section of a file as a string table.
func (s *SectionReader) Strings(name string, part []byte) StringTable {
	t, err := OpenStrings(part)
	if err != nil {
		s.Fail(name, err)
	}
	return t
}

// Postings opens the first PostingSections of parts as inverted lists.
func (s *SectionReader) Postings(name string, parts [][]byte) Postings {
	p := Postings{keys: s.Strings(name, parts[0]), offsets: parts[1], sets: parts[2]}
	n := p.keys.Len()
	s.Check(name, n >= 0 && len(p.offsets) == 8*(n+1) && Uint64At(p.offsets, n) == uint64(len(p.sets)))
	return p
}

// Check records an error if fits is false, that is, if a lookup file has an unexpected
// structure.
func (s *SectionReader) Check(name string, fits bool) {
	if !fits {
		s.Fail(name, ErrSections)
	}
}

// Fail records why a lookup file cannot be read, unless an error was recorded
// before.
func (s *SectionReader) Fail(name string, err error) {
	if s.err == nil {
		s.err = fmt.Errorf("%s: %w", name, err)
	}
}
