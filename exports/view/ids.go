package view

import (
	"cmp"
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

// idEntry says that a record is found under a key.
type idEntry struct {
	key   string
	place uint32 // of the record in View.ranked
}

func (a idEntry) compare(b idEntry) int {
	return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
}

// indexIDs returns the keys of all records, sorted.
func (v *View) indexIDs() []idEntry {
	found := make([][]idEntry, len(v.ranked))
	parallel.Ranges(len(found), func(from, to int) {
		for i := from; i < to; i++ {
			idKeys(v.entities[v.ranked[i]], func(key string) { found[i] = append(found[i], idEntry{key, uint32(i)}) })
		}
	})
	list := slices.Concat(found...)
	slices.SortFunc(list, idEntry.compare)
	return slices.Clip(slices.Compact(list))
}

// Prepare calculates what is otherwise calculated when it is first needed, and takes longest.
func (v *View) Prepare() { v.ids() }

// FindByID returns the records with an identifier, in the order of their ranks. The namespace can also
// be the slug of a provider, ids.AnyModel or ids.URL.
func (v *View) FindByID(namespace, value string) (found []uint32) {
	list, key := v.ids(), namespace+"\x00"+ids.Canonical(namespace, value)
	i, _ := slices.BinarySearchFunc(list, idEntry{key: key}, idEntry.compare)
	for ; i < len(list) && list[i].key == key; i++ {
		found = append(found, v.ranked[list[i].place])
	}
	return found
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
	list, start := v.ids(), ids.Canonical(namespace, value)
	prefix := namespace + "\x00" + start[:min(2, len(start))]
	at, _ := slices.BinarySearchFunc(list, idEntry{key: namespace + "\x00" + start}, idEntry.compare)
	for _, x := range list[max(0, at-maxNearIDs):min(len(list), at+maxNearIDs)] {
		if strings.HasPrefix(x.key, prefix) {
			near = append(near, x.key[len(namespace)+1:])
		}
	}
	return slices.Compact(near)
}
