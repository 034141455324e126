package indexes

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"kindex/exports/packed"
)

// termGroups holds the terms of a vocabulary in groups, so that terms far from a word need not be looked
// at one by one. A few bits of didyoumean.LetterMask are the same for all terms in a group. For
// each length of terms, these are the bits that about half of the terms have: they distinguish terms
// best. If those bits alone are too far from a word, so is each term in the group.
type termGroups struct {
	lengths packed.Uint32s // by length in letters: index of the first group; then the number of groups
	bits    []byte         // by length: the bits that groups have in common, as uint64
	keys    []byte         // these bits of each group, as uint64
	starts  packed.Uint32s // of each group: index of the first term in terms and masks; then the number of terms
	terms   packed.Uint32s // indexes in the vocabulary
	masks   []byte         // didyoumean.LetterMask of these terms, as uint64
}

// groupSections is the number of sections of termGroups.
const groupSections = 6

// meanGroup is the number of terms that a group would have if bits were independent. They are not, so
// there are fewer groups of more terms.
const meanGroup = 16

// packGroups returns the sections of termGroups. starts is that of the vocabulary; masks has the
// LetterMask of each term.
func packGroups(starts []uint32, masks []uint64) [][]byte {
	var lengths, groups []uint32
	var common, keys []byte
	terms := make([]uint32, len(masks))
	for i := range terms {
		terms[i] = uint32(i)
	}
	for n := range maxTermLen + 1 {
		lengths = append(lengths, uint32(len(groups)))
		list := terms[starts[n]:starts[n+1]]
		shared := balancedBits(masks[starts[n]:starts[n+1]])
		common = binary.LittleEndian.AppendUint64(common, shared)
		slices.SortStableFunc(list, func(i, j uint32) int { return cmp.Compare(masks[i]&shared, masks[j]&shared) })
		for k, i := range list {
			if key := masks[i] & shared; k == 0 || key != masks[list[k-1]]&shared {
				groups, keys = append(groups, starts[n]+uint32(k)), binary.LittleEndian.AppendUint64(keys, key)
			}
		}
	}
	lengths, groups = append(lengths, uint32(len(groups))), append(groups, uint32(len(terms)))
	ordered := make([]byte, 0, 8*len(masks))
	for _, i := range terms {
		ordered = binary.LittleEndian.AppendUint64(ordered, masks[i])
	}
	return [][]byte{packed.PackUint32s(lengths), common, keys, packed.PackUint32s(groups), packed.PackUint32s(terms), ordered}
}

// balancedBits returns the bits that divide masks into groups of about meanGroup: those whose share of the
// masks is closest to half.
func balancedBits(masks []uint64) (balanced uint64) {
	var count [64]int
	for _, m := range masks {
		for ; m != 0; m &= m - 1 {
			count[bits.TrailingZeros64(m)]++
		}
	}
	var order [64]int
	for b := range order {
		order[b] = b
	}
	imbalance := func(b int) int { return max(2*count[b]-len(masks), len(masks)-2*count[b]) }
	slices.SortFunc(order[:], func(a, b int) int { return cmp.Or(cmp.Compare(imbalance(a), imbalance(b)), cmp.Compare(a, b)) })
	for _, b := range order[:min(bits.Len(uint(len(masks)/meanGroup)), len(order))] {
		balanced |= 1 << b
	}
	return balanced
}

// openGroups opens the sections that packGroups returned for n terms.
func openGroups(sections [][]byte, n int) (termGroups, error) {
	g := termGroups{lengths: sections[0], bits: sections[1], keys: sections[2], starts: sections[3], terms: sections[4], masks: sections[5]}
	groups := g.starts.Len() - 1
	if g.lengths.Len() != maxTermLen+2 || len(g.bits) != 8*(maxTermLen+1) || groups < 0 || len(g.keys) != 8*groups ||
		int(g.lengths.At(maxTermLen+1)) != groups || int(g.starts.At(groups)) != n || g.terms.Len() != n || len(g.masks) != 8*n {
		return termGroups{}, packed.ErrSections
	}
	return g, nil
}

// of returns the range of the groups of terms that have least to most letters.
func (g *termGroups) of(least, most int) (from, to int) {
	return int(g.lengths.At(least)), int(g.lengths.At(most + 1))
}

// promising yields the terms in a range of groups that, judging by their letters, may be within the number
// of edits that w allows.
func (g *termGroups) promising(w *fuzzyPattern, from, to int) func(yield func(term int) bool) {
	return func(yield func(term int) bool) {
		for n := 0; n <= maxTermLen && from < to; n++ {
			shared := packed.Uint64At(g.bits, n)
			for end := min(to, int(g.lengths.At(n+1))); from < end; from++ {
				if w.MinDistanceOf(packed.Uint64At(g.keys, from), shared) > w.edits {
					continue
				}
				first, last := int(g.starts.At(from)), int(g.starts.At(from+1))
				for k := first; k < last; k++ {
					if w.MinDistance(packed.Uint64At(g.masks, k)) <= w.edits && !yield(int(g.terms.At(k))) {
						return
					}
				}
			}
		}
	}
}
