package table

import (
	"strconv"

	"kindex/exports/ids"
	"kindex/exports/record"
)

// The long tables have one row for each figure, result, offer or identifier of an entity.
// In Parquet, prices are doubles: a price has at most six decimals and is below a billion
// dollars, so the double nearest to it determines it.

// SignalColumns are the columns of the table of signals. A signal is either a number or a
// day, which may be a month only.
var SignalColumns = []Column{
	{"type", Text}, {"slug", Text}, {"signal", Text}, {"value", Number}, {"day", Text}, {"date", Date}, {"source", Text},
}

// BenchmarkColumns are the columns of the table of benchmark results.
var BenchmarkColumns = []Column{
	{"type", Text}, {"slug", Text}, {"benchmark", Text}, {"value", Number}, {"metric", Text}, {"harness", Text}, {"variant", Text},
	{"dataset", Text}, {"version", Text}, {"by", Text}, {"publisher", Text}, {"date", Text}, {"source", Text},
}

// OfferColumns are the columns of the table of offers. An offer has a row for its own prices
// and one for each of its tiers, its modes and their tiers, and so for its announced prices;
// mode, over and from distinguish them.
var OfferColumns = func() []Column {
	columns := []Column{{"type", Text}, {"slug", Text}, {"provider", Text}, {"id", Text}, {"mode", Text}, {"over", Integer}, {"from", Date}, {"until", Date}}
	for _, name := range record.PriceNames {
		columns = append(columns, Column{name, Money})
	}
	return append(columns, Column{"hours", Text}, Column{"context", Integer}, Column{"outputLimit", Integer}, Column{"free", Boolean},
		Column{"deprecated", Boolean}, Column{"date", Date}, Column{"source", Text})
}()

// IDColumns are the columns of the table of identifiers.
var IDColumns = []Column{{"type", Text}, {"slug", Text}, {"namespace", Text}, {"id", Text}, {"url", Text}}

// SignalRows returns the rows of an entity in the table of signals.
func SignalRows(e *record.Entity) []Row {
	rows := make([]Row, 0, len(e.Signals.Facts))
	for i := range e.Signals.Facts {
		f := &e.Signals.Facts[i]
		rows = append(rows, Row{{Text: e.Type}, {Text: e.Slug}, {Text: f.Name}, {Number: f.Number, Known: f.Day == ""}, {Text: f.Day},
			{Text: f.Date}, {Text: f.Source}})
	}
	return rows
}

// BenchmarkRows returns the rows of an entity in the table of benchmark results.
func BenchmarkRows(e *record.Entity) []Row {
	rows := make([]Row, 0, len(e.Signals.Benchmarks))
	for i := range e.Signals.Benchmarks {
		b := &e.Signals.Benchmarks[i]
		rows = append(rows, Row{{Text: e.Type}, {Text: e.Slug}, {Text: b.Name}, {Number: b.Value, Known: true}, {Text: b.Metric},
			{Text: b.Harness}, {Text: b.Variant}, {Text: b.Dataset}, {Text: b.Version}, {Text: b.By}, {Text: b.Publisher},
			{Text: b.Date}, {Text: b.Source}})
	}
	return rows
}

// OfferRows returns the rows of an entity in the table of offers.
func OfferRows(e *record.Entity) []Row {
	rows := make([]Row, 0, len(e.Offers))
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
		row := make(Row, 0, len(OfferColumns))
		row = append(row, Cell{Text: e.Type}, Cell{Text: e.Slug}, Cell{Text: o.Provider}, Cell{Text: o.ID}, Cell{Text: m.Name}, countCell(over),
			Cell{Text: from}, Cell{Text: until})
		for _, price := range p {
			row = append(row, priceCell(price))
		}
		rows = append(rows, append(row, Cell{Text: m.Hours}, countCell(o.Context), countCell(o.OutputLimit), Cell{Text: strconv.FormatBool(o.Free)},
			Cell{Text: strconv.FormatBool(o.Deprecated)}, Cell{Text: o.Date}, Cell{Text: o.Source}))
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

// IDRows returns the rows of an entity in the table of identifiers. namespace looks up
// namespaces by name.
func IDRows(e *record.Entity, namespace func(name string) *ids.Namespace) []Row {
	rows := make([]Row, 0, len(e.IDs))
	for _, id := range e.IDs {
		page := ""
		if n := namespace(id.Namespace); n != nil {
			page = n.Address(id.Value)
		}
		rows = append(rows, Row{{Text: e.Type}, {Text: e.Slug}, {Text: id.Namespace}, {Text: id.Value}, {Text: page}})
	}
	return rows
}

// countCell returns a number that is null if it is 0.
func countCell(n int64) Cell { return Cell{Number: float64(n), Known: n != 0} }

func priceCell(p record.Price) Cell { return Cell{Number: p.Float(), Known: p.Known()} }
