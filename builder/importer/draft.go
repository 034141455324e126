package importer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
	"kindex/exports/kinds"
)

// Draft is the entity that a mapping makes of one row.
type Draft struct {
	Row, Line  int            // only of ReadDrafts
	Type, Slug string         // "" if the row has none
	Fields     map[string]any // in the form used in files
	Reasons    []Reason       // the reasons parts of the row are not in Fields
	// Unused has the numbers in columns that the mapping does not use, by column; only of ReadDrafts.
	Unused map[string]float64

	clashSlug  string
	final      string // the slug, or clashSlug if the slug clashes
	warnings   []Reason
	adjusted   []Adjustment
	zeroOffers int       // offers with an input and an output price of 0
	inputs     []float64 // the input prices of its offers, in dollars for a million tokens
}

// refuse records the reason a field is invalid, unless err is nil.
func (d *Draft) refuse(field string, err error) {
	if err == nil {
		return
	}
	r, ok := errors.AsType[*Reason](err)
	if !ok {
		r = &Reason{Message: err.Error()}
	}
	r.Field = field
	d.Reasons = append(d.Reasons, *r)
}

func (d *Draft) key() string { return d.Type + "/" + d.final }

// set stores a value at a path of one or two names.
func (d *Draft) set(v any, path ...string) {
	if len(path) == 1 {
		d.Fields[path[0]] = v
		return
	}
	inner, _ := d.Fields[path[0]].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
		d.Fields[path[0]] = inner
	}
	inner[path[1]] = v
}

// references lists the addresses that a draft names in fields.
func (dr *drafter) references(d *Draft) (keys []string) {
	for _, f := range dr.kinds.Leaves() {
		if f.Words() == kinds.Reference {
			v := yamldoc.ValueAt(d.Fields, strings.Split(f.Path, "."))
			keys = append(keys, append(yamldoc.Texts(v), yamldoc.Text(v))...)
		}
	}
	end, _ := d.Fields["lifecycle"].(map[string]any)
	return append(keys, yamldoc.Text(end["replacedBy"]))
}

// drafter turns rows into drafts.
type drafter struct {
	evaluator
	kinds   *kinds.Set
	m       *mapping.Mapping
	date    string   // default date of signals
	columns []string // that the mapping uses
}

func newDrafter(declared *kinds.Set, m *mapping.Mapping, date string) *drafter {
	d := &drafter{kinds: declared, m: m, date: date, evaluator: evaluator{decimal: m.Input.Decimal, missing: m.Input.Missing}}
	if m.Source != nil && date == "" {
		d.date = m.Source.Date
	}
	for _, use := range m.Uses {
		d.columns = append(d.columns, use.Column)
	}
	slices.Sort(d.columns)
	d.columns = slices.Compact(d.columns)
	return d
}

func (dr *drafter) draft(o object) *Draft {
	d := &Draft{Fields: map[string]any{}, warnings: hidden(dr.columns, o)}
	dr.identify(d, o)
	for _, t := range dr.m.Targets {
		field := yamldoc.FieldName(t.Path)
		dr.joined = ""
		v, err := dr.field(t.Value, formOf(dr.kinds, t.Path), o)
		if d.refuse(field, err); v == nil {
			continue
		}
		if dr.joined != "" && isFree(dr.kinds, field) {
			d.warnings = append(d.warnings, Reason{Field: field, Column: columnOf(t.Value), Value: dr.joined, Message: yamldoc.Quote(dr.joined) + " " + joined(dr.joined)})
		}
		if t.Path[0] == "signals" {
			signal := map[string]any{"value": v}
			if dr.date != "" {
				signal["date"] = dr.date
			}
			dr.member(d, signal, "date", field+".date", t.Date, "date", o)
			dr.member(d, signal, "source", field+".source", t.Source, "", o)
			v = signal
		}
		d.set(v, t.Path...)
	}
	dr.benchmarks(d, o)
	dr.offers(d, o)
	return d
}

// isFree reports whether a field has slugs of which there is no list, so that nothing notices wrong ones.
func isFree(declared *kinds.Set, field string) bool {
	f := declared.Field(field)
	return f != nil && f.Words() == kinds.Slug || field == "tags" || field == "capabilities"
}

// member adds a member to a part of the draft, if it has a value.
func (dr *drafter) member(d *Draft, part map[string]any, name, field string, v *mapping.Value, form string, o object) {
	item, err := dr.field(v, form, o)
	if d.refuse(field, err); item != nil {
		part[name] = item
	}
}

func (dr *drafter) identify(d *Draft, o object) {
	kind, err := dr.text(dr.m.Type, o)
	if err == nil && dr.kinds.Kind(kind) == nil {
		err = &Reason{Column: columnOf(dr.m.Type), Value: kind,
			Message: yamldoc.Quote(kind) + " is not an entity type; expected one of: " + strings.Join(dr.kinds.Names(), ", ")}
	}
	if d.refuse("type", err); err == nil {
		d.Type = kind
	}
	slug := func(field string, v *mapping.Value) string {
		slug, err := dr.field(v, "slug", o)
		if err == nil && slug == nil && field == "slug" {
			err = &Reason{Column: columnOf(v), Message: "the source of the slug is empty"}
		}
		d.refuse(field, err)
		text, _ := slug.(string)
		return text
	}
	d.Slug, d.clashSlug = slug("slug", dr.m.Slug), slug("clashSlug", dr.m.ClashSlug)
}

// forms lists how fields are written, other than as a string: as a list of strings, or as the result of a conversion.
var forms = map[string]string{
	"tags": "list", "capabilities": "list", "formerly": "list",
	"addedDate": "date", "lastUpdated": "date", "lifecycle.deprecated": "date", "lifecycle.retires": "date", "offersRead.date": "date",
}

// formOf returns the form of a field: one of those in forms, "" for a string, "strings" for a string or a
// list of several, or "in " and a kind for the address of an entity, after "list " for several.
func formOf(declared *kinds.Set, path []string) string {
	switch path[0] {
	case "ids":
		return "strings"
	case "signals":
		switch s := declared.Signal(path[1]); {
		case s == nil || !s.IsDay():
			return "number"
		case s.Type == kinds.Month:
			return "day"
		}
		return "date"
	}
	name := strings.Join(path, ".")
	switch f := declared.Field(name); {
	case f == nil:
		return forms[name]
	case f.Words() == kinds.Reference && len(f.Kinds) == 1:
		return map[bool]string{true: "list "}[f.IsList()] + "in " + f.Kinds[0]
	case f.IsList():
		return "list"
	case f.Type == kinds.Boolean:
		return "answer"
	case f.Type == kinds.Size, f.Type == kinds.Duration, f.Type == kinds.Date:
		return string(f.Type)
	case f.IsNumber():
		return "number"
	}
	return ""
}

// field returns a field in the form used in files, or nil if it has no value.
func (dr *drafter) field(v *mapping.Value, form string, o object) (any, error) {
	r, err := dr.of(v, o)
	switch {
	case err != nil || r.none():
		return nil, err
	case strings.HasPrefix(form, "list") || form == "strings" && len(r.items) > 1:
		list := make([]any, len(r.items))
		for i, item := range r.items {
			item, _ = dr.convert(strings.TrimPrefix(form, "list "), item) // texts and addresses are not refused
			list[i] = textOf(item)
		}
		return list, nil
	case len(r.items) > 1:
		return nil, &Reason{Column: columnOf(v), Value: r.text(),
			Message: fmt.Sprintf("has %d values, but only one is allowed; add take: first or take: last", len(r.items))}
	case form == "" || form == "strings":
		return textOf(r.items[0]), nil
	}
	out, wrong := dr.convert(form, r.items[0])
	if wrong != "" {
		return nil, refusal(v, r.items[0], wrong)
	}
	return out, nil
}

func (dr *drafter) text(v *mapping.Value, o object) (string, error) {
	item, err := dr.field(v, "", o)
	text, _ := item.(string)
	return text, err
}

// scopesOf returns the objects to which columns with each refer: the row itself, or the entries of a list in it.
func scopesOf(each string, o object) (out []object, err error) {
	if each == "" {
		return []object{o}, nil
	}
	v := o.lookup(each)
	list, ok := v.([]any)
	if v != nil && !ok {
		return nil, &Reason{Column: each, Message: "is not a list"}
	}
	for i, item := range list {
		entry, ok := item.(map[string]any)
		if !ok {
			return nil, &Reason{Column: each + "." + strconv.Itoa(i), Message: "is not an object"}
		}
		out = append(out, entry)
	}
	return out, nil
}

// benchmarks adds the benchmark results of a row. Those without a name or a value are left out.
func (dr *drafter) benchmarks(d *Draft, o object) {
	type part struct {
		fields       map[string]any
		key, details string
	}
	var results []part
	times := map[string]int{} // by what distinguishes results except their details
	for _, columns := range dr.m.Benchmarks {
		scopes, err := scopesOf(columns.Each, o)
		d.refuse("signals.benchmarks", err)
		for _, scope := range scopes {
			r := part{fields: map[string]any{}}
			r.details, err = dr.benchmark(r.fields, columns, scope)
			if d.refuse("signals.benchmarks", err); err != nil || r.fields["name"] == nil || r.fields["value"] == nil {
				continue
			}
			for _, name := range []string{"name", "metric", "harness", "variant", "dataset", "version", "by", "publisher"} {
				r.key += fmt.Sprintf("%q", r.fields[name])
			}
			times[r.key]++
			results = append(results, r)
		}
	}
	var list []any
	for _, r := range results {
		if r.details != "" && times[r.key] > 1 {
			r.fields["name"] = textOf(r.fields["name"]) + " (" + r.details + ")"
		}
		list = append(list, r.fields)
	}
	if len(list) > 0 {
		d.set(list, "signals", "benchmarks")
	}
}

// partForms lists the forms of the members of results and offers that are no texts.
var partForms = map[string]string{"value": "number", "date": "day", "free": "answer", "deprecated": "answer", "over": "number", "context": "number", "outputLimit": "number"}

// benchmark sets the fields of a result, and returns its details.
func (dr *drafter) benchmark(fields map[string]any, columns *mapping.Columns, o object) (details string, err error) {
	for _, t := range columns.Fields {
		v, err := dr.field(t.Value, partForms[t.Path[0]], o)
		if err != nil {
			return "", err
		}
		if v != nil {
			fields[t.Path[0]] = v
		}
	}
	all := result{}
	for _, name := range columns.Details {
		r, err := dr.column(name, o)
		if err != nil {
			return "", err
		}
		all.items = append(all.items, r.items...)
	}
	return all.text(), nil
}
