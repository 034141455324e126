package exports

import (
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/table"
)

// LongTable is a bulk export with one row for each figure, result, offer or identifier of
// the listed entities, sorted by type and slug.
type LongTable struct {
	Block   string // which at least one kind must have, or ""
	Base    string // the files are named Base.json, Base.csv and so on
	Columns []table.Column
	Members []string                  // members of a record from which its rows are made
	Has     func(*record.Entity) bool // reports whether an entity has rows
	// Rows returns the rows of an entity. namespace looks up namespaces of identifiers by
	// name.
	Rows func(e *record.Entity, namespace func(name string) *ids.Namespace) []table.Row
}

// alone makes Rows of a function that needs only the entity.
func alone(rows func(*record.Entity) []table.Row) func(*record.Entity, func(string) *ids.Namespace) []table.Row {
	return func(e *record.Entity, _ func(string) *ids.Namespace) []table.Row { return rows(e) }
}

// LongTables are the long tables of a build.
var LongTables = []LongTable{
	{"", SignalsFile, table.SignalColumns, []string{"type", "slug", "signals"}, func(e *record.Entity) bool { return len(e.Signals.Facts) > 0 }, alone(table.SignalRows)},
	{kinds.Results, BenchmarksFile, table.BenchmarkColumns, []string{"type", "slug", "signals"}, func(e *record.Entity) bool { return len(e.Signals.Benchmarks) > 0 }, alone(table.BenchmarkRows)},
	{kinds.Offers, OffersFile, table.OfferColumns, []string{"type", "slug", "offers"}, func(e *record.Entity) bool { return len(e.Offers) > 0 }, alone(table.OfferRows)},
	{"", IDsFile, table.IDColumns, []string{"type", "slug", "ids"}, func(e *record.Entity) bool { return len(e.IDs) > 0 }, table.IDRows},
}
