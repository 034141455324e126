package exports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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

// Leaderboard is a leaderboard that WriteLeaderboards writes.
type Leaderboard struct {
	Name    string // all, a category or a board
	Columns []table.Column
	Rows    []table.Row // best first
}

// WriteLeaderboards writes all leaderboards as one object, each as an array with a row on each line,
// as if it were a file of its own.
func (w *Writer) WriteLeaderboards(list []Leaderboard) error {
	out := bytes.NewBufferString("{")
	for i, l := range list {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`"` + l.Name + `":`)
		enc, err := table.NewEncoder("json", out, l.Columns)
		if err != nil {
			return err
		}
		for _, r := range l.Rows {
			err = errors.Join(err, enc.Write(r))
		}
		if err := errors.Join(err, enc.Close()); err != nil {
			return err
		}
	}
	out.WriteString("}\n")
	return w.Add(LeaderboardsFile, out.Bytes())
}

// Leaderboard returns the leaderboard of a category, of a board, or of all entities. ok is false if
// there is none with the name.
func (b *Build) Leaderboard(name string) (l StoredLeaderboard, ok bool) {
	l, ok = b.leaderboards[name]
	return l, ok
}

func (b *Build) openLeaderboards() error {
	b.leaderboards = map[string]StoredLeaderboard{}
	var arrays map[string]json.RawMessage
	if err := b.readJSON(LeaderboardsFile, &arrays); err != nil {
		return err
	}
	for name, array := range arrays {
		sum := sha256.Sum256(append(array, '\n'))
		b.leaderboards[name] = StoredLeaderboard{append(array, '\n'), hex.EncodeToString(sum[:])}
	}
	return nil
}

// WriteBoards writes the definitions of boards and the entries of each, best first. It must not be called
// if the content has no boards.
func (w *Writer) WriteBoards(definitions []byte, entries [][]BoardEntry) error {
	data, err := json.Marshal(entries)
	return errors.Join(err, w.Add(BoardsFile, definitions), w.Add(boardsFile, append(data, '\n')))
}

func (b *Build) openBoards() error {
	if err := b.readJSON(boardsFile, &b.boards); err != nil {
		return err
	}
	for i, list := range b.boards {
		if slices.ContainsFunc(list, func(e BoardEntry) bool { return int(e.Ordinal) >= b.Len() || !e.Score.Known() }) {
			return fmt.Errorf("%s: list %d has an invalid entry", boardsFile, i)
		}
	}
	return nil
}

// Boards returns the number of boards in the build, in the order of BoardsFile.
func (b *Build) Boards() int { return len(b.boards) }

// BoardEntries returns the entries of board i, best first. They do not contain edits. The caller owns the
// list.
func (b *Build) BoardEntries(i int) []BoardEntry { return slices.Clone(b.boards[i]) }
