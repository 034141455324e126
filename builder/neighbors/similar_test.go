package neighbors

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
)

// catalogue creates entities whose features overlap like those of real entities: there are
// few categories, tags belong to categories, and words are as frequent as in natural language
// (G. K. Zipf, "Human Behavior and the Principle of Least Effort", 1949).
func catalogue(n int) []*record.Entity {
	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]*record.Entity, n)
	tag, word := rand.NewZipf(rng, 1.1, 10, 300), rand.NewZipf(rng, 1.05, 40, 8000)
	for i := range list {
		e := &record.Entity{Type: "tool", Slug: fmt.Sprintf("t%05d", i), Name: fmt.Sprintf("Name%d", i),
			Category: fmt.Sprintf("c%d", rng.IntN(20)), Provider: fmt.Sprintf("p%d", rng.IntN(n/3+1)), Status: record.Active}
		for range 2 {
			e.Tags = append(e.Tags, fmt.Sprintf("t%d", tag.Uint64()), fmt.Sprintf("%s-%d", e.Category, tag.Uint64()))
		}
		slices.Sort(e.Tags)
		e.Tags = slices.Compact(e.Tags)
		var words []string
		for range 15 {
			words = append(words, fmt.Sprintf("word%d", word.Uint64()))
		}
		e.Description = strings.Join(words, " ")
		if rng.IntN(50) == 0 {
			e.Status = record.Withdrawn
		}
		list[i] = e
	}
	return list
}

// similarity returns the similarity of two entities by its definition.
func similarity(v *vectors, i, j uint32) float64 {
	var dot uint64
	for _, id := range v.has[i] {
		if slices.Contains(v.has[j], id) {
			dot += uint64(v.square[id])
		}
	}
	return v.cosine(dot, i, j)
}

// exact returns the neighbours that the definition requires: the entity is compared with every other one.
func exact(v *vectors, i uint32) (list []exports.Neighbour) {
	for j := range uint32(len(v.entities)) {
		if s := similarity(v, i, j); j != i && s >= minSimilarity && v.entities[j].Status != record.Withdrawn {
			list = append(list, exports.Neighbour{Ordinal: j, Similarity: s})
		}
	}
	slices.SortFunc(list, func(a, b exports.Neighbour) int { // the slugs are in order
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	return list[:min(len(list), MaxNeighbours)]
}

// TestFind compares the neighbours in a catalogue whose lists can all be read with the exact ones.
func TestFind(t *testing.T) {
	entities := catalogue(1000)
	v := newVectors(entities, strings.Fields)
	lists, _ := Find(entities, strings.Fields)
	for i := 0; i < len(entities); i += 7 {
		want := exact(v, uint32(i))
		if got := lists[i]; !slices.EqualFunc(got, want, func(n, s exports.Neighbour) bool { return n.Ordinal == s.Ordinal && n.Similarity == s.Similarity }) {
			t.Fatalf("%d has the neighbours\n%v, want\n%v", i, got, want)
		}
	}
}

// TestRecall compares the ten nearest neighbours with the exact ones. In make soak there are so
// many entities that the budget does not allow reading the lists of frequent features.
func TestRecall(t *testing.T) {
	suite.InTest(t)
	entities := catalogue(suite.Pick(8000, 40000))
	lists, _ := Find(entities, strings.Fields)
	v := newVectors(entities, strings.Fields)
	found, wanted := 0, 0
	for i := 0; i < len(entities); i += len(entities) / 250 {
		got, want := lists[i], exact(v, uint32(i))
		for _, n := range got {
			if exactly := similarity(v, uint32(i), n.Ordinal); n.Similarity != exactly {
				t.Fatalf("%d and %d: %v, exactly %v", i, n.Ordinal, n.Similarity, exactly)
			}
		}
		want = want[:min(len(want), 10)]
		wanted += len(want)
		for j := range want { // another neighbour with the same similarity is as good
			if j < len(got) && got[j].Similarity >= want[len(want)-1].Similarity {
				found++
			}
		}
	}
	recall := float64(found) / float64(wanted)
	t.Logf("recall@10 %.4f over %d neighbours", recall, wanted)
	if recall < 0.995 {
		t.Errorf("recall@10 is %.4f, want at least 0.995", recall)
	}
}

func TestProperties(t *testing.T) {
	entities := catalogue(800)
	lists, features := Find(entities, strings.Fields)
	again, _ := Find(entities, strings.Fields)
	for i, list := range lists {
		if len(list) > MaxNeighbours {
			t.Fatalf("%d neighbours", len(list))
		}
		for k, n := range list {
			switch {
			case n.Ordinal == uint32(i):
				t.Errorf("%d is its own neighbour", i)
			case entities[n.Ordinal].Status == record.Withdrawn:
				t.Errorf("a withdrawn entity is a neighbour")
			case n.Similarity <= 0 || n.Similarity > 1:
				t.Errorf("similarity %v", n.Similarity)
			case len(n.Reasons) == 0 || int(slices.Max(n.Reasons)) >= len(features):
				t.Errorf("reasons %v", n.Reasons)
			case k > 0 && n.Similarity > list[k-1].Similarity:
				t.Errorf("not the nearest first: %v", list)
			case again[i][k].Ordinal != n.Ordinal:
				t.Errorf("two runs differ at %d", i)
			}
		}
	}
}
