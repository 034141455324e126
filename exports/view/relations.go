package view

import (
	"cmp"
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

// ResultsField is the field of the relations between what has results and what they are of.
const ResultsField = "results"

// Result is a result of a record.
type Result struct {
	Ordinal uint32
	*record.Benchmark
}

// relations are the relations of all records, and the listed results that name a record, by key.
type relations struct {
	of      map[uint32][]Relation
	results map[uint32][]Result
}

// Relations returns what the fields of a record name, and then the listed records whose fields name it, by
// field, and each by type and slug. An earlier address counts as the present one. If the index has the kinds
// provider and benchmark, the provider of an entity and the names of its results name one by its name or one
// of its aliases.
func (v *View) Relations(ordinal uint32) []Relation { return v.relations().of[ordinal] }

// Results returns the listed results that name a record, in groups that can be compared: of the same part and
// version of a benchmark, the largest group first. Within a group, the best are first or, if the record's field
// direction, an enum of higher and lower, does not say what is better, the newest.
func (v *View) Results(ordinal uint32) (groups [][]Result, best bool) {
	better := 0
	if f := v.declared.Field("direction"); f != nil && f.Type == kinds.Enum {
		better = map[string]int{"higher": -1, "lower": 1}[v.entities[ordinal].Values.Text(f.Path)]
	}
	at := map[[2]string]int{}
	for _, r := range v.relations().results[ordinal] {
		key := [2]string{r.Dataset, r.Version}
		if _, ok := at[key]; !ok {
			at[key], groups = len(groups), append(groups, nil)
		}
		groups[at[key]] = append(groups[at[key]], r)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b Result) int {
			return cmp.Or(better*cmp.Compare(a.Value, b.Value), strings.Compare(b.Date, a.Date))
		})
	}
	slices.SortStableFunc(groups, func(a, b []Result) int { return len(b) - len(a) })
	return groups, better != 0
}

func (v *View) newRelations() relations {
	forward, backward, results := map[uint32][]Relation{}, map[uint32][]Relation{}, map[uint32][]Result{}
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
			b := &e.Signals.Benchmarks[i]
			to, ok := benchmarks[record.Fold(b.Name)]
			if !ok {
				continue
			}
			if relate(o, to, ResultsField, "Results", "Results"); o != to && e.Status != record.Withdrawn {
				results[to] = append(results[to], Result{o, b})
			}
		}
	}
	for o, list := range backward {
		slices.SortStableFunc(list, func(a, b Relation) int { return strings.Compare(a.Field, b.Field) })
		forward[o] = append(forward[o], list...)
	}
	return relations{forward, results}
}

// named returns the listed records of a kind by their folded names and aliases.
func (v *View) named(kind string) map[string]uint32 {
	names := map[string]uint32{}
	if v.declared.Kind(kind) == nil {
		return names
	}
	name := func(text string, o uint32) {
		if text = record.Fold(text); text != "" {
			names[text] = o
		}
	}
	aliases := v.declared.Field("aliases")
	list := slices.DeleteFunc(slices.Clone(v.byKey), func(o uint32) bool {
		return v.entities[o].Type != kind || v.entities[o].Status == record.Withdrawn
	})
	for _, o := range slices.Backward(list) { // the first has the name
		if aliases != nil && aliases.Type == kinds.List {
			for _, alias := range v.entities[o].Values.Texts(aliases.Path) {
				name(alias, o)
			}
		}
	}
	for _, o := range slices.Backward(list) { // also if it is an alias
		name(v.entities[o].Name, o)
	}
	return names
}
