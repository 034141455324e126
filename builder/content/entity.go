package content

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/github/go-spdx/v2/spdxexp"
	"github.com/github/go-spdx/v2/spdxexp/spdxlicenses"

	"kindex/exports"
	"kindex/exports/nearest"
)

var slugGrammar = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidSlug tells whether s may be a slug: lower-case letters and digits,
// joined by single hyphens, at most 100 characters.
func ValidSlug(s string) bool { return len(s) <= 100 && slugGrammar.MatchString(s) }

// ParseEntity reads one entity file. All that is wrong with the file by itself
// is in the problems; the entity is nil where one of them is an error. path is
// only for messages. Scores and dates from the history are not set.
func ParseEntity(path, typ, slug string, data []byte) (*exports.Entity, Problems) {
	d := parseDocument(path, data, "version")
	if d.root == nil {
		return nil, d.problems
	}
	m, ok := d.value.(map[string]any)
	if !ok {
		d.addAt(nil, false, Problem{Message: "must be a set of fields, one \"name: value\" a line"})
		return nil, d.problems
	}
	entitySchema.check(d)
	e := decodeEntity(typ, slug, m)
	d.checkEntity(e)
	d.problems.sort()
	if n, _ := d.problems.Count(); n > 0 {
		return nil, d.problems
	}
	return e, d.problems
}

// decodeEntity takes over what has the right type; the schema has complained
// about the rest.
func decodeEntity(typ, slug string, m map[string]any) *exports.Entity {
	text := func(key string) string { return textOf(m[key]) }
	e := &exports.Entity{
		Type: typ, Slug: slug,
		Name: text("name"), Provider: text("provider"), Description: text("description"),
		Category: text("category"), Version: text("version"), PricingModel: text("pricingModel"),
		License: text("license"), URL: text("url"), Tags: textsOf(m["tags"]),
		Capabilities: textsOf(m["capabilities"]), AddedDate: text("addedDate"),
		LastUpdated: text("lastUpdated"), Status: cmp.Or(text("status"), exports.Active),
		Formerly: textsOf(m["formerly"]),
	}
	if links, ok := m["links"].(map[string]any); ok {
		for name, v := range links {
			e.Links = append(e.Links, exports.Link{Name: name, URL: textOf(v)})
		}
		slices.SortFunc(e.Links, func(a, b exports.Link) int { return cmp.Compare(a.Name, b.Name) })
	}
	signals, _ := m["signals"].(map[string]any)
	for name, v := range signals {
		s, ok := v.(map[string]any)
		if !ok {
			continue
		}
		f := exports.Fact{Name: name, Date: textOf(s["date"]), Source: textOf(s["source"])}
		if t, ok := exports.SignalType(name); ok && t.Kind == exports.Day {
			f.Day = textOf(s["value"])
		} else {
			f.Number = numberOf(s["value"])
		}
		e.Signals.Facts = append(e.Signals.Facts, f)
	}
	slices.SortFunc(e.Signals.Facts, func(a, b exports.Fact) int { return cmp.Compare(a.Name, b.Name) })
	list, _ := signals["benchmarks"].([]any)
	for _, v := range list {
		b, _ := v.(map[string]any)
		e.Signals.Benchmarks = append(e.Signals.Benchmarks, exports.Benchmark{
			Name: textOf(b["name"]), Value: numberOf(b["value"]), Date: textOf(b["date"]), Source: textOf(b["source"])})
	}
	return e
}

func textOf(v any) string {
	s, _ := v.(string)
	return strings.TrimSpace(s)
}

func textsOf(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, item := range list {
		out = append(out, textOf(item))
	}
	return out
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

// checkEntity adds what a schema cannot tell.
func (d *document) checkEntity(e *exports.Entity) {
	for _, f := range []struct{ name, value string }{
		{"name", e.Name}, {"provider", e.Provider}, {"description", e.Description},
		{"version", e.Version}, {"license", e.License},
	} {
		if raw, ok := d.value.(map[string]any)[f.name].(string); ok && raw != "" && f.value == "" {
			d.addAt([]string{f.name}, false, Problem{Message: "must not be blank"})
		}
	}
	if e.License != "" {
		if ok, guess := licenseExpression(e.License); !ok {
			d.addAt([]string{"license"}, false, Problem{Severity: Warning, Suggestion: guess,
				Message: shown(e.License) + " is not an SPDX licence expression"})
		}
	}
	d.checkURL(e.URL, "url")
	for _, l := range e.Links {
		d.checkURL(l.URL, "links", l.Name)
	}
	d.checkDate(e.AddedDate, "addedDate")
	d.checkDate(e.LastUpdated, "lastUpdated")
	if e.AddedDate != "" && e.LastUpdated != "" && e.LastUpdated < e.AddedDate {
		d.addAt([]string{"lastUpdated"}, false, Problem{Message: e.LastUpdated + " is before addedDate " + e.AddedDate})
	}
	for _, f := range e.Signals.Facts {
		d.checkDate(f.Day, "signals", f.Name, "value")
		d.checkDate(f.Date, "signals", f.Name, "date")
		d.checkURL(f.Source, "signals", f.Name, "source")
		if f.Day > f.Date && len(f.Day) == len(f.Date) && f.Date != "" {
			d.addAt([]string{"signals", f.Name, "value"}, false, Problem{Severity: Warning,
				Message: f.Day + " is after the day it was read, " + f.Date})
		}
	}
	for i, b := range e.Signals.Benchmarks {
		at := []string{"signals", "benchmarks", fmt.Sprint(i)}
		d.checkDate(b.Date, append(at, "date")...)
		d.checkURL(b.Source, append(at, "source")...)
	}
	if i := slices.Index(e.Formerly, e.Slug); i >= 0 {
		d.addAt([]string{"formerly", fmt.Sprint(i)}, false, Problem{Message: shown(e.Slug) + " is the slug that it has now"})
	}
}

// checkURL refuses what has the form of an address but names no place.
func (d *document) checkURL(s string, path ...string) {
	if s == "" || !strings.HasPrefix(s, "http") {
		return // absent, or the schema has complained
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || strings.HasPrefix(u.Hostname(), ".") {
		d.addAt(path, false, Problem{Message: shown(s) + " is not a valid address"})
	}
}

// checkDate refuses days that no calendar has.
func (d *document) checkDate(s string, path ...string) {
	layout := time.DateOnly
	if len(s) == len("2006-01") {
		layout = "2006-01"
	}
	if len(s) != len(layout) {
		return // absent, or the schema has complained
	}
	if _, err := time.Parse(layout, s); err != nil {
		d.addAt(path, false, Problem{Message: shown(s) + " is not a day of the calendar"})
	}
}

// licenseCache remembers licence expressions: a catalogue has few of them.
var licenseCache sync.Map // string → licenseVerdict

type licenseVerdict struct {
	ok    bool
	guess string
}

// licenseExpression tells whether s is an SPDX licence expression
// (https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/), and if not
// the identifier that was probably meant.
func licenseExpression(s string) (ok bool, guess string) {
	if v, hit := licenseCache.Load(s); hit {
		verdict := v.(licenseVerdict)
		return verdict.ok, verdict.guess
	}
	verdict := licenseVerdict{ok: spdxValid(s)}
	if !verdict.ok {
		verdict.guess = nearest.Name(strings.NewReplacer(" ", "-", "_", "-").Replace(s), spdxlicenses.GetLicenses())
	}
	licenseCache.Store(s, verdict)
	return verdict.ok, verdict.guess
}

func spdxValid(s string) (ok bool) {
	defer func() {
		if recover() != nil { // the library indexes past the end of some broken input
			ok = false
		}
	}()
	ok, _ = spdxexp.ValidateLicenses([]string{s})
	return ok
}
