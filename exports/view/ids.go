package view

import (
	"maps"
	"slices"
	"strings"

	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/parallel"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// idLinks are the links whose addresses identify an entity.
var idLinks = map[string]bool{"repository": true, "package": true, "weights": true}

// idKeys calls yield with the keys under which an entity is found: a namespace, NUL and a
// canonical value. They can repeat.
func idKeys(e *record.Entity, yield func(key string)) {
	addForms := func(name string) {
		forms, bases := ids.IndexForms(name)
		for _, form := range forms {
			yield(ids.ModelForm + "\x00" + form)
		}
		for _, base := range bases {
			yield(ids.ModelBase + "\x00" + base)
		}
	}
	k := e.Declared().Kind(e.Type)
	offered := k != nil && k.HasBlock(kinds.Offers)
	add := func(namespace, value string) {
		yield(namespace + "\x00" + ids.Canonical(namespace, value))
		if channel, name, ok := strings.Cut(value, "/"); ok && namespace == "conda" && ids.PublicChannel(channel) {
			yield(namespace + "\x00" + ids.Canonical(namespace, name)) // it has that name in the others
		}
		if offered && ids.NamesModels(namespace) {
			yield(ids.AnyModel + "\x00" + ids.Canonical(ids.AnyModel, value))
			addForms(value)
		}
	}
	if offered {
		addForms(e.Slug)
	}
	for _, id := range e.IDs {
		add(id.Namespace, id.Value)
	}
	for i := range e.Offers {
		add(e.Offers[i].Provider, e.Offers[i].ID)
	}
	for _, l := range e.Links {
		if !idLinks[l.Name] {
			continue
		}
		for _, r := range ids.Parse(l.URL, nil) {
			if r.Namespace == ids.URL || len(e.IDsIn(r.Namespace)) == 0 { // the file's ids take precedence
				add(r.Namespace, r.Value)
			}
		}
	}
}

// identifiers are the records by the keys of idKeys.
type identifiers struct {
	records map[string][]uint32 // in the order of their ranks
	keys    []string            // sorted
}

func (v *View) indexIDs() identifiers {
	found := make([][]string, len(v.ranked))
	parallel.Ranges(len(found), func(from, to int) {
		for i := from; i < to; i++ {
			idKeys(v.entities[v.ranked[i]], func(key string) { found[i] = append(found[i], key) })
		}
	})
	x := identifiers{records: map[string][]uint32{}}
	for i, o := range v.ranked {
		for _, key := range found[i] {
			if list := x.records[key]; len(list) == 0 || list[len(list)-1] != o {
				x.records[key] = append(list, o)
			}
		}
	}
	x.keys = slices.Sorted(maps.Keys(x.records))
	return x
}

// Prepare calculates what is otherwise calculated when it is first needed, and takes longest.
func (v *View) Prepare() {
	v.ids()
	for _, f := range v.fields {
		f()
	}
}

// FindByID returns the records with an identifier, in the order of their ranks. The namespace can also
// be the slug of a provider, ids.AnyModel or ids.URL.
func (v *View) FindByID(namespace, value string) []uint32 {
	return slices.Clone(v.ids().records[namespace+"\x00"+ids.Canonical(namespace, value)])
}

// IsIDNamespace implements ids.Known.
func (t *Terms) IsIDNamespace(name string) bool {
	return slices.ContainsFunc(t.providers, func(p pricing.Provider) bool { return p.Slug == name }) ||
		slices.ContainsFunc(t.declared.IDs, func(n kinds.Namespace) bool { return n.Name == name })
}

// IDOnPage implements ids.Known.
func (t *Terms) IDOnPage(address string) (namespace, value string, ok bool) {
	for _, n := range t.declared.IDs {
		before, after, has := strings.Cut(n.Page, "{id}")
		if !has {
			continue
		}
		// Normalize the start as part of an address, so that it keeps its last slash.
		before = strings.TrimSuffix(record.NormalizeURL(before+"x"), "x")
		rest, starts := strings.CutPrefix(address, before)
		value, ends := strings.CutSuffix(rest, strings.TrimRight(after, "/"))
		if starts && ends && value != "" {
			return n.Name, value, true
		}
	}
	return "", "", false
}

// maxNearIDs is how many identifiers on each side of the position of an unknown one are
// candidates.
const maxNearIDs = 64

// IDsNear returns identifiers in a namespace that begin with the same two letters as a value and are
// next to it in sorted order: candidates for what a person meant. Their number is bounded, and they are
// in canonical form.
func (v *View) IDsNear(namespace, value string) (near []string) {
	list, start := v.ids().keys, ids.Canonical(namespace, value)
	prefix := namespace + "\x00" + start[:min(2, len(start))]
	at, _ := slices.BinarySearch(list, namespace+"\x00"+start)
	for _, key := range list[max(0, at-maxNearIDs):min(len(list), at+maxNearIDs)] {
		if strings.HasPrefix(key, prefix) {
			near = append(near, key[len(namespace)+1:])
		}
	}
	return near
}
