package table

import (
	"slices"
	"strconv"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

// FullColumns returns the EntityColumns and, after them, those that an export contains only if
// they are asked for.
func FullColumns(declared *kinds.Set) []Column {
	columns := append(slices.Clone(EntityColumns),
		Column{"status", Text}, Column{"maintenance", Text}, Column{"maintenanceAsOf", Date}, Column{"retires", Date},
		Column{"replacedBy", Text}, Column{"rank", Integer}, Column{"contextTokens", Integer}, Column{"priceInput", Money},
		Column{"priceOutput", Money}, Column{"priceBlended", Money})
	for _, l := range declared.Links {
		columns = append(columns, Column{prefixed("link", l.Name), Text})
	}
	for _, f := range declared.Leaves() {
		columns = append(columns, Column{f.Column(), kindOf(f)})
	}
	for _, s := range declared.Signals {
		name := prefixed("signal", s.Name)
		columns = append(columns, Column{name, kindOfType(s.Type)}, Column{name + "Date", Date})
	}
	return columns
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
	without["contextTokens"] = !k.HasSignal("contextTokens")
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

// FullRow returns the cells of the FullColumns. rank is the position of the entity among
// those of its type, best first and starting at 1, or 0 if it is not ranked.
func FullRow(e *record.Entity, rank int) Row {
	var l record.Lifecycle
	if e.Lifecycle != nil {
		l = *e.Lifecycle
	}
	var context Cell
	if i := slices.IndexFunc(e.Signals.Facts, func(f record.Fact) bool { return f.Name == "contextTokens" }); i >= 0 {
		context = Cell{Number: e.Signals.Facts[i].Number, Known: true}
	}
	declared := e.Declared()
	row := EntityRow(e)
	row = append(row, Cell{Text: e.Status}, Cell{Text: e.Maintenance.State}, Cell{Text: e.Maintenance.AsOf}, Cell{Text: l.Retires},
		Cell{Text: l.ReplacedBy}, countCell(int64(rank)), context, priceCell(e.Price.Input), priceCell(e.Price.Output), priceCell(e.Price.Blended))
	for _, link := range declared.Links {
		i := slices.IndexFunc(e.Links, func(l record.Link) bool { return l.Name == link.Name })
		if i < 0 {
			row = append(row, Cell{})
		} else {
			row = append(row, Cell{Text: e.Links[i].URL})
		}
	}
	for _, f := range declared.Leaves() {
		row = append(row, cellOf(e.Values.Get(f.Path)))
	}
	for _, s := range declared.Signals {
		fact, known := e.Signals.Fact(s.Name)
		row = append(row, Cell{Text: fact.Day, Number: fact.Number, Known: known && fact.Day == ""}, Cell{Text: fact.Date})
	}
	return row
}

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
