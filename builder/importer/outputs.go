package importer

import (
	"bufio"
	"bytes"
	"cmp"
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
	report, rejects *part       // nil if there is none
	lines           bool        // the report has one outcome per line
	cells           *csv.Writer // to rejects; nil if they are JSONL
	header          []string
	reason          int // index of reasonColumn in CSV
}

// part is a temporary file that is renamed into place when it is complete.
type part struct {
	*bufio.Writer
	f    *os.File
	path string
}

// createPart returns nil if path is "".
func createPart(path string) (*part, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return nil, err
	}
	return &part{bufio.NewWriter(f), f, path}, nil
}

// close renames the file to its final name, or removes it.
func (p *part) close(keep bool) error {
	if p == nil {
		return nil
	}
	err := errors.Join(p.Flush(), p.f.Chmod(0o644), p.f.Close())
	if err == nil && keep {
		err = os.Rename(p.f.Name(), p.path)
	}
	if err != nil || !keep {
		err = errors.Join(err, os.Remove(p.f.Name()))
	}
	return err
}

func (j *job) openOutputs() (out *outputs, err error) {
	out = &outputs{lines: strings.HasSuffix(j.Report, ".jsonl"), header: j.header}
	if out.report, err = createPart(j.Report); err != nil {
		return nil, err
	}
	if out.rejects, err = createPart(j.Rejects); err != nil {
		return nil, errors.Join(err, out.report.close(false))
	}
	if out.report != nil && !out.lines {
		_, _ = out.report.WriteString(`{"outcomes":[`) // Flush will return any error
	}
	if k, _ := kindOf(j.Rejects); out.rejects != nil && !k.jsonl {
		out.cells = csv.NewWriter(out.rejects)
		out.cells.Comma = cmp.Or(j.mapping.Input.Delimiter, k.delimiter)
		_ = out.cells.Write(out.columns()) // Flush will return any error
	}
	return out, nil
}

// columns returns the columns of the rejects: those of the input and the reason column. If the
// input is a file of rejects that have been fixed, it already has a reason column, which is reused.
func (out *outputs) columns() []string {
	if out.reason = slices.Index(out.header, reasonColumn); out.reason >= 0 {
		return out.header
	}
	out.reason = len(out.header)
	return append(slices.Clone(out.header), reasonColumn)
}

// add writes the outcome of one row.
func (out *outputs) add(r *row, o Outcome) error {
	if out.report != nil {
		line, err := json.Marshal(o)
		if err != nil {
			return err
		}
		if !out.lines && o.Row > 1 {
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
	if out.cells != nil {
		return out.cells.Write(out.rejectedCells(r, strings.Join(texts, "; ")))
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
	if len(cells) > len(out.header) {
		return append(cells, reason) // the row has too many cells, so the reason becomes the last one
	}
	for len(cells) < max(len(out.header), out.reason+1) {
		cells = append(cells, "")
	}
	cells[out.reason] = reason
	return cells
}

// rejectedLine returns the original line of a row, which is an object, with the reason as its
// first value. A line that is not an object is wrapped in one.
func rejectedLine(r *row, reason string) []byte {
	encode := func(v any) []byte {
		b, _ := json.Marshal(v) // cannot fail for texts and what was read from JSON
		return b
	}
	line := r.raw
	switch _, again := r.fields[reasonColumn]; {
	case again:
		delete(r.fields, reasonColumn)
		line = encode(r.fields)
	case r.fields != nil:
	case utf8.Valid(line):
		line = encode(map[string]string{"import_line": string(line)})
	default:
		line = encode(map[string][]byte{"import_line_base64": line})
	}
	why := bytes.TrimSuffix(encode(map[string]string{reasonColumn: reason}), []byte("}"))
	_, rest, _ := bytes.Cut(line, []byte("{"))
	if rest = bytes.TrimSpace(rest); rest[0] != '}' {
		why = append(why, ',')
	}
	return slices.Concat(why, rest, []byte("\n"))
}

// close closes the files and, unless keep is set, removes them.
func (out *outputs) close(r *Report, keep bool) error {
	if out.report != nil {
		summary, _ := json.Marshal(r) // cannot fail
		if !out.lines {
			summary = slices.Concat([]byte(`],"summary":`), summary, []byte("}"))
		}
		_, _ = out.report.Write(append(summary, '\n'))
	}
	if out.cells != nil {
		out.cells.Flush()
	}
	return errors.Join(out.report.close(keep), out.rejects.close(keep))
}
