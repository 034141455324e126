// Package table defines the columns of exports and writes rows as JSON, JSONL,
// CSV or Parquet.
package table

import (
	"fmt"
)

// Kind is the type of a column.
type Kind uint8

// The kinds of columns. Every cell except a List may be null.
const (
	Text      Kind = iota // UTF-8 text
	List                  // list of strings, empty instead of null
	Decimal               // a number from 0 to 100 with one decimal
	Date                  // a date, YYYY-MM-DD
	Integer               // an integer
	Timestamp             // a time, RFC 3339 in UTC; Parquet keeps milliseconds
	Raw                   // a compact JSON value, embedded in JSON formats and a string elsewhere
	Number                // any number
	Money                 // US dollars with at most six decimals
	Boolean               // true or false
	Numbers               // list of numbers, empty instead of null
)

// Column is a field of a bulk export.
type Column struct {
	Name string
	Kind Kind
}

// Cell is the value of one column in a row. Text holds a string, date, time, boolean or raw
// JSON, where "" means null. A Decimal, Integer, Number or Money is null unless Known is set.
type Cell struct {
	Text   string
	List   []string
	Number float64
	Known  bool

	Numbers []float64
}

// Row is an exported record; its cells correspond to the columns.
type Row []Cell

// SelectColumns returns the named columns, in the same order as in all, and the index of each
// in a full row.
func SelectColumns(all []Column, names []string) ([]Column, []int, error) {
	want := make(map[string]bool, len(names))
	for _, n := range names {
		want[n] = true
	}
	var cols []Column
	var at []int
	for i, c := range all {
		if want[c.Name] {
			cols, at = append(cols, c), append(at, i)
			delete(want, c.Name)
		}
	}
	for n := range want {
		return nil, nil, fmt.Errorf("unknown field %q", n)
	}
	return cols, at, nil
}
