package neighbors

import (
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

// dotProduct returns the dot product of two entities' weighted feature sets.
func dotProduct(v *vectors, i, j uint32) (dot uint64) {
	for _, id := range v.has.of(i) {
		if slices.Contains(v.has.of(j), id) {
			dot += uint64(v.square[id])
		}
	}
	return dot
}

// TestExact compares the neighbours found without a budget with those that the definition
// requires. At the end of a list, either of two neighbours may be kept if their similarities
// differ by less than the rounding error.
func TestExact(t *testing.T) {
	entities := catalogue(3000)
	x := NewExact(entities, strings.Fields)
	var of []uint32
	for i := 0; i < len(entities); i += 13 {
		of = append(of, uint32(i))
	}
	definition := x.AllPairs(of)
	for k, got := range x.Neighbours(of) {
		want := definition[k]
		if len(got) != len(want) {
			t.Fatalf("%d has %d neighbours, want %d", of[k], len(got), len(want))
		}
		for i := range want {
			if got[i].Similarity != want[i].Similarity {
				t.Errorf("neighbour %d of %d has the similarity %v, want %v", i, of[k], got[i].Similarity, want[i].Similarity)
			}
			if least := want[len(want)-1].Similarity; want[i].Similarity > least && got[i].Ordinal != want[i].Ordinal {
				t.Errorf("neighbour %d of %d is %d, want %d: of equally similar entities, the better-ranked comes first", i, of[k], got[i].Ordinal, want[i].Ordinal)
			}
		}
	}
}

// TestRecall compares the ten nearest neighbours with the exact ones. In make soak there are so
// many entities that the budget does not allow reading the lists of frequent features.
func TestRecall(t *testing.T) {
	suite.InTest(t)
	entities := catalogue(suite.Pick(8000, 40000))
	lists := unpacked(Find(entities, strings.Fields).Near)
	x := NewExact(entities, strings.Fields)
	var of []uint32
	for i := 0; i < len(entities); i += len(entities) / 250 {
		of = append(of, uint32(i))
	}
	found, wanted := 0, 0
	for k, want := range x.Neighbours(of) {
		i := x.number[of[k]]
		for _, n := range lists[of[k]] {
			j := x.number[n.Ordinal]
			if exactly := x.vectors.cosine(dotProduct(x.vectors, i, j), i, j); n.Similarity != exactly {
				t.Fatalf("%d and %d: %v, exactly %v", of[k], n.Ordinal, n.Similarity, exactly)
			}
		}
		f, w := Recall(10, lists[of[k]], want)
		found, wanted = found+f, wanted+w
	}
	recall := float64(found) / float64(wanted)
	t.Logf("recall@10 %.4f over %d neighbours", recall, wanted)
	if recall < 0.995 {
		t.Errorf("recall@10 is %.4f, want at least 0.995", recall)
	}
}

func TestProperties(t *testing.T) {
	entities := catalogue(800)
	found := Find(entities, strings.Fields)
	lists, features := unpacked(found.Near), found.Features
	again := unpacked(Find(entities, strings.Fields).Near)
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
			case len(n.Reasons.List()) == 0 || int(slices.Max(n.Reasons.List())) >= len(features):
				t.Errorf("reasons %v", n.Reasons)
			case k > 0 && n.Similarity > list[k-1].Similarity:
				t.Errorf("not the nearest first: %v", list)
			case again[i][k].Ordinal != n.Ordinal:
				t.Errorf("two runs differ at %d", i)
			}
		}
	}
}

// unpacked returns the lists of neighbours in the form in which tests compare them.
func unpacked(near []exports.PackedNeighbours) [][]exports.Neighbour {
	lists := make([][]exports.Neighbour, len(near))
	for i, list := range near {
		lists[i] = list.AppendTo(nil)
	}
	return lists
}
