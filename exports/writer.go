package exports

import (
	"errors"
	"io"
	"path"
	"slices"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"

	"kindex/exports/history"
	"kindex/exports/kinds"
	"kindex/exports/record"
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

const gzipLevel = 5

// WriteTable writes a table as Parquet and as text: JSON Lines and CSV, each compressed; EntitiesFile, which people
// download most, also uncompressed and as JSON. The other forms are made from these while they are sent. Each
// compressed file is a single gzip member, because many clients stop silently after the first member of several.
func (w *Writer) WriteTable(t *Table) (err error) {
	var files []io.Closer // those that must be closed first come last
	defer func() {
		for _, f := range slices.Backward(files) {
			err = errors.Join(err, f.Close())
		}
	}()
	open := func(extension string) io.Writer {
		file, failed := w.Create(t.Base + extension)
		if failed != nil {
			err = errors.Join(err, failed)
			return io.Discard
		}
		files = append(files, file)
		if path.Ext(extension) != store.GzipExtension {
			return file
		}
		member, failed := gzip.NewWriterLevel(file, gzipLevel)
		err, files = errors.Join(err, failed), append(files, member)
		return member
	}
	array, lines, csv, parquet := io.Discard, open(".jsonl.gz"), open(".csv.gz"), open(".parquet")
	if t.Base == EntitiesFile {
		array = io.MultiWriter(open(".json"), open(".json.gz"))
		lines, csv = io.MultiWriter(lines, open(".jsonl")), io.MultiWriter(csv, open(".csv"))
	}
	if err != nil {
		return err
	}
	return t.write(array, lines, csv, parquet)
}

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

// LongTable is a bulk export with one row for each figure, result, offer or identifier of
// the listed entities, sorted by type and slug.
type LongTable struct {
	Block   string // which at least one kind must have, or ""
	Base    string // the files are named Base.json, Base.csv and so on
	Columns []table.Column
	Rows    func(*record.Entity) []table.Row
}

// LongTables are the long tables of a build.
var LongTables = []LongTable{
	{"", SignalsFile, table.SignalColumns, table.SignalRows},
	{kinds.Results, BenchmarksFile, table.BenchmarkColumns, table.BenchmarkRows},
	{kinds.Offers, OffersFile, table.OfferColumns, table.OfferRows},
	{"", IDsFile, table.IDColumns, table.IDRows},
}

// KindFile returns the base name of the table of one kind.
func KindFile(kind string) string { return "entities_" + kind }

// The files of a build. Files in lookup/ are internal to the edge and change with
// FormatVersion. All other files are public. Package history defines those of the history.
const (
	EntitiesFile     = "entities" // plus the format's extension
	FullFile         = "entities_full"
	SignalsFile      = "signals"
	BenchmarksFile   = "benchmarks"
	OffersFile       = "offers"
	IDsFile          = "ids"
	FeedFile         = "feed"      // the newest changes: .xml (RSS), .atom, .json (JSON Feed)
	ChangelogFile    = "changelog" // plus the format's extension
	LeaderboardsFile = "leaderboards.json"
	CategoriesFile   = "categories.json"
	ProvidersFile    = "providers.json"  // only if the content has providers.yaml
	KindsFile        = "kinds.yaml"      // only if the content has kinds.yaml
	SynonymsFile     = "synonyms.json"   // only if the content has synonyms.yaml
	VocabularyFile   = "vocabulary.json" // only if the content has vocabulary.yaml
	ScoringFile      = "scoring.json"
	SchemaFile       = "entity.schema.json"
	QualityFile      = "quality.json"
	BoardsFile       = "boards.json" // only if the content has boards.yaml

	recordsFile = "lookup/records.jsonl"
	similarFile = "lookup/similar.json.gz"

	boardsFile = "lookup/boards.json" // only with BoardsFile
)
