package exports

import (
	"kindex/exports/record"
	"kindex/exports/table"
)

// LongTable is a bulk export with one row for each figure, result, offer or identifier of
// the listed entities, sorted by type and slug.
type LongTable struct {
	Base    string // the files are named Base.json, Base.csv and so on
	Columns []table.Column
	Has     func(*record.Entity) bool        // reports whether an entity has rows
	Rows    func(*record.Entity) []table.Row // returns the rows of an entity
}

// LongTables are the long tables of a build.
var LongTables = []LongTable{
	{SignalsFile, table.SignalColumns, func(e *record.Entity) bool { return len(e.Signals.Facts) > 0 }, table.SignalRows},
	{BenchmarksFile, table.BenchmarkColumns, func(e *record.Entity) bool { return len(e.Signals.Benchmarks) > 0 }, table.BenchmarkRows},
	{OffersFile, table.OfferColumns, func(e *record.Entity) bool { return len(e.Offers) > 0 }, table.OfferRows},
	{IDsFile, table.IDColumns, func(e *record.Entity) bool { return len(e.IDs) > 0 }, table.IDRows},
}
