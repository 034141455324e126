package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// Draft is the entity that a mapping makes of one row.
type Draft struct {
	Type, Slug string         // "" if the row has none
	Fields     map[string]any // in the form used in files
	Reasons    []Reason       // the reasons parts of the row are not in Fields
	// Unused has the numbers in columns that the mapping does not use, by column; only of ReadDrafts.
	Unused map[string]float64

	clashSlug string
	final     string // the slug, or clashSlug if the slug clashes
	warnings  []Reason
	adjusted  []Adjustment
	inputs    []float64 // the input prices of its offers, in dollars for a million tokens
}

// refuse records the reason a part is invalid, unless it is nil.
func (d *Draft) refuse(s scope, r *Reason) {
	if r != nil {
		r.Field = s.field()
		d.Reasons = append(d.Reasons, *r)
	}
}

func (d *Draft) key() string { return d.Type + "/" + d.final }

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
	kinds *kinds.Set
	m     *mapping.Mapping
	date  string // default date of signals
}

func newDrafter(declared *kinds.Set, m *mapping.Mapping, date string) *drafter {
	if m.Source != nil {
		date = cmp.Or(date, m.Source.Date)
	}
	return &drafter{kinds: declared, m: m, date: date, evaluator: evaluator{decimal: m.Input.Decimal, missing: m.Input.Missing}}
}

func (dr *drafter) draft(o object) *Draft {
	d := &Draft{}
	top := scope{object: o, path: make([]string, 0, 8), part: schema.Of(dr.kinds, "entity").Part}
	dr.identify(d, top)
	d.Fields = dr.values(d, dr.m.Sections["fields"], top)
	for _, section := range dr.m.Order {
		if fields := dr.m.Sections[section]; fields != nil {
			set(d.Fields, section, orNil(dr.values(d, fields, top.inside(section))))
		}
	}
	signals, at := map[string]any{}, top.inside("signals")
	for _, name := range sorted(dr.m.Signals.Figures) {
		set(signals, name, dr.figure(d, dr.m.Signals.Figures[name], at.inside(name)))
	}
	set(signals, "benchmarks", dr.list(d, dr.m.Signals.Benchmarks, at.inside("benchmarks")))
	set(d.Fields, "signals", orNil(signals))
	set(d.Fields, "offers", dr.list(d, dr.m.Offers, top.inside("offers")))
	if read, _ := d.Fields["offersRead"].(map[string]any); d.Fields["offers"] != nil && dr.date != "" && read["date"] == nil {
		dated := map[string]any{"date": dr.date}
		maps.Copy(dated, read)
		d.Fields["offersRead"] = dated
	}
	d.warnings, dr.warnings = slices.Concat(dr.warnings, d.warnings), nil
	return d
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// set adds a member that has a value.
func set(members map[string]any, name string, v any) {
	if v != nil {
		members[name] = v
	}
}

// orNil returns nil if there are no members.
func orNil(members map[string]any) any {
	if len(members) == 0 {
		return nil
	}
	return members
}

// scope is a part of a row from which a part of the entity is made.
type scope struct {
	object
	path []string // of the part of the entity
	part *schema.Part
	unit // of the prices in an offer
}

// inside returns the scope of a member. It is valid until that of another one is made.
func (s scope) inside(name string) scope {
	s.path, s.part = append(s.path, name), s.part.Member(name)
	return s
}

// field returns the path for messages: that of all results for benchmark results, and of the offer for what says which
// one it is.
func (s scope) field() string {
	switch path := s.path; {
	case len(path) > 2 && path[1] == "benchmarks":
		return "signals.benchmarks"
	case len(path) == 3 && (path[2] == "provider" || path[2] == "id"):
		return yamldoc.FieldName(path[:2])
	}
	return yamldoc.FieldName(s.path)
}

func (dr *drafter) values(d *Draft, fields map[string]*mapping.Value, s scope, but ...string) map[string]any {
	out := map[string]any{}
	for _, name := range sorted(fields) {
		if !slices.Contains(but, name) {
			set(out, name, dr.value(d, fields[name], s.inside(name)))
		}
	}
	return out
}

// list returns the objects of all groups of a list, or nil if there are none.
func (dr *drafter) list(d *Draft, groups []*mapping.Group, s scope) any {
	var list []any
	var details []string
	for _, g := range groups {
		entries, wrong := entriesOf(g.Each, s.object)
		d.refuse(s, wrong)
		for _, o := range entries {
			at := s.inside(strconv.Itoa(len(list)))
			at.object, at.part = o, s.part.Entry()
			if item := dr.part(d, g, at); item != nil {
				more := result{}
				dr.wrong = nil
				for _, name := range g.Details {
					more.items = append(more.items, dr.known(name, o).items...)
				}
				d.refuse(at, dr.wrong)
				list, details = append(list, item), append(details, more.text())
			}
		}
	}
	if list == nil {
		return nil
	}
	if strings.Join(details, "") != "" {
		distinguish(list, details)
	}
	return list
}

// part returns an object, or nil if it is left out: without a field that the schema requires, or with nothing else.
func (dr *drafter) part(d *Draft, g *mapping.Group, s scope) any {
	var wrong *Reason
	if len(s.path) == 2 && s.path[0] == "offers" {
		s.unit, wrong = dr.unitOf(g, s.object)
	}
	before, needs := *d, s.part.Required
	out := map[string]any{}
	for _, name := range needs {
		if out[name] = dr.value(d, g.Fields[name], s.inside(name)); out[name] == nil {
			return nil
		}
	}
	maps.Copy(out, dr.values(d, g.Fields, s, needs...))
	if g.Tiers != nil {
		set(out, "tiers", dr.list(d, []*mapping.Group{g.Tiers}, s.inside("tiers")))
	}
	modes := map[string]any{}
	for _, name := range sorted(g.Modes) {
		set(modes, name, dr.part(d, g.Modes[name], s.inside("modes").inside(name)))
	}
	set(out, "modes", orNil(modes))
	if g.Next != nil {
		set(out, "next", dr.part(d, g.Next, s.inside("next")))
	}
	switch {
	case len(out) < min(2, 1+len(needs)):
		return nil
	case wrong != nil:
		*d = before // nobody knows what the prices are for
		d.refuse(s, wrong)
		return nil
	}
	return out
}

// distinguish adds the details of benchmark results to the names of those that would otherwise be about the same thing.
func distinguish(list []any, details []string) {
	times, keys := map[string]int{}, make([]string, len(list))
	for i, item := range list {
		about := maps.Clone(item.(map[string]any))
		for _, name := range []string{"value", "date", "source"} {
			delete(about, name)
		}
		keys[i] = fmt.Sprintf("%q", about)
		times[keys[i]]++
	}
	for i, item := range list {
		if r := item.(map[string]any); details[i] != "" && times[keys[i]] > 1 {
			r["name"] = textOf(r["name"]) + " (" + details[i] + ")"
		}
	}
}

// entriesOf returns the objects to which columns with each refer: the row itself, or the entries of a list in it.
func entriesOf(each string, o object) (out []object, wrong *Reason) {
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

// figure returns a signal, or nil if it has no value.
func (dr *drafter) figure(d *Draft, f *mapping.Signal, s scope) any {
	at := s
	at.part = s.part.Member("value")
	v := dr.value(d, f.Value, at)
	if v == nil {
		return nil
	}
	out := map[string]any{"value": v}
	if dr.date != "" {
		out["date"] = dr.date
	}
	set(out, "date", dr.value(d, f.Date, s.inside("date")))
	set(out, "source", dr.value(d, f.Source, s.inside("source")))
	return out
}

// value returns the value of a field, or nil if there is none.
func (dr *drafter) value(d *Draft, of *mapping.Value, s scope) any {
	dr.joined = ""
	v := dr.field(of, formOf(s.part, dr.kinds.Field(strings.Join(s.path, "."))), s.object)
	if kind := slices.Index(record.PriceNames, s.path[len(s.path)-1]); v != nil && kind >= 0 && s.path[0] == "offers" {
		text := textOf(v)
		var wrong string
		if v, wrong = d.price(s, kind, text); wrong != "" {
			dr.wrong = &Reason{Column: columnOf(of), Value: text, Message: wrong}
		}
	}
	if d.refuse(s, dr.wrong); v == false && s.path[0] == "offers" {
		return nil
	}
	if v != nil && dr.joined != "" && isFree(dr.kinds, s.field()) {
		d.warnings = append(d.warnings, Reason{Field: s.field(), Column: columnOf(of), Value: dr.joined, Message: yamldoc.Quote(dr.joined) + " " + joined(dr.joined)})
	}
	return v
}

// isFree reports whether a field has slugs of which there is no list, so that nothing notices wrong ones.
func isFree(declared *kinds.Set, field string) bool {
	f := declared.Field(field)
	return f != nil && f.Words() == kinds.Slug || field == "tags" || field == "capabilities"
}

func (dr *drafter) identify(d *Draft, top scope) {
	o := top.object
	d.Type = dr.text(dr.m.Type, o)
	if dr.wrong == nil && dr.kinds.Kind(d.Type) == nil {
		dr.refuse(dr.m.Type, d.Type, "is not an entity type; expected one of: "+strings.Join(dr.kinds.Names(), ", "))
	}
	if d.refuse(top.inside("type"), dr.wrong); dr.wrong != nil {
		d.Type = ""
	}
	d.Slug, _ = dr.field(dr.m.Slug, "slug", o).(string)
	if dr.wrong == nil && d.Slug == "" {
		dr.wrong = &Reason{Column: columnOf(dr.m.Slug), Message: "the source of the slug is empty"}
	}
	d.refuse(top.inside("slug"), dr.wrong)
	d.clashSlug, _ = dr.field(dr.m.ClashSlug, "slug", o).(string)
	d.refuse(top.inside("clashSlug"), dr.wrong)
}

// forms lists the conversions to texts that the schema describes by a pattern.
var forms = map[string]string{schema.DayPattern: "date", schema.MonthPattern: "day", schema.PeriodPattern: "period", kinds.DurationPattern: "duration", kinds.SizePattern: "size"}

// formOf returns the form of a value: "" for a string, "list" for a list of strings, "strings" for either, the name of a
// conversion, or "in " and a kind for the address of an entity, after "list " for several. f is the declared field, or nil.
func formOf(p *schema.Part, f *kinds.Field) string {
	is := func(name string) bool { return slices.Contains(p.Types, name) }
	switch {
	case f != nil && f.Words() == kinds.Reference && len(f.Kinds) == 1:
		return map[bool]string{true: "list "}[f.IsList()] + "in " + f.Kinds[0]
	case is("array") && is("string"):
		return "strings"
	case is("array"):
		return "list"
	case is("boolean"):
		return "answer"
	case forms[p.Pattern] == "" && !is("string") && (is("number") || is("integer")):
		return "number"
	}
	return forms[p.Pattern]
}

// field returns a field in the form used in files, or nil if it has no value or, as dr.wrong says, a wrong one.
func (dr *drafter) field(v *mapping.Value, form string, o object) any {
	dr.wrong = nil
	r := dr.of(v, o)
	switch {
	case dr.wrong != nil || r.none():
		return nil
	case strings.HasPrefix(form, "list") || form == "strings" && len(r.items) > 1:
		list := make([]any, len(r.items))
		for i, item := range r.items {
			item, _ = dr.convert(strings.TrimPrefix(form, "list "), item) // texts and addresses are not refused
			list[i] = textOf(item)
		}
		return list
	case len(r.items) > 1:
		dr.wrong = &Reason{Column: columnOf(v), Value: r.text(),
			Message: fmt.Sprintf("has %d values, but only one is allowed; add take: first or take: last", len(r.items))}
		return nil
	case form == "" || form == "strings":
		return textOf(r.items[0])
	}
	out, wrong := dr.convert(form, r.items[0])
	if wrong != "" {
		dr.refuse(v, r.items[0], wrong)
	}
	return out
}

func (dr *drafter) text(v *mapping.Value, o object) string {
	text, _ := dr.field(v, "", o).(string)
	return text
}
