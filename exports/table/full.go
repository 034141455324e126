package table

import (
	"slices"
	"strings"

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
		columns = append(columns, Column{linkColumn(name), Text})
	}
	return columns
}()

// linkColumn returns the column of a link: linkHomepage for homepage.
func linkColumn(name string) string { return "link" + strings.ToUpper(name[:1]) + name[1:] }

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
	return row
}
