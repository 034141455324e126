package pages

import (
	"maps"
)

// request is a request in progress.
type request struct {
	*Site
	Request
	route   *route            // nil if no page has the address
	args    map[string]string // named parts of the path
	choices map[string]string // choices in the path, by name
}

// arg returns a named segment of the path.
func (r *request) arg(name string) string { return r.args[name] }

// choice returns a choice in the path, "" for none.
func (r *request) choice(name string) string { return r.choices[name] }

// with returns the path of the same page with another choice; an empty value removes the
// choice. Any choice other than the page resets the page number.
func (r *request) with(name, value string) string {
	chosen := maps.Clone(r.choices)
	if name != "page" {
		delete(chosen, "page")
	}
	chosen[name] = value
	return r.route.path(r.args, chosen)
}
