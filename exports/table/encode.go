package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"kindex/exports/jsonenc"
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
		array := NewArrayWriter(w)
		return &jsonEncoder{jsonlEncoder{w: array, columns: columns}, array}, nil
	case "jsonl":
		return &jsonlEncoder{w: w, columns: columns}, nil
	case "csv", SpreadsheetCSV:
		return newCSV(w, columns, format == SpreadsheetCSV)
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
		if row[i] == nil && (c.Kind == List || c.Kind == Numbers) {
			dst = append(dst, "[]"...)
		} else {
			dst = jsonenc.AppendValue(dst, row[i])
		}
	}
	return append(dst, '}')
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

func (e *jsonEncoder) Close() error { return e.array.Close() }

// csvEncoder writes RFC 4180 with CRLF and a header row. Null becomes an empty
// field. Lists are joined with |, which slugs cannot contain.
type csvEncoder struct {
	w       *csv.Writer
	columns []Column
	record  []string

	spreadsheet bool // whether strings that look like formulas get an apostrophe
}

func newCSV(w io.Writer, columns []Column, spreadsheet bool) (*csvEncoder, error) {
	e := &csvEncoder{csv.NewWriter(w), columns, make([]string, len(columns)), spreadsheet}
	e.w.UseCRLF = true
	for i, c := range columns {
		e.record[i] = c.Name
	}
	return e, e.w.Write(e.record)
}

// Formula reports whether a spreadsheet would treat a string as a formula. It
// checks the first character, which some programs also accept in its fullwidth
// form.
func Formula(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("=+-@\t\r\n＝＋－＠", r)
}

func (e *csvEncoder) Write(r Row) error {
	for i, cell := range r {
		var text string
		switch v := cell.(type) {
		case string:
			text = v
		case []string:
			text = strings.Join(v, "|")
		case []float64:
			text = strings.ReplaceAll(strings.Trim(string(jsonenc.AppendValue(nil, v)), "[]"), ",", "|")
		default:
			text = strings.TrimPrefix(string(jsonenc.AppendValue(nil, v)), "null")
		}
		// Only strings can be formulas. A Raw cell may be a number such as -5.
		if kind := e.columns[i].Kind; e.spreadsheet && (kind == Text || kind == List) && Formula(text) {
			text = "'" + text
		}
		e.record[i] = text
	}
	return e.w.Write(e.record)
}

func (e *csvEncoder) Close() error {
	e.w.Flush()
	return e.w.Error()
}

// ArrayWriter converts the JSONL form of a table to its JSON form: it writes the lines that are
// written to it as the elements of an array, one on each line. Lines may be written in parts.
type ArrayWriter struct {
	w       io.Writer
	started bool // the array has an element
	inLine  bool // the last line is incomplete
}

// NewArrayWriter returns a writer of an array to w.
func NewArrayWriter(w io.Writer) *ArrayWriter { return &ArrayWriter{w: w} }

// Write implements io.Writer.
func (a *ArrayWriter) Write(lines []byte) (int, error) {
	for rest := lines; len(rest) > 0; {
		if !a.inLine {
			separator := "[\n"
			if a.started {
				separator = ",\n"
			}
			if _, err := io.WriteString(a.w, separator); err != nil {
				return 0, err
			}
			a.started = true
		}
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if _, err := a.w.Write(line); err != nil {
			return 0, err
		}
		rest, a.inLine = after, !ended
	}
	return len(lines), nil
}

// Close writes the end of the array. It does not close the underlying writer.
func (a *ArrayWriter) Close() error {
	end := "\n]\n"
	if !a.started {
		end = "[]\n"
	}
	_, err := io.WriteString(a.w, end)
	return err
}
