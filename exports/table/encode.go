package table

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// Format is a format of bulk data.
type Format struct {
	Name      string // value of the format parameter
	Extension string
	MediaType string
}

// Formats lists the bulk formats. The first is the default.
var Formats = []Format{
	{"json", ".json", "application/json"},
	{"csv", ".csv", "text/csv; charset=utf-8; header=present"},
	{"jsonl", ".jsonl", "application/x-ndjson"},
	{"parquet", ".parquet", "application/vnd.apache.parquet"},
}

// FormatByName looks up a format by name.
func FormatByName(name string) (Format, bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// Encoder writes rows in one format. Write may buffer rows. Close must be called:
// it completes the document, but does not close the underlying writer. An Encoder
// must not be used concurrently.
type Encoder interface {
	Write(Row) error
	Close() error
}

// SpreadsheetCSV is the name of the CSV format for spreadsheets, in which strings
// that a spreadsheet would treat as a formula get a leading apostrophe
// (https://owasp.org/www-community/attacks/CSV_Injection).
const SpreadsheetCSV = "csv=spreadsheet"

// NewEncoder returns an encoder for rows with these columns, with the same options as the
// encoders for a build's files. format is SpreadsheetCSV or the name of one of the Formats.
func NewEncoder(format string, w io.Writer, columns []Column) (Encoder, error) {
	return newEncoder(format, w, columns, fileParquet)
}

// NewStreamEncoder is like NewEncoder, but for streamed responses: in every format, it
// buffers at most a few thousand rows in memory.
func NewStreamEncoder(format string, w io.Writer, columns []Column) (Encoder, error) {
	return newEncoder(format, w, columns, streamParquet)
}

func newEncoder(format string, w io.Writer, columns []Column, p parquetOptions) (Encoder, error) {
	switch format {
	case "json":
		return newJSONEncoder(w, columns), nil
	case "jsonl":
		return &jsonlEncoder{w: w, columns: columns}, nil
	case "csv":
		e := newCSV(w, columns)
		return e, e.header()
	case SpreadsheetCSV:
		e := newCSV(w, columns)
		e.spreadsheet = true
		return e, e.header()
	case "parquet":
		return newParquetEncoder(w, columns, p), nil
	}
	return nil, fmt.Errorf("unknown export format %q", format)
}

// AppendRow appends a row as one compact JSON object.
func AppendRow(dst []byte, columns []Column, row Row) []byte {
	dst = append(dst, '{')
	for i, c := range columns {
		dst = jsonenc.AppendMember(dst, c.Name)
		cell := &row[i]
		switch c.Kind {
		case List:
			dst = jsonenc.AppendStrings(dst, cell.List)
		case Numbers:
			dst = appendNumbers(dst, cell.Numbers)
		case Decimal:
			dst = cell.score().AppendJSON(dst)
		case Integer, Number:
			if cell.Known {
				dst = jsonenc.AppendNumber(dst, cell.Number)
			} else {
				dst = append(dst, "null"...)
			}
		case Money:
			dst = cell.price().AppendJSON(dst)
		case Raw, Boolean:
			dst = append(dst, cmp.Or(cell.Text, "null")...)
		default:
			dst = jsonenc.AppendNullable(dst, cell.Text)
		}
	}
	return append(dst, '}')
}

func appendNumbers(dst []byte, list []float64) []byte {
	dst = append(dst, '[')
	for i, x := range list {
		dst = jsonenc.AppendNumber(jsonenc.AppendComma(dst, i), x)
	}
	return append(dst, ']')
}

// score returns the score in a Decimal cell.
func (c *Cell) score() record.Score {
	if !c.Known {
		return record.Score{}
	}
	return record.ScoreOf(c.Number)
}

// price returns the price in a Money cell. It is written as in records, without an exponent.
func (c *Cell) price() record.Price {
	p, _, err := record.RoundPrice(c.Number)
	if !c.Known || err != nil {
		return record.Price{}
	}
	return p
}

type jsonlEncoder struct {
	w       io.Writer
	columns []Column
	buf     []byte
}

func (e *jsonlEncoder) Write(r Row) error {
	e.buf = append(AppendRow(e.buf[:0], e.columns, r), '\n')
	_, err := e.w.Write(e.buf)
	return err
}

func (e *jsonlEncoder) Close() error { return nil }

// jsonEncoder writes one array with one object per line.
type jsonEncoder struct {
	jsonlEncoder
	array *ArrayWriter
}

func newJSONEncoder(w io.Writer, columns []Column) *jsonEncoder {
	array := NewArrayWriter(w)
	return &jsonEncoder{jsonlEncoder{w: array, columns: columns}, array}
}

func (e *jsonEncoder) Close() error { return e.array.Close() }

// csvEncoder writes RFC 4180 with CRLF and a header row. Null becomes an empty
// field. Lists are joined with |, which slugs cannot contain.
type csvEncoder struct {
	w       *csv.Writer
	columns []Column
	record  []string

	spreadsheet bool // whether strings that look like formulas get an apostrophe
}

func (e *csvEncoder) header() error {
	for i, c := range e.columns {
		e.record[i] = c.Name
	}
	return e.w.Write(e.record)
}

// Formula reports whether a spreadsheet would treat a string as a formula. It
// checks the first character, which some programs also accept in its fullwidth
// form.
func Formula(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("=+-@\t\r\n＝＋－＠", r)
}

func newCSV(w io.Writer, columns []Column) *csvEncoder {
	e := &csvEncoder{w: csv.NewWriter(w), columns: columns, record: make([]string, len(columns))}
	e.w.UseCRLF = true
	return e
}

func (e *csvEncoder) Write(r Row) error {
	for i, c := range e.columns {
		cell := &r[i]
		switch {
		case c.Kind == List:
			e.record[i] = strings.Join(cell.List, "|")
		case c.Kind == Numbers:
			list := appendNumbers(nil, cell.Numbers)
			e.record[i] = strings.ReplaceAll(string(list[1:len(list)-1]), ",", "|")
		case c.Kind == Decimal:
			e.record[i] = cell.score().String()
		case c.Kind == Money:
			e.record[i] = cell.price().String()
		case (c.Kind == Integer || c.Kind == Number) && cell.Known:
			e.record[i] = string(jsonenc.AppendNumber(nil, cell.Number))
		default:
			e.record[i] = cell.Text
		}
		// Only strings can be formulas. A Raw cell may be a number such as -5.
		if e.spreadsheet && (c.Kind == Text || c.Kind == List) && Formula(e.record[i]) {
			e.record[i] = "'" + e.record[i]
		}
	}
	return e.w.Write(e.record)
}

func (e *csvEncoder) Close() error {
	e.w.Flush()
	return e.w.Error()
}
