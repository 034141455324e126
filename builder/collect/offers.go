package collect

import (
	"cmp"
	"strconv"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/record"
)

// OffersColumn is the name of the offers of a source in Columns and collect.yaml.
const OffersColumn = "offers"

// offersOf adds the offers of an entity that a list covers and no earlier one has.
func (a *asking) offersOf(e *record.Entity, owned map[string]bool) {
	if a.LookOffer == nil || !hasColumn(a.columns, OffersColumn) {
		return
	}
	for i := range e.Offers {
		t := target{entity: e, offer: &e.Offers[i], id: offerName(&e.Offers[i])}
		key := e.Key() + ":" + t.id
		if answer, covered := a.LookOffer(t.offer); covered && !owned[key] {
			owned[key] = true
			a.take(t.id, answer)
			a.offers = append(a.offers, t)
		}
	}
}

// offerName is the name of an offer in reports and --accept, as in changes.
func offerName(o *record.Offer) string { return OffersColumn + "." + o.Key() }

// term is one price or limit of an offer. Names are such as input, context, tiers.200000.output
// and modes.batch.input.
type term struct {
	name  string
	value float64 // dollars or tokens
}

// terms lists the known prices and limits of an offer.
func terms(o *record.Offer) (list []term) {
	eachPrices(o, func(prefix string, p *record.Prices) {
		for kind, name := range record.PriceNames {
			if p[kind].Known() {
				list = append(list, term{prefix + name, p[kind].Float()})
			}
		}
	})
	for _, limit := range []term{{"context", float64(o.Context)}, {"outputLimit", float64(o.OutputLimit)}} {
		if limit.value > 0 {
			list = append(list, limit)
		}
	}
	return list
}

// eachPrices calls f for the prices of an offer, and those of its tiers and modes, with the
// prefix of their names in terms.
func eachPrices(o *record.Offer, f func(prefix string, p *record.Prices)) {
	tiers := func(prefix string, of []record.Tier) {
		for i := range of {
			f(prefix+"tiers."+strconv.FormatInt(of[i].Over, 10)+".", &of[i].Prices)
		}
	}
	f("", &o.Prices)
	tiers("", o.Tiers)
	for i := range o.Modes {
		prefix := "modes." + o.Modes[i].Name + "."
		f(prefix, &o.Modes[i].Prices)
		tiers(prefix, o.Modes[i].Tiers)
	}
}

// shownOffer describes an offer in a report.
func shownOffer(o *record.Offer) string {
	var parts []string
	for _, t := range terms(o) {
		if !strings.Contains(t.name, ".") {
			parts = append(parts, t.name+" "+number(t.value))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "no prices")
}

// wrongOffer returns the reason an offer can never be written, or "". It must not get as far as a file: that
// would be refused as a whole, with the figures of all other sources.
func (r *run) wrongOffer(kind string, o record.Offer, day string) string {
	if reason := wrongReading(o.Source, day, r.today); reason != "" {
		return reason
	}
	o.Date = day
	setFree(&o) // what is free is for other guards to say
	data, err := yamlfmt.Compose(r.content.Kinds, map[string]any{"name": "x", "description": "x", "category": "x", "offers": []any{fieldsOfOffer(&o, "")}})
	if err != nil {
		return err.Error()
	}
	_, problems := content.ParseEntity(r.content.Kinds, "the offer", kind, "x", data)
	for _, p := range problems {
		if p.Severity == yamldoc.Error {
			return strings.TrimPrefix(p.Field, "offers[0].") + ": " + p.Text()
		}
	}
	return ""
}
