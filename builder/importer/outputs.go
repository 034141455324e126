package importer

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// reasonColumn is the column that is added to the rejects.
const reasonColumn = "import_reason"

// outputs contains the files that an import writes in addition to the content. They are moved
// into place at the end of the import, when they are complete.
type outputs struct {
	report, rejects *part
	lines           bool // the report has one outcome per line
	rows            int  // number of rows in the report
	csv             *csv.Writer
	names           []string // columns of the rejects
	reason          int      // index of reasonColumn
}

// part is a temporary file that is renamed into place when it is complete.
type part struct {
	*bufio.Writer
	f    *os.File
	path string
}

func createPart(path string) (*part, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return nil, err
	}
	return &part{bufio.NewWriter(f), f, path}, nil
}

// close renames the file to its final name, or removes it.
func (p *part) close(keep bool) error {
	err := errors.Join(p.Flush(), p.f.Chmod(0o644), p.f.Close())
	if err == nil && keep {
		err = os.Rename(p.f.Name(), p.path)
	}
	if err != nil || !keep {
		return errors.Join(err, os.Remove(p.f.Name()))
	}
	return nil
}

func (j *job) openOutputs() (out *outputs, err error) {
	out = &outputs{lines: strings.HasSuffix(j.Report, ".jsonl")}
	if j.Report != "" {
		if out.report, err = createPart(j.Report); err != nil {
			return nil, err
		}
		if !out.lines {
			_, _ = out.report.WriteString(`{"outcomes":[`) // Flush will return any error
		}
	}
	if j.Rejects == "" {
		return out, nil
	}
	if out.rejects, err = createPart(j.Rejects); err != nil {
		return nil, errors.Join(err, out.close(nil, false))
	}
	if k, _ := kindOf(j.Rejects); !k.jsonl {
		err = out.startCSV(j, k.delimiter)
	}
	if err != nil {
		return nil, errors.Join(err, out.close(nil, false))
	}
	return out, nil
}

// startCSV writes the columns of the input and the reason column. If the input is a file of
// rejects that have been fixed, it already has a reason column, which is reused.
func (out *outputs) startCSV(j *job, delimiter rune) error {
	in, err := open(j.Input, j.mapping.Input.Delimiter)
	if err != nil {
		return err
	}
	out.names = slices.Clone(in.header())
	if out.reason = slices.Index(out.names, reasonColumn); out.reason < 0 {
		out.reason = len(out.names)
		out.names = append(out.names, reasonColumn)
	}
	if d := j.mapping.Input.Delimiter; d != 0 {
		delimiter = d
	}
	out.csv = csv.NewWriter(out.rejects)
	out.csv.Comma, out.csv.UseCRLF = delimiter, false
	return errors.Join(out.csv.Write(out.names), in.Close())
}

// add writes the outcome of one row.
func (out *outputs) add(r *row, o Outcome) error {
	if out.report != nil {
		line, err := json.Marshal(o)
		if err != nil {
			return err
		}
		if out.rows++; !out.lines && out.rows > 1 {
			_ = out.report.WriteByte(',')
		}
		_, _ = out.report.Write(append(line, '\n'))
	}
	if out.rejects == nil || o.Outcome != Refused {
		return nil
	}
	texts := make([]string, len(o.Reasons))
	for i, reason := range o.Reasons {
		texts[i] = reason.String()
	}
	if out.csv != nil {
		return out.csv.Write(out.rejectedCells(r, strings.Join(texts, "; ")))
	}
	_, err := out.rejects.Write(rejectedLine(r, strings.Join(texts, "; ")))
	return err
}

// rejectedCells returns the original cells of a row, with the reason in the reason column. A
// row that is not valid CSV is put verbatim into the first column.
func (out *outputs) rejectedCells(r *row, reason string) []string {
	cells := slices.Clone(r.cells)
	if r.cells == nil {
		cells = []string{string(r.raw)}
	}
	for len(cells) < len(out.names) {
		cells = append(cells, "")
	}
	if len(r.cells) > len(out.names)-1 && r.wrong != "" && out.reason == len(out.names)-1 {
		return append(slices.Clone(r.cells), reason) // the row has too many cells, so the reason becomes the last cell
	}
	cells[out.reason] = reason
	return cells
}

// rejectedLine returns the original line of a row, which is an object, with the reason as its
// first value. A line that is not an object is wrapped in one.
func rejectedLine(r *row, reason string) []byte {
	if object, ok := r.inputRecord.(jsonRecord); ok {
		why, _ := json.Marshal(reason) // encoding a string cannot fail
		if _, again := object[reasonColumn]; again {
			object[reasonColumn] = reason
			line, _ := json.Marshal(object) // the object was read from JSON, so encoding it cannot fail
			return append(line, '\n')
		}
		open := bytes.IndexByte(r.raw, '{') + 1
		comma := ","
		if len(object) == 0 {
			comma = ""
		}
		return slices.Concat(r.raw[:open], []byte(`"`+reasonColumn+`":`), why, []byte(comma), bytes.TrimSpace(r.raw[open:]), []byte("\n"))
	}
	line := struct {
		Reason string `json:"import_reason"`
		Line   string `json:"import_line,omitempty"`
		Base64 string `json:"import_line_base64,omitempty"`
	}{Reason: reason}
	if utf8.Valid(r.raw) {
		line.Line = string(r.raw)
	} else {
		line.Base64 = base64.StdEncoding.EncodeToString(r.raw)
	}
	b, _ := json.Marshal(line) // encoding a string cannot fail
	return append(b, '\n')
}

// close closes the files and, unless keep is set, removes them.
func (out *outputs) close(r *Report, keep bool) error {
	var errs []error
	if out.report != nil {
		if r != nil {
			summary, err := json.Marshal(r)
			errs = append(errs, err)
			if !out.lines {
				_, _ = out.report.WriteString(`],"summary":`)
				summary = append(summary, '}')
			}
			_, _ = out.report.Write(append(summary, '\n'))
		}
		errs = append(errs, out.report.close(keep))
	}
	if out.csv != nil {
		out.csv.Flush()
		errs = append(errs, out.csv.Error())
	}
	if out.rejects != nil {
		errs = append(errs, out.rejects.close(keep))
	}
	return errors.Join(errs...)
}
