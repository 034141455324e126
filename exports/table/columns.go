// Package table defines the columns of exports and writes rows as JSON, JSONL,
// CSV or Parquet.
package table

import (
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// Kind is the type of a column.
type Kind uint8

// The kinds of columns, and the Go types of their cells. Every cell except a List may be null: nil, "" or an unknown
// score or price.
const (
	Text      Kind = iota // string
	List                  // []string, empty instead of null
	Decimal               // record.Score
	Date                  // string, YYYY-MM-DD
	Integer               // float64
	Timestamp             // string, RFC 3339 in UTC; Parquet keeps milliseconds
	Raw                   // json.RawMessage, compact; embedded in JSON formats and a string elsewhere
	Number                // float64
	Money                 // record.Price
	Boolean               // bool
	Numbers               // []float64, empty instead of null
)

// Column is a field of a bulk export.
type Column struct {
	Name    string
	Kind    Kind
	Meaning string // what the index declares, "" for a column of every index

	cell func(e *record.Entity, rank int) any // of a table of entities
	has  func(*kinds.Kind) bool               // whether entities of a kind can have it, nil for any kind
}

// Row is an exported record; its cells correspond to the columns.
type Row []any

// columns returns columns of a kind that every index has.
func columns(kind Kind, names ...string) (list []Column) {
	for _, name := range names {
		list = append(list, Column{Name: name, Kind: kind})
	}
	return list
}
