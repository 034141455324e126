// Package baseline holds what kindex is measured against: SQLite FTS5 for
// searching, Bleve for filtering and sorting, and a bare net/http handler for
// serving. Each is given the same documents and is set up as well as its manual
// tells; nothing of kindex depends on them.
package baseline

import (
	"strings"

	"kindex/exports/record"
)

// Document is an entity as the yardsticks take it.
type Document struct {
	*record.Entity
	Title  string // of the category
	Record []byte // the JSON form: what an answer is made of
}

// columns are the texts that FTS5 indexes: those that kindex searches. A word
// that a column would only repeat is left out, as kindex leaves it out.
var columns = []string{"name", "slug", "provider", "topic", "description"}

// texts are the columns of a document.
func (d *Document) texts() []any {
	slugs := append([]string{d.Slug}, d.Formerly...)
	topic := append([]string{d.Type, d.Category, d.Title}, append(d.Tags[:len(d.Tags):len(d.Tags)], d.Capabilities...)...)
	return []any{d.Name, strings.Join(slugs, " "), d.Provider, strings.Join(topic, " "), d.Description}
}
