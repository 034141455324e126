package exports

import (
	"time"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// Flags of an entity that are not in its record.
const (
	addedDerived   = 1 << iota // the file has no addedDate
	updatedDerived             // the file has no lastUpdated
)

// WriteSources writes what the files of entities say beyond their records. The entities are in the
// order of their ordinals.
func (w *Writer) WriteSources(entities []*record.Entity) error {
	flags := make([]byte, 0, len(entities))
	ends, aliases := make([]uint32, 0, len(entities)), []string(nil)
	for _, e := range entities {
		flag := byte(0)
		if e.AddedDerived {
			flag |= addedDerived
		}
		if e.UpdatedDerived {
			flag |= updatedDerived
		}
		flags = append(flags, flag)
		aliases = append(aliases, e.Formerly...)
		ends = append(ends, uint32(len(aliases)))
	}
	return w.Add(sourcesFile, packed.PackSections(flags, packed.PackUint32s(ends), packed.PackStrings(aliases)))
}

// openSources reads the sources file, if the build has one.
func (b *Build) openSources(s *packed.SectionReader) {
	if _, ok := b.Manifest.File(sourcesFile); !ok {
		return
	}
	parts := s.Open(sourcesFile, 3)
	src := sources{parts[0], parts[1], s.Strings(sourcesFile, parts[2])}
	s.Check(sourcesFile, len(src.flags) == b.n && src.ends.Len() == b.n)
	b.sources = src
}

// Authored returns a record's entity as it was authored in the source file: with its earlier
// slugs, but without scores or dates derived from the history. Unknown lists are nil. The
// caller owns the result. The build must have been verified.
func (b *Build) Authored(ordinal uint32) (*record.Entity, error) {
	e, err := record.ParseAuthored(b.Record(ordinal))
	if err != nil {
		return nil, err
	}
	b.asAuthored(e, ordinal)
	return e, nil
}

// appendAuthored appends a record as record.Entity.AppendAuthored encodes it.
func (b *Build) appendAuthored(dst []byte, ordinal uint32) []byte {
	flag := b.sourceFlags(ordinal)
	return record.AppendAuthoredFrom(dst, b.Record(ordinal), flag&addedDerived != 0, flag&updatedDerived != 0, b.aliases(ordinal))
}

// asAuthored restores what a record has beyond its source file, or lacks.
func (b *Build) asAuthored(e *record.Entity, ordinal uint32) {
	flag := b.sourceFlags(ordinal)
	if flag&addedDerived != 0 {
		e.AddedDate = ""
	}
	if flag&updatedDerived != 0 {
		e.LastUpdated = ""
	}
	e.Formerly = b.aliases(ordinal)
}

// sourceFlags returns which dates of a record are derived. The edge also reads records of builds and
// edits without a sources file.
func (b *Build) sourceFlags(ordinal uint32) byte {
	if int(ordinal) < len(b.sources.flags) {
		return b.sources.flags[ordinal]
	}
	return 0
}

// AuthoredSince returns the states of an entity that began at a time or later, the newest first,
// as their author wrote them. It leaves out deletions.
func (b *Build) AuthoredSince(typ, slug string, t time.Time) (list []*record.Entity, err error) {
	a := b.Archive()
	v, ok := a.Last(typ, slug)
	if !ok {
		return nil, nil
	}
	for v = a.Newest(v); v >= 0 && a.time(v) >= t.Unix(); v = a.previous(v) {
		if a.deleted(v) {
			continue
		}
		e, err := a.Entity(v)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// FindAuthored returns the entity that has, or once had, an address, as its author wrote it, or
// nil if there is none. Unlike Authored, it also reads records whose files had warnings.
func (b *Build) FindAuthored(typ, slug string) (*record.Entity, error) {
	o, _, ok := b.Find(typ, slug)
	if !ok {
		return nil, nil
	}
	if e, err := b.Authored(o); err == nil {
		return e, nil
	}
	e, err := b.Entity(o)
	if err != nil {
		return nil, err
	}
	b.asAuthored(e, o)
	return e, nil
}

// aliases returns the earlier slugs of an entity in the order of its file, or nil
// if the build has no sources file.
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
