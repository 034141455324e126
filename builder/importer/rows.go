package importer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"kindex/builder/content/yamldoc"
	"kindex/builder/plural"
	"kindex/exports/safetext"
)

// maxRow is the maximum size of a row in bytes. It is far above that of any real row, but low
// enough that an unclosed quote cannot turn a whole catalogue into a single row.
const maxRow = 1 << 20

// maxBlank is the maximum number of blank lines between two rows. A megabyte of compressed blank
// lines would take minutes to read.
const maxBlank = 100_000

var errRowTooLong = fmt.Errorf("has more than %d bytes, the maximum for a row; there may be an unclosed quote", maxRow)

// row is one record of the input.
type row struct {
	number, line int // counted from 1; a CSV header is not counted as a row
	inputRecord
	cells []string // of CSV
	raw   []byte   // the line of a JSONL file; in a CSV file, set only if the row could not be parsed
	wrong string   // the reason the row cannot be read, or ""
}

// inputRecord looks up columns.
type inputRecord interface {
	// lookup returns nil if there is no such value, otherwise a string, bool,
	// json.Number, []any or map[string]any.
	lookup(column string) any
}

// input reads the rows of a file one by one.
type input interface {
	// next returns io.EOF after the last row. Any other error is final; a problem with a
	// single row is recorded in the row.
	next() (*row, error)
	// header returns the columns if the file declares them, otherwise nil.
	header() []string
	io.Closer
}

// kind is an input format.
type kind struct {
	jsonl     bool
	delimiter rune
}

// kindOf returns the input format of a file, based on the file name.
func kindOf(path string) (kind, error) {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
	switch filepath.Ext(name) {
	case ".csv":
		return kind{delimiter: ','}, nil
	case ".tsv", ".tab":
		return kind{delimiter: '\t'}, nil
	case ".jsonl", ".ndjson":
		return kind{jsonl: true}, nil
	case ".json":
		return kind{}, fmt.Errorf("%s: convert it to one object per line, in a file ending in .jsonl; for a JSON array: jq -c '.[]'", path)
	}
	if strings.Contains(path, "://") {
		return kind{}, fmt.Errorf("%s is an address; download the file and import that", safetext.Address(path))
	}
	return kind{}, fmt.Errorf("%s: the file name must end in .csv, .tsv or .jsonl, optionally followed by .gz", path)
}

// open opens a file for reading, compressed or not.
func open(path string, delimiter rune) (input, error) {
	k, err := kindOf(path)
	if err != nil {
		return nil, err
	}
	if delimiter != 0 {
		k.delimiter = delimiter
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in, err := newInput(f, path, k)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return in, nil
}

func newInput(f io.ReadCloser, path string, k kind) (input, error) {
	var r io.Reader = f
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, err
		}
		r = z
	}
	b := bufio.NewReaderSize(r, 64<<10)
	switch start, _ := b.Peek(3); {
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return nil, errors.New("is UTF-16 text; save it as UTF-8")
	case bytes.Equal(start, []byte("\ufeff")):
		_, _ = b.Discard(3) // the byte order mark
	}
	if k.jsonl {
		return &jsonInput{Closer: f, r: b}, nil
	}
	return newCSV(b, f, k.delimiter)
}

// csvInput reads CSV (RFC 4180).
type csvInput struct {
	io.Closer
	tape  *recorder
	csv   *csv.Reader
	names []string
	index map[string]int
	rows  int
}

func newCSV(r io.Reader, c io.Closer, delimiter rune) (*csvInput, error) {
	in := &csvInput{Closer: c, tape: &recorder{r: r}, index: map[string]int{}}
	in.csv = csv.NewReader(in.tape)
	in.csv.Comma, in.csv.FieldsPerRecord = delimiter, -1
	names, err := in.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("is empty; a CSV file must start with a row of column names")
	}
	if err != nil {
		return nil, fmt.Errorf("the row of column names: %w", err)
	}
	for i, name := range names {
		name = strings.TrimSpace(name)
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("the name of column %d is not UTF-8 text; save the file as UTF-8", i+1)
		}
		if _, twice := in.index[name]; twice && name != "" {
			return nil, fmt.Errorf("duplicate column %q; column names must be unique", name)
		}
		in.index[name] = i
		in.names = append(in.names, name)
	}
	delete(in.index, "")
	in.tape.drop(in.csv.InputOffset())
	return in, nil
}

func (in *csvInput) header() []string { return in.names }

func (in *csvInput) next() (*row, error) {
	cells, err := in.csv.Read()
	if err != nil && !errors.As(err, new(*csv.ParseError)) {
		if errors.Is(err, errRowTooLong) {
			err = fmt.Errorf("row %d %w", in.rows+1, err)
		}
		return nil, err
	}
	in.rows++
	r := &row{number: in.rows, cells: cells}
	raw := in.tape.drop(in.csv.InputOffset())
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		r.line, r.raw, r.cells = bad.StartLine, bytes.Clone(bytes.TrimRight(raw, "\r\n")), nil
		r.wrong = "is not valid CSV: " + csvMessages(bad)
		return r, nil
	case len(cells) != len(in.names):
		r.wrong = fmt.Sprintf("has %s, but the first row has %d", plural.Count(len(cells), "column", "columns"), len(in.names))
	}
	r.line, _ = in.csv.FieldPos(0)
	for i, cell := range cells {
		if r.wrong == "" && !utf8.ValidString(cell) {
			r.wrong = fmt.Sprintf("column %s: %s is not UTF-8 text; save the file as UTF-8", in.names[i], yamldoc.Quote(cell))
		}
	}
	r.inputRecord = csvRecord{in.index, cells}
	return r, nil
}

func csvMessages(e *csv.ParseError) string {
	if errors.Is(e.Err, csv.ErrBareQuote) {
		return fmt.Sprintf(`line %d, column %d: a " in unquoted text; quote the text and write "" for each "`, e.Line, e.Column)
	}
	return fmt.Sprintf(`line %d, column %d: quoted text continues after its closing quote, or is not closed; write "" for a " in it`, e.Line, e.Column)
}

type csvRecord struct {
	index map[string]int
	cells []string
}

func (r csvRecord) lookup(column string) any {
	if i, ok := r.index[column]; ok && i < len(r.cells) {
		return r.cells[i]
	}
	return nil
}

// recorder keeps the bytes read since the end of the last row, so that a row that cannot be
// parsed can be kept verbatim.
type recorder struct {
	r    io.Reader
	kept []byte
	base int64 // the offset of kept in the input
}

// Read implements io.Reader.
func (t *recorder) Read(p []byte) (int, error) {
	if len(t.kept) > maxRow {
		return 0, errRowTooLong
	}
	n, err := t.r.Read(p)
	t.kept = append(t.kept, p[:n]...)
	return n, err
}

// drop discards all bytes before an offset and returns them. They are valid until the next
// Read.
func (t *recorder) drop(offset int64) []byte {
	n := int(offset - t.base)
	gone := t.kept[:n:n]
	t.kept, t.base = t.kept[n:], offset
	return gone
}

// jsonInput reads one JSON object per line.
type jsonInput struct {
	io.Closer
	r           *bufio.Reader
	line, count int
}

func (in *jsonInput) header() []string { return nil }

func (in *jsonInput) next() (*row, error) {
	for blank := 0; ; blank++ {
		text, err := in.readLine()
		if blank > maxBlank {
			return nil, fmt.Errorf("line %d is blank, and so are the %d lines before it", in.line, maxBlank)
		}
		if len(bytes.TrimSpace(text)) > 0 {
			in.count++
			return parseLine(&row{number: in.count, line: in.line, raw: text}), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// readLine returns the next line without its line break.
func (in *jsonInput) readLine() (text []byte, err error) {
	in.line++
	for {
		part, err := in.r.ReadSlice('\n')
		if text = append(text, part...); len(text) > maxRow {
			return nil, fmt.Errorf("line %d %w", in.line, errRowTooLong)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err // drop the partial line
			}
			return bytes.TrimRight(text, "\r\n"), err
		}
	}
}

func parseLine(r *row) *row {
	if !utf8.Valid(r.raw) {
		r.wrong = "is not UTF-8 text; save the file as UTF-8"
		return r
	}
	dec := json.NewDecoder(bytes.NewReader(r.raw))
	dec.UseNumber()
	var object map[string]any
	err := dec.Decode(&object)
	if err == nil && object == nil {
		err = errors.New("it is null")
	}
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("it has trailing data after the object")
		}
	}
	if err != nil {
		r.wrong = "is not a JSON object on one line: " + jsonMessages(err)
		return r
	}
	r.inputRecord = jsonRecord(object)
	return r
}

func jsonMessages(err error) string {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return "it is of type " + wrong.Value
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it is incomplete"
	}
	return err.Error()
}

type jsonRecord map[string]any

// lookup looks up a column by its exact name or, failing that, as a path: limit.context,
// links.0.url.
func (r jsonRecord) lookup(column string) any {
	if v, ok := r[column]; ok {
		return v
	}
	var v any = map[string]any(r)
	for name := range strings.SplitSeq(column, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i, err := strconv.ParseUint(name, 10, 31)
			if err != nil || int(i) >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}
