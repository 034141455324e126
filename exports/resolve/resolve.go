// Package resolve finds the entities that identifiers refer to: package URLs, addresses of
// repositories, packages, models and papers, names in registries and at providers, and
// addresses in the index.
package resolve

import (
	"bytes"
	"slices"
	"strings"

	"kindex/exports"
	"kindex/exports/didyoumean"
	"kindex/exports/ids"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// Limits for each identifier.
const (
	MaxLen         = 1000 // length in bytes
	MaxMatches     = 20
	maxSuggestions = 3
)

// Result says which entities an identifier refers to.
type Result struct {
	As                  string   // the identifier as it was read, "" if it has no meaning
	Version, Qualifiers string   // parts of the identifier that do not matter, or ""
	Matches             []uint32 // the ordinals, best first
}

// Find returns the entities that an identifier refers to.
func Find(b *exports.Build, id string) Result {
	id = strings.TrimSpace(id)
	if typ, slug, ok := strings.Cut(id, "/"); ok && slices.Contains(record.Types, typ) {
		if o, found := findAddress(b, typ, slug); found {
			return Result{As: id, Matches: []uint32{o}}
		}
	}
	list := ids.Parse(id, b)
	for _, r := range list {
		if found := b.FindByID(r.Namespace, r.Value); len(found) > 0 {
			return Result{r.String(), r.Version, r.Qualifiers, found[:min(len(found), MaxMatches)]}
		}
	}
	if len(list) == 0 {
		return Result{}
	}
	return Result{As: list[0].String(), Version: list[0].Version, Qualifiers: list[0].Qualifiers}
}

// findAddress finds an entity by type and slug, which can be an earlier one.
func findAddress(b *exports.Build, typ, slug string) (ordinal uint32, ok bool) {
	if o, _, ok := b.Find(typ, slug); ok {
		return o, true
	}
	latest, lifecycle := b.ResolveRemoved(typ, slug)
	if lifecycle != exports.Exists {
		return 0, false
	}
	o, _, ok := b.Find(latest.Type, latest.Slug)
	return o, ok
}

// Suggest returns entities that a person may have meant by an identifier without matches.
// Its cost is bounded.
func Suggest(b *exports.Build, id string) (list []uint32) {
	add := func(found ...uint32) {
		for _, o := range found {
			if len(list) < maxSuggestions && !slices.Contains(list, o) {
				list = append(list, o)
			}
		}
	}
	refs := ids.Parse(id, b)
	name := id
	if len(refs) > 0 {
		name = refs[0].Value
	}
	name = name[strings.LastIndexAny(name, "/:")+1:]
	for _, typ := range record.Types {
		if o, _, ok := b.Find(typ, strings.ToLower(name)); ok {
			add(o)
		}
	}
	add(b.FindByName(name, maxSuggestions)...)
	if len(refs) > 0 && refs[0].Namespace != ids.URL {
		r := refs[0]
		for _, near := range didyoumean.Names(r.Value, b.IDsNear(r.Namespace, r.Value), maxSuggestions) {
			add(b.FindByID(r.Namespace, near)...)
		}
	}
	return list
}

// AppendJSON appends what an identifier refers to as an object. suggest is whether to
// suggest entities if there is no match.
func AppendJSON(dst []byte, b *exports.Build, id string, suggest bool) (object []byte, found bool) {
	r := Find(b, id)
	dst = jsonenc.AppendString(append(dst, `{"id":`...), id)
	for _, f := range [...]struct{ name, value string }{{"as", r.As}, {"version", r.Version}, {"qualifiers", r.Qualifiers}} {
		dst = jsonenc.AppendMember(dst, f.name)
		dst = jsonenc.AppendNullable(dst, f.value)
	}
	dst = append(dst, `,"matches":[`...)
	for i, o := range r.Matches {
		dst = jsonenc.AppendComma(dst, i)
		dst = appendMatch(dst, b.Record(o))
	}
	dst = append(dst, `],"suggestions":[`...)
	if suggest && len(r.Matches) == 0 {
		for i, o := range Suggest(b, id) {
			dst = jsonenc.AppendComma(dst, i)
			dst = append(appendMembers(append(dst, '{'), b.Record(o), suggestionFields), '}')
		}
	}
	return append(dst, ']', '}'), len(r.Matches) > 0
}

// The members of a record that matches and suggestions show.
var (
	matchFields      = []string{"type", "slug", "name", "version", "license", "lastUpdated", "status", "lifecycle", "maintenance", "maintenanceAsOf"}
	suggestionFields = []string{"type", "slug", "name"}
)

// appendMatch appends the facts about an entity that users of it need.
func appendMatch(dst, rec []byte) []byte {
	dst = appendMembers(append(dst, '{'), rec, matchFields)
	dst = jsonenc.AppendMember(dst, "versionDate")
	return append(append(dst, versionDate(rec)...), '}')
}

// appendMembers appends members of a record, in its order and without braces.
func appendMembers(dst, rec []byte, fields []string) []byte {
	n := 0
	members(rec, func(name string, value []byte) {
		if slices.Contains(fields, name) {
			dst = jsonenc.AppendComma(dst, n)
			dst = append(append(append(append(dst, '"'), name...), '"', ':'), value...)
			n++
		}
	})
	return dst
}

// members calls f with the members of a record before its offers, which are the last one
// and can be long. Quotes in strings are escaped, so nothing else looks like it.
func members(rec []byte, f func(name string, value []byte)) {
	if i := bytes.Index(rec, []byte(`,"offers":[`)); i >= 0 {
		rec = rec[:i]
	}
	jsonenc.Members(rec, f)
}

// versionDate returns the day of the latest release as JSON, or null if that or the version
// is unknown.
func versionDate(rec []byte) []byte {
	version, date := null, null
	members(rec, func(name string, value []byte) {
		switch name {
		case "version":
			version = value
		case "signals":
			date = member(member(value, "lastRelease"), "value")
		}
	})
	if bytes.Equal(version, null) {
		return null
	}
	return date
}

var null = []byte("null")

// member returns a member of an object, or null if there is none.
func member(object []byte, want string) []byte {
	found := null
	if bytes.Equal(object, null) {
		return found
	}
	jsonenc.Members(object, func(name string, value []byte) {
		if name == want {
			found = value
		}
	})
	return found
}
