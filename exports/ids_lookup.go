package exports

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"kindex/exports/ids"
	"kindex/exports/packed"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// IDNamespace is a namespace of identifiers that the content declares.
type IDNamespace struct {
	Name string
	Page string // the address of an identifier's page, with {id} for it, or ""
}

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
	add := func(namespace, value string) {
		yield(namespace + "\x00" + ids.Canonical(namespace, value))
		if channel, name, ok := strings.Cut(value, "/"); ok && namespace == "conda" && ids.PublicChannel(channel) {
			yield(namespace + "\x00" + ids.Canonical(namespace, name)) // it has that name in the others
		}
		if e.Type == "model" && ids.NamesModels(namespace) {
			yield(ids.AnyModel + "\x00" + ids.Canonical(ids.AnyModel, value))
			addForms(value)
		}
	}
	if e.Type == "model" {
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

// WriteIDs writes the file that maps identifiers to ordinals. The entities are in the order
// of their ordinals; declared are the content's own namespaces.
func (w *Writer) WriteIDs(entities []*record.Entity, declared []IDNamespace) error {
	type entry struct {
		key     string
		ordinal uint32
	}
	var list []entry
	for i, e := range entities {
		idKeys(e, func(key string) { list = append(list, entry{key, uint32(i)}) })
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.ordinal, b.ordinal)) })
	list = slices.Compact(list)
	var keys []string
	var ends, ordinals []uint32
	for i, en := range list {
		ordinals = append(ordinals, en.ordinal)
		if i+1 == len(list) || list[i+1].key != en.key {
			keys, ends = append(keys, en.key), append(ends, uint32(len(ordinals)))
		}
	}
	var names []string
	for _, n := range declared {
		names = append(names, n.Name+"\x00"+n.Page)
	}
	ids := packed.PackSections(packed.PackStrings(keys), packed.PackUint32s(ends), packed.PackUint32s(ordinals), packed.PackStrings(names))
	return errors.Join(w.Add(idsFile, ids), w.writeSummaries(entities))
}

// idTable holds the content of the ids file.
type idTable struct {
	keys           packed.StringTable
	ends, ordinals packed.Uint32s
	declared       []string // names of namespaces
	pages          []idPage
	summaries      packed.StringTable
}

// idPage is the address of an identifier's page in a declared namespace: what is before and
// after the identifier in the form of record.NormalizeURL.
type idPage struct{ namespace, before, after string }

// newIDPage reads the page of a namespace, which need not have one.
func newIDPage(namespace, page string) (p idPage, ok bool) {
	before, after, ok := strings.Cut(page, "{id}")
	// Normalize the start as part of an address, so that it keeps its last slash.
	return idPage{namespace, strings.TrimSuffix(record.NormalizeURL(before+"x"), "x"), strings.TrimRight(after, "/")}, ok
}

// openIDs reads the ids file, if the build has one.
func (b *Build) openIDs(s *packed.SectionReader) {
	b.ids.keys, b.ids.summaries = packed.NoStrings(), packed.NoStrings()
	if _, ok := b.Manifest.File(idsFile); !ok {
		return
	}
	parts := s.Open(idsFile, 4)
	t := idTable{keys: s.Strings(idsFile, parts[0]), ends: parts[1], ordinals: parts[2]}
	n := t.ends.Len()
	s.Check(idsFile, t.keys.Len() == n && (n == 0 || int(t.ends.At(n-1)) == t.ordinals.Len()))
	t.summaries = s.Strings(summariesFile, b.files[summariesFile])
	s.Check(summariesFile, t.summaries.Len() == b.n)
	names := s.Strings(idsFile, parts[3])
	for i := range names.Len() {
		name, page, _ := strings.Cut(string(names.At(i)), "\x00")
		t.declared = append(t.declared, name)
		if p, ok := newIDPage(name, page); ok {
			t.pages = append(t.pages, p)
		}
	}
	if s.Err() == nil {
		b.ids = t
	}
}

// FindByID returns the records with an identifier, in the order of their ranks. The
// namespace can also be the slug of a provider, ids.AnyModel or ids.URL.
func (b *Build) FindByID(namespace, value string) (found []uint32) {
	key := namespace + "\x00" + ids.Canonical(namespace, value)
	if i, ok := b.ids.keys.Search(key); ok {
		found = b.unedited(i)
	}
	if b.overlay != nil && len(b.overlay.ids[key]) > 0 {
		found = append(found, b.overlay.ids[key]...)
		slices.SortFunc(found, func(x, y uint32) int { return cmp.Compare(b.SortPosition(x), b.SortPosition(y)) })
	}
	return found
}

// unedited returns the records with identifier i of the ids file that were not edited.
func (b *Build) unedited(i int) (found []uint32) {
	from := uint32(0)
	if i > 0 {
		from = b.ids.ends.At(i - 1)
	}
	for at := from; at < b.ids.ends.At(i); at++ {
		if o := b.ids.ordinals.At(int(at)); b.overlay == nil || !b.overlay.replaced.Contains(o) {
			found = append(found, o)
		}
	}
	return found
}

// indexIDs adds the identifiers of the edited entities.
func (d *overlay) indexIDs(first int) {
	d.ids = map[string][]uint32{}
	for i, e := range d.entities {
		o := uint32(first + i)
		idKeys(e, func(key string) {
			if !slices.Contains(d.ids[key], o) {
				d.ids[key] = append(d.ids[key], o)
			}
		})
	}
}

// IsIDNamespace implements ids.Known.
func (b *Build) IsIDNamespace(name string) bool {
	return slices.ContainsFunc(b.providers, func(p pricing.Provider) bool { return p.Slug == name }) ||
		slices.Contains(b.ids.declared, name)
}

// IDOnPage implements ids.Known.
func (b *Build) IDOnPage(address string) (namespace, value string, ok bool) {
	for _, p := range b.ids.pages {
		rest, starts := strings.CutPrefix(address, p.before)
		value, ends := strings.CutSuffix(rest, p.after)
		if starts && ends && value != "" {
			return p.namespace, value, true
		}
	}
	return "", "", false
}

// maxNearIDs is how many identifiers on each side of the position of an unknown one are
// candidates.
const maxNearIDs = 64

// IDsNear returns identifiers in a namespace that begin with the same two letters as a
// value and are next to it in sorted order: candidates for what a person meant. Their number
// is bounded, and they are in canonical form.
func (b *Build) IDsNear(namespace, value string) (near []string) {
	start := ids.Canonical(namespace, value)
	key, prefix := namespace+"\x00"+start, namespace+"\x00"+start[:min(2, len(start))]
	at, _ := b.ids.keys.Search(key)
	near = make([]string, 0, 2*maxNearIDs)
	for i := max(0, at-maxNearIDs); i < min(b.ids.keys.Len(), at+maxNearIDs); i++ {
		if k := b.ids.keys.At(i); len(k) >= len(prefix) && string(k[:len(prefix)]) == prefix {
			near = append(near, string(k[len(namespace)+1:]))
		}
	}
	if b.overlay == nil {
		return near
	}
	for k := range b.overlay.ids {
		if strings.HasPrefix(k, prefix) {
			near = append(near, k[len(namespace)+1:])
		}
	}
	slices.Sort(near)
	return slices.Compact(near)
}
