// Package where parses the conditions that select records, as requests and boards.yaml name
// them. It is strict: a value that is out of range, or a second value for a single-valued
// parameter, is an error. The error suggests the nearest valid value.
package where

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/didyoumean"
	"kindex/exports/record"
	"kindex/exports/view"
)

// Filters contains the names of the parameters that select records.
var Filters = append(slices.Clone(view.FilterFields),
	"minScore", "addedSince", "updatedSince", "retiresBefore", "maxPrice", "minContext", "minParameters", "maxParameters", "signal")

// Names knows which values have been replaced, as exports.Build does.
type Names interface {
	// Preferred returns the value that replaces a value of a filter field.
	Preferred(field, value string) (preferred string, replaced bool)
}

// Filter reads the parameters in Filters. categories are the existing categories. A value that
// another one has replaced, according to names, means its replacement; without names, no value is
// replaced.
func (p Params) Filter(categories []string, names Names) (*view.Filter, error) {
	f := &view.Filter{Fields: map[string][][]string{}}
	closed := map[string][]string{"type": record.Types, "status": record.Statuses,
		"pricingModel": record.PricingModels, "category": categories, "maintenance": record.MaintenanceStates,
		"modality": record.Modalities, "outputModality": record.Modalities, "openWeights": {"true", "false"}}
	for _, field := range view.FilterFields {
		if err := p.readField(f, field, closed, names); err != nil {
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
	if f.MinParameters, err = p.Count("minParameters", 0, 1, maxParameters); err != nil {
		return nil, err
	}
	if f.MaxParameters, err = p.Count("maxParameters", 0, 1, maxParameters); err != nil {
		return nil, err
	}
	if f.MaxParameters > 0 && f.MinParameters > f.MaxParameters {
		return nil, &Error{Param: "minParameters", Message: "must not be more than maxParameters"}
	}
	f.Signals, err = p.signals()
	return f, err
}

// readField reads the values of one of the view.FilterFields. closed contains the valid
// values of the fields in which not every value is valid.
func (p Params) readField(f *view.Filter, field string, closed map[string][]string, names Names) error {
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
			if names != nil {
				all[i], _ = names.Preferred(field, all[i])
			}
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

// maxParameters is the largest number of parameters that a request may name.
const maxParameters = 1_000_000_000_000_000

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
func (p Params) signals() ([]view.SignalBound, error) {
	var list []view.SignalBound
	if p.Has("minContext") {
		n, err := p.Count("minContext", 1, 1, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		list = append(list, view.SignalBound{Signal: "contextTokens", Number: float64(n)})
	}
	for _, s := range p["signal"] {
		b, err := parseBound(s)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// parseBound parses a condition such as stars>=1000.
func parseBound(s string) (b view.SignalBound, err error) {
	bad := func(suggestion, format string, args ...any) (view.SignalBound, error) {
		return view.SignalBound{}, &Error{Param: "signal", Message: fmt.Sprintf(format, args...), Suggestion: suggestion}
	}
	at := strings.IndexAny(s, "<>=")
	if at < 0 {
		return bad("", "%s is not a condition: use a signal, >= or <=, and a value, such as stars>=1000", Quoted(s))
	}
	name, value := strings.TrimSpace(s[:at]), strings.TrimLeft(s[at:], "<>=")
	operator := s[at : len(s)-len(value)]
	value = strings.TrimSpace(value)
	signal, ok := record.SignalType(name)
	if !ok {
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
	b = view.SignalBound{Signal: name, AtMost: operator == "<="}
	if signal.Kind == record.Day {
		b.Day = value
		if day, err := record.DayNumber(value); err != nil || day == record.NoDate {
			return bad("", "%s is not a date: %s is compared with a day, such as %s%s2025-01-31", Quoted(value), name, name, operator)
		}
		return b, nil
	}
	if b.Number, ok = decimal(value); !ok {
		return bad("", "%s is not a number: use digits, such as %s%s1000", Quoted(value), name, operator)
	}
	return b, nil
}

var signalNames = func() []string {
	var names []string
	for _, s := range record.SignalTypes {
		names = append(names, s.Name)
	}
	return names
}()
