package exports

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/packed"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// FacetCount holds a value and the number of records in a set that have it.
type FacetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Facet counts the values of one field as Facets does.
func (b *Build) Facet(set *roaring.Bitmap, field string, top int) []FacetCount {
	return b.Facets(set, []string{field}, top)[field]
}

// Facets counts the values of filter fields in a set. Of each field, it returns at most top
// values, most frequent first.
func (b *Build) Facets(set *roaring.Bitmap, fields []string, top int) map[string][]FacetCount {
	lists := make([]*valueCounts, len(fields))
	for i, field := range fields {
		first, last := b.valueRange(field)
		lists[i] = &valueCounts{field: field, first: first, counts: make([]int, last-first)}
	}
	b.count(set, lists, top)
	all := make(map[string][]FacetCount, len(fields))
	for _, l := range lists {
		all[l.field] = b.topValues(set, l, top)
	}
	return all
}

// valueCounts counts the values of one field.
type valueCounts struct {
	field  string
	first  int // the index of its first value
	counts []int

	next int   // the number of values that countByValue has looked at
	best []int // the largest of their counts, in ascending order; empty if there are no more than top values
}

// topValues returns the most frequent values of a field, including those of edited records.
func (b *Build) topValues(set *roaring.Bitmap, l *valueCounts, top int) []FacetCount {
	added := b.addFacets(set, l)
	type counted struct {
		FacetCount
		folded string
	}
	var list []counted
	for _, i := range mostCounted(l.counts, top) {
		list = append(list, counted{FacetCount{string(b.spellings.At(l.first + i)), l.counts[i]}, string(b.values.At(l.first + i)[len(l.field)+1:])})
	}
	for folded, c := range added {
		list = append(list, counted{c, folded})
	}
	slices.SortFunc(list, func(x, y counted) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.folded, y.folded))
	})
	out := make([]FacetCount, 0, min(top, len(list)))
	for _, c := range list[:min(top, len(list))] {
		out = append(out, c.FacetCount)
	}
	return out
}

// valueRange returns the range of the indexes of a field's values.
func (b *Build) valueRange(field string) (first, last int) {
	first, _ = b.values.Search(field + "\x00")
	last, _ = b.values.Search(field + "\x01")
	return first, last
}

// count counts the values of a set's stored records, in the way that probably takes the least time.
func (b *Build) count(set *roaring.Bitmap, lists []*valueCounts, top int) {
	byRecord, byValue := recordCost*int(set.GetCardinality()), 0
	for _, l := range lists {
		byValue += b.costByValue(l, top, top, byRecord)
	}
	if b.overlay != nil || byRecord < byValue {
		b.countByRecord(set, lists)
		return
	}
	dense := newDenseSet(set, b.n)
	byValue = 0
	b.eachList(byRecord, lists, func(l *valueCounts) { b.countByValue(dense, l, top, top) })
	for _, l := range lists {
		byValue += b.costByValue(l, top, len(l.counts), byRecord) // fewer may remain, because the smallest count of the top is known
	}
	if byRecord < byValue {
		b.countByRecord(set, lists)
		return
	}
	b.eachList(byValue, lists, func(l *valueCounts) { b.countByValue(dense, l, top, len(l.counts)) })
}

// eachList calls f for each list, on all processors if the given cost is high.
func (b *Build) eachList(cost int, lists []*valueCounts, f func(l *valueCounts)) {
	var next atomic.Int64
	parallel.Do(workersFor(cost), func(int) {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(lists) {
				return
			}
			f(lists[i])
		}
	})
}

// workersFor returns the number of goroutines for work with an estimated cost. Below parallelCost, starting more
// goroutines would cost more time than it saves.
func workersFor(cost int) int {
	if cost < parallelCost {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// countByRecord sets the counts of each field to the number of a set's stored records that have each value.
func (b *Build) countByRecord(set *roaring.Bitmap, lists []*valueCounts) {
	buffer := takeNumbers(int(set.GetCardinality()))
	defer numbers.Put(buffer)
	list := *set.ToExistingArray(buffer)
	list = list[:sort.Search(len(list), func(i int) bool { return int(list[i]) >= b.n })] // edited records are counted elsewhere
	if len(list) < b.values.Len()/countersPerRecord {
		b.countFew(list, lists)
	} else {
		b.countMany(list, lists)
	}
}

// countMany counts the values of many records.
func (b *Build) countMany(list []uint32, lists []*valueCounts) {
	workers := min(workersFor(recordCost*len(list)), 1+countersPerRecord*len(list)/max(1, b.values.Len()))
	counts := make([][]uint32, workers) // for all fields: a record's values are adjacent, and skipping some would take longer
	buffers := make([]*[]uint32, workers)
	for w := range workers {
		buffers[w] = takeNumbers(b.values.Len())
		defer numbers.Put(buffers[w])
	}
	parallel.Do(workers, func(w int) {
		counts[w] = *buffers[w]
		clear(counts[w])
		for part := range slices.Chunk(list[w*len(list)/workers:(w+1)*len(list)/workers], 1024) {
			b.countRecords(part, counts[w])
		}
	})
	for _, l := range lists {
		for i := range l.counts {
			l.counts[i] = 0
			for _, c := range counts {
				l.counts[i] += int(c[l.first+i])
			}
		}
	}
}

// numbers is a pool of slices of up to a few megabytes. They are reused because allocating them for each request
// would trigger a garbage collection every few requests.
var numbers sync.Pool // of *[]uint32

// takeNumbers returns a slice of n numbers with arbitrary contents. The caller must put it back into numbers.
func takeNumbers(n int) *[]uint32 {
	if list, ok := numbers.Get().(*[]uint32); ok && cap(*list) >= n {
		*list = (*list)[:n]
		return list
	}
	list := make([]uint32, n)
	return &list
}

// countersPerRecord is the number of counters that are cleared and added up in about the time for reading the
// values of one record.
const countersPerRecord = 32

// countFew counts the values of few records. Counters for the values of all fields would take longer to clear
// than to use.
func (b *Build) countFew(list []uint32, lists []*valueCounts) {
	for _, l := range lists {
		clear(l.counts)
	}
	for _, o := range list {
		for row := b.facets[1][4*b.facets[0].At(int(o)) : 4*b.facets[0].At(int(o)+1)]; len(row) >= 4; row = row[4:] {
			value := int(binary.LittleEndian.Uint32(row))
			for _, l := range lists {
				if i := value - l.first; i >= 0 && i < len(l.counts) {
					l.counts[i]++
				}
			}
		}
	}
}

// countRecords adds the values of at most 1024 records to counts.
func (b *Build) countRecords(list, counts []uint32) {
	var from, to [1024]uint32
	var touched uint32
	// The places in memory are random. Reading all offsets first, and then the first and last value of
	// each list, lets the processor overlap the cache misses.
	for i, o := range list {
		from[i], to[i] = b.facets[0].At(int(o)), b.facets[0].At(int(o)+1)
	}
	for i := range list {
		if from[i] < to[i] {
			touched += b.facets[1].At(int(from[i])) + b.facets[1].At(int(to[i])-1)
		}
	}
	for i := range list {
		for row := b.facets[1][4*from[i] : 4*to[i]]; len(row) >= 4; row = row[4:] {
			counts[binary.LittleEndian.Uint32(row)]++
		}
	}
	runtime.KeepAlive(touched) // otherwise, the compiler could remove the reads
}

// The estimated cost of reading the values of a record, whose place in memory is random, and of
// opening the set of a value, in units of the cost of looking up one record in a set. In a bit set,
// recordsPerUnit records cost one unit.
const recordCost, valueCost, recordsPerUnit = 25, 400, 256

// parallelCost is the cost from which work is divided among all processors: about a millisecond. Tests set
// it to 1.
var parallelCost = 400_000

// denseSet is a bit set of ordinals.
type denseSet struct{ words []uint64 }

// newDenseSet returns the bit set of ordinals, which must be below n.
func newDenseSet(set *roaring.Bitmap, n int) *denseSet {
	d := &denseSet{make([]uint64, (n+63)/64)}
	set.WriteDenseTo(d.words)
	return d
}

// countDense returns the number of ordinals that are also in a bit set.
func (d *denseSet) countDense(other []byte) (n int) {
	words := d.words
	other = other[:8*len(words)]
	for len(words) >= 4 && len(other) >= 32 {
		n += bits.OnesCount64(words[0]&binary.LittleEndian.Uint64(other)) +
			bits.OnesCount64(words[1]&binary.LittleEndian.Uint64(other[8:])) +
			bits.OnesCount64(words[2]&binary.LittleEndian.Uint64(other[16:])) +
			bits.OnesCount64(words[3]&binary.LittleEndian.Uint64(other[24:]))
		words, other = words[4:], other[32:]
	}
	for i, w := range words {
		n += bits.OnesCount64(w & packed.Uint64At(other, i))
	}
	return n
}

// count returns the number of ordinals that are also in another set.
func (d *denseSet) count(other *roaring.Bitmap) (n int) {
	var buf [256]uint32
	it := other.ManyIterator()
	for k := it.NextMany(buf[:]); k > 0; k = it.NextMany(buf[:]) {
		for _, o := range buf[:k] {
			n += int(d.words[o>>6] >> (o & 63) & 1)
		}
	}
	return n
}

// countByValue counts, for up to most further values, the records in the set that have the value. It takes
// the values in the order of their frequency in the build, and stops when no other value can be among the
// top. Values that it does not reach keep a count of 0.
func (b *Build) countByValue(set *denseSet, l *valueCounts, top, most int) {
	for ; most > 0; most-- {
		i, size := b.valueAt(l, l.next, top)
		if size == 0 {
			return
		}
		var n int
		if frequent := b.frequentSet(i); frequent != nil {
			n = set.countDense(frequent)
		} else {
			n = set.count(b.bitmap(i))
		}
		if l.counts[i-l.first] = n; top < len(l.counts) && (len(l.best) < top || n > l.best[0]) {
			place, _ := slices.BinarySearch(l.best, n)
			l.best = slices.Insert(l.best, place, n)
			l.best = l.best[max(0, len(l.best)-top):]
		}
		l.next++
	}
}

// valueAt returns the value at a place in the order by number of records, largest first, and that number, which is 0
// if neither this value nor a later one can be among the top.
func (b *Build) valueAt(l *valueCounts, place, top int) (value, size int) {
	if top <= 0 || place == len(l.counts) {
		return 0, 0
	}
	value = int(b.valuesBySize.At(l.first + place))
	if size = int(b.valueSizes.At(value)); len(l.best) == top && l.best[0] > size {
		return 0, 0
	}
	return value, size
}

// costByValue returns an upper bound on the cost of countByValue, or more than limit.
func (b *Build) costByValue(l *valueCounts, top, most, limit int) (cost int) {
	for place := l.next; cost <= limit && place-l.next < most; place++ {
		_, size := b.valueAt(l, place, top)
		if size == 0 {
			break
		}
		cost += valueCost
		if isFrequent(uint64(size), b.n) {
			cost += b.n / recordsPerUnit
		} else {
			cost += size
		}
	}
	return cost
}

// mostCounted returns the indexes of up to top counts, largest first. It omits zeros, and puts
// equal counts in the order of their indexes. A field can have thousands of values, of which only
// a few are shown.
func mostCounted(counts []int, top int) []int {
	var list []int
	least := 1
	cut := func() {
		slices.SortFunc(list, func(i, j int) int { return cmp.Or(cmp.Compare(counts[j], counts[i]), cmp.Compare(i, j)) })
		list = list[:min(top, len(list))]
	}
	for i, n := range counts {
		if n < least {
			continue
		}
		if list = append(list, i); top > 0 && len(list)/2 > top {
			cut()
			least = 1 + counts[list[top-1]]
		}
	}
	cut()
	return list
}

// addFacets adds the values of a set's edited entities to counts. It returns the
// counts of values that no record in the build has, by folded form.
func (b *Build) addFacets(set *roaring.Bitmap, l *valueCounts) map[string]FacetCount {
	added := map[string]FacetCount{}
	for o, e := range b.edits {
		if !set.Contains(o) {
			continue
		}
		seen := map[string]bool{}
		for _, v := range e.FieldValues(l.field) {
			key := record.Fold(v)
			if seen[key] {
				continue
			}
			seen[key] = true
			if i, ok := b.values.Search(l.field + "\x00" + key); ok {
				l.counts[i-l.first]++
			} else {
				added[key] = FacetCount{Value: cmp.Or(added[key].Value, v), Count: added[key].Count + 1}
			}
		}
	}
	return added
}
