package exports

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// columns holds the sort values, one per ordinal.
type columns struct {
	scores [][]int16 // by ScoreNames
	name   []uint32  // index into names
	dates  [2][]int32
	rank   []uint32 // position in the order by type and slug
	names  []string // folded names, sorted and unique
}

func packColumns(entities []*record.Entity, rank []uint32) (*columns, error) {
	n := len(entities)
	c := &columns{rank: rank, name: make([]uint32, n)}
	for _, name := range record.ScoreNames {
		col := make([]int16, n)
		for i, e := range entities {
			col[i] = e.Scores.Get(name).Code()
		}
		c.scores = append(c.scores, col)
	}
	folded := make([]string, n)
	for k := range c.dates {
		c.dates[k] = make([]int32, n)
	}
	for i, e := range entities {
		folded[i] = record.Fold(e.Name)
		for k, day := range [2]string{e.AddedDate, e.LastUpdated} {
			d, err := record.DayNumber(day)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Key(), err)
			}
			c.dates[k][i] = d
		}
	}
	c.names = slices.Clone(folded)
	slices.Sort(c.names)
	c.names = slices.Compact(c.names)
	for i, name := range folded {
		index, _ := slices.BinarySearch(c.names, name)
		c.name[i] = uint32(index)
	}
	return c, nil
}

func (c *columns) pack() []byte {
	var parts [][]byte
	for _, col := range c.scores {
		b := make([]byte, 0, 2*len(col))
		for _, v := range col {
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		}
		parts = append(parts, b)
	}
	parts = append(parts, packed.PackUint32s(c.name))
	for _, col := range c.dates {
		b := make([]byte, 0, 4*len(col))
		for _, v := range col {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		parts = append(parts, b)
	}
	return packed.PackSections(append(parts, packed.PackStrings(c.names))...)
}

// packOrders returns the ordinals in the order of every sort key, ascending and
// descending, as defined by compareSortKeys, and the prefix sets of the descending order.
func (c *columns) packOrders() []byte {
	var parts [][]byte
	byRank := c.byRank()
	for key, values := range c.sortValues() {
		up := orderBy(values, c.rank, byRank)
		down, prefixes := reversed(up, values), []byte(nil)
		if hasPrefixSets(key) {
			prefixes = packed.PackPrefixSets(len(down), down)
		}
		parts = append(parts, packed.PackUint32s(up), packed.PackUint32s(down), prefixes)
	}
	return packed.PackSections(parts...)
}

// orderSections is the number of sections of a sort key in the orders file.
const orderSections = 3

// hasPrefixSets reports whether the order of a sort key has prefix sets. Listed ordinals, and withdrawn ones, are already in the
// order of the composite score, and no filter sets a minimum name.
func hasPrefixSets(key int) bool { return key > 0 && columnKeys[key] != "name" }

// sortValues returns, for each of the SortKeys, one number per ordinal that sorts
// like the ordinal's value. The number for an unknown value is the largest.
func (c *columns) sortValues() [][]uint32 {
	const unknown = math.MaxUint32
	var keys [][]uint32
	for _, col := range c.scores {
		list := make([]uint32, len(col))
		for i, v := range col {
			list[i] = uint32(v)
			if v < 0 {
				list[i] = unknown
			}
		}
		keys = append(keys, list)
	}
	keys = append(keys, c.name)
	for _, col := range c.dates {
		list := make([]uint32, len(col))
		for i, v := range col {
			list[i] = uint32(int64(v) - record.NoDate)
			if v == record.NoDate {
				list[i] = unknown
			}
		}
		keys = append(keys, list)
	}
	return keys
}

// byRank returns the ordinal at each position in the order by type and slug.
func (c *columns) byRank() []uint32 {
	if len(c.rank) == 0 {
		return nil
	}
	list := make([]uint32, slices.Max(c.rank)+1)
	for i, r := range c.rank {
		list[r] = uint32(i)
	}
	return list
}

// orderBy returns the ordinals sorted by value, then by rank. Sorting numbers
// that combine both is much faster than sorting ordinals with a comparison
// function.
func orderBy(values, rank, byRank []uint32) []uint32 {
	both := make([]uint64, len(values))
	for i, v := range values {
		both[i] = uint64(v)<<32 | uint64(rank[i])
	}
	slices.Sort(both)
	order := make([]uint32, len(values))
	for i, b := range both {
		order[i] = byRank[uint32(b)]
	}
	return order
}

// reversed derives the descending order from the ascending one. Equal values keep
// their order, and unknown values stay at the end.
func reversed(up, values []uint32) []uint32 {
	down := make([]uint32, len(up))
	known := len(up)
	for known > 0 && values[up[known-1]] == math.MaxUint32 {
		known--
	}
	copy(down[known:], up[known:])
	at := 0
	for to := known; to > 0; {
		from := to - 1
		for from > 0 && values[up[from-1]] == values[up[from]] {
			from--
		}
		at += copy(down[at:], up[from:to])
		to = from
	}
	return down
}

// nullValue represents an unknown sort value. Unknown values come last in both
// directions.
const nullValue = math.MinInt64

func dateValue(d int32) int64 {
	if d == record.NoDate {
		return nullValue
	}
	return int64(d)
}

// compareSortKeys defines the order of all lists: by value in the given
// direction, nulls last, ties by type and slug.
func compareSortKeys(av, ar, bv, br int64, desc bool) int {
	if av != bv {
		switch {
		case av == nullValue:
			return 1
		case bv == nullValue:
			return -1
		case desc:
			return cmp.Compare(bv, av)
		default:
			return cmp.Compare(av, bv)
		}
	}
	return cmp.Compare(ar, br)
}
