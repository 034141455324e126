package exports

import (
	"errors"

	"golang.org/x/sync/errgroup"

	"kindex/exports/history"
	"kindex/exports/record"
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

// rowOfChange returns the cells of a line of the changelog.
func rowOfChange(line []byte) (table.Row, error) {
	c := new(record.Change)
	err := c.UnmarshalJSON(line)
	return table.ChangeRow(c), err
}
