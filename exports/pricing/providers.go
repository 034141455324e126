package pricing

import "kindex/exports/record"

// Provider sells access to models, or hosts them.
type Provider struct {
	Slug  string `json:"slug"`
	Name  string `json:"name"`
	URL   string `json:"url"`   // its site, or ""
	Maker string `json:"maker"` // the provider of the models that it makes itself, or ""
}

// Providers are the providers of an index.
type Providers []Provider

// Makes reports whether the provider of an offer makes the models of a maker.
func (p Providers) Makes(provider, maker string) bool {
	for i := range p {
		if p[i].Slug == provider {
			return p[i].Maker != "" && p[i].Maker == maker
		}
	}
	return false
}

// Compute returns what is computed from the facts of an entity as of a day, YYYY-MM-DD.
func (p Providers) Compute(e *record.Entity, day string) record.Computed {
	number, err := record.DayNumber(day)
	if err != nil {
		number = record.NoDate
	}
	c := record.Computed{Maintenance: record.MaintenanceOf(&e.Signals, number)}
	if len(e.Offers) > 0 {
		c.Price = Summarize(e, On(e.Offers, day), func(provider string) bool { return p.Makes(provider, e.Provider) })
	}
	return c
}
