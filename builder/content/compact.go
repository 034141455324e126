package content

import (
	"slices"
	"strings"
	"sync"

	"kindex/exports/record"
)

// compact moves the entities' data to separate memory blocks. After parsing, the data is
// scattered among garbage. It prevents the blocks around it from being freed, which contain
// about twice as much garbage as data.
func compact(entities []*record.Entity) {
	const together = 256
	var wg sync.WaitGroup
	limit := make(chan struct{}, 2)
	for chunk := range slices.Chunk(entities, together) {
		limit <- struct{}{}
		wg.Go(func() {
			compactChunk(chunk)
			<-limit
		})
	}
	wg.Wait()
}

// compactChunk moves some entities to one memory block, and their strings, facts and links to
// one more block for each kind.
func compactChunk(entities []*record.Entity) {
	size, facts, links := 0, 0, 0
	for _, e := range entities {
		ownTexts(e, func(s *string) { size += len(*s) })
		facts, links = facts+len(e.Signals.Facts), links+len(e.Links)
	}
	block := make([]record.Entity, len(entities))
	allFacts, allLinks := make([]record.Fact, 0, facts), make([]record.Link, 0, links)
	var text strings.Builder
	text.Grow(size)
	for i, e := range entities {
		block[i] = *e
		block[i].Signals.Facts, allFacts = moved(allFacts, e.Signals.Facts)
		block[i].Links, allLinks = moved(allLinks, e.Links)
		block[i].Tags, block[i].Capabilities = slices.Clone(e.Tags), slices.Clone(e.Capabilities)
		ownTexts(&block[i], func(s *string) {
			from := text.Len()
			text.WriteString(*s)
			*s = text.String()[from:]
		})
		entities[i] = &block[i]
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
