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
	block string // which at least one kind must have, or ""
	cell  func(e *record.Entity, rank int) Cell
}

// fixed are the columns of the full table that come after the EntityColumns in every index.
var fixed = []property{
	{Column{"status", Text}, "", func(e *record.Entity, _ int) Cell { return Cell{Text: e.Status} }},
	{Column{"maintenance", Text}, kinds.Maintenance, func(e *record.Entity, _ int) Cell { return Cell{Text: e.Maintenance.State} }},
	{Column{"maintenanceAsOf", Date}, kinds.Maintenance, func(e *record.Entity, _ int) Cell { return Cell{Text: e.Maintenance.AsOf} }},
	{Column{"retires", Date}, kinds.Lifecycle, func(e *record.Entity, _ int) Cell { return Cell{Text: lifecycle(e).Retires} }},
	{Column{"replacedBy", Text}, kinds.Lifecycle, func(e *record.Entity, _ int) Cell { return Cell{Text: lifecycle(e).ReplacedBy} }},
	{Column{"rank", Integer}, "", func(_ *record.Entity, rank int) Cell { return countCell(int64(rank)) }},
	{Column{kinds.ContextSignal, Integer}, kinds.Offers, func(e *record.Entity, _ int) Cell { return factCell(e, kinds.ContextSignal) }},
	{Column{"priceInput", Money}, kinds.Offers, func(e *record.Entity, _ int) Cell { return priceCell(e.Price.Input) }},
	{Column{"priceOutput", Money}, kinds.Offers, func(e *record.Entity, _ int) Cell { return priceCell(e.Price.Output) }},
	{Column{"priceBlended", Money}, kinds.Offers, func(e *record.Entity, _ int) Cell { return priceCell(e.Price.Blended) }},
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
		list = append(list, property{Column{prefixed("link", l.Name), Text}, "", func(e *record.Entity, _ int) Cell { return linkCell(e, l.Name) }})
	}
	for _, f := range declared.Leaves() {
		list = append(list, property{Column{f.Column(), kindOf(f)}, "", func(e *record.Entity, _ int) Cell { return cellOf(e.Values.Get(f.Path)) }})
	}
	for _, s := range declared.Signals {
		name := prefixed("signal", s.Name)
		list = append(list, property{Column{name, kindOfType(s.Type)}, "", func(e *record.Entity, _ int) Cell { return factCell(e, s.Name) }},
			property{Column{name + "Date", Date}, "", func(e *record.Entity, _ int) Cell {
				f, _ := e.Signals.Fact(s.Name)
				return Cell{Text: f.Date}
			}})
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
	for _, f := range declared.Leaves() {
		if f.Column() == column {
			return f.Description
		}
	}
	for _, l := range declared.Links {
		if prefixed("link", l.Name) == column {
			return "An address: " + lower(l.Description)
		}
	}
	for _, s := range declared.Signals {
		switch name := prefixed("signal", s.Name); column {
		case name:
			return s.Description
		case name + "Date":
			return "The day on which " + name + " was read."
		}
	}
	return ""
}

func lower(text string) string {
	return strings.ToLower(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

// KindColumns returns the FullColumns that entities of a kind can have, and the index of each in a FullRow.
func KindColumns(declared *kinds.Set, k *kinds.Kind) (columns []Column, at []int) {
	without := map[string]bool{}
	for _, f := range declared.Leaves() {
		without[f.Column()] = !k.Has(f)
	}
	for _, s := range declared.Signals {
		name := prefixed("signal", s.Name)
		without[name], without[name+"Date"] = !k.HasSignal(s.Name), !k.HasSignal(s.Name)
	}
	without[kinds.ContextSignal] = !k.HasSignal(kinds.ContextSignal)
	for block, names := range map[string][]string{kinds.Offers: {"priceInput", "priceOutput", "priceBlended"},
		kinds.Maintenance: {"maintenance", "maintenanceAsOf"}, kinds.Lifecycle: {"retires", "replacedBy"}} {
		for _, name := range names {
			without[name] = !k.HasBlock(block)
		}
	}
	for i, c := range FullColumns(declared) {
		if !without[c.Name] {
			columns, at = append(columns, c), append(at, i)
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
