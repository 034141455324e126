package record

import (
	"iter"
	"slices"
)

// Pair is an entity in two states of an index. Before is nil if it was created, After if it was deleted.
type Pair struct{ Before, After *Entity }

// Pairs finds each entity of one state in the other: an entity that is at a new address is known
// by an earlier slug, the last one first, any other by its address. If the pairs are applied in order, no
// entity takes the address of another.
func Pairs(before, after iter.Seq[*Entity]) []Pair {
	left := map[string]*Entity{}
	for e := range before {
		left[e.Key()] = e
	}
	var list []Pair
	take := func(key string, e *Entity) {
		list = append(list, Pair{left[key], e})
		delete(left, key)
	}
	moved := func(e *Entity) bool {
		if left[e.Key()] != nil {
			return false
		}
		for _, key := range slices.Backward(e.FormerKeys()) {
			if left[key] != nil {
				take(key, e)
				return true
			}
		}
		return false
	}
	// A rename may free the address that another entity has taken, which is then found next.
	waiting := slices.Collect(after)
	for n := -1; n != len(list); {
		n = len(list)
		waiting = slices.DeleteFunc(waiting, moved)
	}
	for _, e := range waiting {
		take(e.Key(), e)
	}
	for e := range before {
		if left[e.Key()] == e {
			list = append(list, Pair{e, nil})
		}
	}
	return list
}
