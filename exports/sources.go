package exports

import (
	"crypto/sha256"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// What an entity has beside its record, for the next build: a file of the same
// bytes then needs no parsing.
const (
	addedDerived   = 1 << iota // the file gave no addedDate
	updatedDerived             // the file gave no lastUpdated
)

// WriteSources writes what the next build needs to take entities from this one
// instead of parsing their files again. The entities are in the order of their
// ordinals. sums are the SHA-256 of their source files, zero for those that are
// to be parsed again in any case.
func (w *Writer) WriteSources(entities []*record.Entity, sums [][sha256.Size]byte) error {
	all, flags := make([]byte, 0, sha256.Size*len(entities)), make([]byte, 0, len(entities))
	ends, aliases := make([]uint32, 0, len(entities)), []string(nil)
	for i, e := range entities {
		flag := byte(0)
		if e.AddedDerived {
			flag |= addedDerived
		}
		if e.UpdatedDerived {
			flag |= updatedDerived
		}
		all, flags = append(all, sums[i][:]...), append(flags, flag)
		aliases = append(aliases, e.Formerly...)
		ends = append(ends, uint32(len(aliases)))
	}
	return w.Add(sourcesFile, packed.PackSections(all, flags, packed.PackUint32s(ends), packed.PackStrings(aliases)))
}

// sources is what WriteSources has written.
type sources struct {
	sums, flags []byte
	ends        packed.Uint32s
	aliases     packed.StringTable
}

// openSources reads the sources file. A build may lack one.
func (b *Build) openSources(s *packed.SectionReader) {
	if _, ok := b.Manifest.File(sourcesFile); !ok {
		return
	}
	parts := s.Open(sourcesFile, 4)
	src := sources{parts[0], parts[1], parts[2], s.Strings(sourcesFile, parts[3])}
	s.Check(sourcesFile, len(src.sums) == sha256.Size*b.n && len(src.flags) == b.n && src.ends.Len() == b.n)
	b.sources = src
}

// SourceSum returns the SHA-256 of the file that a record was made from, false
// where the build does not know it or the file is to be parsed again.
func (b *Build) SourceSum(ordinal uint32) (sum [sha256.Size]byte, ok bool) {
	if int(ordinal) >= len(b.sources.flags) {
		return sum, false
	}
	copy(sum[:], b.sources.sums[sha256.Size*int(ordinal):])
	return sum, sum != [sha256.Size]byte{}
}

// Authored returns the entity of a record as its source file gives it: without
// scores, without dates from the history, and with its earlier slugs. Unknown
// lists are nil. It is the caller's. The build must have been verified, and know
// the SourceSum of the record.
func (b *Build) Authored(ordinal uint32) (*record.Entity, error) {
	e, err := record.ParseAuthored(b.Record(ordinal))
	if err != nil {
		return nil, err
	}
	flag := b.sources.flags[ordinal]
	if flag&addedDerived != 0 {
		e.AddedDate = ""
	}
	if flag&updatedDerived != 0 {
		e.LastUpdated = ""
	}
	e.Formerly = b.aliases(ordinal)
	return e, nil
}

// aliases are the earlier slugs of an entity, as its file lists them; none
// where the build lacks the file that holds them.
func (b *Build) aliases(ordinal uint32) (slugs []string) {
	if e := b.edited(ordinal); e != nil {
		return e.Formerly
	}
	if int(ordinal) >= b.sources.ends.Len() {
		return nil
	}
	from := uint32(0)
	if ordinal > 0 {
		from = b.sources.ends.At(int(ordinal) - 1)
	}
	for i := from; i < b.sources.ends.At(int(ordinal)); i++ {
		slugs = append(slugs, string(b.sources.aliases.At(int(i))))
	}
	return slugs
}
