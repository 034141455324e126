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
	{"", SignalsFile, table.SignalColumns, alone(table.SignalRows)},
	{kinds.Results, BenchmarksFile, table.BenchmarkColumns, alone(table.BenchmarkRows)},
	{kinds.Offers, OffersFile, table.OfferColumns, alone(table.OfferRows)},
	{"", IDsFile, table.IDColumns, table.IDRows},
}
