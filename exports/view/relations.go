package view

import (
	"slices"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

// Relation says that two entities are related by a field of one of them.
type Relation struct {
	Field   string // the path of the field, provider or results
	Title   string // as one entity calls the other
	Inverse bool   // whether the field is that of the other entity
	Ordinal uint32 // the other entity
}

// The kinds that a text of every entity, and the name of a result, can name.
const (
	providerKind  = "provider"
	benchmarkKind = "benchmark"
)

// Relations returns what the fields of a record name, and then the listed records whose fields name it, by
// field, and each by type and slug. An earlier address counts as the present one. If the index has the kinds
// provider and benchmark, the provider of an entity and the names of its results name one by its name or one
// of its aliases.
func (v *View) Relations(ordinal uint32) []Relation { return v.relations()[ordinal] }

// newRelations returns the relations of all records.
func (v *View) newRelations() map[uint32][]Relation {
	forward, backward := map[uint32][]Relation{}, map[uint32][]Relation{}
	relate := func(from, to uint32, field, title, inverse string) {
		same := func(r Relation) bool { return r.Field == field && r.Ordinal == to }
		if from == to || slices.ContainsFunc(forward[from], same) {
			return
		}
		forward[from] = append(forward[from], Relation{field, title, false, to})
		if v.entities[from].Status != record.Withdrawn {
			backward[to] = append(backward[to], Relation{field, inverse, true, from})
		}
	}
	providers, benchmarks := v.named(providerKind), v.named(benchmarkKind)
	for _, o := range v.byKey {
		e := v.entities[o]
		for _, r := range e.References() {
			typ, slug, _ := strings.Cut(r.Key, "/")
			if to, _, ok := v.Find(typ, slug); ok {
				inverse := r.Field.Inverse
				if inverse == "" {
					inverse = r.Field.Title + " of"
				}
				relate(o, to, r.Field.Path, r.Field.Title, inverse)
			}
		}
		if to, ok := providers[record.Fold(e.Provider)]; ok {
			relate(o, to, "provider", "Provider", "Entries")
		}
		for i := range e.Signals.Benchmarks {
			if to, ok := benchmarks[record.Fold(e.Signals.Benchmarks[i].Name)]; ok {
				relate(o, to, "results", "Results", "Results")
			}
		}
	}
	for o, list := range backward {
		slices.SortStableFunc(list, func(a, b Relation) int { return strings.Compare(a.Field, b.Field) })
		forward[o] = append(forward[o], list...)
	}
	return forward
}

// named returns the listed records of a kind by their folded names and aliases.
func (v *View) named(kind string) map[string]uint32 {
	names := map[string]uint32{}
	if v.declared.Kind(kind) == nil {
		return names
	}
	aliases := v.declared.Field("aliases")
	for _, o := range slices.Backward(v.byKey) { // the first has the name
		e := v.entities[o]
		if e.Type != kind || e.Status == record.Withdrawn {
			continue
		}
		if aliases != nil && aliases.Type == kinds.List {
			for _, alias := range e.Values.Texts(aliases.Path) {
				names[record.Fold(alias)] = o
			}
		}
	}
	for _, o := range slices.Backward(v.byKey) {
		if e := v.entities[o]; e.Type == kind && e.Status != record.Withdrawn {
			names[record.Fold(e.Name)] = o
		}
	}
	delete(names, "")
	return names
}
