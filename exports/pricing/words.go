package pricing

import (
	"cmp"
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

// Change is a change to one field of an offer, or an added or removed offer, in words. Its
// texts contain what the content states, so they must be escaped.
type Change struct {
	Offer string // the model's name at the provider, and the provider
	Term  string // what changed, "" for a whole offer
	Old   string // "" if it was unknown, or the offer did not exist
	New   string
}

// Label returns what changed.
func (c *Change) Label() string {
	if c.Term == "" {
		return "offer " + c.Offer
	}
	return c.Term + " of " + c.Offer
}

// DescribeChange describes a change to a field of an offer. ok is false for other fields.
func DescribeChange(f record.FieldChange) (c Change, ok bool) {
	provider, id, name, ok := record.SplitOfferField(f.Field)
	if !ok {
		return Change{}, false
	}
	c.Offer = id + " at " + provider
	if name == "" {
		c.Old, c.New = offerText(f.Old), offerText(f.New)
		return c, true
	}
	mode := ""
	if rest, found := strings.CutPrefix(name, "modes."); found {
		mode, name, _ = strings.Cut(rest, ".")
		mode = strings.ReplaceAll(mode, "%2E", ".") + " "
	}
	t := terms[name]
	isPrice, unit := t.unit != "", t.unit
	c.Term = mode + cmp.Or(t.label, name)
	value := termText
	if isPrice {
		value = priceText
	}
	switch name {
	case "tiers", "next":
		value = func(raw []byte) string { return conditionsText(name, raw) }
	}
	c.Old, c.New = value(f.Old), value(f.New)
	switch { // the unit follows the last value
	case !isPrice:
	case c.New != "":
		c.New += " " + unit
	case c.Old != "":
		c.Old += " " + unit
	}
	return c, true
}

// term is how a term of an offer is called and, if it is a price, its unit.
type term struct{ label, unit string }

const perMillion = "per million tokens"

var terms = map[string]term{
	"input": {"input price", perMillion}, "output": {"output price", perMillion}, "cacheRead": {"cached input price", perMillion},
	"cacheWrite": {"cache write price", perMillion}, "reasoningOutput": {"reasoning price", perMillion},
	"inputAudio": {"audio input price", perMillion}, "outputAudio": {"audio output price", perMillion},
	"image": {"image price", "per image"}, "request": {"request price", "per request"}, "cacheWrite1h": {"price of an hour in the cache", perMillion},
	"inputImage": {"image input price", perMillion}, "page": {"page price", "per page"}, "minute": {"minute price", "per minute"},
	"second": {"second price", "per second"}, "character": {"character price", "per character"}, "context": {label: "context window"},
	"until": {label: "end of the prices"}, "next": {label: "announced prices"}, "hours": {label: "hours"},
	"outputLimit": {label: "maximum output"}, "tiers": {label: "prices of long requests"}, "deprecated": {label: "deprecation"},
	"free": {label: "free use"}, "reviewed": {label: "reviewed warnings"},
}

func priceText(raw []byte) string {
	var p record.Price
	if p.UnmarshalJSON(raw) != nil {
		return string(raw)
	}
	if !p.Known() {
		return ""
	}
	return Dollars(p)
}

func termText(raw []byte) string {
	switch s := string(raw); s {
	case "null":
		return ""
	case "true":
		return "yes"
	default:
		return strings.Trim(strings.ReplaceAll(s, `"`, ""), "[]")
	}
}

func conditionsText(member string, raw []byte) string {
	if string(raw) == "null" {
		return ""
	}
	o, err := record.DecodeOffer([]byte(`{"` + member + `":` + string(raw) + `}`))
	if err != nil {
		return string(raw)
	}
	return strings.Join(Conditions(&o), ", ")
}

func offerText(raw []byte) string {
	if string(raw) == "null" {
		return ""
	}
	o, err := record.DecodeOffer(raw)
	if err != nil {
		return string(raw)
	}
	return OfferWords(&o)
}

// OfferWords returns the prices of an offer in words, without those of its modes and tiers.
func OfferWords(o *record.Offer) string {
	p := record.PriceSummary{Input: o.Prices[record.InputPrice], Output: o.Prices[record.OutputPrice]}
	var words []string
	if text := Words(&p); text != "" {
		words = append(words, text)
	}
	for i, name := range record.PriceNames {
		if o.Prices[i].Known() && !record.PerMillion(i) {
			words = append(words, Dollars(o.Prices[i])+" "+terms[name].unit)
		}
	}
	return cmp.Or(strings.Join(words, ", "), "prices unknown")
}
