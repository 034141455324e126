package exports

import (
	"slices"
	"sort"

	"kindex/exports/record"
)

// FindByName returns up to limit records with the given name, compared in folded form, sorted
// by type and slug. They include withdrawn records. The search uses the order by name, so its
// cost barely depends on the size of the build.
func (b *Build) FindByName(name string, limit int) []uint32 {
	key := slices.Index(SortKeys, "name")
	want, order := b.nameValue(record.Fold(name)), b.orders[2*key]
	var list []uint32
	for i := sort.Search(order.Len(), func(i int) bool { return b.sortValue(key, order.At(i)) >= want }); i < order.Len() && len(list) < limit; i++ {
		o := order.At(i)
		if b.sortValue(key, o) != want {
			break
		}
		if b.overlay == nil || !b.overlay.replaced.Contains(o) {
			list = append(list, o)
		}
	}
	for o := range b.edits {
		if b.sortValue(key, o) == want {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(x, y uint32) int { return int(b.rank(x) - b.rank(y)) })
	return list[:min(limit, len(list))]
}
