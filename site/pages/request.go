package pages

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"kindex/exports/record"
)

// request is a request in progress.
type request struct {
	*Site
	Request
	route   *route            // nil if the address does not belong to a page
	args    map[string]string // named parts of the path
	choices map[string]string // choices in the path, by name
}

// arg returns a named part of the path.
func (r *request) arg(name string) string { return r.args[name] }

// choice returns a choice in the path, or "" if there is none.
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

// route is a kind of page.
type route struct {
	pattern string   // :name matches one segment
	choices []string // names of optional choices, which follow as name-value, in this order
	show    func(*request) (*page, error)
	paths   func(*Site) iter.Seq[string] // nil if a static site has no such pages
}

// match parses a path. Each page has one address: choices that are repeated, empty or in a
// different order do not match.
func (t *route) match(path string, args, choices map[string]string) bool {
	want := strings.Split(strings.Trim(t.pattern, "/"), "/")
	got := strings.Split(strings.Trim(path, "/"), "/")
	if len(got) < len(want) || strings.HasSuffix(path, "/") != strings.HasSuffix(t.pattern, "/") || strings.Contains(path, "//") {
		return false
	}
	for i, w := range want {
		switch name, isArg := strings.CutPrefix(w, ":"); {
		case !isArg && w != got[i]:
			return false
		case isArg && got[i] == "":
			return false
		case isArg && name == "type" && !slices.Contains(record.Types, got[i]):
			return false
		case isArg:
			args[name] = got[i]
		}
	}
	open := t.choices
	for _, part := range got[len(want):] {
		name, value, found := strings.Cut(part, "-")
		at := slices.Index(open, name)
		if !found || at < 0 || value == "" {
			return false
		}
		choices[name] = value
		open = open[at+1:]
	}
	return true
}

// path returns a path of the route.
func (t *route) path(args, choices map[string]string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.Trim(t.pattern, "/"), "/") {
		if name, isArg := strings.CutPrefix(part, ":"); isArg {
			part = args[name]
		}
		b.WriteString("/" + part)
	}
	for _, name := range t.choices {
		if v := choices[name]; v != "" {
			b.WriteString("/" + name + "-" + v)
		}
	}
	return strings.TrimSuffix(b.String(), "/") + "/"
}
