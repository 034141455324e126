package pricing

import (
	"strconv"
	"strings"

	"kindex/exports/record"
)

// Dollars returns a price with a dollar sign, or "unknown". It has no decimals or at least
// two.
func Dollars(p record.Price) string {
	if !p.Known() {
		return "unknown"
	}
	s := p.String()
	if i := strings.IndexByte(s, '.'); i >= 0 && i == len(s)-2 {
		s += "0"
	}
	return "$" + s
}

// Words returns the price of a model in words, without its provider and day, or "" if it is
// unknown.
func Words(p *record.PriceSummary) string {
	if !p.Input.Known() && !p.Output.Known() {
		return ""
	}
	return Dollars(p.Input) + " input, " + Dollars(p.Output) + " output per million tokens"
}

// Conditions describes the other terms of an offer: its modes and tiers, whether it is free,
// and whether it is deprecated. Only input and output prices are included.
func Conditions(o *record.Offer) (list []string) {
	if o.Deprecated {
		list = append(list, "deprecated")
	}
	if o.Free {
		list = append(list, "free")
	}
	terms := func(name string, p *record.Prices) {
		list = append(list, name+" "+Dollars(p[record.InputPrice])+" / "+Dollars(p[record.OutputPrice]))
	}
	tiers := func(prefix string, tiers []record.Tier) {
		for i := range tiers {
			terms(prefix+"over "+strconv.FormatInt(tiers[i].Over, 10)+" tokens", &tiers[i].Prices)
		}
	}
	tiers("", o.Tiers)
	for i := range o.Modes {
		m := &o.Modes[i]
		if m.Prices.Known() {
			terms(m.Name, &m.Prices)
		}
		tiers(m.Name+" ", m.Tiers)
	}
	if o.Until != "" {
		list = append(list, "until "+o.Until)
	}
	if o.Next != nil {
		terms("from "+o.Next.From, &o.Next.Prices)
	}
	return list
}
