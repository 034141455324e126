package neighbors

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kindex/exports/record"
)

// TestSamePurpose checks each condition for an alternative.
func TestSamePurpose(t *testing.T) {
	torch := &record.Entity{Type: "tool", Slug: "torch", Name: "Torch Net", Category: "frameworks", Tags: []string{"tensors", "torch"}, Capabilities: []string{"autodiff", "gpu"}}
	for _, c := range []struct {
		name   string
		change func(*record.Entity)
		want   bool
	}{
		{"a framework", func(*record.Entity) {}, true},
		{"another type", func(e *record.Entity) { e.Type = "model" }, false},
		{"another category", func(e *record.Entity) { e.Category = "extensions" }, false},
		{"no shared capability", func(e *record.Entity) { e.Capabilities = []string{"reshaping"} }, false},
		{"no capabilities", func(e *record.Entity) { e.Capabilities = nil }, true},
		{"tagged with the slug", func(e *record.Entity) { e.Tags = append(e.Tags, "torch") }, false},
		{"tagged with the name", func(e *record.Entity) { e.Tags = append(e.Tags, "torch-net") }, false},
		{"named as a tag", func(e *record.Entity) { e.Name = "Tensors" }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := &record.Entity{Type: "tool", Slug: "flow", Name: "Flow", Category: "frameworks", Tags: []string{"tensors"}, Capabilities: []string{"autodiff"}}
			c.change(other)
			for _, pair := range [][]*record.Entity{{torch, other}, {other, torch}} {
				lists, _ := Find(pair, strings.Fields)
				if len(lists[0]) != 1 || lists[0][0].Alternative != c.want {
					t.Errorf("neighbours of %s: %+v, want one, an alternative: %v", pair[0].Slug, lists[0], c.want)
				}
			}
		})
	}
}

// TestAlternatives checks properties of all lists of a generated catalogue.
func TestAlternatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	some := func(prefix string, of int) (list []string) {
		for range rng.IntN(4) {
			list = append(list, fmt.Sprint(prefix, rng.IntN(of)))
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	entities := catalogue(600)
	for _, e := range entities { // few values, so that many entities share them, and names that are tags
		e.Type = []string{"model", "tool"}[rng.IntN(2)]
		e.Name, e.Category = fmt.Sprint("T", rng.IntN(20)), fmt.Sprint("c", rng.IntN(4))
		e.Tags, e.Capabilities = some("t", 12), some("can", 6)
	}
	lists, _ := Find(entities, strings.Fields)
	alternatives, related := 0, 0
	for i, list := range lists {
		first := 0.0
		for _, n := range list {
			a, b := entities[i], entities[n.Ordinal]
			if !n.Alternative {
				related++
				continue
			}
			if alternatives++; first == 0 {
				first = n.Similarity
			}
			switch {
			case a.Type != b.Type || a.Category != b.Category:
				t.Errorf("%s in %s has the alternative %s in %s", a.Key(), a.Category, b.Key(), b.Category)
			case slices.Contains(a.Tags, strings.ToLower(b.Name)) || slices.Contains(b.Tags, strings.ToLower(a.Name)):
				t.Errorf("%s and %s are alternatives, but one is tagged with the other", a.Key(), b.Key())
			case n.Similarity*alternativeShare < first:
				t.Errorf("%s has an alternative with the similarity %v; the first has %v", a.Key(), n.Similarity, first)
			}
		}
	}
	if alternatives < 500 || related < 500 {
		t.Errorf("%d alternatives and %d related entities: too few to test", alternatives, related)
	}
}
