package content

import (
	"strings"

	"kindex/exports/record"
)

// together is the number of entities that share memory blocks.
const together = 256

// batch collects files that were read, and moves the data of their entities to separate memory
// blocks. After parsing, the data is scattered among garbage: it prevents the blocks around it
// from being freed, which contain about twice as much garbage as data.
type batch []*file

// add adds a file, which may be nil. Every together files, it moves their entities' data.
func (b *batch) add(r *file) {
	if r == nil || r.entity == nil {
		return
	}
	if *b = append(*b, r); len(*b) < together {
		return
	}
	entities := make([]*record.Entity, len(*b))
	for i, r := range *b {
		entities[i] = r.entity
	}
	compactChunk(entities)
	for i, r := range *b {
		r.entity = entities[i]
	}
	*b = (*b)[:0]
}

// compactChunk moves some entities to one memory block, and their strings, lists and models to
// one more block for each kind.
func compactChunk(entities []*record.Entity) {
	size, facts, links, ids, words, models := 0, 0, 0, 0, 0, 0
	for _, e := range entities {
		ownTexts(e, func(s *string) { size += len(*s) })
		facts, links, ids = facts+len(e.Signals.Facts), links+len(e.Links), ids+len(e.IDs)
		words += len(e.Tags) + len(e.Capabilities)
		if e.Model != nil {
			models++
		}
	}
	block := make([]record.Entity, len(entities))
	allFacts, allLinks, allIDs := make([]record.Fact, 0, facts), make([]record.Link, 0, links), make([]record.ID, 0, ids)
	allWords, allModels := make([]string, 0, words), make([]record.Model, 0, models)
	var text strings.Builder
	text.Grow(size)
	for i, e := range entities {
		own := &block[i]
		*own = *e
		own.Signals.Facts, allFacts = moved(allFacts, e.Signals.Facts)
		own.Links, allLinks = moved(allLinks, e.Links)
		own.IDs, allIDs = moved(allIDs, e.IDs)
		own.Tags, allWords = moved(allWords, e.Tags)
		own.Capabilities, allWords = moved(allWords, e.Capabilities)
		if e.Model != nil {
			allModels = append(allModels, *e.Model)
			own.Model = &allModels[len(allModels)-1]
		}
		ownTexts(own, func(s *string) {
			from := text.Len()
			text.WriteString(*s)
			*s = text.String()[from:]
		})
		entities[i] = own
	}
}

// moved appends a list to a block with enough capacity, and returns the list at its new
// location.
func moved[T any](block, list []T) (at, grown []T) {
	if list == nil {
		return nil, block
	}
	from := len(block)
	block = append(block, list...)
	return block[from:len(block):len(block)], block
}

// ownTexts calls f with each string of an entity that no other entity shares.
func ownTexts(e *record.Entity, f func(*string)) {
	f(&e.Slug)
	f(&e.Name)
	f(&e.Description)
	f(&e.URL)
	for i := range e.Links {
		f(&e.Links[i].URL)
	}
	for i := range e.IDs {
		f(&e.IDs[i].Value)
	}
	last, at := "", ""
	for i := range e.Signals.Facts {
		if s := &e.Signals.Facts[i].Source; *s == last {
			*s = at
		} else {
			last = *s
			f(s)
			at = *s
		}
	}
}
