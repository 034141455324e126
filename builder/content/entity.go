package content

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
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

// ParseEntity reads one entity file of an index with some kinds, and returns all problems that can be found in that file
// alone. The entity is nil if one of the problems is an error. path is used only in messages.
// ParseEntity does not set scores or the dates that are derived from the history.
func ParseEntity(declared *kinds.Set, path, typ, slug string, data []byte) (*record.Entity, yamldoc.Problems) {
	e, problems := parseEntity(declared, path, typ, slug, data)
	if problems.HasErrors() {
		e = nil
	}
	return e, problems
}

// parseEntity is like ParseEntity, but also returns the readable part of an entity with
// errors, so that it can be compared with other entities.
func parseEntity(declared *kinds.Set, path, typ, slug string, data []byte) (*record.Entity, yamldoc.Problems) {
	d := yamldoc.Parse(path, data, yamldoc.TextFields...)
	d.WarnOfCutText(data)
	fields, ok := d.Fields()
	if !ok {
		return nil, d.Report()
	}
	e := entityOf(declared, typ, slug, d, fields)
	if !d.Problems.HasErrors() {
		e.Rest = restOf(e, fields)
	}
	return e, d.Report()
}

// entityOf returns the entity that the fields of a document describe, and adds its problems to the document.
func entityOf(declared *kinds.Set, typ, slug string, d *yamldoc.Document, fields map[string]any) *record.Entity {
	d.Value = fields
	schema.Of(declared, "entity").Check(d)
	e := decodeEntity(declared, typ, slug, fields)
	checkEntity(d, e, fields)
	return e
}

// decodeEntity copies the values that have the right type. The schema check has already reported
// values of a wrong type.
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
	if links, ok := m["links"].(map[string]any); ok {
		for name, v := range links {
			e.Links = append(e.Links, record.Link{Name: yamldoc.Text(name), URL: yamldoc.Text(v)})
		}
		slices.SortFunc(e.Links, func(a, b record.Link) int { return cmp.Compare(a.Name, b.Name) })
	}
	var sources []string // most facts of an entity have the same source
	sourceOf := func(v any) string {
		s, _ := v.(string)
		i := slices.Index(sources, strings.TrimSpace(s))
		if i < 0 {
			i = len(sources)
			sources = append(sources, yamldoc.Text(v))
		}
		return sources[i]
	}
	signals, _ := m["signals"].(map[string]any)
	facts := make([]record.Fact, 0, len(signals))
	for name, v := range signals {
		s, ok := v.(map[string]any)
		if !ok {
			continue
		}
		f := record.Fact{Name: yamldoc.Text(name), Date: yamldoc.Text(s["date"]), Source: sourceOf(s["source"])}
		if f.Source == "" {
			f.Source = sourceOf(defaultSource(m["sources"], name, f.Date))
		}
		if t := declared.Signal(name); t != nil && t.IsDay() {
			f.Day = yamldoc.Text(s["value"])
		} else {
			f.Number = numberOf(s["value"])
		}
		facts = append(facts, f)
	}
	if len(facts) > 0 {
		e.Signals.Facts = facts
	}
	slices.SortFunc(e.Signals.Facts, func(a, b record.Fact) int { return cmp.Compare(a.Name, b.Name) })
	list, _ := signals["benchmarks"].([]any)
	for _, v := range list {
		e.Signals.Benchmarks = append(e.Signals.Benchmarks, decodeBenchmark(v, sourceOf))
	}
	decodeFacts(e, m, sourceOf)
	return e
}

// defaultSource returns the address that sources states for a signal: its own, that of all signals read on a
// day, or that of all signals.
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

// checkEntity adds problems for fields that contradict each other, and warnings for reviewers
// about an entity's strings.
func checkEntity(d *yamldoc.Document, e *record.Entity, m map[string]any) {
	warnOfTexts(d, e)
	checkFacts(d, e, m)
	if !d.Faulty["addedDate"] && !d.Faulty["lastUpdated"] && e.LastUpdated != "" && e.LastUpdated < e.AddedDate {
		d.AddAt([]string{"lastUpdated"}, false, yamldoc.Problem{Message: e.LastUpdated + " is before addedDate " + e.AddedDate})
	}
	for _, f := range e.Signals.Facts {
		value, date := []string{"signals", f.Name, "value"}, []string{"signals", f.Name, "date"}
		if len(d.Faulty) > 0 && (d.Faulty[yamldoc.FieldName(value)] || d.Faulty[yamldoc.FieldName(date)]) {
			continue
		}
		if n := min(len(f.Day), len(f.Date)); f.Day[:n] > f.Date[:n] {
			d.AddAt(value, false, yamldoc.Problem{Severity: yamldoc.Warning, Message: f.Day + " is after the date on which the signal was read, " + f.Date})
		}
	}
	if i := slices.Index(e.FormerKeys(), e.Key()); i >= 0 {
		d.AddAt([]string{"formerly", strconv.Itoa(i)}, false, yamldoc.Problem{Message: yamldoc.Quote(e.Formerly[i]) + " is its current address; list only earlier ones"})
	}
}
