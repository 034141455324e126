package table

import (
	"slices"
	"strconv"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

// property is a column of the full table, and how its cell follows from an entity. rank is the position of
// the entity among those of its type, best first and starting at 1, or 0 if it is not ranked.
type property struct {
	Column
	block   string // which at least one kind must have, or ""
	cell    func(e *record.Entity, rank int) Cell
	has     func(*kinds.Kind) bool // whether entities of a kind can have it, nil for those with the block
	meaning string                 // "" for the fixed ones
}

// fixed are the columns of the full table that come after the EntityColumns in every index.
var fixed = []property{
	{Column{"status", Text}, "", func(e *record.Entity, _ int) Cell { return Cell{Text: e.Status} }, nil, ""},
	{Column{"maintenance", Text}, kinds.Maintenance, func(e *record.Entity, _ int) Cell { return Cell{Text: e.Maintenance.State} }, nil, ""},
	{Column{"maintenanceAsOf", Date}, kinds.Maintenance, func(e *record.Entity, _ int) Cell { return Cell{Text: e.Maintenance.AsOf} }, nil, ""},
	{Column{"retires", Date}, kinds.Lifecycle, func(e *record.Entity, _ int) Cell { return Cell{Text: lifecycle(e).Retires} }, nil, ""},
	{Column{"replacedBy", Text}, kinds.Lifecycle, func(e *record.Entity, _ int) Cell { return Cell{Text: lifecycle(e).ReplacedBy} }, nil, ""},
	{Column{"rank", Integer}, "", func(_ *record.Entity, rank int) Cell { return countCell(int64(rank)) }, nil, ""},
	{Column{kinds.ContextSignal, Integer}, kinds.Offers, func(e *record.Entity, _ int) Cell { return factCell(e, kinds.ContextSignal) }, func(k *kinds.Kind) bool { return k.HasSignal(kinds.ContextSignal) }, ""},
	{Column{"priceInput", Money}, kinds.Offers, func(e *record.Entity, _ int) Cell { return priceCell(e.Price.Input) }, nil, ""},
	{Column{"priceOutput", Money}, kinds.Offers, func(e *record.Entity, _ int) Cell { return priceCell(e.Price.Output) }, nil, ""},
	{Column{"priceBlended", Money}, kinds.Offers, func(e *record.Entity, _ int) Cell { return priceCell(e.Price.Blended) }, nil, ""},
}

func lifecycle(e *record.Entity) record.Lifecycle {
	if e.Lifecycle == nil {
		return record.Lifecycle{}
	}
	return *e.Lifecycle
}

func factCell(e *record.Entity, signal string) Cell {
	f, known := e.Signals.Fact(signal)
	return Cell{Text: f.Day, Number: f.Number, Known: known && f.Day == ""}
}

// properties returns the columns after the EntityColumns.
func properties(declared *kinds.Set) (list []property) {
	for _, p := range fixed {
		if p.block == "" || declared.HasBlock(p.block) {
			list = append(list, p)
		}
	}
	for _, l := range declared.Links {
		list = append(list, property{Column{prefixed("link", l.Name), Text}, "", func(e *record.Entity, _ int) Cell { return linkCell(e, l.Name) }, nil, "An address: " + lower(l.Description)})
	}
	for _, f := range declared.Leaves() {
		list = append(list, property{Column{f.Column(), kindOf(f)}, "", func(e *record.Entity, _ int) Cell { return cellOf(e.Values.Get(f.Path)) },
			func(k *kinds.Kind) bool { return k.Has(f) }, f.Description})
	}
	for _, s := range declared.Signals {
		name, has := prefixed("signal", s.Name), func(k *kinds.Kind) bool { return k.HasSignal(s.Name) }
		list = append(list, property{Column{name, kindOfType(s.Type)}, "", func(e *record.Entity, _ int) Cell { return factCell(e, s.Name) }, has, s.Description},
			property{Column{name + "Date", Date}, "", func(e *record.Entity, _ int) Cell {
				f, _ := e.Signals.Fact(s.Name)
				return Cell{Text: f.Date}
			}, has, "The day on which " + name + " was read."})
	}
	return list
}

func linkCell(e *record.Entity, name string) Cell {
	for _, l := range e.Links {
		if l.Name == name {
			return Cell{Text: l.URL}
		}
	}
	return Cell{}
}

// FullColumns returns the EntityColumns and, after them, those that an export contains only if
// they are asked for.
func FullColumns(declared *kinds.Set) []Column {
	columns := slices.Clone(EntityColumns)
	for _, p := range properties(declared) {
		columns = append(columns, p.Column)
	}
	return columns
}

// FullRow returns a function that returns the cells of the FullColumns. rank is the position of the entity
// among those of its type, best first and starting at 1, or 0 if it is not ranked.
func FullRow(declared *kinds.Set) func(e *record.Entity, rank int) Row {
	list := properties(declared)
	return func(e *record.Entity, rank int) Row {
		row := slices.Grow(EntityRow(e), len(list))
		for _, p := range list {
			row = append(row, p.cell(e, rank))
		}
		return row
	}
}

// kindOf returns the kind of a declared field's column.
func kindOf(f *kinds.Field) Kind {
	if f.Type == kinds.List && f.Of == kinds.Number {
		return Numbers
	}
	return kindOfType(f.Type)
}

// kindOfType returns the kind of the columns for a type of values.
func kindOfType(t kinds.Type) Kind {
	switch t {
	case kinds.List, kinds.References:
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
	for _, p := range properties(declared) {
		if p.Name == column && p.meaning != "" {
			return p.meaning
		}
	}
	return ""
}

func lower(text string) string {
	return strings.ToLower(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

// KindColumns returns the FullColumns that entities of a kind can have, and the index of each in a FullRow.
func KindColumns(declared *kinds.Set, k *kinds.Kind) (columns []Column, at []int) {
	for i, c := range EntityColumns {
		columns, at = append(columns, c), append(at, i)
	}
	for i, p := range properties(declared) {
		if p.has == nil && (p.block == "" || k.HasBlock(p.block)) || p.has != nil && p.has(k) {
			columns, at = append(columns, p.Column), append(at, len(EntityColumns)+i)
		}
	}
	return columns, at
}

// prefixed returns the column of a link or signal: linkHomepage for homepage.
func prefixed(prefix, name string) string { return prefix + strings.ToUpper(name[:1]) + name[1:] }

// cellOf returns the cell for the value of a declared field.
func cellOf(value any) Cell {
	switch v := value.(type) {
	case string:
		return Cell{Text: v}
	case bool:
		return Cell{Text: strconv.FormatBool(v)}
	case float64:
		return Cell{Number: v, Known: true}
	case []string:
		return Cell{List: v}
	case []float64:
		return Cell{Numbers: v}
	}
	return Cell{}
}
