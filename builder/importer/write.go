package importer

import (
	"cmp"
	"encoding/json"
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

// candidate is the file created for one row. It does not depend on other rows.
type candidate struct {
	row      int
	skipped  bool
	draft    *draft
	digest   digest
	slug     string
	entity   *record.Entity
	data     []byte // the contents of the file
	existing *existing
	reasons  []Reason
	warnings []Reason
}

// existing is the existing file of an entity.
type existing struct {
	data   []byte
	entity *record.Entity // nil if the file has errors
}

// candidate creates and checks the file of one row. It is safe for concurrent use.
func (j *job) candidate(r *row, folder *content.Workspace) *candidate {
	c := &candidate{row: r.number}
	switch {
	case r.wrong != "":
		c.reasons = []Reason{{Message: r.wrong}}
		return c
	case !j.drafter.all(j.mapping.Where, r):
		c.skipped = true
		return c
	}
	c.draft = j.drafter.draft(r)
	c.reasons, c.warnings = c.draft.reasons, c.draft.warnings
	if c.draft.typ == "" || c.draft.slug == "" {
		return c
	}
	c.slug = j.firstPass.slugOf(c.draft.typ, c.draft.slug, c.draft.clashSlug)
	var err error
	if c.digest, err = c.draft.digest(); err == nil && len(c.reasons) == 0 {
		err = j.compose(c, folder)
	}
	if err != nil {
		c.reasons = append(c.reasons, Reason{Message: err.Error()})
	}
	return c
}

// compose writes the file in memory and validates it.
func (j *job) compose(c *candidate, folder *content.Workspace) error {
	typ, shown := c.draft.typ, folder.Shown(c.draft.typ, c.slug)
	var err error
	if c.existing, err = readExisting(folder.Path(typ, c.slug), shown, typ, c.slug); err != nil {
		return err
	}
	folder.Prefer(c.draft.fields)
	if c.existing != nil && j.Update {
		keepReviews(c.draft, c.existing.entity)
		c.data, err = yamlfmt.Merge(shown, c.existing.data, c.draft.fields)
	} else {
		c.data, err = yamlfmt.Compose(c.draft.fields)
	}
	if err != nil {
		return err
	}
	entity, problems := content.ParseEntity(shown, typ, c.slug, c.data)
	c.entity = entity
	j.judge(c, problems)
	return nil
}

// judge converts the problems in a candidate's file to reasons and warnings of the
// candidate.
func (j *job) judge(c *candidate, problems yamldoc.Problems) {
	for _, p := range problems {
		if r := j.reason(p); p.Severity == yamldoc.Warning {
			c.warnings = append(c.warnings, r)
		} else {
			c.reasons = append(c.reasons, r)
		}
	}
}

func readExisting(path, shown, typ, slug string) (*existing, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s exists but is not a regular file", shown)
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	entity, _ := content.ParseEntity(shown, typ, slug, data)
	return &existing{data, entity}, nil
}

// reason converts a problem in a file to a problem with its row.
func (j *job) reason(p yamldoc.Problem) Reason {
	r := Reason{Field: p.Field, Message: p.Message, Suggestion: p.Suggestion}
	for _, t := range j.mapping.Targets {
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
		for i := range j.mapping.Offers {
			r.Column = cmp.Or(r.Column, columnOf(j.mapping.Offers[i].Field(name)))
		}
	}
	return r
}

// writer determines the outcomes of rows in order, and writes files.
type writer struct {
	*job
	folder *content.Workspace
	write  bool
}

// finish returns the outcome of a row. Any error is a system error, not a problem with
// the row.
func (w *writer) finish(c *candidate) (Outcome, error) {
	o := Outcome{Outcome: Refused}
	if c.skipped {
		o.Outcome = Skipped
		return o, nil
	}
	if c.slug == "" {
		w.addHiddenProblems(c)
		o.Reasons = c.reasons
		return o, nil
	}
	key := c.draft.typ + "/" + c.slug
	o.File = w.folder.Shown(c.draft.typ, c.slug)
	held := w.firstPass.final[key]
	if held.other != 0 {
		c.reasons = append(c.reasons, Reason{Field: "slug", Value: c.slug, Message: fmt.Sprintf(
			"rows %d and %d would both become %s but have different content; select one with where, or distinguish them with clashSlug",
			held.first, held.other, key)})
	}
	if c.entity != nil && len(c.reasons) == 0 {
		w.checkFolder(c)
	}
	if len(c.reasons) > 0 {
		w.addHiddenProblems(c)
		o.Reasons = c.reasons
		return o, nil
	}
	return w.settle(c, o)
}

// addHiddenProblems adds the problems of a refused row that the known ones hide: those of the fields that
// could be read. A person can then fix everything in one pass.
func (w *writer) addHiddenProblems(c *candidate) {
	if c.draft == nil || c.draft.typ == "" {
		return
	}
	data := c.data
	if data == nil {
		var err error
		if data, err = yamlfmt.Compose(c.draft.fields); err != nil {
			return // such a row has at least one reason already
		}
	}
	var rest yamldoc.Problems
	for _, p := range w.folder.CheckFile(c.draft.typ, cmp.Or(c.slug, "unnamed"), data) {
		top, _, _ := strings.Cut(p.Field, ".")
		_, given := c.draft.fields[top]
		column := w.reason(p).Column
		known := slices.ContainsFunc(c.reasons, func(r Reason) bool {
			return r.Field == p.Field || strings.HasPrefix(p.Field, r.Field+".") || !given && column != "" && r.Column == column
		})
		if p.Severity == yamldoc.Error && !known && p.Field != "slug" && (given || !w.Update) {
			rest = append(rest, p)
		}
	}
	w.judge(c, rest)
}

// checkFolder checks an entity against the other entities in the folder.
func (w *writer) checkFolder(c *candidate) {
	w.judge(c, w.folder.Check(c.entity, c.draft.fields))
}

// settle determines the outcome of a valid row, and writes the row's file if
// necessary.
func (w *writer) settle(c *candidate, o Outcome) (Outcome, error) {
	o.Outcome, o.Adjusted, o.ZeroOffers = Written, c.draft.adjusted.prices, c.draft.adjusted.free
	first := w.firstPass.final[c.draft.typ+"/"+c.slug].first
	switch {
	case first != c.row:
		return Outcome{Outcome: Unchanged, File: o.File, SameAs: first}, nil
	case c.existing == nil:
	case c.existing.entity != nil && reflect.DeepEqual(c.existing.entity, c.entity):
		o.Outcome = Unchanged
		return o, nil
	default:
		o.Outcome, o.Differs = Updated, differing(c.existing.entity, c.entity)
		if !w.Update {
			o.Outcome = Exists
			return o, nil
		}
	}
	o.Warnings = c.warnings
	w.folder.Add(c.entity)
	if !w.write {
		return o, nil
	}
	return o, content.WriteEntity(w.folder.Dir, c.draft.typ, c.slug, c.data, true)
}

// differing lists the fields that differ between a and b.
func differing(a, b *record.Entity) (names []string) {
	if a == nil {
		return nil
	}
	old, now := jsonOf(a), jsonOf(b)
	for name, v := range now {
		if inner, ok := v.(map[string]any); ok {
			before, _ := old[name].(map[string]any)
			for part, v := range inner {
				if !reflect.DeepEqual(v, before[part]) {
					names = append(names, name+"."+part)
				}
			}
		} else if list, ok := v.([]any); v != nil && (!ok || len(list) > 0) && !reflect.DeepEqual(v, old[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// jsonOf returns the JSON fields of an entity.
func jsonOf(e *record.Entity) (fields map[string]any) {
	_ = json.Unmarshal(e.AppendJSON(nil), &fields) // the data was just encoded, so decoding it cannot fail
	return fields
}
