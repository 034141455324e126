// Package resolve finds the entities that identifiers refer to: package URLs, addresses of
// repositories, packages, models and papers, names in registries and at providers, and
// addresses in the index.
package resolve

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"kindex/exports"
	"kindex/exports/didyoumean"
	"kindex/exports/history"
	"kindex/exports/ids"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
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
	Weaker              bool     // they match only what remains of the identifier without Dropped
	Dropped             []string // such as "date: -20251101"

	near []uint32 // entities that an identifier without matches may mean
}

// Find returns the entities that an identifier refers to: those that it identifies or, if there
// are none, the model that its name without dates, regions and the like identifies.
func Find(b *exports.Build, identifier string) Result {
	id := strings.TrimSpace(identifier)
	if typ, slug, ok := strings.Cut(id, "/"); ok && b.Kinds().Kind(typ) != nil {
		if o, found := findAddress(b, typ, slug); found {
			return Result{ID: identifier, As: id, Matches: []uint32{o}}
		}
	}
	list := ids.Parse(id, b)
	for _, r := range list {
		if found := b.FindByID(r.Namespace, r.Value); len(found) > 0 {
			return Result{ID: identifier, As: r.String(), Version: r.Version, Qualifiers: r.Qualifiers, Matches: found[:min(len(found), MaxMatches)]}
		}
	}
	r := Result{ID: identifier}
	if len(list) > 0 {
		r.As, r.Version, r.Qualifiers = list[0].String(), list[0].Version, list[0].Qualifiers
	}
	if ids.MayNameModel(id, list) {
		r.findModel(b, id)
	}
	return r
}

// Models returns the models, or other entities of kinds with offers, that a text names: the one with that slug or address, otherwise those
// with that name, otherwise those with that identifier. Nothing is left out of the identifier: the
// price of a model in a region or of a variant may differ.
func Models(b *exports.Build, text string) (found []uint32) {
	text = strings.TrimSpace(text)
	for _, k := range b.Kinds().With(kinds.Offers) {
		if o, ok := findAddress(b, k.Name, strings.TrimPrefix(text, k.Name+"/")); ok {
			return []uint32{o}
		}
	}
	isModel := func(list []uint32) []uint32 {
		return slices.DeleteFunc(slices.Clone(list), func(o uint32) bool {
			typ, _ := b.Key(o)
			return !b.Kinds().Kind(typ).HasBlock(kinds.Offers)
		})
	}
	if found = isModel(b.FindByName(text, MaxMatches)); len(found) > 0 || len(text) > MaxLen {
		return found
	}
	if r := Find(b, text); len(r.Dropped) == 0 && r.Version == "" && r.Qualifiers == "" {
		found = isModel(r.Matches)
	}
	return found
}

// findModel finds the only model that a name without some of its parts names. If several models
// have the name, they are near.
func (r *Result) findModel(b *exports.Build, name string) {
	for _, k := range slices.Concat(b.Kinds().With(kinds.Offers), b.Kinds().With(kinds.Maintenance)) {
		if o, found := findAddress(b, k.Name, strings.ToLower(name)); found {
			r.As, r.Matches = k.Name+"/"+strings.ToLower(name), []uint32{o}
			return
		}
	}
	for _, form := range ids.Forms(name, b.IsIDNamespace) {
		found, versions := b.FindByID(ids.ModelForm, form.Key()), b.FindByID(ids.ModelBase, form.Key())
		if len(found) == 0 {
			found = versions
		}
		if len(found) == 0 {
			continue
		}
		others := !form.Exact && slices.ContainsFunc(versions, func(o uint32) bool { return o != found[0] })
		if len(found) > 1 || others || form.Size != "" && !hasSize(b, found[0], form.Size) || namesBase(b, found[0], name, form) {
			r.near = found
			return
		}
		r.As, r.Matches, r.Weaker, r.Dropped = ids.AnyModel+":"+form.Name, found, true, form.Dropped
		return
	}
}

// namesBase reports whether a name is that of another repository at Hugging Face, with what a model was trained from.
func namesBase(b *exports.Build, ordinal uint32, name string, form ids.Form) bool {
	if !strings.Contains(name, "/") {
		return false
	}
	return slices.ContainsFunc(b.Entity(ordinal).IDsIn("huggingface"), func(repository string) bool { return form.NamesBase(name, repository) })
}

func parameters(e *record.Entity) float64 {
	for _, v := range e.Values {
		if number, ok := v.Value.(float64); ok && v.Field.Unit == "parameters" {
			return number
		}
	}
	return 0
}

// hasSize reports whether a model has a number of parameters, such as 70b, or is known by a name with it.
func hasSize(b *exports.Build, ordinal uint32, size string) bool {
	e := b.Entity(ordinal)
	if billions, err := strconv.ParseFloat(strings.TrimSuffix(size, "b"), 64); err == nil {
		if total := parameters(e) / 1e9; total > 0 && (billions == math.Floor(total) || billions == math.Round(total) || billions == math.Round(total*10)/10) {
			return true
		}
	}
	names := []string{e.Slug, e.Name}
	for _, id := range e.IDs {
		names = append(names, id.Value)
	}
	for i := range e.Offers {
		names = append(names, e.Offers[i].ID)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.Contains(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("-_:/ ", r) }), size)
	})
}

func findAddress(b *exports.Build, typ, slug string) (ordinal uint32, ok bool) {
	if o, _, ok := b.Find(typ, slug); ok {
		return o, true
	}
	latest, lifecycle := b.ResolveRemoved(typ, slug)
	if lifecycle != history.Exists {
		return 0, false
	}
	o, _, ok := b.Find(latest.Type, latest.Slug)
	return o, ok
}

// Suggest returns entities that a person may have meant by the identifier of a result without
// matches. Its cost is bounded.
func (r Result) Suggest(b *exports.Build) (list []uint32) {
	add := func(found ...uint32) {
		for _, o := range found {
			if len(list) < maxSuggestions && !slices.Contains(list, o) {
				list = append(list, o)
			}
		}
	}
	add(r.near...)
	refs := ids.Parse(r.ID, b)
	name := r.ID
	if len(refs) > 0 {
		name = refs[0].Value
	}
	if ids.MayNameModel(r.ID, refs) {
		forms := ids.Forms(r.ID, b.IsIDNamespace)
		name = forms[len(forms)-1].Name
	}
	name = name[strings.LastIndexAny(name, "/:")+1:]
	for _, typ := range b.Kinds().Names() {
		if o, _, ok := b.Find(typ, strings.ToLower(name)); ok {
			add(o)
		}
	}
	if ids.MayNameModel(r.ID, refs) {
		add(longer(b, name)...)
	}
	add(b.FindByName(name, maxSuggestions)...)
	if len(refs) > 0 && refs[0].Namespace != ids.URL {
		r := refs[0]
		value := r.Value
		if r.Namespace == ids.AnyModel { // spelled with dots or with hyphens
			r.Namespace, value = ids.ModelForm, ids.Form{Name: strings.ToLower(name)}.Key()
		}
		for _, near := range didyoumean.Names(value, b.IDsNear(r.Namespace, value), maxSuggestions) {
			add(b.FindByID(r.Namespace, near)...)
		}
	}
	return list
}

// longer returns models whose names start with a name, or else the one with the longest name that it starts
// with.
func longer(b *exports.Build, name string) (list []uint32) {
	key := ids.Form{Name: name}.Key()
	shorter := ""
	for _, near := range b.IDsNear(ids.ModelForm, key) {
		rest, longer := strings.CutPrefix(near, key)
		if longer && rest != "" && (rest[0] < '0' || rest[0] > '9') && len(list) < maxSuggestions {
			list = append(list, b.FindByID(ids.ModelForm, near)...)
		}
		if rest, ok := strings.CutPrefix(key, near); ok && len(near) > len(shorter) && rest != "" && (rest[0] < '0' || rest[0] > '9') {
			shorter = near
		}
	}
	if len(list) == 0 && shorter != "" {
		return b.FindByID(ids.ModelForm, shorter)
	}
	return list
}

// AppendJSON appends the result as an object. suggest is whether to suggest entities if there
// is no match.
func (r Result) AppendJSON(dst []byte, b *exports.Build, suggest bool) []byte {
	match := ""
	switch {
	case r.Weaker:
		match = "weaker"
	case len(r.Matches) > 0:
		match = "exact"
	}
	dst = jsonenc.AppendString(append(dst, `{"id":`...), r.ID)
	dst = jsonenc.AppendTexts(dst, "as", r.As, "version", r.Version, "qualifiers", r.Qualifiers, "match", match)
	dst = jsonenc.AppendStrings(jsonenc.AppendMember(dst, "dropped"), r.Dropped)
	dst = append(dst, `,"matches":[`...)
	for i, o := range r.Matches {
		dst = append(jsonenc.AppendComma(dst, i), b.Summary(o)...)
	}
	dst = append(dst, `],"suggestions":[`...)
	if suggest && len(r.Matches) == 0 {
		for i, o := range r.Suggest(b) {
			e := b.Entity(o)
			dst = append(jsonenc.AppendTexts(append(jsonenc.AppendComma(dst, i), '{'), "type", e.Type, "slug", e.Slug, "name", e.Name), '}')
		}
	}
	return append(dst, ']', '}')
}
