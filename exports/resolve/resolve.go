// Package resolve finds the entities that identifiers refer to: package URLs, addresses of
// repositories, packages, models and papers, names in registries and at providers, and
// addresses in the index.
package resolve

import (
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
	ID                  string   // the identifier
	As                  string   // the identifier as it was read, "" if it has no meaning
	Version, Qualifiers string   // parts of the identifier that do not matter, or ""
	Matches             []uint32 // the ordinals, best first
}

// Find returns the entities that an identifier refers to.
func Find(b *exports.Build, identifier string) Result {
	id := strings.TrimSpace(identifier)
	if typ, slug, ok := strings.Cut(id, "/"); ok && slices.Contains(record.Types, typ) {
		if o, found := findAddress(b, typ, slug); found {
			return Result{ID: identifier, As: id, Matches: []uint32{o}}
		}
	}
	list := ids.Parse(id, b)
	for _, r := range list {
		if found := b.FindByID(r.Namespace, r.Value); len(found) > 0 {
			return Result{identifier, r.String(), r.Version, r.Qualifiers, found[:min(len(found), MaxMatches)]}
		}
	}
	if len(list) == 0 {
		return Result{ID: identifier}
	}
	return Result{ID: identifier, As: list[0].String(), Version: list[0].Version, Qualifiers: list[0].Qualifiers}
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

// AppendJSON appends the result as an object. suggest is whether to suggest entities if there
// is no match.
func (r Result) AppendJSON(dst []byte, b *exports.Build, suggest bool) []byte {
	dst = jsonenc.AppendString(append(dst, `{"id":`...), r.ID)
	for _, f := range [...]struct{ name, value string }{{"as", r.As}, {"version", r.Version}, {"qualifiers", r.Qualifiers}} {
		dst = jsonenc.AppendMember(dst, f.name)
		dst = jsonenc.AppendNullable(dst, f.value)
	}
	dst = append(dst, `,"matches":[`...)
	for i, o := range r.Matches {
		dst = jsonenc.AppendComma(dst, i)
		dst = append(dst, b.Summary(o)...)
	}
	dst = append(dst, `],"suggestions":[`...)
	if suggest && len(r.Matches) == 0 {
		for i, o := range Suggest(b, r.ID) {
			dst = jsonenc.AppendComma(dst, i)
			dst = appendSuggestion(dst, b, o)
		}
	}
	return append(dst, ']', '}')
}

// Size returns the approximate length of the object, without suggestions.
func (r Result) Size(b *exports.Build) int {
	const members = 80 // the names of the members
	n := members + len(r.ID) + len(r.As) + len(r.Version) + len(r.Qualifiers)
	for _, o := range r.Matches {
		n += len(b.Summary(o)) + 1
	}
	return n
}

// appendSuggestion appends the address and the name of an entity.
func appendSuggestion(dst []byte, b *exports.Build, ordinal uint32) []byte {
	typ, slug := b.Key(ordinal)
	dst = jsonenc.AppendString(append(dst, `{"type":`...), typ)
	dst = jsonenc.AppendMember(dst, "slug")
	dst = jsonenc.AppendString(dst, slug)
	for name, value := range jsonenc.Members(b.Summary(ordinal)) {
		if string(name) == "name" {
			dst = append(jsonenc.AppendMember(dst, "name"), value...)
		}
	}
	return append(dst, '}')
}
