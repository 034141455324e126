package exports

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"
)

// columns holds what lists are sorted by, one value per ordinal.
type columns struct {
	scores [][]int16 // by ScoreNames
	name   []uint32  // place of the name among names
	dates  [2][]int32
	rank   []uint32 // place in the order by type and slug
	names  []string // folded, sorted, each once
}

// noDate stands for an unknown date: it is below every other.
const noDate = math.MinInt32

func packColumns(entities []*Entity, rank []uint32) (*columns, error) {
	n := len(entities)
	c := &columns{rank: rank, name: make([]uint32, n)}
	for _, name := range ScoreNames {
		col := make([]int16, n)
		for i, e := range entities {
			col[i] = e.Scores.Get(name).code()
		}
		c.scores = append(c.scores, col)
	}
	folded := make([]string, n)
	for k := range c.dates {
		c.dates[k] = make([]int32, n)
	}
	for i, e := range entities {
		folded[i] = Fold(e.Name)
		for k, day := range [2]string{e.AddedDate, e.LastUpdated} {
			d, err := DayNumber(day)
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
		place, _ := slices.BinarySearch(c.names, name)
		c.name[i] = uint32(place)
	}
	return c, nil
}

// DayNumber turns YYYY-MM-DD into days since 1970-01-01, and "" into the
// number that stands for an unknown date.
func DayNumber(day string) (int32, error) {
	if day == "" {
		return noDate, nil
	}
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0, fmt.Errorf("%q is not a date: use YYYY-MM-DD", day)
	}
	return int32(t.Unix() / 86400), nil
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
	parts = append(parts, appendUint32s(c.name))
	for _, col := range c.dates {
		b := make([]byte, 0, 4*len(col))
		for _, v := range col {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		parts = append(parts, b)
	}
	return packSections(append(parts, packStrings(c.names))...)
}

// packOrders writes the ordinals in the order of every sort key, ascending and
// descending.
func (c *columns) packOrders() []byte {
	n := len(c.rank)
	value := func(key int, i uint32) int64 {
		switch {
		case key < len(ScoreNames):
			if v := c.scores[key][i]; v >= 0 {
				return int64(v)
			}
			return nullValue
		case SortKeys[key] == "name":
			return int64(c.name[i])
		case SortKeys[key] == "addedDate":
			return dateValue(c.dates[0][i])
		default:
			return dateValue(c.dates[1][i])
		}
	}
	order := make([]uint32, n)
	var parts [][]byte
	for key := range SortKeys {
		for _, desc := range []bool{false, true} {
			for i := range order {
				order[i] = uint32(i)
			}
			slices.SortFunc(order, func(a, b uint32) int {
				return comparePlaces(value(key, a), int64(c.rank[a]), value(key, b), int64(c.rank[b]), desc)
			})
			parts = append(parts, appendUint32s(order))
		}
	}
	return packSections(parts...)
}

// nullValue marks an unknown sort value; nulls come last in both directions.
const nullValue = math.MinInt64

func dateValue(d int32) int64 {
	if d == noDate {
		return nullValue
	}
	return int64(d)
}

// comparePlaces is the one order of lists: by value in the wanted direction,
// nulls last, ties by type and slug.
func comparePlaces(av, ar, bv, br int64, desc bool) int {
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
