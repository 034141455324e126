package feed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// Limits for the parts of a title, in characters.
const (
	titleName  = 120
	titleValue = 40
	titleItems = 4 // list items; longer lists are only counted
)

func sentence(c *record.Change, rows []row) string {
	name := shorten(cmp.Or(clean(c.Name), clean(c.Slug), clean(c.ID)), titleName)
	switch {
	case c.Event == record.Created:
		return name + " was added"
	case c.Event == record.Deleted:
		return name + " was deleted"
	case len(rows) == 0:
		return name + " was updated"
	}
	first, rest := &rows[0], len(rows)-1+rows[len(rows)-1].omitted
	switch {
	case first.field == "status" && first.new.text != "":
		return name + " " + statusPhrase(first.old.text, first.new.text) + otherFields("; ", rest, " changed")
	case first.field == "name" && first.old.text != "" && first.new.text != "":
		if len(rows) > 1 && rows[1].field == "slug" {
			rest-- // the new slug is part of the renaming
		}
		return shorten(first.old.text, titleName) + " was renamed " + shorten(first.new.text, titleName) +
			otherFields("; ", rest, " changed")
	}
	return name + ": " + first.headline() + otherFields(" and ", rest, "")
}

// statusPhrase describes a status change. It mentions that an entity is no longer
// withdrawn even if it is now deprecated.
func statusPhrase(before, after string) string {
	switch {
	case after == record.Active:
		return "is active again"
	case before == record.Withdrawn:
		return "is " + shorten(after, titleValue) + ", no longer withdrawn"
	}
	return "was " + shorten(after, titleValue)
}

func otherFields(before string, n int, after string) string {
	switch {
	case n <= 0:
		return ""
	case n == 1:
		return before + "1 more field" + after
	}
	return fmt.Sprintf("%s%d more fields%s", before, n, after)
}

func (r *row) headline() string {
	switch {
	case r.isList():
		added, removed := r.listDiff()
		return r.label + " " + listDelta(added, removed)
	case r.isBenchmarks():
		return benchmarksHeadline(r.benchmarkChanges())
	case !r.old.isSet():
		return added(r.label, r.new.text)
	case !r.new.isSet():
		return r.label + " removed"
	case fitsTitle(r.old.text) && fitsTitle(r.new.text):
		return r.label + " " + r.old.text + " → " + r.new.text
	}
	return "new " + r.label
}

func added(label, text string) string {
	if fitsTitle(text) {
		return label + " " + text + " added"
	}
	return label + " added"
}

func fitsTitle(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= titleValue && !isAddress(s)
}

// listDelta lists the added and removed items as "+this −that", or only counts them
// if they are too long.
func listDelta(added, removed []string) string {
	if len(added)+len(removed) == 0 {
		return "reordered"
	}
	var parts []string
	for _, s := range added {
		parts = append(parts, "+"+s)
	}
	for _, s := range removed {
		parts = append(parts, "−"+s)
	}
	if text := strings.Join(parts, " "); len(parts) <= titleItems && utf8.RuneCountInString(text) <= 2*titleValue {
		return text
	}
	return counted(len(added), 0, len(removed))
}

func benchmarksHeadline(moves []benchmarkChange) string {
	if len(moves) == 0 {
		return "benchmarks reordered"
	}
	if m := moves[0]; len(moves) == 1 && fitsTitle(m.name) {
		switch {
		case m.old == "":
			return "benchmark " + m.name + " " + m.new + " added"
		case m.new == "":
			return "benchmark " + m.name + " removed"
		}
		return "benchmark " + m.name + " " + m.old + " → " + m.new
	}
	var added, changed, removed int
	for _, m := range moves {
		switch {
		case m.old == "":
			added++
		case m.new == "":
			removed++
		default:
			changed++
		}
	}
	return "benchmarks " + counted(added, changed, removed)
}

func counted(added, changed, removed int) string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{added, "added"}, {changed, "changed"}, {removed, "removed"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// value is a field's value before or after a change, in words. All members are
// empty if the field is not set.
type value struct {
	text    string
	list    []string // set for a list of strings
	results []result // of benchmarks
}

type result struct{ name, value string }

func (v *value) isSet() bool { return v.text != "" || len(v.list) > 0 || len(v.results) > 0 }

// parse decodes a field's value before or after a change. A value with an unexpected
// structure is shown as JSON, so that future fields are shown, even if clumsily.
func parse(field string, raw []byte) value {
	switch raw := strings.TrimSpace(string(raw)); {
	case raw == "" || raw == "null" || raw == "[]":
		return value{}
	case raw[0] == '"':
		var s string
		if json.Unmarshal([]byte(raw), &s) == nil {
			return value{text: clean(s)}
		}
	case raw[0] == '[':
		var list []string
		if json.Unmarshal([]byte(raw), &list) == nil {
			return value{list: cleanAll(list)}
		}
		if results := parseResults(raw); results != nil {
			return value{results: results}
		}
	case record.FieldGroup(field) == "scores": // keep the .0 in 90.0
	default:
		return value{text: number(raw)}
	}
	return value{text: clean(string(raw))}
}

func parseResults(raw string) []result {
	var list []struct {
		Name  string
		Value json.Number
	}
	if json.Unmarshal([]byte(raw), &list) != nil {
		return nil
	}
	var results []result
	for _, b := range list {
		results = append(results, result{clean(b.Name), number(b.Value.String())})
	}
	return results
}

func cleanAll(list []string) []string {
	for i, s := range list {
		list[i] = clean(s)
	}
	return list
}

// number adds thousands separators to a JSON number. Any other string is returned
// unchanged.
func number(raw string) string {
	var n json.Number
	if json.Unmarshal([]byte(raw), &n) != nil {
		return clean(raw)
	}
	x, err := n.Float64()
	if err != nil {
		return clean(raw)
	}
	return humanize.Commaf(x)
}

// DisplayName returns the display name of a field, such as "latest release" for
// lastRelease, or "" if the field has no display name of its own. Feeds and pages
// use the same display names.
func DisplayName(declared *kinds.Set, name string) string {
	if declared == nil { // of a feed that says nothing about its index
		declared = kinds.Default()
	}
	if words := displayNames[name]; words != "" {
		return words
	}
	return declared.InSentence(name)
}

var displayNames = map[string]string{
	"license": "licence", "url": "address", "addedDate": "date added", "pricingModel": "pricing", "composite": "score",
	"lifecycle.deprecated": "deprecation date", "lifecycle.retires": "retirement date", "lifecycle.replacedBy": "successor",
}

// label returns the display name of a field, which may be nested: "latest
// release" for signals.lastRelease.
func (w Words) label(field string) string {
	if name := DisplayName(w.Kinds, field); name != "" {
		return name
	}
	group, name := record.FieldGroup(field), field
	if group != "" {
		name = field[len(group)+1:]
	}
	if displayName := DisplayName(w.Kinds, name); displayName != "" {
		name = displayName
	} else {
		name = words(name)
	}
	switch group {
	case "links":
		return name + " link"
	case "ids":
		if n := ids.In(cmp.Or(w.Kinds, kinds.Default()), field[len("ids."):]); n != nil {
			return "identifier on " + n.Title
		}
		return "identifier on " + clean(field[len("ids."):])
	case "scores":
		if name == "score" {
			return name
		}
		return name + " score"
	}
	return name
}

func words(name string) string {
	var b strings.Builder
	for _, r := range clean(name) {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.TrimSpace(b.String())
}

// shorten truncates a string to at most n characters, at a word boundary unless the words are
// very long.
func shorten(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	cut := string(runes[:n-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:–-") + "…"
}

// shortenPair shortens two versions of a string so that both show the first
// difference.
func shortenPair(a, b string, n int) (string, string) {
	from, x, y := 0, []rune(a), []rune(b)
	for i := 0; i < len(x) && i < len(y) && x[i] == y[i]; i++ {
		if x[i] == ' ' {
			from = i + 1
		}
	}
	if from <= n/2 || len(x) <= n && len(y) <= n {
		return shorten(a, n), shorten(b, n)
	}
	// Keep a few whole words before the difference.
	for start := from - n/4; start < from; start++ {
		if x[start-1] == ' ' {
			from = start
			break
		}
	}
	return shorten("… "+string(x[from:]), n), shorten("… "+string(y[from:]), n)
}

func parseScore(raw []byte) (float64, bool) {
	x, err := strconv.ParseFloat(string(raw), 64)
	return x, err == nil
}
