// Package sources reads the figures of repositories, packages and models from GitHub, PyPI, npm, the
// Hugging Face Hub and models.dev. Each service is described by what it has and where in its responses that
// is; all are decoded and read in the same way.
//
// The sources were written from the public documentation, which Info.Pages names, and are tested against
// servers that behave as documented.
package sources

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"kindex/builder/collect"
	"kindex/builder/content/yamldoc"
	"kindex/exports/record"
)

// Source implements collect.Source, collect.Lister and collect.OfferSource. Its name is the namespace of
// its identifiers.
type Source struct {
	info  collect.Info
	facts []fact
	// name returns an identifier as the service spells it, or "" if it has no such thing.
	name   func(id string) string
	ask    func(ctx context.Context, s *Source, c collect.Client, ids []string) ([]collect.Answer, error)
	list   func(ctx context.Context, s *Source, c collect.Client) ([]collect.Candidate, error) // nil if it cannot say what it has
	covers func(o *record.Offer) bool                                                          // nil if it has no offers
}

// fact is a value that a service states.
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

// object is a decoded JSON or TOML object.
type object map[string]any

func (o object) at(path string) any {
	return yamldoc.ValueAt(map[string]any(o), strings.Split(path, "."))
}

func (o object) text(path string) string { return yamldoc.Text(o.at(path)) }

// number returns a number of JSON or TOML.
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

// read adds the facts in an object to an answer.
func (s *Source) read(a *collect.Answer, o object) {
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

// at completes a source, with the addresses of its services: each is that of a mirror or, if that is "", the
// public one.
func (s *Source) at(addresses ...string) *Source {
	for i, address := range addresses[:len(s.info.Hosts)] {
		s.info.Hosts[i] = strings.TrimSuffix(cmp.Or(address, s.info.Hosts[i]), "/")
	}
	for _, f := range s.facts {
		if !f.shown {
			s.info.Columns = append(s.info.Columns, f.Column)
		}
	}
	return s
}

// Info implements collect.Source.
func (s *Source) Info() collect.Info { return s.info }

// Identify implements collect.Source.
func (s *Source) Identify(e *record.Entity) string {
	for _, id := range e.IDsIn(s.info.Name) {
		if name := s.name(id); name != "" {
			return name
		}
	}
	return ""
}

// Ask implements collect.Source.
func (s *Source) Ask(ctx context.Context, c collect.Client, ids []string) ([]collect.Answer, error) {
	return s.ask(ctx, s, c, ids)
}

// List implements collect.Lister.
func (s *Source) List(ctx context.Context, c collect.Client) ([]collect.Candidate, error) {
	if s.list == nil {
		return nil, nil
	}
	return s.list(ctx, s, c)
}

// CoversOffer implements collect.OfferSource.
func (s *Source) CoversOffer(o *record.Offer) bool { return s.covers != nil && s.covers(o) }

func same(id string) string { return id }

// always, mostly and sometimes are the columns of values that all, nearly all and some answers have.
func always(name string) collect.Column { return collect.Column{Name: name, Always: true} }

func mostly(name string) collect.Column { return collect.Column{Name: name, Mostly: true} }

func sometimes(name string) collect.Column { return collect.Column{Name: name} }

// escapePath escapes an identifier for the path of an address.
func escapePath(id string) string {
	parts := strings.Split(id, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}
