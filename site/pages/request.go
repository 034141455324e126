package pages

import (
	"maps"
)

// request is a request under way.
type request struct {
	*Site
	Request
	route   *route            // nil where no page has the address
	args    map[string]string // named parts of the path
	choices map[string]string // what chooses a form of the page, by name
}

// arg is a named part of the path.
func (r *request) arg(name string) string { return r.args[name] }

// choice is what the path chooses, "" where it leaves that open.
func (r *request) choice(name string) string { return r.choices[name] }

// with is the path of the same page with another choice; "" as the value takes the
// choice away. Another choice than the page begins at its first page again.
func (r *request) with(name, value string) string {
	chosen := maps.Clone(r.choices)
	if name != "page" {
		delete(chosen, "page")
	}
	chosen[name] = value
	return r.route.path(r.args, chosen)
}
