package query

import (
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/exports/where"
)

// Reader reads parameters like Params. Instead of an error it returns a default, and keeps the first
// error, which is then the response: handlers that only read need not check each parameter.
type Reader struct {
	*Params
	Err error // the first error, or nil
}

// Fail keeps an error, unless there was one before.
func (r *Reader) Fail(err error) {
	if r.Err == nil {
		r.Err = err
	}
}

// kept returns a function that returns a value or, if there is an error, keeps it and returns the default.
func kept[T any](r *Reader, def T) func(T, error) T {
	return func(v T, err error) T {
		if err != nil {
			r.Fail(err)
			return def
		}
		return v
	}
}

// Text is like Params.Text.
func (r *Reader) Text(name string) string { return kept(r, "")(r.Params.Text(name)) }

// Day is like Params.Day.
func (r *Reader) Day(name string) string { return kept(r, "")(r.Params.Day(name)) }

// OneOf is like Params.OneOf.
func (r *Reader) OneOf(name, def string, values []string) string {
	return kept(r, def)(r.Params.OneOf(name, def, values))
}

// Int is like Params.Int.
func (r *Reader) Int(name string, def, minimum, maximum int) int {
	return kept(r, def)(r.Params.Int(name, def, minimum, maximum))
}

// Count is like Params.Count.
func (r *Reader) Count(name string, def, minimum, maximum int64) int64 {
	return kept(r, def)(r.Params.Count(name, def, minimum, maximum))
}

// Price is like Params.Price.
func (r *Reader) Price(name string) record.Price {
	return kept(r, record.Price{})(r.Params.Price(name))
}

// Each is like Params.Each.
func (r *Reader) Each(name string) []string { return kept[[]string](r, nil)(r.Params.Each(name)) }

// AnyOf is like Params.AnyOf.
func (r *Reader) AnyOf(name string, known []string) []string {
	return kept[[]string](r, nil)(r.Params.AnyOf(name, known))
}

// List is like Params.List.
func (r *Reader) List(name string, known []string) []string {
	return kept[[]string](r, nil)(r.Params.List(name, known))
}

// Sort is like Params.Sort.
func (r *Reader) Sort() view.Sort { return kept(r, view.DefaultSort)(r.Params.Sort()) }

// Page is like Params.Page.
func (r *Reader) Page(scope string) Page {
	return kept(r, Page{Limit: DefaultLimit})(r.Params.Page(scope))
}

// Filter is like Params.Filter.
func (r *Reader) Filter(categories []string, index where.Index) *view.Filter {
	return kept(r, &view.Filter{Fields: map[string][][]string{}})(r.Params.Filter(categories, index))
}
