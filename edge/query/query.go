// Package query parses request parameters. It is strict: an unknown parameter, a value that is out
// of range, or a second value for a single-valued parameter is an error. The error suggests the
// nearest valid name or value. Nothing is silently ignored.
package query

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/view"
	"kindex/exports/where"
)

// Error describes what is wrong with a parameter.
type Error = where.Error

// The default and the maximum number of records on a page.
const (
	DefaultLimit = 20
	MaxLimit     = 1000
)

// The limits for a query. They are checked before anything is looked up, so the only cost of a
// query that is too long is reading it.
const (
	MaxQuery = 8 << 10 // total length in bytes
	MaxValue = 2 << 10 // length of a decoded value in bytes
)

// Params holds the parameters of one request. The first error is its response.
type Params struct {
	where.Params
	kinds *kinds.Set // of the index
}

// Parse parses a raw query and rejects parameters that are not in allowed.
func Parse(declared *kinds.Set, raw string, allowed []string) (*Params, error) {
	if len(raw) > MaxQuery {
		return nil, &Error{Param: "query", Message: fmt.Sprintf("has %d bytes; at most %d are allowed", len(raw), MaxQuery)}
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, &Error{Param: "query", Message: "is not properly encoded: " + strings.TrimPrefix(err.Error(), "invalid ")}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) { // report the first name in alphabetical order, since the order of a map is random
		if err := check(name, values[name], allowed); err != nil {
			return nil, err
		}
	}
	return &Params{where.Params{Given: values}, declared}, nil
}

// check checks a parameter's name, and the number and length of its values.
func check(name string, list, allowed []string) error {
	switch {
	case !utf8.ValidString(name) || slices.ContainsFunc(list, func(v string) bool { return !utf8.ValidString(v) }):
		return &Error{Param: cmp.Or(strings.ToValidUTF8(name, "\uFFFD"), "query"), Message: "is not UTF-8"}
	case name == "" && !slices.Contains(allowed, name):
		return &Error{Param: "query", Message: "has a value without a name"}
	case !slices.Contains(allowed, name):
		e := &Error{Param: name, Unknown: true, Message: "this endpoint takes no parameters"}
		if len(allowed) > 0 {
			e.Message = "is not a parameter of this endpoint; expected one of: " + strings.Join(slices.Sorted(slices.Values(allowed)), ", ")
			e.Suggestion = didyoumean.Name(name, allowed)
		}
		return e
	}
	n := len(list)
	for _, v := range list {
		if len(v) > MaxValue {
			return &Error{Param: name, Message: fmt.Sprintf("has a value of %d bytes; at most %d are allowed", len(v), MaxValue)}
		}
		if slices.Contains(where.Joined, name) {
			n += strings.Count(v, ",")
		}
	}
	if n > where.MaxValues {
		return &Error{Param: name, Message: fmt.Sprintf("has %d values; at most %d are allowed", n, where.MaxValues)}
	}
	return nil
}

// Canonical returns the query with its parameters sorted by name. It omits the parameters in
// without. Equivalent requests have the same canonical form.
func (p *Params) Canonical(without ...string) string {
	left := maps.Clone(p.Given)
	maps.DeleteFunc(left, func(name string, _ []string) bool { return slices.Contains(without, name) })
	return url.Values(left).Encode()
}

// WithCursor returns the query of the page that starts at a cursor.
func (p *Params) WithCursor(cursor string) string {
	next := url.Values(maps.Clone(p.Given))
	next.Del("offset")
	next.Set("cursor", cursor)
	return next.Encode()
}

// Each returns the distinct values of a parameter that can be repeated. None of them is empty.
func (p *Params) Each(name string) []string { return p.distinct(name, p.Given[name], nil, true) }

// AnyOf is like Each, but each value must be a known value.
func (p *Params) AnyOf(name string, known []string) []string {
	return p.distinct(name, p.Given[name], known, false)
}

// List is like AnyOf for a parameter whose values can be comma-separated lists.
func (p *Params) List(name string, known []string) []string {
	var all []string
	for _, joined := range p.Given[name] {
		for s := range strings.SplitSeq(joined, ",") {
			all = append(all, strings.TrimSpace(s))
		}
	}
	return p.distinct(name, all, known, false)
}

// distinct returns the distinct values among all, which must be known unless any are allowed.
func (p *Params) distinct(name string, all, known []string, any bool) (list []string) {
	for _, s := range all {
		switch {
		case strings.TrimSpace(s) == "":
			empty := &Error{Param: name, Message: "must not be empty"}
			if len(known) > 0 {
				empty.Message += "; expected one of: " + strings.Join(known, ", ")
			}
			p.Fail(empty)
			return nil
		case !any:
			value, unknown := where.Known(name, s, known)
			if unknown != nil {
				p.Fail(unknown)
				return nil
			}
			s = value
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// Sort reads the sort and order parameters. By default, names and prices are sorted in
// ascending order and everything else in descending order.
func (p *Params) Sort() view.Sort {
	keys := view.SortKeys(p.kinds)
	key, unknown := where.Known("sort", cmp.Or(p.Text("sort"), view.DefaultSort.Key), keys)
	if unknown != nil {
		unknown.Message += "; expected one of: " + strings.Join(plainKeys(keys), ", ") + ", or signal. and the name of a signal"
		p.Fail(unknown)
		return view.DefaultSort
	}
	def := "desc"
	if key == "name" || key == "price" {
		def = "asc"
	}
	return view.Sort{Key: key, Desc: p.OneOf("order", def, []string{"asc", "desc"}) == "desc"}
}

// plainKeys returns the sort keys other than signals.
func plainKeys(keys []string) []string {
	return slices.DeleteFunc(keys, func(key string) bool { return strings.HasPrefix(key, view.SignalKey("")) })
}

// Page describes which part of a collection is requested.
type Page struct {
	Limit  int
	Offset int
	Cursor *Cursor // nil if the request does not have one
}

// Page reads the limit parameter, and either cursor or offset. scope identifies the rest of the request;
// a cursor is valid only for the scope that it was created for.
func (p *Params) Page(scope string) Page {
	page := Page{Limit: p.Int("limit", DefaultLimit, 1, MaxLimit), Offset: p.Int("offset", 0, 0, 1<<31-1)}
	switch text := p.Text("cursor"); {
	case text == "":
	case p.Has("offset"):
		p.Fail(&Error{Param: "offset", Message: "cannot be combined with cursor; use one or the other"})
	default:
		var err error
		if page.Cursor, err = ParseCursor(text, scope); err != nil {
			p.Fail(err)
		}
	}
	return page
}

// Cursor identifies the record after which a page starts. It contains the record's sort value,
// type and slug, so it remains valid in later builds. Clients should treat it as opaque.
type Cursor struct {
	view.Position
	// Relevance is set in cursors for search hits. Hits are ordered by relevance; hits with the
	// same relevance are ordered by Position, which contains their composite score.
	Relevance *float64 `json:"r,omitempty"`
	// Provider and ID identify an offer of the model at Position. They are set in cursors for
	// offers.
	Provider string `json:"p,omitempty"`
	ID       string `json:"i,omitempty"`
}

// cursorJSON is the decoded form of a cursor.
type cursorJSON struct {
	Scope uint64 `json:"q"`
	Cursor
}

func scopeHash(scope string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(scope)) // never fails
	return h.Sum64()
}

// String returns the encoded form for clients, which is valid only for the given scope.
func (c Cursor) String(scope string) string {
	b, err := json.Marshal(cursorJSON{scopeHash(scope), c})
	if err != nil {
		panic(err) // strings and finite numbers can always be encoded
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor parses a cursor that String has encoded for the same scope.
func ParseCursor(s, scope string) (*Cursor, error) {
	bad := &Error{Param: "cursor", Message: "is not a valid cursor; start again without a cursor"}
	if len(s) > 2048 {
		return nil, bad
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil {
		return nil, bad
	}
	var c cursorJSON
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil || dec.More() || c.Type == "" || c.Slug == "" {
		return nil, bad
	}
	if c.Scope != scopeHash(scope) {
		return nil, &Error{Param: "cursor", Message: "is from a different request; keep all other parameters the same from page to page"}
	}
	return &c.Cursor, nil
}
