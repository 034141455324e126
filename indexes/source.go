package indexes

import (
	"crypto/sha256"
	"encoding/binary"
	"runtime"
	"slices"
	"sync"

	"kindex/exports/record"
)

// source is what a document is made of: the texts of an entity that are indexed.
type source struct {
	Name         string   `json:"name"`
	Slug         string   `json:"slug"`
	Formerly     []string `json:"formerly"` // sorted
	Provider     string   `json:"provider"`
	Category     string   `json:"category"`
	Title        string   `json:"title"` // of the category
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

// topics are the texts that say what an entity is about, the provider first.
func (s *source) topics() []string {
	return slices.Concat([]string{s.Provider, s.Category, s.Title, s.Type}, s.Tags, s.Capabilities)
}

// digest tells a document from all others: type and slug are among what it is
// taken of. Documents of the same digest are the same, under one MappingVersion.
type digest [16]byte

// digest returns it, and the buffer for the next one.
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

// digests are those of all documents, in the order of their ordinals. All
// processors work at them: nothing else in an index that shares files with an
// earlier one takes as long.
func (p *Prepared) digests() []digest {
	list := make([]digest, len(p.entities))
	each := (len(list) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for from := 0; from < len(list); from += each {
		wg.Go(func() {
			var buf []byte
			for i := from; i < min(from+each, len(list)); i++ {
				s := p.source(i)
				list[i], buf = s.digest(buf)
			}
		})
	}
	wg.Wait()
	return list
}

func (p *Prepared) source(ordinal int) source {
	e := p.entities[ordinal]
	return newSource(e, p.titles[e.Category])
}

// packDigests is the form in which digests stand in a file.
func packDigests(list []digest) []byte {
	b := make([]byte, 0, len(list)*len(digest{}))
	for _, d := range list {
		b = append(b, d[:]...)
	}
	return b
}
