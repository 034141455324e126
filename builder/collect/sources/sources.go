// Package sources reads the figures of repositories, packages and models from GitHub, PyPI, npm, the
// Hugging Face Hub and models.dev. Each service is described by what it has and where in its responses that
// is; all are decoded and read in the same way.
//
// The sources were written from the public documentation, which Info.Pages names, and are tested against
// servers that behave as documented.
package sources

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"kindex/builder/collect"
	"kindex/builder/content/yamldoc"
	"kindex/exports/record"
)

type service struct {
	collect.Source
	facts []fact
}

type fact struct {
	collect.Column
	at    string // the members of an object that lead to it, separated by dots
	as    form
	shown bool // only --probe shows it; the index has no field for it
}

// form is how a value becomes one of an answer. Values of other types are left out.
type form int

const (
	count   form = iota // a number, or a boolean as 0 or 1
	day                 // a time, of which the day in UTC counts
	text                // as it is
	license             // an SPDX expression, or words that mean one
)

type object map[string]any

func (o object) at(path string) any {
	return yamldoc.ValueAt(map[string]any(o), strings.Split(path, "."))
}

func (o object) text(path string) string { return yamldoc.Text(o.at(path)) }

func number(v any) (x float64, ok bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case bool:
		if v {
			x = 1
		}
		return x, true
	}
	return 0, false
}

func (s *service) read(a *collect.Answer, o object) {
	for _, f := range s.facts {
		v := o.at(f.at)
		x, isNumber := number(v)
		switch t, err := time.Parse(time.RFC3339, yamldoc.Text(v)); {
		case f.as == count && isNumber:
			a.Add(collect.Value{Name: f.Name, Number: x})
		case f.as == day && err == nil:
			a.AddText(f.Name, t.UTC().Format(time.DateOnly))
		case f.as == text:
			a.AddText(f.Name, yamldoc.Text(v))
		case f.as == license:
			a.AddLicense(yamldoc.Text(v))
		}
	}
}

// newService returns a source whose name is the namespace of its identifiers. Addresses replace hosts unless they are
// "". name returns an identifier as the service spells it, or "" if it has no such thing.
func newService(of collect.Source, name func(id string) string, facts []fact, addresses ...string) *service {
	s := &service{of, facts}
	for i, address := range addresses {
		s.Hosts[i] = strings.TrimSuffix(cmp.Or(address, s.Hosts[i]), "/")
	}
	s.Columns = nil
	for _, f := range facts {
		if !f.shown {
			s.Columns = append(s.Columns, f.Column)
		}
	}
	s.Columns = append(s.Columns, of.Columns...)
	s.Identify = func(e *record.Entity) string {
		for _, id := range e.IDsIn(s.Name) {
			if id = name(id); id != "" {
				return id
			}
		}
		return ""
	}
	return s
}

func same(id string) string { return id }

// always, mostly and sometimes are the columns of values that all, nearly all and some answers have.
func always(name string) collect.Column { return collect.Column{Name: name, Always: true} }

func mostly(name string) collect.Column { return collect.Column{Name: name, Mostly: true} }

func sometimes(name string) collect.Column { return collect.Column{Name: name} }

func escapePath(id string) string {
	parts := strings.Split(id, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}
