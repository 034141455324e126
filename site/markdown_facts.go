package site

import (
	"fmt"
	"strconv"
	"strings"

	"kindex/exports/ids"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// maxOffers is the maximum number of offers in an entity's Markdown page.
const maxOffers = 40

// lifecycle adds the announced end of an entity, and how recently it was maintained.
func (p *Page) lifecycle(add func(name, value string)) {
	e := p.Entity
	if l := e.Lifecycle; l != nil {
		add("Deprecated since", text(l.Deprecated))
		add("Retires on", text(l.Retires))
		add("Successor", p.entityLink(l.ReplacedBy))
		add("Announcement", address(l.Source))
	}
	if m := e.Maintenance; m.State != "" {
		add("Maintenance", dated(text(m.State), m.AsOf))
	}
}

// entityLink returns a link to the Markdown page of another entity, or "" for "".
func (p *Page) entityLink(key string) string {
	typ, slug, ok := strings.Cut(key, "/")
	switch {
	case !ok:
		return text(key)
	case p.Files:
		return link(key, beside(p.Base, typ, slug, "entity.md"))
	}
	return link(key, Address(p.Base, typ, slug))
}

// dated appends the day on which a value was read.
func dated(value, day string) string {
	if value == "" {
		return ""
	}
	if day == "" {
		return value + " (date unknown)"
	}
	return value + ", as of " + text(day)
}

// model adds what is known of a model: its price, its limits, and what it is.
func (p *Page) model(add func(name, value string)) {
	e := p.Entity
	if words := text(pricing.Words(&e.Price)); words != "" {
		if e.Price.Provider != "" {
			words += " at " + p.provider(e.Price.Provider)
		} else {
			words += " (median of the offers below)"
		}
		add("Price", dated(words, e.Price.Date))
	}
	for _, limit := range [...][2]string{{"contextTokens", "Context window"}, {"outputTokens", "Maximum output"}} {
		if f, ok := e.Signals.Fact(limit[0]); ok {
			add(limit[1], dated(number(f.Number)+" tokens", f.Date))
		}
	}
	for _, v := range e.Values {
		add(block(v.Field.Title), value(v))
	}
}

// value formats the value of a declared field. Numbers are not rounded.
func value(v record.Value) string {
	switch v := v.Value.(type) {
	case bool:
		return map[bool]string{false: "no", true: "yes"}[v]
	case float64:
		return number(v)
	case []string:
		return texts(v)
	case string:
		return text(v)
	}
	return ""
}

// provider returns the name of a provider of offers, or its slug if the name is unknown.
func (p *Page) provider(slug string) string {
	for i := range p.Providers {
		if p.Providers[i].Slug == slug {
			return text(p.Providers[i].Name)
		}
	}
	return text(slug)
}

// ids adds the identifiers of an entity, each namespace with its title.
func (p *Page) ids(add func(name, value string)) {
	e := p.Entity
	for i := 0; i < len(e.IDs); {
		namespace := e.IDs[i].Namespace
		title, n := namespace, p.namespace(namespace)
		if n != nil {
			title = n.Title
		}
		var values []string
		for ; i < len(e.IDs) && e.IDs[i].Namespace == namespace; i++ {
			value := text(e.IDs[i].Value)
			if n != nil && n.Page != "" {
				value += " (" + address(n.Address(e.IDs[i].Value)) + ")"
			}
			values = append(values, value)
		}
		add(block(title), strings.Join(values, ", "))
	}
}

func (p *Page) namespace(name string) *ids.Namespace {
	if p.Namespace == nil {
		return ids.Find(name)
	}
	return p.Namespace(name)
}

// offers writes the offers of a model as a table, the cheapest first.
func (w *markdown) offers(p *Page) {
	all := p.Entity.Offers
	if len(all) == 0 {
		return
	}
	w.line("## Offers")
	w.line("Prices in US dollars per million tokens, cheapest first.")
	var rows [][]string
	for _, o := range pricing.Cheapest(all, maxOffers) {
		rows = append(rows, []string{p.provider(o.Provider), text(o.ID), price(o.Prices[record.InputPrice]), price(o.Prices[record.OutputPrice]),
			price(o.Prices[record.CacheReadPrice]), count(o.Context), count(o.OutputLimit), texts(pricing.Conditions(&o)), text(o.Date), address(o.Source)})
	}
	w.table([]string{"Provider", "Model ID", "Input", "Output", "Cached input", "Context", "Maximum output", "Conditions", "Read", "Source"}, rows)
	if len(rows) < len(all) {
		w.line(fmt.Sprintf("The first %d of %d offers; the JSON record has all.", len(rows), len(all)))
	}
}

func price(p record.Price) string { return text(p.String()) }

// count formats a positive number, or returns "" for 0.
func count(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// offerChange describes the change to an offer.
func offerChange(c *pricing.Change) string {
	label, before, after := text(safetext.Shorten(c.Label(), maxValueLen)), text(safetext.Shorten(c.Old, maxValueLen)), text(safetext.Shorten(c.New, maxValueLen))
	switch {
	case before == "":
		return label + " added (" + after + ")"
	case after == "":
		return label + " removed (" + before + ")"
	}
	return label + " from " + before + " to " + after
}
