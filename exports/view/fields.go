package view

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

// FilterFields are the fields by which records can be filtered and counted, named like the API's
// parameters.
func FilterFields(declared *kinds.Set) []string {
	list := []string{"capability", "category", "license", "pricingModel", "provider", "status", "tag", "type"}
	if declared.HasBlock(kinds.Maintenance) {
		list = append(list, "maintenance")
	}
	for _, f := range declared.Leaves() {
		if f.Filter && !f.IsNumber() && !f.IsDay() {
			list = append(list, f.Query)
		}
	}
	slices.Sort(list)
	return list
}

// unknown is the number of an unknown value. It comes last in both directions.
const unknown = math.MinInt64

// number is a property by which records are compared: a score, a day, a price or a count. It is an
// integer that compares like the property.
type number struct {
	of    func(e *record.Entity) int64 // unknown if it is not known
	day   bool                         // a Position has the day
	score bool                         // a Position has the tenths of a point
}

// format returns a number as a Position has it, "" if it is unknown.
func (n number) format(x int64) string {
	switch {
	case x == unknown:
		return ""
	case n.day:
		return record.FormatDay(int32(x))
	}
	return strconv.FormatInt(x, 10)
}

// parse is the inverse of format. ok is false for what it never returns.
func (n number) parse(text string) (x int64, ok bool) {
	switch {
	case text == "":
		return unknown, true
	case n.day:
		x = dayNumber(text)
		return x, x != unknown
	}
	x, err := strconv.ParseInt(text, 10, 64)
	return x, err == nil && x != unknown && (!n.score || x >= 0 && x <= 1000)
}

// nameKey is the only one of the SortKeys that is not a number.
const nameKey = "name"

// SortKeys returns the keys by which lists can be sorted.
func SortKeys(declared *kinds.Set) []string {
	keys := append(slices.Clone(record.ScoreNames), nameKey, "addedDate", "lastUpdated")
	if declared.HasBlock(kinds.Offers) {
		keys = append(keys, "price")
	}
	if declared.Signal(kinds.ContextSignal) != nil {
		keys = append(keys, "context")
	}
	for _, f := range declared.Leaves() {
		if f.Sort {
			keys = append(keys, f.SortKey())
		}
	}
	for _, s := range declared.Signals {
		keys = append(keys, SignalKey(s.Name))
	}
	return keys
}

// SignalKey returns the key of a signal among the SortKeys.
func SignalKey(name string) string { return "signal." + name }

// numberOf returns the property with one of the SortKeys, or one that filters limit: retires, or the path of
// a field. Where an index has none by that name, it is unknown.
func numberOf(declared *kinds.Set, key string) number {
	switch key {
	case "addedDate":
		return number{of: func(e *record.Entity) int64 { return dayNumber(e.AddedDate) }, day: true}
	case "lastUpdated":
		return number{of: func(e *record.Entity) int64 { return dayNumber(e.LastUpdated) }, day: true}
	case "price":
		return number{of: func(e *record.Entity) int64 { return priceNumber(e.Price.Blended) }}
	case "retires":
		return number{of: retirementOf}
	case "context":
		key = SignalKey(kinds.ContextSignal)
	}
	if slices.Contains(record.ScoreNames, key) {
		return number{of: func(e *record.Entity) int64 { return scoreNumber(e.Scores.Get(key)) }, score: true}
	}
	if name, ok := strings.CutPrefix(key, SignalKey("")); ok && declared.Signal(name) != nil {
		return number{of: func(e *record.Entity) int64 { return signalNumber(e, declared.Signal(name)) }}
	}
	for _, f := range declared.Leaves() {
		if f.Path == key || f.Sort && f.SortKey() == key {
			return number{of: func(e *record.Entity) int64 { return fieldNumber(e, f) }}
		}
	}
	return number{of: func(*record.Entity) int64 { return unknown }}
}

// numbers returns the property that numberOf describes, by ordinal.
func (v *View) numbers(key string) []int64 {
	if list, ok := v.properties.Load(key); ok {
		return list.([]int64)
	}
	n, list := numberOf(v.declared, key), make([]int64, len(v.entities))
	for o, e := range v.All {
		list[o] = n.of(e)
	}
	v.properties.Store(key, list)
	return list
}

func scoreNumber(s record.Score) int64 {
	if !s.Known() {
		return unknown
	}
	return int64(s.Code())
}

func dayNumber(day string) int64 {
	d, err := record.DayNumber(day)
	if err != nil || d == record.NoDate {
		return unknown
	}
	return int64(d)
}

// monthNumber is dayNumber for a day of which maybe only the month is known. A month counts as its
// first day, so that an imprecise date never looks more recent than it is. Scores do the same.
func monthNumber(day string) int64 {
	return dayNumber(record.FirstDay(day))
}

func priceNumber(p record.Price) int64 {
	if !p.Known() {
		return unknown
	}
	return p.Micros()
}

func retirementOf(e *record.Entity) int64 {
	if e.Lifecycle == nil {
		return unknown
	}
	return monthNumber(e.Lifecycle.Retires)
}

// fieldNumber returns the value of a declared number or date. Where it is unknown, the field's signal
// counts.
func fieldNumber(e *record.Entity, f *kinds.Field) int64 {
	switch v := e.Values.Get(f.Path).(type) {
	case float64:
		return orderedNumber(v)
	case string:
		return monthNumber(v)
	}
	if s := e.Declared().Signal(f.Signal); s != nil {
		return signalNumber(e, s)
	}
	return unknown
}

func signalNumber(e *record.Entity, s *kinds.Signal) int64 {
	f, ok := e.Signals.Fact(s.Name)
	switch {
	case !ok:
		return unknown
	case s.IsDay():
		return monthNumber(f.Day)
	}
	return orderedNumber(f.Number)
}

// orderedNumber returns an integer that compares with others as the number does.
func orderedNumber(x float64) int64 {
	if x == 0 {
		return 0 // also for -0
	}
	bits := int64(math.Float64bits(x))
	return bits ^ bits>>63&math.MaxInt64
}
