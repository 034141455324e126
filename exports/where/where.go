// Package where parses the conditions that select records, as requests and boards.yaml name
// them. It is strict: a value that is out of range, or a second value for a single-valued
// parameter, is an error. The error suggests the nearest valid value.
package where

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
)

// Filters returns the names of the parameters that select records of an index.
func Filters(declared *kinds.Set) []string {
	names := append(view.FilterFields(declared), "minScore", "addedSince", "updatedSince")
	if declared.HasBlock(kinds.Lifecycle) {
		names = append(names, "retiresBefore")
	}
	if declared.HasBlock(kinds.Offers) {
		names = append(names, "maxPrice")
	}
	if declared.Signal(view.ContextSignal) != nil {
		names = append(names, "minContext")
	}
	for _, f := range declared.Leaves() {
		lowest, highest := f.Limits()
		names = append(names, lowest, highest)
	}
	if len(declared.Signals) > 0 {
		names = append(names, "signal")
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// Index knows the kinds of an index and which values have been replaced, as exports.Build does.
type Index interface {
	Kinds() *kinds.Set
	// Preferred returns the value that replaces a value of a filter field.
	Preferred(field, value string) (preferred string, replaced bool)
}

// Filter reads the parameters in Filters. categories are the existing categories. A value that
// another one has replaced means its replacement.
func (p Params) Filter(categories []string, index Index) (*view.Filter, error) {
	f := &view.Filter{Fields: map[string][][]string{}}
	declared := index.Kinds()
	closed := map[string][]string{"type": declared.Names(), "status": record.Statuses,
		"pricingModel": declared.PricingModels, "category": categories, "maintenance": record.MaintenanceStates}
	for _, field := range declared.Leaves() {
		if words := field.Choices(); words != nil {
			closed[field.Query] = words
		}
	}
	for _, field := range view.FilterFields(declared) {
		if err := p.readField(f, field, closed, index); err != nil {
			return nil, err
		}
	}
	score, err := p.Text("minScore")
	if err != nil {
		return nil, err
	}
	if score != "" {
		x, ok := decimal(score)
		if !ok || x > 100 {
			return nil, &Error{Param: "minScore", Message: Quoted(score) + " is not a number from 0 to 100"}
		}
		// Scores have one decimal place, so round up to the next such number. Subtracting a small
		// number compensates for the rounding error that occurs when a decimal fraction is
		// multiplied by 10.
		f.MinScore = record.ScoreOf(math.Ceil(x*10-1e-6) / 10)
	}
	if f.AddedSince, err = p.Day("addedSince"); err != nil {
		return nil, err
	}
	if f.UpdatedSince, err = p.Day("updatedSince"); err != nil {
		return nil, err
	}
	if f.RetiresBefore, err = p.Day("retiresBefore"); err != nil {
		return nil, err
	}
	if f.MaxPrice, err = p.Price("maxPrice"); err != nil {
		return nil, err
	}
	for _, field := range declared.Leaves() {
		if err := p.limitField(f, field); err != nil {
			return nil, err
		}
	}
	signals, err := p.signals(declared)
	f.Bounds = append(f.Bounds, signals...)
	return f, err
}

// limitField reads the limits of a declared number.
func (p Params) limitField(f *view.Filter, field *kinds.Field) error {
	lowest, highest := field.Limits()
	var bounds []view.Bound
	for _, name := range []string{lowest, highest} {
		if name == "" || !p.Has(name) {
			continue
		}
		b, err := p.bound(name, field)
		if err != nil {
			return err
		}
		b.AtMost = name == highest
		bounds = append(bounds, b)
	}
	if len(bounds) == 2 && (bounds[0].Number > bounds[1].Number || bounds[0].Day > bounds[1].Day) {
		return &Error{Param: lowest, Message: "must not be more than " + highest}
	}
	f.Bounds = append(f.Bounds, bounds...)
	return nil
}

// bound reads one limit of a declared number or date.
func (p Params) bound(name string, field *kinds.Field) (b view.Bound, err error) {
	b.Key = field.Path
	switch field.Type {
	case kinds.Month:
		_, highest := field.Limits()
		b.Day, err = p.Period(name, name == highest)
		return b, err
	case kinds.Date:
		b.Day, err = p.Day(name)
		return b, err
	}
	text, err := p.Text(name)
	if err != nil {
		return b, err
	}
	switch field.Type {
	case kinds.Count:
		var n, lowest int64
		if field.Minimum != nil {
			lowest = int64(*field.Minimum)
		}
		n, err = p.Count(name, lowest, lowest, maxCount)
		b.Number = float64(n)
		return b, err
	case kinds.Duration, kinds.Size:
		if number, ok := field.Accept(text).(float64); ok {
			b.Number = number
			return b, nil
		}
	}
	amount, _ := Amount(text)
	sign := 1.0
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		amount, _ = Amount(rest)
		sign = -1
	}
	var ok bool
	if b.Number, ok = decimal(amount); !ok {
		return b, &Error{Param: name, Message: Quoted(text) + " is not " + amountForms[field.Type]}
	}
	b.Number *= sign
	return b, nil
}

// amountForms describes the limits of types whose limits are not counts or days.
var amountForms = map[kinds.Type]string{kinds.Number: "a number: use digits, such as 12.5", kinds.Year: "a year, such as 2024",
	kinds.Duration: "a duration, such as 90m or 1h30m, or a number of seconds", kinds.Size: "a size, such as 16 GB, or a number of bytes"}

// readField reads the values of one of the view.FilterFields. closed contains the valid
// values of the fields in which not every value is valid.
func (p Params) readField(f *view.Filter, field string, closed map[string][]string, index Index) error {
	for _, value := range p[field] {
		all := []string{value}
		// Only some fields are split at commas: the values of others can contain commas.
		if slices.Contains(Joined, field) {
			all = strings.Split(value, ",")
		}
		for i, v := range all {
			all[i] = strings.TrimSpace(v)
			if all[i] == "" {
				return &Error{Param: field, Message: "must not be empty"}
			}
			all[i], _ = index.Preferred(field, all[i])
			if known, ok := closed[field]; ok {
				at := slices.IndexFunc(known, func(v string) bool { return strings.EqualFold(v, all[i]) })
				if at < 0 {
					return UnknownValue(field, all[i], known)
				}
				all[i] = known[at]
			}
		}
		if len(all) > 1 {
			slices.Sort(all)
			all = slices.Compact(all)
		}
		if !slices.ContainsFunc(f.Fields[field], func(other []string) bool { return slices.Equal(all, other) }) {
			f.Fields[field] = append(f.Fields[field], all)
		}
	}
	return nil
}

// maxCount is the largest count that a request may name.
const maxCount = 1_000_000_000_000_000

// maxPrice is the highest price in dollars that a request may name.
const maxPrice = 1_000_000

// Price returns a parameter that is a number of dollars, or an unknown price if it is missing.
func (p Params) Price(name string) (record.Price, error) {
	s, err := p.Text(name)
	if err != nil || s == "" {
		return record.Price{}, err
	}
	number, _ := Amount(s)
	price, err := record.ParsePrice(number)
	if err == nil && price.Float() <= maxPrice {
		return price, nil
	}
	bad := &Error{Param: name, Message: fmt.Sprintf("%s is not an amount of US dollars from 0 to %d with at most six decimals", Quoted(s), maxPrice)}
	if x, ok := decimal(number); ok && x <= maxPrice {
		if price, _, err := record.RoundPrice(x); err == nil {
			bad.Suggestion = price.String()
		}
	}
	return record.Price{}, bad
}

// decimal parses a number written with digits and at most one point.
func decimal(s string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && strings.Trim(s, "0123456789.") == ""
}

// signals reads minContext and the conditions in signal.
func (p Params) signals(declared *kinds.Set) ([]view.Bound, error) {
	var list []view.Bound
	if p.Has("minContext") {
		n, err := p.Count("minContext", 1, 1, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		list = append(list, view.Bound{Key: view.SignalKey("contextTokens"), Number: float64(n)})
	}
	for _, s := range p["signal"] {
		b, err := parseBound(declared, s)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// parseBound parses a condition such as stars>=1000.
func parseBound(declared *kinds.Set, s string) (b view.Bound, err error) {
	bad := func(suggestion, format string, args ...any) (view.Bound, error) {
		return view.Bound{}, &Error{Param: "signal", Message: fmt.Sprintf(format, args...), Suggestion: suggestion}
	}
	at := strings.IndexAny(s, "<>=")
	if at < 0 {
		return bad("", "%s is not a condition: use a signal, >= or <=, and a value, such as stars>=1000", Quoted(s))
	}
	name, value := strings.TrimSpace(s[:at]), strings.TrimLeft(s[at:], "<>=")
	operator := s[at : len(s)-len(value)]
	value = strings.TrimSpace(value)
	signal := declared.Signal(name)
	if signal == nil {
		var signalNames []string
		for _, s := range declared.Signals {
			signalNames = append(signalNames, s.Name)
		}
		if f := declared.Find(name); f != nil {
			return bad("", "%s is a field, not a signal; filter by %s", Quoted(name), cmp.Or(f.LimitNames(), f.Query))
		}
		near := didyoumean.Name(name, signalNames)
		if near != "" && len(value) < 60 {
			near += operator + value
		}
		return bad(near, "%s is not a signal; expected one of: %s", Quoted(name), strings.Join(signalNames, ", "))
	}
	if operator != ">=" && operator != "<=" {
		near := ">="
		if strings.Contains(operator, "<") {
			near = "<="
		}
		return bad(name+near+value, "%s does not compare with >= or <=", Quoted(s))
	}
	b = view.Bound{Key: view.SignalKey(name), AtMost: operator == "<="}
	if signal.IsDay() {
		b.Day = value
		if day, err := record.DayNumber(value); err != nil || day == record.NoDate {
			return bad("", "%s is not a date: %s is compared with a day, such as %s%s2025-01-31", Quoted(value), name, name, operator)
		}
		return b, nil
	}
	var ok bool
	if b.Number, ok = decimal(value); !ok {
		return bad("", "%s is not a number: use digits, such as %s%s1000", Quoted(value), name, operator)
	}
	return b, nil
}
