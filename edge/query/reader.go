package query

import (
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/exports/where"
)

// Fail keeps an error, unless there was one before.
func (p *Params) Fail(err error) {
	if p.Err == nil {
		p.Err = err
	}
}

// kept returns a function that returns a value or, if there is an error, keeps it and returns the default.
func kept[T any](p *Params, def T) func(T, error) T {
	return func(v T, err error) T {
		if err != nil {
			p.Fail(err)
			return def
		}
		return v
	}
}

// Text is like where.Params.Text.
func (p *Params) Text(name string) string { return kept(p, "")(p.Params.Text(name)) }

// Day is like where.Params.Day.
func (p *Params) Day(name string) string { return kept(p, "")(p.Params.Day(name)) }

// OneOf is like where.Params.OneOf.
func (p *Params) OneOf(name, def string, values []string) string {
	return kept(p, def)(p.Params.OneOf(name, def, values))
}

// Int is like where.Params.Int.
func (p *Params) Int(name string, def, minimum, maximum int) int {
	return kept(p, def)(p.Params.Int(name, def, minimum, maximum))
}

// Count is like where.Params.Count.
func (p *Params) Count(name string, def, minimum, maximum int64) int64 {
	return kept(p, def)(p.Params.Count(name, def, minimum, maximum))
}

// Price is like where.Params.Price.
func (p *Params) Price(name string) record.Price {
	return kept(p, record.Price{})(p.Params.Price(name))
}

// Filter is like where.Params.Filter.
func (p *Params) Filter(categories []string, index where.Index) *view.Filter {
	return kept(p, &view.Filter{Fields: map[string][][]string{}})(p.Params.Filter(categories, index))
}
