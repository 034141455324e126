package content

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

var slugGrammar = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidSlug reports whether s is a valid slug: at most 100 characters, which are lower-case
// letters and digits, with single hyphens between them.
func ValidSlug(s string) bool { return len(s) <= 100 && slugGrammar.MatchString(s) }

// devices matches the names that Windows reserves for devices, whatever the extension: a
// repository that contains such a file cannot be checked out on Windows.
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file
var devices = regexp.MustCompile(`^(?:aux|con|nul|prn|(?:com|lpt)[0-9])$`)

// DeviceName returns the reason a valid slug cannot be a file name on some systems, or "".
// The reason is worded so that it can follow the slug in a message.
func DeviceName(slug string) string {
	if devices.MatchString(slug) {
		return " is reserved for a device on Windows, so the file could not exist there; use a longer slug"
	}
	return ""
}

// ParseEntity reads one entity file, and returns all problems that can be found in that file alone. The entity is nil
// if one of them is an error. It has no scores and no dates of the history. path is used only in messages.
func ParseEntity(declared *kinds.Set, path, typ, slug string, data []byte) (*record.Entity, yamldoc.Problems) {
	e, d := parseEntity(declared, path, typ, slug, data)
	if d.Problems.HasErrors() {
		e = nil
	}
	return e, d.Report()
}

// parseEntity returns the readable part of an entity, or nil, so that it can be compared with other entities even
// if it has errors, and the document with its problems.
func parseEntity(declared *kinds.Set, path, typ, slug string, data []byte) (*record.Entity, *yamldoc.Document) {
	d := yamldoc.Parse(path, data)
	d.WarnOfCutText(data)
	fields, ok := d.Fields()
	if !ok {
		return nil, d
	}
	e := entityOf(declared, typ, slug, d, fields)
	if !d.Problems.HasErrors() {
		e.Rest = restOf(e, fields)
	}
	return e, d
}

// entityOf returns the entity that the fields of a document describe, and adds its problems to the document.
func entityOf(declared *kinds.Set, typ, slug string, d *yamldoc.Document, fields map[string]any) *record.Entity {
	d.Value = fields
	schema.Of(declared, "entity").Check(d)
	e := decodeEntity(declared, typ, slug, fields)
	checkEntity(d, e, fields)
	return e
}

// decodeEntity copies the values that have the right type. The schema check has reported others.
func decodeEntity(declared *kinds.Set, typ, slug string, m map[string]any) *record.Entity {
	text := func(key string) string { return yamldoc.Text(m[key]) }
	e := &record.Entity{
		Kinds: declared, Type: typ, Slug: slug,
		Name: text("name"), Provider: text("provider"), Description: text("description"),
		Category: text("category"), Version: text("version"), PricingModel: text("pricingModel"),
		License: text("license"), URL: text("url"), Tags: yamldoc.Texts(m["tags"]),
		Capabilities: yamldoc.Texts(m["capabilities"]), AddedDate: text("addedDate"),
		LastUpdated: text("lastUpdated"), Status: cmp.Or(text("status"), record.Active),
		Formerly: yamldoc.Texts(m["formerly"]),
	}
	links, _ := m["links"].(map[string]any)
	for name, v := range links {
		e.Links = append(e.Links, record.Link{Name: yamldoc.Text(name), URL: yamldoc.Text(v)})
	}
	slices.SortFunc(e.Links, func(a, b record.Link) int { return cmp.Compare(a.Name, b.Name) })
	signals, _ := m["signals"].(map[string]any)
	for name, v := range signals {
		s, ok := v.(map[string]any)
		if !ok {
			continue
		}
		f := record.Fact{Name: yamldoc.Text(name), Date: yamldoc.Text(s["date"])}
		f.Source = cmp.Or(yamldoc.Text(s["source"]), yamldoc.Text(defaultSource(m["sources"], name, f.Date)))
		if t := declared.Signal(name); t != nil && t.IsDay() {
			f.Day = yamldoc.Text(s["value"])
		} else {
			f.Number = numberOf(s["value"])
		}
		e.Signals.Facts = append(e.Signals.Facts, f)
	}
	slices.SortFunc(e.Signals.Facts, func(a, b record.Fact) int { return cmp.Compare(a.Name, b.Name) })
	if list, _ := signals["benchmarks"].([]any); len(list) > 0 {
		data, _ := json.Marshal(trimTexts(list))
		_ = json.Unmarshal(data, &e.Signals.Benchmarks) // it leaves out values of a wrong type, which the schema has reported
	}
	for i := range e.Signals.Benchmarks {
		e.Signals.Benchmarks[i].Unfold()
	}
	e.IDs = decodeIDs(e, m["ids"])
	e.Values = record.ValuesOf(declared, m)
	if l, ok := m["lifecycle"].(map[string]any); ok {
		e.Lifecycle = &record.Lifecycle{Deprecated: yamldoc.Text(l["deprecated"]), Retires: yamldoc.Text(l["retires"]),
			ReplacedBy: yamldoc.Text(l["replacedBy"]), Source: yamldoc.Text(l["source"])}
	}
	e.Offers = decodeOffers(m)
	return e
}

// defaultSource returns what sources states for a signal: its own address, that of a day, or that of all.
func defaultSource(sources any, signal, day string) any {
	if of, ok := sources.(map[string]any); ok {
		if of[signal] != nil {
			return of[signal]
		}
		return of[day]
	}
	return sources
}

func numberOf(v any) float64 {
	switch n := v.(type) {
	case int64:
		return float64(n)
	case float64:
		return n
	}
	return 0
}

// checkEntity adds problems for fields that contradict each other, and warnings about texts.
func checkEntity(d *yamldoc.Document, e *record.Entity, m map[string]any) {
	warnOfTexts(d, e)
	checkFacts(d, e, m)
	if !d.Reported("addedDate") && !d.Reported("lastUpdated") && e.LastUpdated != "" && e.LastUpdated < e.AddedDate {
		d.Fail([]string{"lastUpdated"}, e.LastUpdated+" is before addedDate "+e.AddedDate)
	}
	for _, f := range e.Signals.Facts {
		value, date := []string{"signals", f.Name, "value"}, []string{"signals", f.Name, "date"}
		if n := min(len(f.Day), len(f.Date)); f.Day[:n] > f.Date[:n] && !d.Reported(value...) && !d.Reported(date...) {
			d.Warn(value, f.Day+" is after the date on which the signal was read, "+f.Date)
		}
	}
	if i := slices.Index(e.FormerKeys(), e.Key()); i >= 0 {
		d.Fail([]string{"formerly", strconv.Itoa(i)}, yamldoc.Quote(e.Formerly[i])+" is its current address; list only earlier ones, as kind/slug if it was of another kind")
	}
}

// decodeIDs returns the identifiers that a file states, and those that follow from its links.
func decodeIDs(e *record.Entity, v any) (list []record.ID) {
	stated, _ := v.(map[string]any)
	for namespace, value := range stated {
		for _, id := range textOrTexts(value) {
			list = append(list, record.ID{Namespace: yamldoc.Text(namespace), Value: strings.Clone(id)})
		}
	}
	for _, id := range record.LinkedIDs(e.Links) {
		if stated[id.Namespace] == nil {
			list = append(list, id)
		}
	}
	record.SortIDs(list)
	return list
}

// textOrTexts returns the texts of a list, or a text as a list.
func textOrTexts(v any) []string {
	if s := yamldoc.Text(v); s != "" {
		return []string{s}
	}
	return yamldoc.Texts(v)
}

func decodeOffers(m map[string]any) (offers []record.Offer) {
	list, _ := m["offers"].([]any)
	read, _ := m["offersRead"].(map[string]any)
	for _, v := range list {
		f, ok := trimTexts(v).(map[string]any)
		if !ok {
			continue
		}
		data, _ := json.Marshal(f)
		o, err := record.DecodeOffer(data)
		if err != nil { // the schema has reported it
			o = record.Offer{Provider: yamldoc.Text(f["provider"]), ID: yamldoc.Text(f["id"])}
		}
		o.Date, o.Source = cmp.Or(o.Date, yamldoc.Text(read["date"])), cmp.Or(o.Source, yamldoc.Text(read["source"]))
		offers = append(offers, o)
	}
	record.SortOffers(offers)
	return offers
}

// ParseFields parses an entity from JSON values (json.Number, too), by the rules for files; strings are trimmed. It also
// returns the file that Compose writes for them. The problems have no meaningful positions; if one is an error, the
// entity and the file are nil. No YAML is parsed before the values have passed the schema, so the cost is linear in
// the size of the input.
func ParseFields(declared *kinds.Set, path, typ, slug string, fields map[string]any) (*record.Entity, []byte, yamldoc.Problems) {
	d := yamldoc.New(path)
	var data []byte
	accepted, err := yamlfmt.Normalize(fields)
	if err == nil {
		entityOf(declared, typ, slug, d, accepted)
	}
	if err == nil && !d.Problems.HasErrors() {
		data, err = yamlfmt.Compose(declared, trimTexts(fields).(map[string]any))
	}
	if wrong, ok := errors.AsType[*yamlfmt.FieldError](err); ok {
		d.AddAt(nil, false, yamldoc.Problem{Field: wrong.Field, Message: wrong.Message})
	} else if err != nil {
		d.Fail(nil, err.Error())
	}
	if d.Problems.HasErrors() {
		return nil, nil, d.Report()
	}
	e, problems := ParseEntity(declared, path, typ, slug, data)
	if e == nil {
		data = nil
	}
	return e, data, problems
}

func trimTexts(v any) any {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = trimTexts(item)
		}
		return list
	case map[string]any:
		set := make(map[string]any, len(v))
		for name, item := range v {
			set[name] = trimTexts(item)
		}
		return set
	}
	return v
}

// Fields returns the values of an entity file as JSON values.
func Fields(data []byte) (map[string]any, error) {
	d := yamldoc.Parse("", data)
	fields, ok := d.Fields()
	if !ok || len(d.Problems) > 0 {
		return nil, d.Report()
	}
	return fields, nil
}
