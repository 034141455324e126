package quality

import (
	"cmp"
	"slices"

	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// Contradictions lists offers that contradict the facts of their model or its other offers.
type Contradictions struct {
	Count int             `json:"count"`
	Data  []Contradiction `json:"data"` // by entity and offer; at most MaxListed
}

// Contradiction is a value of an offer that does not agree with another value.
type Contradiction struct {
	Entity string `json:"entity"` // type/slug
	Offer  string `json:"offer"`  // provider/id
	// Field is context, outputLimit, input or output.
	Field string `json:"field"`
	// Value and Expected are tokens, or US dollars per million tokens. Expected is the limit of
	// the model, or the median price of its offers.
	Value    any `json:"value"`
	Expected any `json:"expected"`
}

// farFactor is how far a price must be from the median of a model's offers to be a
// contradiction. Discounts and surcharges are smaller.
const farFactor = 10

// findContradictions compares the offers of listed entities.
func findContradictions(entities []*record.Entity) Contradictions {
	c := Contradictions{Data: []Contradiction{}}
	for _, e := range entities {
		if e.Status != record.Withdrawn {
			c.Data = append(c.Data, contradictionsOf(e)...)
		}
	}
	slices.SortFunc(c.Data, func(a, b Contradiction) int {
		return cmp.Or(cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Offer, b.Offer), cmp.Compare(a.Field, b.Field))
	})
	c.Count = len(c.Data)
	c.Data = c.Data[:min(len(c.Data), MaxListed)]
	return c
}

func contradictionsOf(e *record.Entity) (list []Contradiction) {
	context, _ := e.Signals.Fact(kinds.ContextSignal)
	output, _ := e.Signals.Fact(kinds.OutputSignal)
	priceKinds := []int{record.InputPrice, record.OutputPrice}
	var medians [len(record.Prices{})]*record.Offer
	for _, kind := range priceKinds {
		medians[kind] = pricing.MedianOffer(e.Offers, kind)
	}
	for i := range e.Offers {
		o := &e.Offers[i]
		add := func(field string, value, expected any) {
			list = append(list, Contradiction{Entity: e.Key(), Offer: o.Provider + "/" + o.ID, Field: field, Value: value, Expected: expected})
		}
		limit := func(field string, tokens int64, of float64) {
			if of > 0 && float64(tokens) > of {
				add(field, tokens, int64(of))
			}
		}
		limit("context", o.Context, context.Number)
		limit("outputLimit", o.OutputLimit, output.Number)
		for _, kind := range priceKinds {
			if medians[kind] == nil {
				continue
			}
			p, median := o.Prices[kind], medians[kind].Prices[kind]
			if p.Micros() > 0 && (p.Micros() >= farFactor*median.Micros() || farFactor*p.Micros() <= median.Micros()) {
				add(record.PriceNames[kind], p, median)
			}
		}
	}
	return list
}
