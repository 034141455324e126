package collect

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/record"
)

// OfferSource is a Source that also reads what providers charge for models. It has a column
// OffersColumn, and Ask gets identifiers made by OfferID among the others.
type OfferSource interface {
	Source
	// CoversOffer reports whether an offer was read from the source, so that the source keeps it
	// current.
	CoversOffer(o *record.Offer) bool
}

// OffersColumn is the name of the offers of a source in Info.Columns and collect.yaml.
const OffersColumn = "offers"

const offerPrefix = "offer:"

// OfferID returns the identifier by which Ask is asked for an offer. o needs only Provider and
// ID.
func OfferID(o *record.Offer) string { return offerPrefix + o.Key() }

// IsOfferID reports whether an identifier is that of an offer.
func IsOfferID(id string) bool { return strings.HasPrefix(id, offerPrefix) }

// Offer is an offer in an answer. A price of 0 means that the source says 0, which may mean free
// or unknown; prices that the source does not have are unknown.
type Offer struct{ record.Offer }

// MarshalJSON implements json.Marshaler.
func (o Offer) MarshalJSON() ([]byte, error) { return o.AppendJSON(nil), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (o *Offer) UnmarshalJSON(b []byte) (err error) {
	o.Offer, err = record.DecodeOffer(b)
	return err
}

// offerTarget is an offer that a source keeps current.
type offerTarget struct {
	entity *record.Entity
	offer  *record.Offer
	id     string
}

// offersOf adds the offers of an entity that a source covers and no earlier source has.
func (a *asking) offersOf(e *record.Entity, owned map[string]bool) {
	s, ok := a.source.(OfferSource)
	if !ok || !hasColumn(a.columns, OffersColumn) {
		return
	}
	for i := range e.Offers {
		o := &e.Offers[i]
		if key := e.Key() + ":" + offerName(o); !owned[key] && s.CoversOffer(o) {
			owned[key] = true
			a.offers = append(a.offers, offerTarget{entity: e, offer: o, id: OfferID(o)})
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

// wrongOffer returns the reason an offer can never be written, or "".
func wrongOffer(found *record.Offer, day, today string) string {
	if reason := wrongReading(found.Source, day, today); reason != "" {
		return reason
	}
	for _, limit := range []int64{found.Context, found.OutputLimit} {
		if limit < 0 || limit > maxTokens {
			return wrongTokens(limit)
		}
	}
	reason := wrongPrices(&found.Prices, found.Tiers)
	seen := map[string]bool{}
	for i := range found.Modes {
		m := &found.Modes[i]
		switch {
		case !slices.Contains(record.OfferModes, m.Name):
			return fmt.Sprintf("it has the mode %q; expected one of: %s", m.Name, strings.Join(record.OfferModes, ", "))
		case seen[m.Name]:
			return fmt.Sprintf("it has the mode %q twice", m.Name)
		}
		seen[m.Name] = true
		reason = cmp.Or(reason, wrongPrices(&m.Prices, m.Tiers))
	}
	return reason
}

// The bounds of entity files. An offer beyond them must not get as far as a file: the file would
// be refused as a whole, with the figures of all other sources.
const (
	maxTokens = 1<<53 - 1
	maxPrice  = 999_999 // dollars
	maxTiers  = 10
)

func wrongTokens(n int64) string { return fmt.Sprintf("%d is not a number of tokens", n) }

// wrongPrices returns the reason prices and their tiers can never be written, or "".
func wrongPrices(p *record.Prices, tiers []record.Tier) string {
	for kind := range p {
		if x := p[kind].Float(); x > maxPrice {
			return fmt.Sprintf("%s is not a price (expected at most %d dollars)", number(x), maxPrice)
		}
	}
	if len(tiers) > maxTiers {
		return fmt.Sprintf("it has %d tiers; at most %d are allowed", len(tiers), maxTiers)
	}
	seen := map[int64]bool{}
	for i := range tiers {
		over := tiers[i].Over
		switch {
		case over < 1 || over > maxTokens:
			return wrongTokens(over)
		case seen[over]:
			return fmt.Sprintf("it has two tiers over %d", over)
		}
		seen[over] = true
		if reason := wrongPrices(&tiers[i].Prices, nil); reason != "" {
			return reason
		}
	}
	return ""
}

// ParseOfferID returns the provider and id of the offer that OfferID has identified.
func ParseOfferID(id string) (o record.Offer, ok bool) {
	provider, rest, ok := strings.Cut(strings.TrimPrefix(id, offerPrefix), "/")
	plain, err := url.PathUnescape(rest)
	return record.Offer{Provider: provider, ID: plain}, ok && err == nil && IsOfferID(id)
}
