// Package view answers every question about a list of entities: it finds, filters, sorts, pages and
// counts them. The same type serves the present, a day in the past, and edits that no build contains
// yet.
package view

import (
	"slices"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// View is a catalogue in memory. Ordinals identify its records. A View never changes, and its methods
// may be called concurrently. What they return must not be modified, except for sets, which belong to
// the caller.
type View struct {
	*Terms
	// Day is the day of a view of the past, YYYY-MM-DD in UTC, or "" for the present.
	Day string

	entities []*record.Entity // by ordinal; nil if there is no such record
	stored   func(ordinal uint32) []byte
	ranked   []uint32 // all ordinals in the order of record.CompareRank
	place    []uint32 // by ordinal, the index in ranked
	byKey    []uint32 // all ordinals by type and slug
	listed   int      // number of records that are not withdrawn; they come first in ranked
	scored   int      // number of those with a composite score; they come first, too

	everything, everyListed *roaring.Bitmap

	addresses  map[string]address // by type, NUL and slug
	fields     map[string]func() *field
	orders     sync.Map // *Order by Sort
	properties sync.Map // []int64 by key; see numbers
	ids        func() identifiers
	offers     func() *Offers
	relations  func() relations
}

// address says which record is found under a type and a slug.
type address struct {
	ordinal uint32
	former  bool // whether the slug is an earlier one
}

// New returns a view of entities, whose ordinals are their indexes; a nil entity leaves its ordinal
// unused. stored returns the JSON of a record, or nil for one that has to be encoded; it may be nil itself.
// day is "" for the present.
func New(entities []*record.Entity, stored func(ordinal uint32) []byte, terms *Terms, day string) *View {
	v := &View{Terms: terms, Day: day, entities: entities, stored: stored}
	for i, e := range entities {
		if e != nil {
			v.ranked = append(v.ranked, uint32(i))
		}
	}
	v.byKey = slices.Clone(v.ranked)
	slices.SortStableFunc(v.ranked, func(a, b uint32) int { return record.CompareRank(entities[a], entities[b]) })
	slices.SortFunc(v.byKey, func(a, b uint32) int { return record.CompareKey(entities[a], entities[b]) })
	v.place = make([]uint32, len(entities))
	for i, o := range v.ranked {
		v.place[o] = uint32(i)
		if entities[o].Status != record.Withdrawn {
			v.listed++
			if entities[o].Scores.Composite.Known() {
				v.scored++
			}
		}
	}
	v.everything, v.everyListed = roaring.BitmapOf(v.ranked...), roaring.BitmapOf(v.ranked[:v.listed]...)
	v.address()
	v.fields = map[string]func() *field{}
	for _, name := range FilterFields(terms.declared) {
		v.fields[name] = sync.OnceValue(func() *field { return v.newField(name) })
	}
	v.ids = sync.OnceValue(v.indexIDs)
	v.offers = sync.OnceValue(v.newOffers)
	v.relations = sync.OnceValue(v.newRelations)
	return v
}

// address records all addresses. Where several records had a slug, the best of them has its address,
// unless it is the present slug of another.
func (v *View) address() {
	v.addresses = make(map[string]address, len(v.ranked))
	for _, o := range v.ranked {
		e := v.entities[o]
		v.addresses[key(e.Type, e.Slug)] = address{ordinal: o}
	}
	for _, o := range v.ranked {
		e := v.entities[o]
		for _, old := range e.FormerKeys() {
			typ, slug, _ := strings.Cut(old, "/")
			if _, taken := v.addresses[key(typ, slug)]; !taken {
				v.addresses[key(typ, slug)] = address{o, true}
			}
		}
	}
}

func key(typ, slug string) string { return typ + "\x00" + slug }

// Len returns the number of ordinals, including unused ones.
func (v *View) Len() int { return len(v.entities) }

// Listed returns the number of records that are not withdrawn.
func (v *View) Listed() int { return v.listed }

// Ranked returns the number of listed records that have a composite score.
func (v *View) Ranked() int { return v.scored }

// Rank returns a record's rank among all ranked records, or 0 if it is not ranked.
func (v *View) Rank(ordinal uint32) int {
	if at := int(v.place[ordinal]); at < v.scored { // ranked records come first
		return at + 1
	}
	return 0
}

// Entity returns a record's entity, or nil if the ordinal is unused.
func (v *View) Entity(ordinal uint32) *record.Entity { return v.entities[ordinal] }

// All calls yield with every record and its entity, by ordinal.
func (v *View) All(yield func(ordinal uint32, e *record.Entity) bool) {
	for o, e := range v.entities {
		if e != nil && !yield(uint32(o), e) {
			return
		}
	}
}

// Record returns the JSON form of a record.
func (v *View) Record(ordinal uint32) []byte {
	if v.stored != nil {
		if stored := v.stored(ordinal); stored != nil {
			return stored
		}
	}
	return v.entities[ordinal].AppendJSON(nil)
}

// Key returns the type and slug of a record.
func (v *View) Key(ordinal uint32) (typ, slug string) {
	e := v.entities[ordinal]
	return e.Type, e.Slug
}

// Find returns the ordinal of the record at an address. isAlias reports whether the slug is an earlier
// slug of the record.
func (v *View) Find(typ, slug string) (ordinal uint32, isAlias, ok bool) {
	a, ok := v.addresses[key(typ, slug)]
	return a.ordinal, a.former, ok
}

// NameOf returns the name of the record at an address such as tool/pytorch, or "" if there is none.
func (v *View) NameOf(address string) string {
	typ, slug, _ := strings.Cut(address, "/")
	if a, ok := v.addresses[key(typ, slug)]; ok {
		return v.Entity(a.ordinal).Name
	}
	return ""
}

// Addressed reports whether records of a type have the URL of a page of their own.
func (v *View) Addressed(typ string) bool {
	return slices.ContainsFunc(v.ranked, func(o uint32) bool { return v.entities[o].Type == typ && v.entities[o].URL != "" })
}

// Keys calls yield with every address, including earlier slugs, sorted by type and slug.
func (v *View) Keys(yield func(typ, slug string) bool) {
	all := make([]string, 0, len(v.addresses))
	for k := range v.addresses {
		all = append(all, k)
	}
	slices.Sort(all)
	for _, k := range all {
		if typ, slug, _ := strings.Cut(k, "\x00"); !yield(typ, slug) {
			return
		}
	}
}

// FindByName returns up to limit records with a name, compared in folded form, sorted by type and slug.
// They include withdrawn records.
func (v *View) FindByName(name string, limit int) []uint32 {
	x, want := v.Order(Sort{Key: nameKey}), record.Fold(name)
	from, _ := slices.BinarySearchFunc(x.ordinals, want, func(o uint32, name string) int { return strings.Compare(x.names[o], name) })
	to := from
	for to < len(x.ordinals) && to-from < limit && x.names[x.ordinals[to]] == want {
		to++
	}
	return slices.Clone(x.ordinals[from:to])
}

// InKeyOrder returns a set sorted by type and slug.
func (v *View) InKeyOrder(set *roaring.Bitmap) []uint32 { return only(v.byKey, set) }

// InRankOrder returns a set in the order of record.CompareRank.
func (v *View) InRankOrder(set *roaring.Bitmap) []uint32 { return only(v.ranked, set) }

// only returns those of a list that are in a set.
func only(list []uint32, set *roaring.Bitmap) []uint32 {
	return slices.DeleteFunc(slices.Clone(list), func(o uint32) bool { return !set.Contains(o) })
}

// all returns all listed records and, if withdrawn is set, the withdrawn ones, too.
func (v *View) all(withdrawn bool) *roaring.Bitmap {
	if withdrawn {
		return v.everything.Clone()
	}
	return v.everyListed.Clone()
}

// Terms holds what the content declares besides entities, and what all views of a build share.
type Terms struct {
	declared  *kinds.Set
	providers pricing.Providers
	preferred map[fieldValue]string   // replaced value → its replacement
	others    map[fieldValue][]string // replacement → the values that it replaces

	// AsOf is the day of a view of the present, YYYY-MM-DD: announced prices replace others on their day.
	AsOf string
}

// fieldValue is a value of a filter field, folded like the values that it is compared with.
type fieldValue struct{ field, value string }

func foldedValue(field, value string) fieldValue { return fieldValue{field, record.Fold(value)} }

// NewTerms returns terms with the kinds and the providers of offers that the content declares.
func NewTerms(declared *kinds.Set, providers pricing.Providers) *Terms {
	return &Terms{declared: declared, providers: providers, preferred: map[fieldValue]string{}, others: map[fieldValue][]string{}}
}

// Kinds returns the kinds of the index.
func (t *Terms) Kinds() *kinds.Set { return t.declared }

// Replace records that a value of a filter field has replaced others: the former slugs of a category,
// or the synonyms of a capability or tag. It must not be called once a view has the terms.
func (t *Terms) Replace(field, to string, from []string) {
	for _, old := range from {
		t.preferred[foldedValue(field, old)] = to
	}
	if len(from) > 0 {
		t.others[foldedValue(field, to)] = from
	}
}

// Preferred returns the value that replaces a value of a filter field: the current slug of a
// category, given a former one, or a capability or tag, given a synonym. If nothing replaces the
// value, it is returned unchanged and replaced is false.
func (t *Terms) Preferred(field, value string) (preferred string, replaced bool) {
	if preferred, replaced = t.preferred[foldedValue(field, value)]; replaced {
		return preferred, true
	}
	return value, false
}

// ReplacedBy returns the values that a value of a filter field replaces.
func (t *Terms) ReplacedBy(field, value string) []string { return t.others[foldedValue(field, value)] }

// Same returns a value's replacement and all values that this replaces. Records of earlier days can
// have any of them.
func (t *Terms) Same(field, value string) []string {
	value, _ = t.Preferred(field, value)
	return append([]string{value}, t.ReplacedBy(field, value)...)
}

// Providers returns the providers of offers, in the order of providers.yaml.
func (t *Terms) Providers() pricing.Providers { return t.providers }

// Namespace returns the namespace of identifiers with a name: one that the content declares or a
// built-in one. It returns nil if there is none.
func (t *Terms) Namespace(name string) *ids.Namespace {
	return ids.In(t.declared, name)
}

// Namespaces lists the names of all namespaces of identifiers, sorted.
func (t *Terms) Namespaces() []string {
	names := ids.Names()
	for _, n := range t.declared.IDs {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names
}
