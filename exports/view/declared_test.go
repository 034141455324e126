package view_test

import (
	"fmt"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/view"
)

// BenchmarkDeclared compares filters and orders by declared fields with those by core fields that have the same
// values. A new order is that of a view that has not been sorted yet.
func BenchmarkDeclared(b *testing.B) {
	set := suite.Must(kinds.Parse([]byte("fields:\n  line: {type: slug, filter: true}\n  rows: {type: count, filter: true, sort: true}\nkinds:\n  thing: {fields: [line, rows]}\n")))(b)
	for _, n := range []int{2_000, 100_000} {
		entities := make([]*record.Entity, n)
		for i := range entities {
			word, number := fmt.Sprintf("w-%d", i%50), float64(i*7919%1000)/10
			entities[i] = &record.Entity{Kinds: set, Type: "thing", Slug: fmt.Sprintf("t-%d", i), Name: fmt.Sprintf("T %d", i), Category: word,
				Scores: record.Scores{Composite: record.ScoreOf(number)},
				Values: record.Values{{Field: set.Field("line"), Value: word}, {Field: set.Field("rows"), Value: number * 10}}}
		}
		terms := view.NewTerms(set, pricing.Providers{})
		v := view.New(entities, nil, terms, "")
		for _, of := range []struct {
			name, word, key string
			limit           view.Filter
		}{
			{"core", "category", "composite", view.Filter{MinScore: record.ScoreOf(50)}},
			{"declared", "line", "rows", view.Filter{Bounds: []view.Bound{{Key: "rows", Number: 500}}}},
		} {
			name := func(what string) string { return fmt.Sprintf("%s/%d/%s", what, n, of.name) }
			words := &view.Filter{Fields: map[string][][]string{of.word: {{"w-7"}, {"w-8"}}}}
			sorted := view.Sort{Key: of.key, Desc: true}
			if v.Select(words).GetCardinality() != uint64(n/25) || v.Select(&of.limit).GetCardinality() != uint64(n/2) {
				b.Fatalf("%s: the filters select other numbers of entities", of.name)
			}
			for what, f := range map[string]*view.Filter{"word": words, "number": &of.limit} {
				b.Run(name(what), func(b *testing.B) {
					for b.Loop() {
						v.Select(f)
					}
				})
			}
			b.Run(name("order"), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					fresh := view.New(entities, nil, terms, "")
					all := fresh.Select(&view.Filter{})
					b.StartTimer()
					fresh.Page(all, sorted, nil, 0, 20)
				}
			})
		}
	}
}
