package indexes

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"

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
	License      string   `json:"license"`
	OpenWeights  bool     `json:"openWeights"`
}

func newSource(e *record.Entity, categoryTitle string) source {
	return source{
		Name: e.Name, Slug: e.Slug, Formerly: slices.Sorted(slices.Values(e.Formerly)),
		Provider: e.Provider, Category: e.Category, Title: categoryTitle, Type: e.Type,
		Tags: e.Tags, Capabilities: e.Capabilities, Description: e.Description,
		License: e.License, OpenWeights: slices.Contains(e.FieldValues("openWeights"), "true"),
	}
}

// topics returns the fields that say what an entity is about, starting with the
// provider.
func (s *source) topics() []string {
	list := slices.Concat([]string{s.Provider, s.Category, s.Title, s.Type}, s.Tags, s.Capabilities, []string{s.License})
	if s.OpenWeights {
		list = append(list, "open weights")
	}
	return list
}

// appendTo appends all fields, each with its length.
func (s *source) appendTo(buf []byte) []byte {
	add := func(list ...string) {
		for _, text := range list {
			buf = append(binary.AppendUvarint(buf, uint64(len(text))), text...)
		}
	}
	add(s.Name, s.Slug, s.Provider, s.Category, s.Title, s.Type, s.Description, s.License, strconv.FormatBool(s.OpenWeights))
	for _, list := range [][]string{s.Formerly, s.Tags, s.Capabilities} {
		buf = binary.AppendUvarint(buf, uint64(len(list)))
		add(list...)
	}
	return buf
}

// digest returns the SHA-256 of all documents in the order of their ordinals, in hexadecimal.
func (p *Prepared) digest() string {
	h := sha256.New()
	var buf []byte
	for i := range p.entities {
		s := p.source(i)
		buf = s.appendTo(buf[:0])
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (p *Prepared) source(ordinal int) source {
	e := p.entities[ordinal]
	return newSource(e, p.titles[e.Category])
}
