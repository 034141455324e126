package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kindex/exports/pricing"
	"kindex/exports/record"
)

// modelFacts are the members of a record that are neither scores nor signals. In results, those
// that are unknown are omitted.
type modelFacts struct {
	IDs              map[string][]string `json:"ids,omitempty"`
	Family           string              `json:"family,omitempty"`
	OpenWeights      *bool               `json:"openWeights,omitempty"`
	Modalities       *modalities         `json:"modalities,omitempty"`
	Knowledge        string              `json:"knowledge,omitempty"`
	Parameters       *parameters         `json:"parameters,omitempty"`
	Reasoning        *bool               `json:"reasoning,omitempty"`
	ReasoningEfforts []string            `json:"reasoningEfforts,omitempty"`
	Lifecycle        *lifecycle          `json:"lifecycle,omitempty"`
	Maintenance      string              `json:"maintenance,omitempty"`
	MaintenanceAsOf  string              `json:"maintenanceAsOf,omitempty"`
	Price            *price              `json:"price,omitempty"`
	OfferCount       int                 `json:"offerCount,omitempty"`
	Offers           []offer             `json:"offers,omitempty"`
}

type modalities struct {
	Input  []string `json:"input,omitempty"`
	Output []string `json:"output,omitempty"`
}

type parameters struct {
	Total  *int64 `json:"total,omitempty"`
	Active *int64 `json:"active,omitempty"`
}

type lifecycle struct {
	Deprecated string `json:"deprecated,omitempty"`
	Retires    string `json:"retires,omitempty"`
	ReplacedBy string `json:"replacedBy,omitempty"`
	Source     string `json:"source,omitempty"`
}

// price is what a model costs: at a provider or, without one, the median of its offers.
type price struct {
	Input    record.Price `json:"input"`
	Output   record.Price `json:"output"`
	Blended  record.Price `json:"blended"`
	Provider string       `json:"provider,omitempty"`
	Date     string       `json:"date,omitempty"`
}

// offer is the short form of an offer.
type offer struct {
	Provider   string       `json:"provider"`
	ID         string       `json:"id"`
	Input      record.Price `json:"input"`
	Output     record.Price `json:"output"`
	CacheRead  record.Price `json:"cacheRead"`
	Context    *int64       `json:"context,omitempty"`
	Free       bool         `json:"free,omitempty"`
	Deprecated bool         `json:"deprecated,omitempty"`
	Date       string       `json:"date,omitempty"`
}

// dated is a figure with the day on which it was read.
type dated struct {
	Value any    `json:"value"`
	Date  string `json:"date,omitempty"`
}

// Limits for the facts of one entity in a result: the cheapest offers, and identifiers.
const (
	maxOffers = 8
	maxIDs    = 20
)

// readFigure decodes a signal, or returns nil if it is not a single figure.
func readFigure(raw json.RawMessage) *dated {
	var d dated
	if json.Unmarshal(raw, &d) != nil || d.Value == nil {
		return nil
	}
	return &d
}

// figure returns a signal, or nil if it is unknown.
func (r *entity) figure(name string) *dated {
	if raw := r.Signals[name]; raw != nil {
		return readFigure(raw)
	}
	return nil
}

// knownPrice returns the price, or nil if neither input nor output has one.
func (f *modelFacts) knownPrice() *price {
	if f.Price == nil || !f.Price.Input.Known() && !f.Price.Output.Known() {
		return nil
	}
	return f.Price
}

// brief returns the facts that are known, with only the cheapest offers.
func (f modelFacts) brief() *modelFacts {
	f.Price = f.knownPrice()
	if m := f.Modalities; m != nil && len(m.Input)+len(m.Output) == 0 {
		f.Modalities = nil
	}
	if p := f.Parameters; p != nil && p.Total == nil && p.Active == nil {
		f.Parameters = nil
	}
	slices.SortStableFunc(f.Offers, func(a, b offer) int { return pricing.CompareOffers(a.offer(), b.offer()) })
	f.Offers = f.Offers[:min(len(f.Offers), maxOffers)]
	return &f
}

func (o *offer) offer() *record.Offer {
	return &record.Offer{Prices: record.Prices{record.InputPrice: o.Input, record.OutputPrice: o.Output}, Deprecated: o.Deprecated}
}

// rows adds the facts in words, except the offers.
func (f *modelFacts) rows(add func(name, value string)) {
	if l := f.Lifecycle; l != nil {
		add("deprecated since", word(l.Deprecated))
		add("retires on", word(l.Retires))
		add("successor", word(l.ReplacedBy))
	}
	add("maintenance", asOf(word(f.Maintenance), f.MaintenanceAsOf))
	add("price", f.Price.text())
	if f.OfferCount > 0 {
		add("offers", fmt.Sprint(f.OfferCount))
	}
	add("family", word(f.Family))
	add("open weights", yesOrNo(f.OpenWeights))
	if m := f.Modalities; m != nil {
		add("input", word(strings.Join(m.Input, ", ")))
		add("output", word(strings.Join(m.Output, ", ")))
	}
	add("knowledge cutoff", word(f.Knowledge))
	if p := f.Parameters; p != nil {
		add("total parameters", optionalCount(p.Total))
		add("active parameters", optionalCount(p.Active))
	}
	add("reasoning", yesOrNo(f.Reasoning))
	add("reasoning efforts", word(strings.Join(f.ReasoningEfforts, ", ")))
	add("identifiers", f.idsText())
}

// idsText lists identifiers as namespace:id.
func (f *modelFacts) idsText() string {
	var list []string
	for _, namespace := range slices.Sorted(maps.Keys(f.IDs)) {
		for _, id := range f.IDs[namespace] {
			if len(list) == maxIDs {
				return strings.Join(append(list, "…"), ", ")
			}
			list = append(list, word(namespace)+":"+identifier(id))
		}
	}
	return strings.Join(list, ", ")
}

// offersText writes the offers, one a line.
func (f *modelFacts) offersText(b *strings.Builder) {
	if f == nil || len(f.Offers) == 0 {
		return
	}
	fmt.Fprintf(b, "cheapest offers, in US dollars per million tokens (%d of %d):\n", len(f.Offers), max(f.OfferCount, len(f.Offers)))
	for i := range f.Offers {
		o := &f.Offers[i]
		parts := []string{pricing.Dollars(o.Input) + " input", pricing.Dollars(o.Output) + " output"}
		if o.CacheRead.Known() {
			parts = append(parts, pricing.Dollars(o.CacheRead)+" cached input")
		}
		if o.Context != nil {
			parts = append(parts, "context "+optionalCount(o.Context))
		}
		if o.Free {
			parts = append(parts, "free")
		}
		if o.Deprecated {
			parts = append(parts, "deprecated")
		}
		fmt.Fprintf(b, "- %s %s: %s\n", word(o.Provider), identifier(o.ID), asOf(strings.Join(parts, ", "), o.Date))
	}
}

// text returns the price in words, or "" if it is unknown.
func (p *price) text() string {
	if p == nil {
		return ""
	}
	words := pricing.Words(&record.PriceSummary{Input: p.Input, Output: p.Output})
	if p.Provider != "" {
		words += " at " + word(p.Provider)
	} else {
		words += " (median of its offers)"
	}
	return asOf(words, p.Date)
}

func (l *lifecycle) text() string {
	if l == nil {
		return ""
	}
	var parts []string
	for _, part := range [...][2]string{{"deprecated since ", l.Deprecated}, {"retires on ", l.Retires}, {"successor ", l.ReplacedBy}} {
		if part[1] != "" {
			parts = append(parts, part[0]+word(part[1]))
		}
	}
	return strings.Join(parts, ", ")
}

// labelled puts a label in front of a value, if there is one.
func labelled(label, value string) string {
	if value == "" {
		return ""
	}
	return label + " " + value
}

// asOf appends the day on which a value was read, so that agents do not report old figures as
// current. The value is on one line, and quoted if third parties wrote it.
func asOf(value, day string) string {
	if value == "" {
		return ""
	}
	if day == "" {
		return value + " (date unknown)"
	}
	return value + ", as of " + word(day)
}

func yesOrNo(b *bool) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return "yes"
	}
	return "no"
}

func optionalCount(n *int64) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}
