// Package table defines the columns of exports and writes rows as JSON, JSONL,
// CSV or Parquet.
package table

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

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

// EntityColumns lists the fields of an exported entity in the order that all
// formats use.
var EntityColumns = slices.Concat(columns(Text, "slug", "type", "name", "provider", "description", "category", "version", "pricingModel", "license", "url"),
	columns(List, "tags", "capabilities"), columns(Decimal, record.ScoreNames...), columns(Date, "addedDate", "lastUpdated"))

// LeaderboardColumns lists the fields of an exported leaderboard.
var LeaderboardColumns = slices.Concat(columns(Integer, "rank"), columns(Text, "type", "slug", "name", "provider", "category"), columns(Decimal, record.ScoreNames...))

// BoardColumns lists the fields of an exported board of boards.yaml.
var BoardColumns = slices.Insert(slices.Clone(LeaderboardColumns), boardScore, columns(Decimal, "boardScore")...)

// boardScore is the index of the score in BoardColumns.
const boardScore = 6

// BoardRow returns the cells of the BoardColumns.
func BoardRow(e *record.Entity, rank int, score record.Score) Row {
	return slices.Insert(EntityRow(LeaderboardColumns, e, rank), boardScore, any(score))
}

// EntityRow returns the cells of EntityColumns, FullColumns, KindColumns or LeaderboardColumns. rank is the position
// of the entity among those of its type or on the leaderboard, best first and starting at 1, or 0 if it is not ranked.
func EntityRow(columns []Column, e *record.Entity, rank int) Row {
	row := make(Row, len(columns))
	for i, c := range columns {
		if c.cell != nil {
			row[i] = c.cell(e, rank)
		} else {
			row[i] = coreCell(e, c, rank)
		}
	}
	return row
}

func coreCell(e *record.Entity, c Column, rank int) any {
	switch c.Name {
	case "rank":
		return count(int64(rank))
	case "tags":
		return e.Tags
	case "capabilities":
		return e.Capabilities
	}
	if c.Kind == Decimal {
		return e.Scores.Get(c.Name)
	}
	return e.Text(c.Name)
}

func count(n int64) any {
	if n == 0 {
		return nil
	}
	return float64(n)
}

// blockColumns are the columns of blocks.
var blockColumns = []struct {
	block string
	Column
}{
	{kinds.Maintenance, Column{Name: "maintenance", Kind: Text}},
	{kinds.Maintenance, Column{Name: "maintenanceAsOf", Kind: Date}},
	{kinds.Lifecycle, Column{Name: "retires", Kind: Date, cell: func(e *record.Entity, _ int) any { return lifecycle(e).Retires }}},
	{kinds.Lifecycle, Column{Name: "replacedBy", Kind: Text, cell: func(e *record.Entity, _ int) any { return lifecycle(e).ReplacedBy }}},
	{"", Column{Name: "rank", Kind: Integer}},
	{kinds.Offers, Column{Name: kinds.ContextSignal, Kind: Integer, cell: func(e *record.Entity, _ int) any { return fact(e, kinds.ContextSignal) },
		has: func(k *kinds.Kind) bool { return k.HasSignal(kinds.ContextSignal) }}},
	{kinds.Offers, Column{Name: "priceInput", Kind: Money, cell: func(e *record.Entity, _ int) any { return e.Price.Input }}},
	{kinds.Offers, Column{Name: "priceOutput", Kind: Money, cell: func(e *record.Entity, _ int) any { return e.Price.Output }}},
	{kinds.Offers, Column{Name: "priceBlended", Kind: Money, cell: func(e *record.Entity, _ int) any { return e.Price.Blended }}},
}

func lifecycle(e *record.Entity) record.Lifecycle {
	if e.Lifecycle == nil {
		return record.Lifecycle{}
	}
	return *e.Lifecycle
}

// fact returns the value of a signal: a number or a day.
func fact(e *record.Entity, signal string) any {
	f, known := e.Signals.Fact(signal)
	if !known || f.Day != "" {
		return f.Day
	}
	return f.Number
}

// FullColumns returns the EntityColumns and, after them, those that an export contains only if
// they are asked for.
func FullColumns(declared *kinds.Set) []Column {
	list := append(slices.Clone(EntityColumns), Column{Name: "status", Kind: Text})
	for _, c := range blockColumns {
		if c.has == nil && c.block != "" {
			c.has = func(k *kinds.Kind) bool { return k.HasBlock(c.block) }
		}
		if c.block == "" || declared.HasBlock(c.block) {
			list = append(list, c.Column)
		}
	}
	for _, l := range declared.Links {
		list = append(list, Column{prefixed("link", l.Name), Text, "An address: " + strings.ToLower(l.Description[:min(1, len(l.Description))]) + l.Description[min(1, len(l.Description)):],
			func(e *record.Entity, _ int) any { return e.Link(l.Name) }, nil})
	}
	for _, f := range declared.Leaves() {
		list = append(list, Column{f.Column(), kindOf(f.Type, f.Of), f.Description, func(e *record.Entity, _ int) any { return e.Values.Get(f.Path) },
			func(k *kinds.Kind) bool { return k.Has(f) }})
	}
	for _, s := range declared.Signals {
		name, has := prefixed("signal", s.Name), func(k *kinds.Kind) bool { return k.HasSignal(s.Name) }
		list = append(list, Column{name, kindOf(s.Type, ""), s.Description, func(e *record.Entity, _ int) any { return fact(e, s.Name) }, has},
			Column{name + "Date", Date, "The day on which " + name + " was read.", func(e *record.Entity, _ int) any {
				f, _ := e.Signals.Fact(s.Name)
				return f.Date
			}, has})
	}
	return list
}

// KindColumns returns the FullColumns that entities of a kind can have.
func KindColumns(declared *kinds.Set, k *kinds.Kind) []Column {
	return slices.DeleteFunc(FullColumns(declared), func(c Column) bool { return c.has != nil && !c.has(k) })
}

// kindOf returns the kind of the columns for a type of values, given that of the elements of lists.
func kindOf(t, of kinds.Type) Kind {
	switch t {
	case kinds.List, kinds.References:
		if of == kinds.Number {
			return Numbers
		}
		return List
	case kinds.Boolean:
		return Boolean
	case kinds.Count, kinds.Year:
		return Integer
	case kinds.Number, kinds.Duration, kinds.Size:
		return Number
	case kinds.Date:
		return Date
	}
	return Text
}

// Meaning returns what a declared field or signal says about its column, or "" for other columns.
func Meaning(declared *kinds.Set, column string) string {
	for _, c := range FullColumns(declared) {
		if c.Name == column && c.Meaning != "" {
			return c.Meaning
		}
	}
	return ""
}

// prefixed returns the column of a link or signal: linkHomepage for homepage.
func prefixed(prefix, name string) string { return prefix + strings.ToUpper(name[:1]) + name[1:] }

// ChangeColumns lists the fields of an exported change in formats without nested
// objects.
var ChangeColumns = slices.Concat(columns(Text, "id", "event"), columns(Timestamp, "timestamp"), columns(Text, "type", "slug", "name"), columns(Raw, "changes"),
	columns(Text, "commit", "author"), columns(Integer, "pullRequest"))

// ChangeRow returns the cells of the ChangeColumns.
func ChangeRow(c *record.Change) Row {
	return Row{c.ID, c.Event, c.Timestamp.UTC().Format(time.RFC3339), c.Type, c.Slug, c.Name, json.RawMessage(record.AppendFieldChanges(nil, c.Fields)),
		c.Commit, c.Author, count(int64(c.PullRequest))}
}
