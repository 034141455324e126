package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/record"
)

// writer determines the outcomes of rows in order, and writes files.
type writer struct {
	*job
	folder *content.Workspace
	write  bool
}

// settle determines the outcome of a row, and writes its file if necessary. Any error is a
// system error, not a problem with the row.
func (w *writer) settle(r *row, o *Outcome) error {
	o.Outcome = Refused
	switch {
	case r.wrong != "":
		o.Reasons = []Reason{{Message: r.wrong}}
		return nil
	case r.draft == nil:
		o.Outcome = Skipped
		return nil
	}
	d, slug := r.draft, r.draft.final
	if o.Reasons = slices.Clone(d.Reasons); d.Type == "" {
		return nil
	}
	var held claim
	if slug != "" {
		o.File = w.folder.Shown(d.Type, slug)
		held = w.final[d.Type+"/"+slug]
	}
	if held.other != 0 {
		o.Reasons = append(o.Reasons, Reason{Field: "slug", Value: slug, Message: fmt.Sprintf(
			"rows %d and %d would both become %s/%s but have different content; select one with where, or distinguish them with clashSlug",
			held.first, held.other, d.Type, slug)})
	}
	f, err := w.compose(d, slug)
	if err != nil {
		if len(o.Reasons) == 0 {
			o.Reasons = []Reason{{Message: err.Error()}}
		}
		return nil
	}
	if w.judge(f, o); len(o.Reasons) > 0 {
		return nil
	}
	o.Outcome, o.Adjusted, o.ZeroOffers = Written, d.adjusted, d.zeroOffers
	switch {
	case held.first != r.number:
		*o = Outcome{Row: o.Row, Line: o.Line, Outcome: Unchanged, File: o.File, SameAs: held.first}
		return nil
	case !f.exists:
	case f.old != nil && reflect.DeepEqual(f.old, f.entity):
		o.Outcome = Unchanged
		return nil
	default:
		o.Outcome, o.Differs = Updated, differing(f.old, f.entity)
		if !w.Update {
			o.Outcome = Exists
			return nil
		}
	}
	o.Warnings = slices.Concat(d.warnings, f.warnings)
	w.folder.Add(f.entity)
	if !w.write {
		return nil
	}
	return content.WriteEntity(w.folder.Dir, d.Type, slug, f.data, true)
}

// file is the file that a row becomes.
type file struct {
	*Draft
	slug   string // "" if it is unknown
	data   []byte
	exists bool
	old    *record.Entity // the entity in the existing file; nil if that has errors
	entity *record.Entity // nil if the file would have errors

	problems yamldoc.Problems
	warnings []Reason
}

// compose writes the file of a draft in memory, with the fields that could be read, and checks it.
func (w *writer) compose(d *Draft, slug string) (f *file, err error) {
	f = &file{Draft: d, slug: slug}
	named := cmp.Or(slug, "unnamed")
	shown := w.folder.Shown(d.Type, named)
	var data []byte
	if slug != "" {
		if data, err = readExisting(w.folder.Path(d.Type, slug), shown); err != nil {
			return nil, err
		}
	}
	w.folder.Prefer(d.Fields)
	if f.exists = data != nil; f.exists {
		f.old, _ = content.ParseEntity(w.folder.Kinds, shown, d.Type, slug, data)
	}
	if f.exists && w.Update {
		keepReviews(d, f.old)
		f.data, err = yamlfmt.Merge(w.folder.Kinds, shown, data, d.Fields)
	} else {
		f.data, err = yamlfmt.Compose(w.folder.Kinds, d.Fields)
	}
	if err != nil {
		return nil, err
	}
	if f.entity, f.problems = content.ParseEntity(w.folder.Kinds, shown, d.Type, named, f.data); f.entity != nil {
		f.problems = f.problems.With(w.folder.Check(f.entity, d.Fields))
	} else {
		f.problems = w.folder.CheckFile(d.Type, named, f.data) // those of the readable part, too
	}
	return f, nil
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

// judge adds the problems of a file to the reasons its row is refused, or to its warnings. It omits
// those that follow from the known reasons, so that a person can fix everything in one pass.
func (w *writer) judge(f *file, o *Outcome) {
	known := o.Reasons
	about := func(field string) bool {
		return slices.ContainsFunc(o.Reasons, func(r Reason) bool { return r.Field == field })
	}
	for _, p := range f.problems {
		r := w.reason(p)
		top, _, _ := strings.Cut(p.Field, ".")
		_, given := f.Fields[top]
		switch {
		case p.Severity == yamldoc.Warning:
			f.warnings = append(f.warnings, r)
		case f.slug == "" && (p.Field == "slug" || w.Update && !given):
		case about(p.Field), slices.ContainsFunc(known, func(k Reason) bool {
			return strings.HasPrefix(p.Field, k.Field+".") || !given && r.Column != "" && k.Column == r.Column
		}):
		default:
			o.Reasons = append(o.Reasons, r)
		}
	}
}

// reason converts a problem in a file to a problem with its row.
func (w *writer) reason(p yamldoc.Problem) Reason {
	r := Reason{Field: p.Field, Message: p.Message, Suggestion: p.Suggestion}
	for _, t := range w.mapping.Targets {
		if field := yamldoc.FieldName(t.Path); p.Field == field || strings.HasPrefix(p.Field, field+".") || strings.HasPrefix(p.Field, field+"[") {
			v := t.Value
			switch strings.TrimPrefix(p.Field, field) {
			case ".date":
				v = t.Date
			case ".source":
				v = t.Source
			}
			r.Column = columnOf(v)
		}
	}
	if name := p.Field[strings.LastIndexByte(p.Field, '.')+1:]; strings.HasPrefix(p.Field, "offers[") {
		for _, offers := range w.mapping.Offers {
			r.Column = cmp.Or(r.Column, columnOf(offers.Field(name)))
		}
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
