package record

import "unique"

// share keeps the texts that many entities have in memory once: words, days, and the pages from which
// figures were read.
func (e *Entity) share() {
	for _, text := range []*string{
		&e.Type, &e.Provider, &e.Category, &e.PricingModel, &e.License, &e.AddedDate, &e.LastUpdated, &e.Status,
		&e.Maintenance.State, &e.Maintenance.AsOf, &e.Price.Provider, &e.Price.Date,
	} {
		share(text)
	}
	for _, list := range [][]string{e.Tags, e.Capabilities} {
		for i := range list {
			share(&list[i])
		}
	}
	for i := range e.Links {
		share(&e.Links[i].Name)
	}
	source := e.URL
	for i := range e.Signals.Facts {
		f := &e.Signals.Facts[i]
		share(&f.Day)
		share(&f.Date)
		if f.Source == source {
			f.Source = source
		}
		source = f.Source
	}
	for i := range e.Signals.Benchmarks {
		b := &e.Signals.Benchmarks[i]
		for _, text := range []*string{&b.Name, &b.Metric, &b.Harness, &b.Variant, &b.Dataset, &b.Version, &b.By, &b.Publisher, &b.Date, &b.Source} {
			share(text)
		}
	}
	for i := range e.Offers {
		o := &e.Offers[i]
		for _, text := range []*string{&o.Provider, &o.Until, &o.Date, &o.Source} {
			share(text)
		}
	}
}

func share(text *string) {
	if *text != "" {
		*text = unique.Make(*text).Value()
	}
}
