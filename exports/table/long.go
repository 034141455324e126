package table

import (
	"slices"

	"kindex/exports/ids"
	"kindex/exports/record"
)

// The long tables have one row for each figure, result, offer or identifier of an entity.
// In Parquet, prices are doubles: a price has at most six decimals and is below a billion
// dollars, so the double nearest to it determines it.

// SignalColumns are the columns of the table of signals. A signal is either a number or a
// day, which may be a month only.
var SignalColumns = slices.Concat(columns(Text, "type", "slug", "signal"), columns(Number, "value"), columns(Text, "day"), columns(Date, "date"), columns(Text, "source"))

// BenchmarkColumns are the columns of the table of benchmark results.
var BenchmarkColumns = slices.Concat(columns(Text, "type", "slug", "benchmark"), columns(Number, "value"),
	columns(Text, "metric", "harness", "variant", "dataset", "version", "by", "publisher", "date", "source"))

// OfferColumns are the columns of the table of offers. An offer has a row for its own prices
// and one for each of its tiers, its modes and their tiers, and so for its announced prices;
// mode, over and from distinguish them.
var OfferColumns = slices.Concat(columns(Text, "type", "slug", "provider", "id", "mode"), columns(Integer, "over"), columns(Date, "from", "until"),
	columns(Money, record.PriceNames...), columns(Text, "hours"), columns(Integer, "context", "outputLimit"), columns(Boolean, "free", "deprecated"),
	columns(Date, "date"), columns(Text, "source"))

// IDColumns are the columns of the table of identifiers.
var IDColumns = columns(Text, "type", "slug", "namespace", "id", "url")

// SignalRows returns the rows of an entity in the table of signals.
func SignalRows(e *record.Entity) (rows []Row) {
	for _, f := range e.Signals.Facts {
		value := any(f.Number)
		if f.Day != "" {
			value = nil
		}
		rows = append(rows, Row{e.Type, e.Slug, f.Name, value, f.Day, f.Date, f.Source})
	}
	return rows
}

// BenchmarkRows returns the rows of an entity in the table of benchmark results.
func BenchmarkRows(e *record.Entity) (rows []Row) {
	for _, b := range e.Signals.Benchmarks {
		rows = append(rows, Row{e.Type, e.Slug, b.Name, b.Value, b.Metric, b.Harness, b.Variant, b.Dataset, b.Version, b.By, b.Publisher, b.Date, b.Source})
	}
	return rows
}

// OfferRows returns the rows of an entity in the table of offers.
func OfferRows(e *record.Entity) (rows []Row) {
	for i := range e.Offers {
		o := &e.Offers[i]
		rows = appendTerms(rows, e, o, "", o.Until, &record.Terms{Prices: o.Prices, Tiers: o.Tiers, Modes: o.Modes})
		if o.Next != nil {
			rows = appendTerms(rows, e, o, o.Next.From, "", o.Next)
		}
	}
	return rows
}

// appendTerms appends the rows of an offer's present or announced prices.
func appendTerms(rows []Row, e *record.Entity, o *record.Offer, from, until string, t *record.Terms) []Row {
	add := func(m *record.Mode, over int64, p *record.Prices) {
		row := Row{e.Type, e.Slug, o.Provider, o.ID, m.Name, count(over), from, until}
		for _, price := range p {
			row = append(row, price)
		}
		rows = append(rows, append(row, m.Hours, count(o.Context), count(o.OutputLimit), o.Free, o.Deprecated, o.Date, o.Source))
	}
	standard := record.Mode{Prices: t.Prices, Tiers: t.Tiers}
	for i, m := range append([]record.Mode{standard}, t.Modes...) {
		if i == 0 || m.Prices.Known() {
			add(&m, 0, &m.Prices)
		}
		for j := range m.Tiers {
			add(&m, m.Tiers[j].Over, &m.Tiers[j].Prices)
		}
	}
	return rows
}

// IDRows returns the rows of an entity in the table of identifiers.
func IDRows(e *record.Entity) (rows []Row) {
	for _, id := range e.IDs {
		page := ""
		if n := ids.In(e.Declared(), id.Namespace); n != nil {
			page = n.Address(id.Value)
		}
		rows = append(rows, Row{e.Type, e.Slug, id.Namespace, id.Value, page})
	}
	return rows
}
