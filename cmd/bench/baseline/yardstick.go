// Package baseline defines the yardsticks that kindex is compared with.
//
// They are SQLite FTS5, Bleve's own searcher, PostgreSQL and Xapian for searching, Bleve and
// plain SQLite for filtering and sorting, git for histories, and a bare net/http handler for
// serving. Each is given the same documents and is configured as its manual recommends. None of
// them uses kindex's code.
package baseline

import (
	"strings"

	"kindex/exports/record"
)

// Document is an entity as it is passed to the yardsticks.
type Document struct {
	*record.Entity
	Title  string // the title of the category
	Record []byte // the JSON that responses contain
}

// Documents are the documents that the yardsticks get. They are read one at a time, so that
// a large catalogue need not fit in memory.
type Documents struct {
	Len  int
	Read func(i int) (Document, error)
}

// each calls f with every document and its index, in order.
func (docs Documents) each(f func(i int, d *Document) error) error {
	for i := range docs.Len {
		d, err := docs.Read(i)
		if err == nil {
			err = f(i, &d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// columns lists the fields that FTS5 indexes, which are the same fields that kindex
// searches. As in kindex, words that would only repeat other words are omitted.
var columns = []string{"name", "slug", "provider", "topic", "description"}

// texts returns the columns of a document.
func (d *Document) texts() []any {
	slugs := append([]string{d.Slug}, d.Formerly...)
	topic := append([]string{d.Type, d.Category, d.Title}, append(d.Tags[:len(d.Tags):len(d.Tags)], d.Capabilities...)...)
	return []any{d.Name, strings.Join(slugs, " "), d.Provider, strings.Join(topic, " "), d.Description}
}
