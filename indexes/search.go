package indexes

import (
	"cmp"
	"container/heap"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// Hit is one record that a search found.
type Hit struct {
	Ordinal   uint32
	Relevance float64 // larger is better; comparable within one search only
}

// Result is what a search found.
type Result struct {
	Hits []Hit
	// Matches are the ordinals of all records that match.
	Matches *roaring.Bitmap
	words   []word
}

// After is where a page of results begins: behind this relevance, and among
// equals behind this ordinal.
type After struct {
	Relevance float64
	Ordinal   float64 // may lie between two
}

// Search finds the records within a set of ordinals that match a text, ranked
// by relevance, then by ordinal, and returns the page of at most limit hits
// after skipping skip of them, or behind a place.
//
// Every word must match a name, a topic or a description: as it is, as the
// beginning of a word, or with edits. Where no record has all words, those that
// have the most of them are found.
func (x *Index) Search(text string, within *roaring.Bitmap, after *After, skip, limit int) (*Result, error) {
	words := parse(text)
	if len(words) == 0 {
		return &Result{Matches: roaring.New()}, nil
	}
	s, err := x.store.session()
	if err != nil {
		return nil, err
	}
	defer x.store.sessions.Put(s)
	r := &ranking{index: x, within: within}
	if err := r.find(s, text, words); err != nil {
		return nil, err
	}
	res := &Result{Matches: r.matches, words: words}
	res.Hits = r.page(after, skip, limit)
	return res, nil
}

// ranking is the state of one search.
type ranking struct {
	index   *Index
	within  *roaring.Bitmap // ordinals
	matches *roaring.Bitmap // ordinals
	score   []float32       // by ordinal
}

// find fills matches and scores.
func (r *ranking) find(s *session, text string, words []word) error {
	whole, err := r.whole(s, text, len(words))
	if err != nil {
		return err
	}
	var found []*match
	for blur := range 2 {
		if found, err = findAll(s, words, blur == 1); err != nil {
			return err
		}
		docs := intersect(found)
		docs.Or(whole.joined)
		if r.matches = r.ordinals(docs); !r.matches.IsEmpty() {
			break
		}
	}
	need := len(found)
	if r.matches.IsEmpty() {
		need = r.most(found)
	}
	r.rank(found, whole, need)
	return nil
}

func findAll(s *session, words []word, blur bool) ([]*match, error) {
	found := make([]*match, len(words))
	for i := range words {
		m, err := s.find(&words[i], blur)
		if err != nil {
			return nil, err
		}
		found[i] = m
	}
	return found, nil
}

func intersect(found []*match) *roaring.Bitmap {
	sets := make([]*roaring.Bitmap, len(found))
	for i, m := range found {
		sets[i] = m.union
	}
	return roaring.FastAnd(sets...)
}

// whole are documents met by the query as a whole.
type whole struct {
	exact  *roaring.Bitmap // the query is the name or the slug
	joined *roaring.Bitmap // the query without its spaces is a name
}

func (r *ranking) whole(s *session, text string, words int) (w whole, err error) {
	list := terms(text)
	if w.exact, err = s.postings(fieldExact, []byte(strings.Join(list, " "))); err != nil {
		return w, err
	}
	w.joined = roaring.New()
	if words > 1 && words <= 4 {
		w.joined, err = s.postings(fieldName, []byte(strings.Join(list, "")))
	}
	return w, err
}

// ordinals translates documents into the ordinals within the wanted set.
func (r *ranking) ordinals(docs *roaring.Bitmap) *roaring.Bitmap {
	list := make([]uint32, 0, docs.GetCardinality())
	buf := make([]uint32, 4096)
	it := docs.ManyIterator()
	for n := it.NextMany(buf); n > 0; n = it.NextMany(buf) {
		for _, d := range buf[:n] {
			list = append(list, r.index.ordinal[d])
		}
	}
	slices.Sort(list)
	set := roaring.BitmapOf(list...)
	set.And(r.within)
	return set
}

// most sets matches to the records that have the most of the words, at least
// half of them, and returns how many that is.
func (r *ranking) most(found []*match) int {
	count := make([]uint8, len(r.index.ordinal))
	best := uint8(0)
	for _, m := range found {
		it := r.ordinals(m.union).Iterator()
		for it.HasNext() {
			o := it.Next()
			count[o]++
			best = max(best, count[o])
		}
	}
	r.matches = roaring.New()
	if 2*int(best) < len(found) || best == 0 {
		return 0
	}
	for o, n := range count {
		if n == best {
			r.matches.Add(uint32(o))
		}
	}
	return int(best)
}

// furtherFields is the part that a word adds where a record has it as it is in
// further fields.
const furtherFields = 0.2

// rank scores the matches. Each word adds the worth of the best way in which a
// record has it, times how rare the word is; words that make up much of the
// name add more; so does a good composite, a little. The whole name comes first
// of all.
func (r *ranking) rank(found []*match, w whole, need int) {
	n := len(r.index.ordinal)
	r.score = make([]float32, n)
	taken := make([]uint8, n)
	inName := make([]uint8, n)
	all := r.matches.GetCardinality() == uint64(n)
	for i, m := range found {
		rare := float32(math.Log1p(float64(n)/(1+float64(m.union.GetCardinality())))) + 1
		slices.SortStableFunc(m.groups, func(a, b group) int { return cmp.Compare(b.worth, a.worth) })
		mark := uint8(i + 1)
		for _, g := range m.groups {
			name := g.worth >= worthName*worthPrefix
			r.each(g.set, all, func(o uint32) {
				if taken[o] == mark {
					if g.exact {
						r.score[o] += furtherFields * g.worth * rare
					}
					return
				}
				taken[o] = mark
				r.score[o] += g.worth * rare
				if name {
					inName[o]++
				}
			})
		}
	}
	it := r.matches.Iterator()
	for it.HasNext() {
		o := it.Next()
		share := min(1, float32(inName[o])/float32(max(1, r.index.lengths[o])))
		r.score[o] += 6*share + float32(r.index.scores(o))/25
	}
	r.each(w.joined, all, func(o uint32) { r.score[o] += 100 })
	r.each(w.exact, all, func(o uint32) { r.score[o] += 1000 })
}

// each calls f with the ordinals of those documents that are matches.
func (r *ranking) each(docs *roaring.Bitmap, all bool, f func(ordinal uint32)) {
	buf := make([]uint32, 1024)
	it := docs.ManyIterator()
	for n := it.NextMany(buf); n > 0; n = it.NextMany(buf) {
		for _, d := range buf[:n] {
			if o := r.index.ordinal[d]; all || r.matches.Contains(o) {
				f(o)
			}
		}
	}
}

// relevance is a score as hits and cursors carry it.
func (r *ranking) relevance(o uint32) float64 {
	return math.Round(float64(r.score[o])*1e4) / 1e4
}

// compareHits orders by relevance, the best first, then by ordinal.
func compareHits(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Relevance, a.Relevance), cmp.Compare(a.Ordinal, b.Ordinal))
}

// worstFirst is a heap of hits with the worst on top.
type worstFirst []Hit

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return compareHits(h[i], h[j]) > 0 }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *worstFirst) Push(x any)        { *h = append(*h, x.(Hit)) }
func (h *worstFirst) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// page picks the hits behind a place.
func (r *ranking) page(after *After, skip, limit int) []Hit {
	var best worstFirst
	it := r.matches.Iterator()
	for it.HasNext() {
		o := it.Next()
		h := Hit{o, r.relevance(o)}
		if after != nil && (h.Relevance > after.Relevance ||
			h.Relevance == after.Relevance && float64(o) <= after.Ordinal) {
			continue
		}
		switch {
		case len(best) < skip+limit:
			heap.Push(&best, h)
		case len(best) > 0 && compareHits(h, best[0]) < 0:
			best[0] = h
			heap.Fix(&best, 0)
		}
	}
	slices.SortFunc(best, compareHits)
	return best[min(skip, len(best)):]
}

// Suggest returns the records within a set whose name begins with a text, or
// has a word from which on it does: the best, and how many there are.
func (x *Index) Suggest(text string, within *roaring.Bitmap, limit int) (best []uint32, total int, err error) {
	prefix := strings.Join(terms(text), " ")
	if prefix == "" {
		return nil, 0, nil
	}
	s, err := x.store.session()
	if err != nil {
		return nil, 0, err
	}
	defer x.store.sessions.Put(s)
	var sets []*roaring.Bitmap
	var failed error
	err = s.matching(fieldStarts, nil, []byte(prefix), prefixEnd(prefix), func(t string) bool {
		set, err := s.postings(fieldStarts, []byte(t))
		failed = err
		sets = append(sets, set)
		return err == nil
	})
	if err := errors.Join(err, failed); err != nil {
		return nil, 0, err
	}
	r := &ranking{index: x, within: within}
	list := r.ordinals(roaring.FastOr(sets...)).ToArray()
	return list[:min(limit, len(list))], len(list), nil
}
