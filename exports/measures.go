package exports

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// A measure is a number or a day that only some records have. It is stored as an integer
// that compares like it: millionths of a dollar, a day number, or an orderedNumber.
const (
	priceMeasure      = iota // the blended price
	retiresMeasure           // the day of lifecycle.retires
	parametersMeasure        // the number of parameters of a model
	signalMeasures           // the first of record.SignalTypes
)

var (
	measureCount = signalMeasures + len(record.SignalTypes)

	// maintenanceRead is the day when maintenance was read. Only versions have this
	// measure: what it says about maintenance depends on the day that is asked for.
	maintenanceRead = measureCount
)

// columnKeys are the sort keys that are stored for every record.
var columnKeys = append(slices.Clone(record.ScoreNames), "name", "addedDate", "lastUpdated")

// SortKeys are the keys by which lists can be sorted.
var SortKeys = func() []string {
	keys := append(slices.Clone(columnKeys), "price", "context")
	for _, s := range record.SignalTypes {
		keys = append(keys, "signal."+s.Name)
	}
	return keys
}()

// sortMeasures are the measures of the SortKeys after columnKeys.
var sortMeasures = func() []int {
	list := []int{priceMeasure, signalMeasure("contextTokens")}
	for i := range record.SignalTypes {
		list = append(list, signalMeasures+i)
	}
	return list
}()

// signalMeasure returns the measure of a signal, or -1 if there is no such signal.
func signalMeasure(name string) int {
	i := slices.IndexFunc(record.SignalTypes, func(s record.Signal) bool { return s.Name == name })
	if i < 0 {
		return -1
	}
	return signalMeasures + i
}

// orderedNumber returns an integer that compares with others as the number does.
func orderedNumber(x float64) int64 {
	if x == 0 {
		return 0 // also for -0
	}
	bits := int64(math.Float64bits(x))
	return bits ^ bits>>63&math.MaxInt64
}

// orderedDay returns the number of a day. A month counts as its first day, so that an
// imprecise date never looks more recent than it is. Scores do the same.
func orderedDay(day string) (value int64, ok bool) {
	if len(day) == len("2006-01") {
		day += "-01"
	}
	d, err := record.DayNumber(day)
	return int64(d), err == nil && d != record.NoDate
}

// measures calls yield with the known measures of an entity that has a given price.
func measures(e *record.Entity, price record.Price) func(yield func(measure int, value int64) bool) {
	return func(yield func(int, int64) bool) {
		if price.Known() && !yield(priceMeasure, price.Micros()) {
			return
		}
		if e.Lifecycle != nil {
			if day, ok := orderedDay(e.Lifecycle.Retires); ok && !yield(retiresMeasure, day) {
				return
			}
		}
		if n := parametersOf(e); n > 0 && !yield(parametersMeasure, n) {
			return
		}
		for i := range e.Signals.Facts {
			f := &e.Signals.Facts[i]
			m := signalMeasure(f.Name)
			if m < 0 {
				continue
			}
			value, ok := orderedNumber(f.Number), true
			if record.SignalTypes[m-signalMeasures].Kind == record.Day {
				value, ok = orderedDay(f.Day)
			}
			if ok && !yield(m, value) {
				return
			}
		}
	}
}

// parametersOf returns the number of parameters of a model: all that its card states or, if that is
// unknown, the signal, which a model hub counts. It returns 0 if neither is known.
func parametersOf(e *record.Entity) int64 {
	if e.Model != nil && e.Model.Parameters > 0 {
		return e.Model.Parameters
	}
	for i := range e.Signals.Facts {
		if f := &e.Signals.Facts[i]; f.Name == "parameters" {
			return int64(f.Number)
		}
	}
	return 0
}

// measureOf returns one measure of an entity, or nullValue if it is unknown.
func measureOf(e *record.Entity, measure int) int64 {
	for m, v := range measures(e, e.Price.Blended) {
		if m == measure {
			return v
		}
	}
	return nullValue
}

// SignalBound is a condition on a signal: its value must be at least the bound or, with
// AtMost, at most. A record without the signal does not meet it.
type SignalBound struct {
	Signal string // one of record.SignalTypes
	AtMost bool
	Number float64 // the bound, if the signal is a number
	Day    string  // the bound, if the signal is a date: YYYY-MM-DD
}

// measureRange is a condition on a measure: it must be known and from low to high.
type measureRange struct {
	measure   int
	low, high int64
}

// ranges returns the conditions of a filter on measures.
func (f *Filter) ranges() ([]measureRange, error) {
	var list []measureRange
	if f.MaxPrice.Known() {
		list = append(list, measureRange{priceMeasure, math.MinInt64, f.MaxPrice.Micros()})
	}
	if f.RetiresBefore != "" {
		day, err := record.DayNumber(f.RetiresBefore)
		if err != nil {
			return nil, err
		}
		list = append(list, measureRange{retiresMeasure, math.MinInt64, int64(day) - 1})
	}
	if f.MinParameters > 0 || f.MaxParameters > 0 {
		list = append(list, measureRange{parametersMeasure, f.MinParameters, cmp.Or(f.MaxParameters, math.MaxInt64)})
	}
	for _, s := range f.Signals {
		m := signalMeasure(s.Signal)
		if m < 0 {
			return nil, fmt.Errorf("%q is not a signal", s.Signal)
		}
		bound := orderedNumber(s.Number)
		if record.SignalTypes[m-signalMeasures].Kind == record.Day {
			day, err := record.DayNumber(s.Day)
			if err != nil {
				return nil, err
			}
			bound = int64(day)
		}
		if s.AtMost {
			list = append(list, measureRange{m, math.MinInt64, bound})
		} else {
			list = append(list, measureRange{m, bound, math.MaxInt64})
		}
	}
	return list, nil
}

// columnBuilder collects the values of a measure.
type columnBuilder struct {
	items  []uint32
	values []int64
}

// add adds the value of an item. Items must be added in ascending order.
func (c *columnBuilder) add(item uint32, value int64) {
	c.items, c.values = append(c.items, item), append(c.values, value)
}

// sorted returns the indexes of the items by value. Those of items with the same value stay
// in order.
func (c *columnBuilder) sorted() []uint32 {
	list := make([]sortItem, len(c.items))
	for i, v := range c.values {
		list[i] = sortItem{measureKey(v, false), uint32(i)}
	}
	return radixSort(list)
}

// ranked returns the items by value, in either direction. Items with the same value are in
// the order of rank.
func (c *columnBuilder) ranked(rank []uint32, desc bool) []uint32 {
	list := make([]sortItem, len(c.items))
	for i, item := range c.items {
		list[i] = sortItem{uint64(rank[item]), uint32(i)}
	}
	for i, j := range radixSort(list) {
		list[i] = sortItem{measureKey(c.values[j], desc), c.items[j]}
	}
	return radixSort(list)
}

// measureKey returns a number that sorts like a value in a direction, and last if the value
// is unknown.
func measureKey(value int64, desc bool) uint64 {
	switch key := uint64(value) ^ 1<<63; {
	case value == nullValue:
		return math.MaxUint64
	case desc:
		return ^key
	default:
		return key
	}
}

// packMeasures returns the content of the measures file: for each measure, the column, and
// the records that have a value in descending order. Ties are in the order of rank.
func packMeasures(entities []*record.Entity, rank []uint32) []byte {
	builders := make([]columnBuilder, measureCount)
	for i, e := range entities {
		for m, v := range measures(e, e.Price.Blended) {
			builders[m].add(uint32(i), v)
		}
	}
	var parts [][]byte
	for i := range builders {
		c := &builders[i]
		parts = append(parts, packed.PackColumn(len(entities), c.items, c.values, c.ranked(rank, false))...)
		parts = append(parts, packed.PackUint32s(c.ranked(rank, true)))
	}
	return packed.PackSections(parts...)
}

// openMeasures opens the measures of a build with n records.
func (b *Build) openMeasures(s *packed.SectionReader) {
	const sections = packed.ColumnSections + 1
	parts := s.Open(measuresFile, sections*measureCount)
	for i := range measureCount {
		own := parts[sections*i : sections*(i+1)]
		c := s.Column(measuresFile, own, b.n)
		s.Check(measuresFile, len(own[packed.ColumnSections]) == len(c.Sorted()))
		b.measures, b.descending = append(b.measures, c), append(b.descending, own[packed.ColumnSections])
	}
}
