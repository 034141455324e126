package table

import (
	"slices"
	"strconv"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

// FullColumns are the EntityColumns and, after them, those that an export contains only if
// they are asked for.
var FullColumns = func() []Column {
	columns := append(slices.Clone(EntityColumns),
		Column{"status", Text}, Column{"maintenance", Text}, Column{"maintenanceAsOf", Date}, Column{"retires", Date},
		Column{"replacedBy", Text}, Column{"rank", Integer}, Column{"contextTokens", Integer}, Column{"priceInput", Money},
		Column{"priceOutput", Money}, Column{"priceBlended", Money})
	for _, name := range record.LinkNames {
		columns = append(columns, Column{prefixed("link", name), Text})
	}
	for _, f := range kinds.Default().Leaves() {
		columns = append(columns, Column{f.Column(), kindOf(f.Type)})
	}
	for _, s := range kinds.Default().Signals {
		name := prefixed("signal", s.Name)
		columns = append(columns, Column{name, kindOf(s.Type)}, Column{name + "Date", Date})
	}
	return columns
}()

// kindOf returns the kind of the columns for a type of values.
func kindOf(t kinds.Type) Kind {
	switch t {
	case kinds.List:
		return List
	case kinds.Boolean:
		return Boolean
	case kinds.Count:
		return Integer
	case kinds.Number:
		return Number
	case kinds.Date:
		return Date
	}
	return Text
}

// Meaning returns what a declared field or signal says about its column, or "" for other columns.
func Meaning(column string) string {
	for _, f := range kinds.Default().Leaves() {
		if f.Column() == column {
			return f.Description
		}
	}
	for _, s := range kinds.Default().Signals {
		switch name := prefixed("signal", s.Name); column {
		case name:
			return s.Description
		case name + "Date":
			return "The day on which " + name + " was read."
		}
	}
	return ""
}

// prefixed returns the column of a link or signal: linkHomepage for homepage.
func prefixed(prefix, name string) string { return prefix + strings.ToUpper(name[:1]) + name[1:] }

// FullMembers are the members of a record from which its FullRow is made.
var FullMembers = slices.DeleteFunc(slices.Clone(record.RecordFields), func(name string) bool { return name == "offers" })

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
	row := append(make(Row, 0, len(FullColumns)), EntityRow(e)...)
	row = append(row, Cell{Text: e.Status}, Cell{Text: e.Maintenance.State}, Cell{Text: e.Maintenance.AsOf}, Cell{Text: l.Retires},
		Cell{Text: l.ReplacedBy}, countCell(int64(rank)), context, priceCell(e.Price.Input), priceCell(e.Price.Output), priceCell(e.Price.Blended))
	for _, name := range record.LinkNames {
		i := slices.IndexFunc(e.Links, func(l record.Link) bool { return l.Name == name })
		if i < 0 {
			row = append(row, Cell{})
		} else {
			row = append(row, Cell{Text: e.Links[i].URL})
		}
	}
	for _, f := range kinds.Default().Leaves() {
		row = append(row, cellOf(e.Values.Get(f.Path)))
	}
	for _, s := range kinds.Default().Signals {
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
	}
	return Cell{}
}
