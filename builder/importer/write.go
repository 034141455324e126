package importer

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/record"
)

// settle determines the outcome of a row that could be read, with its file if one is to be written.
func (j *job) settle(r *row) {
	d := r.draft
	if d == nil {
		r.Outcome.Outcome = cmp.Or(r.Outcome.Outcome, Skipped)
		return
	}
	o := Outcome{Row: r.Row, Line: r.Line, Outcome: Refused, Reasons: slices.Clone(d.Reasons)}
	defer func() { r.Outcome = o }()
	if d.Type == "" {
		return
	}
	refuse := func(message string) {
		o.Reasons = append(o.Reasons, Reason{Field: "slug", Value: d.final, Message: message})
	}
	claims := j.claims[d.key()]
	if d.final != "" {
		o.File = j.folder.Shown(d.Type, d.final)
	}
	if len(claims) > 1 {
		refuse(fmt.Sprintf("rows %d and %d would both become %s but have different content; select one with where, or distinguish them with clashSlug",
			claims[0].Row, claims[1].Row, d.key()))
	}
	if reserved := content.DeviceName(d.final); reserved != "" {
		refuse(yamldoc.Quote(d.final) + reserved)
	}
	f, err := j.compose(d)
	if err != nil {
		if len(o.Reasons) == 0 {
			o.Reasons = []Reason{{Message: err.Error()}}
		}
		return
	}
	if j.judge(f, &o); len(o.Reasons) > 0 {
		return
	}
	o.Adjusted, o.ZeroOffers = d.adjusted, zeroOffers(d.adjusted)
	switch {
	case claims[0] != r:
		o = Outcome{Row: r.Row, Line: r.Line, Outcome: Unchanged, File: o.File, SameAs: claims[0].Row}
		return
	case !f.exists:
		o.Outcome = Written
	case f.old != nil && reflect.DeepEqual(f.old, f.entity):
		o.Outcome = Unchanged
		return
	default:
		o.Outcome, o.Differs = Updated, differing(f.old, f.entity)
		if !j.Update {
			o.Outcome = Exists
			return
		}
	}
	o.Warnings, o.data = slices.Concat(d.warnings, f.warnings), f.data
	j.folder.Add(f.entity)
}

// file is the file that a row becomes.
type file struct {
	*Draft
	data   []byte
	exists bool
	old    *record.Entity // the entity in the existing file; nil if that has errors
	entity *record.Entity // nil if the file would have errors

	problems yamldoc.Problems
	warnings []Reason
}

// compose writes the file of a draft in memory, with the fields that could be read, and checks it.
func (j *job) compose(d *Draft) (f *file, err error) {
	f = &file{Draft: d}
	named := cmp.Or(d.final, "unnamed")
	shown := j.folder.Shown(d.Type, named)
	var data []byte
	if d.final != "" {
		if data, err = readExisting(j.folder.Path(d.Type, d.final), shown); err != nil {
			return nil, err
		}
	}
	j.folder.Prefer(d.Fields)
	if f.exists = data != nil; f.exists {
		f.old, _ = content.ParseEntity(j.folder.Kinds, shown, d.Type, d.final, data)
	}
	if f.exists && j.Update {
		keepReviews(d, f.old)
		f.data, err = yamlfmt.Merge(j.folder.Kinds, shown, data, d.Fields)
	} else {
		f.data, err = yamlfmt.Compose(j.folder.Kinds, d.Fields)
	}
	if err == nil {
		f.entity, f.problems = j.folder.CheckFile(d.Type, named, f.data)
	}
	return f, err
}

// readExisting returns nil if there is no file.
func readExisting(path, shown string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s exists but is not a regular file", shown)
	}
	return os.ReadFile(path)
}

// judge adds the problems of a file to the reasons of its row or to its warnings, except those that follow from others.
func (j *job) judge(f *file, o *Outcome) {
	known := o.Reasons
	about := func(field string) bool {
		return slices.ContainsFunc(o.Reasons, func(r Reason) bool { return r.Field == field })
	}
	for _, p := range f.problems {
		r := j.reason(p)
		top, _, _ := strings.Cut(p.Field, ".")
		_, given := f.Fields[top]
		switch {
		case p.Severity == yamldoc.Warning:
			f.warnings = append(f.warnings, r)
		case f.final == "" && (p.Field == "slug" || j.Update && !given):
		case about(p.Field), slices.ContainsFunc(known, func(k Reason) bool {
			return strings.HasPrefix(p.Field, k.Field+".") || !given && r.Column != "" && k.Column == r.Column
		}):
		default:
			o.Reasons = append(o.Reasons, r)
		}
	}
}

func (j *job) reason(p yamldoc.Problem) Reason {
	r := Reason{Field: p.Field, Column: columnOf(j.mapping.Find(p.Field)), Message: p.Message, Suggestion: p.Suggestion}
	name, _, _ := strings.Cut(p.Field, "[")
	if f := j.folder.Kinds.Field(name); f != nil && strings.HasSuffix(p.Message, "does not exist") {
		r.Message += noneYet(j.folder, f, j.mapping.Type.Constant, r.Column)
	}
	return r
}

// differing lists the fields of an entity that differ from those of the existing one, or are new.
func differing(old, entity *record.Entity) (names []string) {
	if old == nil {
		return nil
	}
	for _, c := range record.Diff(old, entity) {
		if now := string(c.New); now != "null" && now != "[]" {
			names = append(names, c.Field)
		}
	}
	return names
}

// reasonColumn is the column that is added to the rejects.
const reasonColumn = "import_reason"

// reportFile returns the outcomes and the summary, in lines or as one object.
func (j *job) reportFile(r *Report) []byte {
	if strings.HasSuffix(j.Report, ".json") {
		outcomes := []Outcome{}
		for _, row := range j.rows {
			outcomes = append(outcomes, row.Outcome)
		}
		return append(encode(map[string]any{"outcomes": outcomes, "summary": r}), '\n')
	}
	var lines []byte
	for _, row := range j.rows {
		lines = append(append(lines, encode(row.Outcome)...), '\n')
	}
	return append(append(lines, encode(r)...), '\n')
}

// encode returns what cannot fail to be encoded, such as strings, numbers and what was read from JSON.
func encode(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}

// rejectsFile returns the refused rows in the format of the input, each with the reasons.
func (j *job) rejectsFile() []byte {
	delimiter, _ := delimiterOf(j.Rejects) // Check has read it
	var b bytes.Buffer
	// A file of rejects that have been fixed already has the column.
	columns, reasonAt := j.header, slices.Index(j.header, reasonColumn)
	if reasonAt < 0 {
		columns, reasonAt = append(slices.Clone(j.header), reasonColumn), len(j.header)
	}
	cells := csv.NewWriter(&b)
	if delimiter != 0 {
		cells.Comma = cmp.Or(j.mapping.Input.Separator(), delimiter)
		_ = cells.Write(columns) // like all of these, it writes to memory
	}
	for _, r := range j.rows {
		if r.Outcome.Outcome != Refused {
			continue
		}
		texts := make([]string, len(r.Reasons))
		for i, reason := range r.Reasons {
			texts[i] = reason.String()
		}
		if reason := strings.Join(texts, "; "); delimiter == 0 {
			b.Write(rejectedLine(r, reason))
		} else {
			_ = cells.Write(rejectedCells(r, len(j.header), reasonAt, reason))
		}
	}
	cells.Flush()
	return b.Bytes()
}

// rejectedCells returns the cells of a row with the reason. A row that is not valid CSV is put into the first column.
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

// rejectedLine returns the line of a row with the reason as its first value. A line that is no object is wrapped in one.
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
