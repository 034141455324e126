package importer

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"kindex/exports/store"
)

// reasonColumn is the column that is added to the rejects.
const reasonColumn = "import_reason"

// writeOutputs writes the files besides the content.
func (j *job) writeOutputs(r *Report, outcomes []Outcome) (err error) {
	if j.Report != "" {
		err = store.WriteFile(j.Report, j.reportFile(r, outcomes))
	}
	if j.Rejects != "" {
		err = errors.Join(err, store.WriteFile(j.Rejects, j.rejectsFile(outcomes)))
	}
	return err
}

// reportFile returns the outcomes, one per line, and the summary.
func (j *job) reportFile(r *Report, outcomes []Outcome) []byte {
	lines := make([][]byte, len(outcomes))
	for i, o := range outcomes {
		lines[i] = encode(o)
	}
	if strings.HasSuffix(j.Report, ".jsonl") {
		return append(bytes.Join(append(lines, encode(r)), []byte("\n")), '\n')
	}
	list := bytes.Join(lines, []byte("\n,"))
	if len(lines) > 0 {
		list = append(list, '\n')
	}
	return slices.Concat([]byte(`{"outcomes":[`), list, []byte(`],"summary":`), encode(r), []byte("}\n"))
}

// encode returns what cannot fail to be encoded, such as strings, numbers and what was read from JSON.
func encode(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}

// rejectsFile returns the refused rows in the format of the input, each with the reasons.
func (j *job) rejectsFile(outcomes []Outcome) []byte {
	k, _ := kindOf(j.Rejects) // Check has read it
	var b bytes.Buffer
	columns, reasonAt := rejectColumns(j.header)
	cells := csv.NewWriter(&b)
	if !k.jsonl {
		cells.Comma = cmp.Or(j.mapping.Input.Delimiter, k.delimiter)
		_ = cells.Write(columns) // like all of these, it writes to memory
	}
	for i, o := range outcomes {
		if o.Outcome != Refused {
			continue
		}
		texts := make([]string, len(o.Reasons))
		for i, reason := range o.Reasons {
			texts[i] = reason.String()
		}
		if reason := strings.Join(texts, "; "); k.jsonl {
			b.Write(rejectedLine(j.rows[i], reason))
		} else {
			_ = cells.Write(rejectedCells(j.rows[i], len(j.header), reasonAt, reason))
		}
	}
	cells.Flush()
	return b.Bytes()
}

// rejectColumns returns the columns of the rejects, those of the input and the reason column, and the
// index of that. If the input is a file of rejects that have been fixed, it already has a reason
// column, which is reused.
func rejectColumns(header []string) (columns []string, reasonAt int) {
	if at := slices.Index(header, reasonColumn); at >= 0 {
		return header, at
	}
	return append(slices.Clone(header), reasonColumn), len(header)
}

// rejectedCells returns the original cells of a row of a file with some columns, with the reason in its
// column. A row that is not valid CSV is put verbatim into the first column.
func rejectedCells(r *row, columns, reasonAt int, reason string) []string {
	cells := slices.Clone(r.cells)
	if r.cells == nil {
		cells = []string{string(r.raw)}
	}
	if len(cells) > columns {
		return append(cells, reason) // the row has too many cells, so the reason becomes the last one
	}
	for len(cells) < max(columns, reasonAt+1) {
		cells = append(cells, "")
	}
	cells[reasonAt] = reason
	return cells
}

// rejectedLine returns the original line of a row, which is an object, with the reason as its
// first value. A line that is not an object is wrapped in one.
func rejectedLine(r *row, reason string) []byte {
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
