package importer

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
	"kindex/exports/record"
)

// draft is the entity that the mapping produces from one row.
type draft struct {
	typ, slug, clashSlug string
	fields               map[string]any // in the form used in files
	reasons, warnings    []Reason
	adjusted             adjustments
	inputs               []float64 // the input prices of its offers, in dollars for a million tokens
}

// refuse records the reason a field is invalid.
func (d *draft) refuse(field string, err error) {
	var r *Reason
	if !errors.As(err, &r) {
		r = &Reason{Message: err.Error()}
	}
	r.Field = field
	d.reasons = append(d.reasons, *r)
}

// set stores a value at a path of one or two names.
func (d *draft) set(path []string, v any) {
	if len(path) == 1 {
		d.fields[path[0]] = v
		return
	}
	inner, _ := d.fields[path[0]].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
		d.fields[path[0]] = inner
	}
	inner[path[1]] = v
}

// drafter turns rows into drafts. It is safe for concurrent use.
type drafter struct {
	evaluator
	m    *mapping.Mapping
	date string // default date of signals
}

func newDrafter(m *mapping.Mapping, date string) *drafter {
	d := &drafter{m: m, date: date, evaluator: evaluator{decimal: m.Input.Decimal, missing: map[string]bool{}}}
	if m.Source != nil && date == "" {
		d.date = m.Source.Date
	}
	for _, text := range m.Input.Missing {
		d.missing[text] = true
	}
	return d
}

// draft creates an entity from a row.
func (dr *drafter) draft(rec inputRecord) *draft {
	d := &draft{fields: map[string]any{}}
	seen := &trackedRecord{inputRecord: rec}
	defer func() { d.warnings = seen.warnings }()
	rec = seen
	dr.identify(d, rec)
	for _, t := range dr.m.Targets {
		field := yamldoc.FieldName(t.Path)
		v, err := dr.field(t, rec)
		switch {
		case err != nil:
			d.refuse(field, err)
		case v != nil && t.Path[0] == "signals":
			dr.signal(d, t, v, rec)
		case v != nil:
			d.set(t.Path, v)
		}
	}
	dr.benchmarks(d, rec)
	dr.offers(d, rec)
	return d
}

// identify sets the type and the slugs.
func (dr *drafter) identify(d *draft, rec inputRecord) {
	kind, err := dr.text(dr.m.Type, "", rec)
	switch {
	case err != nil:
		d.refuse("type", err)
	case !slices.Contains(record.Types, kind):
		d.refuse("type", &Reason{Column: columnOf(dr.m.Type), Value: kind,
			Message: yamldoc.Quote(kind) + " is not an entity type; expected one of: " + strings.Join(record.Types, ", ")})
	default:
		d.typ = kind
	}
	if d.slug, err = dr.slug(dr.m.Slug, rec); err == nil && d.slug == "" {
		err = &Reason{Column: columnOf(dr.m.Slug), Message: "the source of the slug is empty"}
	}
	if err != nil {
		d.refuse("slug", err)
	}
	if d.clashSlug, err = dr.slug(dr.m.ClashSlug, rec); err != nil {
		d.refuse("clashSlug", err)
	}
}

func (dr *drafter) slug(v *mapping.Value, rec inputRecord) (string, error) {
	text, err := dr.text(v, "", rec)
	if text == "" || err != nil {
		return "", err
	}
	slug := content.Slugify(text)
	if slug == "" {
		return "", &Reason{Column: columnOf(v), Value: text,
			Message: yamldoc.Quote(text) + " cannot be turned into a slug, since it contains no Latin letter or digit; use another column, or set a slug in values"}
	}
	return slug, nil
}

// single returns a single item. It is an error if the value has several items; ok is false if
// it has none. as is the default conversion.
func (dr *drafter) single(v *mapping.Value, as string, rec inputRecord) (item any, ok bool, err error) {
	r, err := dr.of(v, rec)
	if err != nil || r.none() {
		return nil, false, err
	}
	if len(r.items) > 1 {
		return nil, false, &Reason{Column: columnOf(v), Value: r.text(),
			Message: fmt.Sprintf("has %d values, but only one is allowed; add take: first or take: last", len(r.items))}
	}
	item = r.items[0]
	if v.As == "" && as != "" {
		out, wrong := dr.convert(as, item)
		if wrong != "" {
			return nil, false, &Reason{Column: columnOf(v), Value: textOf(item), Message: yamldoc.Quote(textOf(item)) + " " + wrong}
		}
		item = out
	}
	return item, true, nil
}

func (dr *drafter) text(v *mapping.Value, as string, rec inputRecord) (string, error) {
	item, ok, err := dr.single(v, as, rec)
	if !ok || err != nil {
		return "", err
	}
	return textOf(item), nil
}

// number returns the value of a signal: a number or a date, depending on the signal.
func (dr *drafter) number(v *mapping.Value, name string, rec inputRecord) (any, error) {
	as := "number"
	if t, ok := record.SignalType(name); ok && t.Kind == record.Day {
		as = "date"
		if name == "released" {
			as = "day"
		}
	}
	item, ok, err := dr.single(v, as, rec)
	if !ok || err != nil {
		return nil, err
	}
	return item, nil
}

// signal stores a figure with its date and source.
func (dr *drafter) signal(d *draft, t mapping.Target, value any, rec inputRecord) {
	field := yamldoc.FieldName(t.Path)
	signal := map[string]any{"value": value}
	if dr.date != "" {
		signal["date"] = dr.date
	}
	for name, part := range map[string]*mapping.Value{"date": t.Date, "source": t.Source} {
		as := ""
		if name == "date" {
			as = "date"
		}
		text, err := dr.text(part, as, rec)
		if err != nil {
			d.refuse(field+"."+name, err)
		} else if text != "" {
			signal[name] = text
		}
	}
	d.set(t.Path, signal)
}

// digest identifies the content of a draft. It does not depend on the slug.
type digest [sha256.Size]byte

func (d *draft) digest() (digest, error) {
	b, err := json.Marshal([]any{d.typ, d.fields})
	return sha256.Sum256(b), err
}
