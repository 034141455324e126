package exports

import (
	"errors"
	"strconv"

	"golang.org/x/sync/errgroup"

	"kindex/exports/history"
	"kindex/exports/jsonenc"
	"kindex/exports/table"
)

// WriteHistory writes the changelog in every format, and the other files of the history.
func (w *Writer) WriteHistory(d *history.Data) error {
	var g errgroup.Group
	g.Go(func() error {
		return w.WriteTable(&Table{Base: ChangelogFile, Columns: table.ChangeColumns, Items: len(d.Changes), JSON: d.Line, Cells: rowOfChange})
	})
	g.Go(func() error {
		files, err := d.Files()
		if err != nil {
			return err
		}
		for name, data := range files {
			err = errors.Join(err, w.Add(name, data))
		}
		return err
	})
	return g.Wait()
}

// rowOfChange extracts the cells of the ChangeColumns from a line that AppendJSON
// wrote, without decoding nested values.
func rowOfChange(line []byte) table.Row {
	text := func(value []byte) table.Cell { return table.Cell{Text: jsonenc.Text(value)} }
	row := make(table.Row, len(table.ChangeColumns))
	set := func(name string, c table.Cell) {
		if i, ok := changeColumn[name]; ok {
			row[i] = c
		}
	}
	for name, value := range jsonenc.Members(line) {
		switch name := string(name); name {
		case "entity":
			for name, value := range jsonenc.Members(value) {
				set(string(name), text(value))
			}
		case "changes":
			set(name, table.Cell{Text: string(value)})
		case "pullRequest":
			n, err := strconv.Atoi(string(value))
			set(name, table.Cell{Number: float64(n), Known: err == nil})
		default:
			set(name, text(value))
		}
	}
	return row
}

// changeColumn maps the names of the ChangeColumns to their positions.
var changeColumn = func() map[string]int {
	positions := make(map[string]int, len(table.ChangeColumns))
	for i, c := range table.ChangeColumns {
		positions[c.Name] = i
	}
	return positions
}()
