package indexes

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/view"
)

// Suggest returns the best records in a set whose name, from one of its words on,
// starts with the given text; those of which it is the whole name or slug come first. It also returns
// the total number of such records.
func (x *Index) Suggest(text string, within *roaring.Bitmap, limit int) (best []uint32, total int) {
	words := terms(text)
	found := roaring.And(within, x.prefix(suffixField, strings.Join(words, " ")))
	total = int(found.GetCardinality())
	best = x.best(roaring.And(found, x.term(joinedField, strings.Join(words, ""))), limit)
	found.AndNot(roaring.BitmapOf(best...))
	return append(best, x.best(found, limit-len(best))...), total
}

// best returns the up to limit members of a set that come first in the default order.
func (x *Index) best(among *roaring.Bitmap, limit int) []uint32 {
	list, _, _ := x.build.Page(among, view.DefaultSort, nil, 0, limit)
	return list
}

// Alternatives returns up to limit records to offer for a search that found nothing in part
// of the set. They are the best hits in the whole set or, if there are none, the hits for the
// query without quotes or, if there are none either, the records with the nearest names.
func (x *Index) Alternatives(text string, within *roaring.Bitmap, limit int) []uint32 {
	res := x.Search(text, within, nil, 0, limit)
	if plain := Unquoted(text); len(res.Hits) == 0 && plain != text {
		res = x.Search(plain, within, nil, 0, limit)
	}
	if len(res.Hits) == 0 {
		return x.NearestNames(text, within, limit)
	}
	list := make([]uint32, len(res.Hits))
	for i, h := range res.Hits {
		list[i] = h.Ordinal
	}
	return list
}

// NearestNames returns the records in a set with the names nearest to a query that
// found nothing, nearest first. It allows one more edit per word than searches do,
// and one or two edits in words with digits, which searches match only exactly. If
// that finds nothing, it returns the records whose names share the longest prefix
// with one of the query's words.
func (x *Index) NearestNames(text string, within *roaring.Bitmap, limit int) []uint32 {
	list := terms(text)
	list = list[:min(len(list), maxFuzzyClauses)]
	if len(list) > 1 {
		list = append(list, strings.Join(list, ""))
	}
	letters := map[uint32]int{}
	for _, term := range list {
		if edits := nearestFuzziness(term); edits > 0 {
			x.addNearest(letters, term, edits, within)
		}
	}
	if len(letters) == 0 {
		return x.longestPrefix(list, within, limit)
	}
	nearest := slices.SortedFunc(maps.Keys(letters), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(letters[b], letters[a]), cmp.Compare(x.build.SortPosition(a), x.build.SortPosition(b)))
	})
	return nearest[:min(limit, len(nearest))]
}

// addNearest adds to letters, for each record whose name has a word near a term, the number of correct
// letters in the term.
func (x *Index) addNearest(letters map[uint32]int, term string, edits int, within *roaring.Bitmap) {
	seen := roaring.New()
	for d, records := range x.near(nameField, newPattern(term, edits)) {
		records.And(within)
		records.AndNot(seen)
		seen.Or(records)
		for o := range roaring.Values(records) {
			letters[o] += utf8.RuneCountInString(term) - d
		}
	}
}

// nearestFuzziness returns the number of edits allowed in a near name.
func nearestFuzziness(term string) int {
	n := utf8.RuneCountInString(term)
	switch {
	case n < 3 || n > maxFuzzyLen:
		return 0
	case strings.ContainsAny(term, "0123456789"):
		return min(n-2, 2)
	case n > maxNearestLen:
		return fuzziness(term)
	}
	return min(fuzziness(term)+1, maxEdits)
}

// maxNearestLen is the maximum length, in letters, of a word that may have one more
// edit than searches allow.
const maxNearestLen = 20

// minCommonPrefix is the minimum length, in letters, of the prefix that a word and
// a name must share.
const minCommonPrefix = 3

// longestPrefix returns the records whose names share the longest prefix with any
// of the words.
func (x *Index) longestPrefix(list []string, within *roaring.Bitmap, limit int) (best []uint32) {
	length := minCommonPrefix - 1
	for _, t := range list {
		runes := []rune(t)
		for n := min(len(runes), maxFuzzyLen); n > length; n-- {
			if found := x.best(roaring.And(within, x.prefix(nameField, string(runes[:n]))), limit); len(found) > 0 {
				best, length = found, n
			}
		}
	}
	return best
}
