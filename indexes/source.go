package indexes

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"kindex/exports/parallel"
	"kindex/exports/record"
)

// source holds the input for a document: the fields of an entity that are indexed.
type source struct {
	Name         string   `json:"name"`
	Slug         string   `json:"slug"`
	Formerly     []string `json:"formerly"` // sorted
	Provider     string   `json:"provider"`
	Category     string   `json:"category"`
	Title        string   `json:"title"` // title of the category
	Type         string   `json:"type"`
	Tags         []string `json:"tags"`
	Capabilities []string `json:"capabilities"`
	Description  string   `json:"description"`
}

func newSource(e *record.Entity, categoryTitle string) source {
	return source{
		Name: e.Name, Slug: e.Slug, Formerly: slices.Sorted(slices.Values(e.Formerly)),
		Provider: e.Provider, Category: e.Category, Title: categoryTitle, Type: e.Type,
		Tags: e.Tags, Capabilities: e.Capabilities, Description: e.Description,
	}
}

// topics returns the fields that say what an entity is about, starting with the
// provider.
func (s *source) topics() []string {
	return slices.Concat([]string{s.Provider, s.Category, s.Title, s.Type}, s.Tags, s.Capabilities)
}

// digest identifies a document, including its type and slug. Documents with the
// same digest are equal if MappingVersion is the same.
type digest [16]byte

// digest returns the digest, and a buffer for use in the next call.
func (s *source) digest(buf []byte) (digest, []byte) {
	buf = buf[:0]
	add := func(list ...string) {
		for _, text := range list {
			buf = append(binary.AppendUvarint(buf, uint64(len(text))), text...)
		}
	}
	add(s.Name, s.Slug, s.Provider, s.Category, s.Title, s.Type, s.Description)
	for _, list := range [][]string{s.Formerly, s.Tags, s.Capabilities} {
		buf = binary.AppendUvarint(buf, uint64(len(list)))
		add(list...)
	}
	sum := sha256.Sum256(buf)
	return digest(sum[:len(digest{})]), buf
}

// digests returns the digests of all documents in the order of their ordinals. It
// uses all processors, because it is the slowest step in building an index that
// shares files.
func (p *Prepared) digests() []digest {
	list := make([]digest, len(p.entities))
	parallel.Ranges(len(list), func(from, to int) {
		var buf []byte
		for i := from; i < to; i++ {
			s := p.source(i)
			list[i], buf = s.digest(buf)
		}
	})
	return list
}

func (p *Prepared) source(ordinal int) source {
	e := p.entities[ordinal]
	return newSource(e, p.titles[e.Category])
}

// packDigests encodes digests for a file.
func packDigests(list []digest) []byte {
	b := make([]byte, 0, len(list)*len(digest{}))
	for _, d := range list {
		b = append(b, d[:]...)
	}
	return b
}
