package indexes

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
)

// Suggest returns the best records in a set whose name, from one of its words on,
// starts with the given text. It also returns the total number of such records.
func (x *Index) Suggest(text string, within *roaring.Bitmap, limit int) (best []uint32, total int, err error) {
	prefix := strings.Join(terms(text), " ")
	if prefix == "" {
		return nil, 0, nil
	}
	s, err := x.session()
	if err != nil {
		return nil, 0, err
	}
	defer s.end()
	prefixed, err := s.prefixSet(suffixField, prefix)
	if err != nil || prefixed == nil {
		return nil, 0, err
	}
	allowed := s.set()
	within.WriteDenseTo(allowed)
	allowed.and(prefixed)
	return s.best(allowed, limit), allowed.count(), nil
}

// best returns the up to limit members of a set that come first in the default
// order.
func (s *session) best(among set, limit int) []uint32 {
	var list []uint32
	edited := false
	for o := range among.each {
		if edited = int(o) >= s.index.records; len(list) < limit || edited {
			list = append(list, o)
		} else if s.index.overlay == nil {
			break
		}
	}
	if edited {
		slices.SortFunc(list, func(a, b uint32) int { return cmp.Compare(s.index.sortPosition(a), s.index.sortPosition(b)) })
	}
	return list[:min(limit, len(list))]
}

// Alternatives returns up to limit records to offer for a search that found nothing in part
// of the set. They are the best hits in the whole set or, if there are none, the hits for the
// query without quotes or, if there are none either, the records with the nearest names.
func (x *Index) Alternatives(text string, within *roaring.Bitmap, limit int) ([]uint32, error) {
	res, err := x.Search(text, within, nil, 0, limit)
	if plain := Unquoted(text); err == nil && len(res.Hits) == 0 && plain != text {
		res, err = x.Search(plain, within, nil, 0, limit)
	}
	if err != nil {
		return nil, err
	}
	if len(res.Hits) == 0 {
		return x.NearestNames(text, within, limit)
	}
	list := make([]uint32, len(res.Hits))
	for i, h := range res.Hits {
		list[i] = h.Ordinal
	}
	return list, nil
}

// NearestNames returns the records in a set with the names nearest to a query that
// found nothing, nearest first. It allows one more edit per word than searches do,
// and one or two edits in words with digits, which searches match only exactly. If
// that finds nothing, it returns the records whose names share the longest prefix
// with one of the query's words.
func (x *Index) NearestNames(text string, within *roaring.Bitmap, limit int) ([]uint32, error) {
	list := terms(text)
	list = list[:min(len(list), maxFuzzyClauses)]
	if len(list) > 1 {
		list = append(list, strings.Join(list, ""))
	}
	s, err := x.session()
	if err != nil {
		return nil, err
	}
	defer s.end()
	allowed := s.set()
	within.WriteDenseTo(allowed)
	found, letters := s.set(), s.takeLetters()
	for _, t := range list {
		if err := s.addNearest(found, letters, t, allowed); err != nil {
			return nil, err
		}
	}
	if found.empty() {
		s.letters = letters
		return s.longestPrefix(list, allowed, limit)
	}
	// A short query can be near a tenth of all names, so only the best are kept and sorted.
	best := worstFirst{limit: limit}
	for o := range found.each {
		if limit > 0 && (!best.full() || letters[o] >= best.list[0].score) {
			best.offer(scored{o, letters[o], s.index.sortPosition(o)})
		}
	}
	for o := range found.each {
		letters[o] = 0
	}
	s.letters = letters
	nearest := make([]uint32, len(best.list))
	for i := len(nearest) - 1; i >= 0; i-- {
		nearest[i] = heap.Pop(&best).(scored).ordinal
	}
	return nearest, nil
}

// takeLetters returns a zero for each record. To let later searches use the same memory, the caller sets all
// elements to zero and s.letters to the slice again.
func (s *session) takeLetters() (letters []int32) {
	if letters, s.letters = s.letters, nil; letters == nil {
		letters = make([]int32, s.index.maxDoc())
	}
	return letters
}

// addNearest adds to found the records whose name has a word near a term, and to letters, for each of
// them, the number of correct letters in the term.
func (s *session) addNearest(found set, letters []int32, term string, allowed set) error {
	edits := nearestFuzziness(term)
	if edits == 0 {
		return nil
	}
	near, err := s.fuzzySets(nameField, newFuzzyPattern(term, edits))
	if err != nil {
		return err
	}
	seen := s.set()
	for d, records := range near {
		if records == nil {
			continue
		}
		records.and(allowed)
		records.andNot(seen)
		seen.or(records)
		for o := range records.each {
			letters[o] += int32(utf8.RuneCountInString(term) - d)
		}
	}
	found.or(seen)
	return nil
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
func (s *session) longestPrefix(list []string, allowed set, limit int) ([]uint32, error) {
	best, length := []uint32(nil), minCommonPrefix-1
	for _, t := range list {
		runes := []rune(t)
		for n := min(len(runes), maxFuzzyLen); n > length; n-- {
			unused := s.taken
			prefixed, err := s.prefixSet(nameField, string(runes[:n]))
			if err != nil {
				return nil, err
			}
			prefixed.and(allowed)
			if list := s.best(prefixed, limit); len(list) > 0 {
				best, length = list, n
			}
			s.taken = unused
		}
	}
	return best, nil
}
