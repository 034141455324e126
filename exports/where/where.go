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
	if declared.Signal(kinds.ContextSignal) != nil {
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
func (p *Params) Filter(categories []string, index Index) *view.Filter {
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
		p.readField(f, field, closed, index)
	}
	if score := p.Text("minScore"); score != "" {
		x, ok := decimal(score)
		if !ok || x > 100 {
			p.Fail(&Error{Param: "minScore", Message: Quoted(score) + " is not a number from 0 to 100", Suggestion: nearest(score, 0, 100, 1)})
			x = 0
		}
		// Scores have one decimal place, so round up to the next such number. Subtracting a small
		// number compensates for the rounding error that occurs when a decimal fraction is
		// multiplied by 10.
		f.MinScore = record.ScoreOf(math.Ceil(x*10-1e-6) / 10)
	}
	f.AddedSince, f.UpdatedSince, f.RetiresBefore = p.Day("addedSince"), p.Day("updatedSince"), p.Day("retiresBefore")
	f.MaxPrice = p.Price("maxPrice")
	for _, field := range declared.Leaves() {
		p.limitField(f, field)
	}
	if p.Has("minContext") {
		f.Bounds = append(f.Bounds, view.Bound{Key: view.SignalKey(kinds.ContextSignal), Number: float64(p.Count("minContext", 1, 1, math.MaxInt32))})
	}
	for _, s := range p.Given["signal"] {
		b, err := parseBound(declared, s)
		if err != nil {
			p.Fail(err)
		}
		f.Bounds = append(f.Bounds, b)
	}
	return f
}

func (p *Params) limitField(f *view.Filter, field *kinds.Field) {
	lowest, highest := field.Limits()
	var bounds []view.Bound
	for _, name := range []string{lowest, highest} {
		if name != "" && p.Has(name) {
			b := p.bound(name, field)
			b.AtMost = name == highest
			bounds = append(bounds, b)
		}
	}
	if len(bounds) == 2 && (bounds[0].Number > bounds[1].Number || bounds[0].Day > bounds[1].Day) {
		p.Fail(&Error{Param: lowest, Message: "must not be more than " + highest})
	}
	f.Bounds = append(f.Bounds, bounds...)
}

func (p *Params) bound(name string, field *kinds.Field) view.Bound {
	b := view.Bound{Key: field.Path}
	text := p.Text(name)
	switch field.Type {
	case kinds.Month:
		_, highest := field.Limits()
		b.Day = p.Period(name, name == highest)
		return b
	case kinds.Date:
		b.Day = p.Day(name)
		return b
	case kinds.Count:
		var lowest int64
		if field.Minimum != nil {
			lowest = int64(*field.Minimum)
		}
		b.Number = float64(p.Count(name, lowest, lowest, maxCount))
		return b
	case kinds.Duration:
		if seconds, ok := kinds.ParseDuration(text); ok {
			b.Number = seconds
			return b
		}
	case kinds.Size:
		if bytes, ok := size(text); ok {
			b.Number = bytes
			return b
		}
	}
	number, ok := signed(text)
	if !ok {
		p.Fail(&Error{Param: name, Message: Quoted(text) + " is not " + amountForms[field.Type]})
	}
	b.Number = number
	return b
}

// amountForms describes the limits of types whose limits are not counts or days.
var amountForms = map[kinds.Type]string{kinds.Number: "a number: use digits, such as 12.5", kinds.Year: "a year, such as 2024",
	kinds.Duration: "a duration, such as 90m or 1h30m, or a number of seconds", kinds.Size: "a size, such as 16 GB, or a number of bytes"}

// readField reads the values of one of the view.FilterFields. closed contains the valid
// values of the fields in which not every value is valid.
func (p *Params) readField(f *view.Filter, field string, closed map[string][]string, index Index) {
	if len(p.Given[field]) == 0 {
		return
	}
	// Only some fields are split at commas: the values of others can contain commas.
	declared := index.Kinds().Find(field)
	splits := slices.Contains(Joined, field) || declared != nil && declared.Splits()
	n := 0
	for _, value := range p.Given[field] {
		all := []string{value}
		if splits {
			all = strings.Split(value, ",")
		}
		if n += len(all); n > MaxValues {
			p.Fail(&Error{Param: field, Message: fmt.Sprintf("has %d values; at most %d are allowed", n, MaxValues)})
			return
		}
		for i, v := range all {
			all[i] = strings.TrimSpace(v)
			if all[i] == "" {
				p.Fail(&Error{Param: field, Message: "must not be empty"})
				return
			}
			all[i], _ = index.Preferred(field, all[i])
			if declared != nil && declared.Words() == kinds.Reference {
				if all[i] = declared.Address(all[i]); all[i] == "" {
					p.Fail(&Error{Param: field, Message: Quoted(v) + " is not an address: use " + strings.Join(declared.AddressForms(), " or ")})
					return
				}
			}
			if known, ok := closed[field]; ok {
				value, unknown := Known(field, all[i], known)
				if unknown != nil {
					p.Fail(unknown)
					return
				}
				all[i] = value
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
}

const maxCount = 1_000_000_000_000_000

const maxPrice = 1_000_000

// Price returns a parameter that is a number of dollars, or an unknown price if it is missing.
func (p *Params) Price(name string) record.Price {
	s := p.Text(name)
	if s == "" {
		return record.Price{}
	}
	number, _ := Amount(s)
	price, err := record.ParsePrice(number)
	if err == nil && price.Float() <= maxPrice {
		return price
	}
	p.Fail(&Error{Param: name, Message: fmt.Sprintf("%s is not an amount of US dollars from 0 to %d with at most six decimals", Quoted(s), maxPrice),
		Suggestion: nearest(s, 0, maxPrice, 6)})
	return record.Price{}
}

// decimal parses a number written with digits and at most one point.
func decimal(s string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && strings.Trim(s, "0123456789.") == ""
}

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
		signalNames := declared.SignalNames()
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
	amount, _ := Amount(value)
	var ok bool
	if b.Number, ok = decimal(amount); !ok {
		return bad("", "%s is not a number: use digits, such as %s%s1000", Quoted(value), name, operator)
	}
	return b, nil
}
