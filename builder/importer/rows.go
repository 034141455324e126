package importer

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"kindex/builder/content/yamldoc"
	"kindex/builder/plural"
	"kindex/exports/safetext"
)

// maxRow is the maximum size of a row in bytes: an unclosed quote must not turn a whole catalogue into one row.
const maxRow = 1 << 20

// maxInput is the maximum size of the uncompressed input, which is in memory.
const maxInput = 512 << 20

var errRowTooLong = fmt.Errorf("has more than %d bytes, the maximum for a row; there may be an unclosed quote", maxRow)

// row is one record of the input, and what becomes of it.
type row struct {
	Outcome
	fields object
	cells  []string // of CSV
	raw    []byte   // the line of a JSONL file; in a CSV file, set only if the row could not be parsed
	draft  *Draft   // what the mapping makes of it; nil if it cannot be read or is not selected
}

// refuse records the reason the row cannot be read.
func (r *row) refuse(format string, args ...any) {
	r.Outcome.Outcome, r.Reasons = Refused, []Reason{{Message: fmt.Sprintf(format, args...)}}
}

// input reads the rows of a file.
type input struct {
	names []string               // the columns, if the file declares them
	rows  iter.Seq2[*row, error] // an error is the last; a problem with a single row is recorded in the row
}

// delimiterOf returns what separates columns in a file of a name, or 0 for lines of JSON.
func delimiterOf(path string) (rune, error) {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
	switch filepath.Ext(name) {
	case ".csv":
		return ',', nil
	case ".tsv", ".tab":
		return '\t', nil
	case ".jsonl", ".ndjson":
		return 0, nil
	case ".json":
		return 0, fmt.Errorf("%s: convert it to one object per line, in a file ending in .jsonl; for a JSON array: jq -c '.[]'", path)
	}
	if strings.Contains(path, "://") {
		return 0, fmt.Errorf("%s is an address; download the file and import that", safetext.Address(path))
	}
	return 0, fmt.Errorf("%s: the file name must end in .csv, .tsv or .jsonl, optionally followed by .gz", path)
}

// open reads a file, compressed or not, unless its data is given. delimiter is 0 if its name determines it.
func open(path string, data []byte, delimiter rune) (*input, error) {
	usual, err := delimiterOf(path)
	if err != nil {
		return nil, err
	}
	if usual != 0 {
		usual = cmp.Or(delimiter, usual)
	}
	f := io.NopCloser(bytes.NewReader(data))
	if data == nil {
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
	}
	defer f.Close()
	r := io.Reader(f)
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		r, err = gzip.NewReader(f)
	}
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(r, maxInput+1))
	}
	if err == nil && len(data) > maxInput {
		err = fmt.Errorf("has more than %d megabytes, the maximum for an import; split it", maxInput>>20)
	}
	var in *input
	if err == nil {
		in, err = newInput(data, usual)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return in, nil
}

func newInput(data []byte, delimiter rune) (*input, error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, errors.New("is UTF-16 text; save it as UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // the byte order mark
	if delimiter == 0 {
		return &input{rows: jsonRows(data)}, nil
	}
	if !bytes.ContainsRune(data, '\n') { // old programs end lines with a carriage return
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	rows := csv.NewReader(bytes.NewReader(data))
	rows.Comma, rows.FieldsPerRecord = delimiter, -1
	names, err := rows.Read()
	switch {
	case rows.InputOffset() > maxRow:
		return nil, fmt.Errorf("the row of column names %w", errRowTooLong)
	case errors.Is(err, io.EOF):
		return nil, errors.New("is empty; a CSV file must start with a row of column names")
	case err != nil:
		return nil, fmt.Errorf("the row of column names: %w", err)
	}
	for i, name := range names {
		if names[i] = strings.TrimSpace(name); !utf8.ValidString(name) {
			return nil, fmt.Errorf("the name of column %d is not UTF-8 text; save the file as UTF-8", i+1)
		}
		if names[i] != "" && slices.Contains(names[:i], names[i]) {
			return nil, fmt.Errorf("duplicate column %q; column names must be unique", names[i])
		}
	}
	return &input{names, csvRows(rows, data, names)}, nil
}

// csvRows reads CSV (RFC 4180) after the row of column names.
func csvRows(in *csv.Reader, data []byte, names []string) iter.Seq2[*row, error] {
	return func(yield func(*row, error) bool) {
		for number := 1; ; number++ {
			start := in.InputOffset()
			cells, err := in.Read()
			raw := data[start:in.InputOffset()]
			if errors.Is(err, io.EOF) {
				return
			}
			if len(raw) > maxRow {
				yield(nil, fmt.Errorf("row %d %w", number, errRowTooLong))
				return
			}
			r := &row{Outcome: Outcome{Row: number}}
			if bad, isBad := errors.AsType[*csv.ParseError](err); isBad {
				r.Line, r.raw = bad.StartLine, bytes.TrimRight(raw, "\r\n")
				r.refuse("is not valid CSV: %s", csvMessages(bad))
			} else {
				r.Line, _ = in.FieldPos(0)
				r.name(names, cells)
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (r *row) name(names, cells []string) {
	r.cells, r.fields = cells, object{}
	if len(cells) != len(names) {
		r.refuse("has %s, but the first row has %d", plural.Count(len(cells), "column", "columns"), len(names))
		return
	}
	for i, cell := range cells {
		if names[i] != "" {
			r.fields[names[i]] = cell
		}
		if r.Reasons == nil && !utf8.ValidString(cell) {
			r.refuse("column %s: %s is not UTF-8 text; save the file as UTF-8", names[i], yamldoc.Quote(cell))
		}
	}
}

func csvMessages(e *csv.ParseError) string {
	if errors.Is(e.Err, csv.ErrBareQuote) {
		return fmt.Sprintf(`line %d, column %d: a " in unquoted text; quote the text and write "" for each "`, e.Line, e.Column)
	}
	return fmt.Sprintf(`line %d, column %d: quoted text continues after its closing quote, or is not closed; write "" for a " in it`, e.Line, e.Column)
}

func jsonRows(data []byte) iter.Seq2[*row, error] {
	return func(yield func(*row, error) bool) {
		line, number := 0, 0
		for text := range bytes.Lines(data) {
			text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
			if line++; len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			if len(text) > maxRow {
				yield(nil, fmt.Errorf("line %d %w", line, errRowTooLong))
				return
			}
			number++
			r := &row{Outcome: Outcome{Row: number, Line: line}, raw: text}
			if r.parse(); !yield(r, nil) {
				return
			}
		}
	}
}

// parse reads the object on the line.
func (r *row) parse() {
	if !utf8.Valid(r.raw) {
		r.refuse("is not UTF-8 text; save the file as UTF-8")
		return
	}
	dec := json.NewDecoder(bytes.NewReader(r.raw))
	dec.UseNumber()
	err := dec.Decode(&r.fields)
	other, isOther := errors.AsType[*json.UnmarshalTypeError](err)
	_, after := dec.Token()
	switch {
	case isOther:
		err = errors.New("it is of type " + other.Value)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it is incomplete")
	case err == nil && r.fields == nil:
		err = errors.New("it is null")
	case err == nil && !errors.Is(after, io.EOF):
		err = errors.New("it has trailing data after the object")
	}
	if err != nil {
		r.fields = nil
		r.refuse("is not a JSON object on one line: %v", err)
	}
}

// object contains the values of an object: each nil, a string, bool, json.Number, []any or map[string]any.
type object map[string]any

// lookup looks up a column by its name or else as a path, such as limit.context or links.0.url.
func (o object) lookup(column string) any {
	if v, ok := o[column]; ok {
		return v
	}
	return yamldoc.ValueAt(map[string]any(o), strings.Split(column, "."))
}
