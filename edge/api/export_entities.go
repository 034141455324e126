package api

import (
	"io"
	"slices"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/table"
	"kindex/exports/view"
)

// ExportEntities handles GET /api/export/entities.
func (a *API) ExportEntities(c *web.Call) (*web.Reply, error) {
	format, err := exportFormat(c)
	if err != nil {
		return nil, err
	}
	f, err := c.Query.Filter(c.Served.Slugs, c.Served.Build)
	if err != nil {
		return nil, err
	}
	x, err := readEntityExport(c)
	if err != nil {
		return nil, err
	}
	if x.file != "" && f.Empty() && format.Name != table.SpreadsheetCSV && c.Served.Build.OverlayID() == "" {
		return prebuilt(c, x.file+format.Extension, x.file+format.Extension)
	}
	return &web.Reply{MediaType: format.MediaType, Attachment: "entities" + format.Extension,
		ETagSeed: c.Request.URL.Path + "?" + c.Query.Canonical(),
		Stream: func(w io.Writer) error {
			set := c.Served.Build.Select(f)
			row := x.rows(c.Served.Build)
			order := c.Served.Build.InKeyOrder(set)
			return writeRows(w, format.Name, x.columns, len(order), func(i int) (table.Row, error) { return row(order[i]), nil })
		}}, nil
}

// allFields is the value of the fields parameter that selects all columns.
const allFields = "all"

// entityExport is what an export of entities contains.
type entityExport struct {
	columns []table.Column
	at      []int  // the index of each column in FullColumns
	file    string // the files of a build with these columns, or "" if there are none
}

// readEntityExport reads the fields parameter of an export of entities.
func readEntityExport(c *web.Call) (*entityExport, error) {
	if !c.Query.Has("fields") {
		return &entityExport{columns: table.EntityColumns, file: exports.EntitiesFile}, nil
	}
	names, err := c.Query.List("fields", append(columnNames(table.FullColumns), allFields))
	switch {
	case err != nil:
		return nil, err
	case slices.Contains(names, allFields) && len(names) > 1:
		return nil, &query.Error{Param: "fields", Message: `"all" already selects every field; use it alone`}
	case slices.Contains(names, allFields):
		return &entityExport{columns: table.FullColumns, file: exports.FullFile}, nil
	}
	x := &entityExport{}
	x.columns, x.at, err = table.SelectColumns(table.FullColumns, names)
	return x, err
}

// rows returns a function that returns the row of a record.
func (x *entityExport) rows(b *exports.Build) func(ordinal uint32) table.Row {
	if len(x.columns) <= len(table.EntityColumns) && !slices.ContainsFunc(x.at, func(i int) bool { return i >= len(table.EntityColumns) }) {
		return func(o uint32) table.Row { return selectCells(table.EntityRow(b.Entity(o)), x.at) } // no ranks are needed
	}
	ranks := ranksByType(b)
	return func(o uint32) table.Row { return selectCells(table.FullRow(b.Entity(o), ranks[o]), x.at) }
}

// ranksByType returns the rank of each ranked record among those of its type.
func ranksByType(b *exports.Build) map[uint32]int {
	ranks := map[uint32]int{}
	for _, typ := range record.Types {
		set := b.Board(view.AllBoard, typ, "composite")
		for i, o := range b.InRankOrder(set) {
			ranks[o] = i + 1
		}
	}
	return ranks
}

func columnNames(columns []table.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// selectCells reduces a row to the given columns; nil selects all of them.
func selectCells(row table.Row, columns []int) table.Row {
	if columns == nil || row == nil {
		return row
	}
	out := make(table.Row, len(columns))
	for i, j := range columns {
		out[i] = row[j]
	}
	return out
}
