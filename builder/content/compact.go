package content

import (
	"strings"

	"kindex/exports/record"
)

// batchSize is the number of files in a batch, whose entities share memory blocks.
const batchSize = 256

// batch collects files that were read, and moves the data of their entities to separate memory
// blocks. After parsing, the data is scattered among garbage: it prevents the blocks around it
// from being freed, which contain about twice as much garbage as data.
type batch struct {
	files []*file
	texts texts
}

// add adds a file, which may be nil. When the batch is full, it moves the data of its entities.
func (b *batch) add(r *file) {
	if r == nil || r.entity == nil {
		return
	}
	if b.files = append(b.files, r); len(b.files) < batchSize {
		return
	}
	entities := make([]*record.Entity, len(b.files))
	for i, r := range b.files {
		entities[i] = r.entity
	}
	b.texts.compact(entities)
	for i, r := range b.files {
		r.entity = entities[i]
	}
	b.files = b.files[:0]
}

// texts collects the strings of some entities, to move them to one memory block.
type texts struct {
	block []byte
	moved []movedText
	first int // where the strings of the current entity start in moved
}

// movedText is a string that still has its old value, and its position in the block.
type movedText struct {
	s        *string
	from, to int
}

// add adds a string. A string that is part of another string of the same entity takes no memory:
// identifiers and sources are often parts of links.
func (t *texts) add(s *string) {
	for _, m := range t.moved[t.first:] {
		if at := strings.Index(*m.s, *s); at >= 0 {
			t.moved = append(t.moved, movedText{s, m.from + at, m.from + at + len(*s)})
			return
		}
	}
	at := len(t.block)
	t.block = append(t.block, *s...)
	t.moved = append(t.moved, movedText{s, at, len(t.block)})
}

// compact moves some entities to one memory block, and their strings, lists and models to one
// more block for each kind.
func (t *texts) compact(entities []*record.Entity) {
	facts, links, ids, results, words, models := 0, 0, 0, 0, 0, 0
	for _, e := range entities {
		facts, links, ids = facts+len(e.Signals.Facts), links+len(e.Links), ids+len(e.IDs)
		results, words = results+len(e.Signals.Benchmarks), words+len(e.Tags)+len(e.Capabilities)
		if e.Model != nil {
			models++
		}
	}
	block := make([]record.Entity, len(entities))
	allFacts, allLinks, allIDs := make([]record.Fact, 0, facts), make([]record.Link, 0, links), make([]record.ID, 0, ids)
	allResults, allWords, allModels := make([]record.Benchmark, 0, results), make([]string, 0, words), make([]record.Model, 0, models)
	t.block, t.moved = t.block[:0], t.moved[:0]
	for i, e := range entities {
		own := &block[i]
		*own = *e
		own.Signals.Facts, allFacts = moved(allFacts, e.Signals.Facts)
		own.Signals.Benchmarks, allResults = moved(allResults, e.Signals.Benchmarks)
		own.Links, allLinks = moved(allLinks, e.Links)
		own.IDs, allIDs = moved(allIDs, e.IDs)
		own.Tags, allWords = moved(allWords, e.Tags)
		own.Capabilities, allWords = moved(allWords, e.Capabilities)
		if e.Model != nil {
			allModels = append(allModels, *e.Model)
			own.Model = &allModels[len(allModels)-1]
		}
		t.first = len(t.moved)
		ownTexts(own, t.add)
		entities[i] = own
	}
	text := string(t.block)
	for _, m := range t.moved {
		*m.s = text[m.from:m.to]
	}
	clear(t.moved)
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

// ownTexts calls f with each string of an entity that no other entity shares, long ones first.
func ownTexts(e *record.Entity, f func(*string)) {
	f(&e.Description)
	for i := range e.Links {
		f(&e.Links[i].URL)
	}
	f(&e.URL)
	for i := range e.Signals.Benchmarks {
		f(&e.Signals.Benchmarks[i].Source)
	}
	for i := range e.Signals.Facts {
		f(&e.Signals.Facts[i].Source)
	}
	for i := range e.IDs {
		f(&e.IDs[i].Value)
	}
	f(&e.Slug)
	f(&e.Name)
}
