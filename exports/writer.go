package exports

import (
	"errors"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"

	"kindex/exports/history"
	"kindex/exports/store"
	"kindex/exports/table"
)

// Writer writes the files of one build. Its methods may be called concurrently, but
// each file writer belongs to one goroutine.
type Writer struct{ *store.Staging }

// NewWriter starts a build in root, the output folder.
func NewWriter(root string) (*Writer, error) {
	s, err := store.NewStaging(root)
	if err != nil {
		return nil, err
	}
	return &Writer{s}, nil
}

// Table describes a bulk export.
type Table struct {
	Base    string // the files are named Base.json, Base.csv and so on
	Columns []table.Column
	// Rows passes each row to write, with its JSON object unless that has a member for each column.
	Rows func(write func(r table.Row, object []byte) error) error
}

// gzipLevel is the compression level of the gzip files of a build.
const gzipLevel = 5

// stored lists the text forms in which tables are stored as they are; the form ending in .gz is stored,
// too. Of all others there are only the .jsonl.gz and the .csv.gz: the other forms are made from these
// while they are sent.
var stored = map[string][]string{EntitiesFile: {".json", ".jsonl", ".csv"}}

// WriteTable writes a table as Parquet and as text. Each compressed file is a single gzip member,
// because many clients stop silently after the first member of several.
func (w *Writer) WriteTable(t *Table) (err error) {
	var files []io.Closer
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Close())
		}
	}()
	texts := map[string]io.Writer{".json": io.Discard}
	for _, extension := range []string{".json", ".jsonl", ".csv"} {
		plain := slices.Contains(stored[t.Base], extension)
		if extension == ".json" && !plain {
			continue
		}
		file, err := w.Create(t.Base + extension + store.GzipExtension)
		if err != nil {
			return err
		}
		member, err := gzip.NewWriterLevel(file, gzipLevel)
		if err != nil {
			return err
		}
		files = append(files, member, file)
		texts[extension] = member
		if !plain {
			continue
		}
		whole, err := w.Create(t.Base + extension)
		if err != nil {
			return err
		}
		files = append(files, whole)
		texts[extension] = io.MultiWriter(whole, member)
	}
	columns, err := w.Create(t.Base + ".parquet")
	if err != nil {
		return err
	}
	files = append(files, columns)
	return t.write(texts[".json"], texts[".jsonl"], texts[".csv"], columns)
}

// write encodes the rows in all formats at once.
func (t *Table) write(array, lines, csv, parquet io.Writer) error {
	elements := table.NewArrayWriter(array)
	cells, err := table.NewEncoder("csv", csv, t.Columns)
	if err != nil {
		return err
	}
	groups, err := table.NewEncoder("parquet", parquet, t.Columns)
	if err != nil {
		return err
	}
	var line []byte
	err = t.Rows(func(r table.Row, object []byte) error {
		if line = append(line[:0], object...); object == nil {
			line = table.AppendRow(line, t.Columns, r)
		}
		line = append(line, '\n')
		_, failedElement := elements.Write(line)
		_, failedLine := lines.Write(line)
		return errors.Join(failedElement, failedLine, cells.Write(r), groups.Write(r))
	})
	if err != nil {
		return err
	}
	return errors.Join(elements.Close(), cells.Close(), groups.Close())
}

// WriteHistory writes the changelog in every format, and the other files of the history.
func (w *Writer) WriteHistory(d *history.Data) error {
	var g errgroup.Group
	g.Go(func() error {
		return w.WriteTable(&Table{Base: ChangelogFile, Columns: table.ChangeColumns, Rows: func(write func(table.Row, []byte) error) error {
			for i := range d.Changes {
				c, err := d.Change(i)
				if err == nil {
					err = write(table.ChangeRow(c), c.AppendJSON(nil))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}})
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
