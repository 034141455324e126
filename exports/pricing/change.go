package pricing

import (
	"strings"

	"kindex/exports/record"
)

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
	provider, id, term, ok := record.SplitOfferField(f.Field)
	if !ok {
		return Change{}, false
	}
	c.Offer = id + " at " + provider
	if term == "" {
		c.Old, c.New = offerText(f.Old), offerText(f.New)
		return c, true
	}
	mode, name := "", term
	if rest, found := strings.CutPrefix(term, "modes."); found {
		mode, name, _ = strings.Cut(rest, ".")
		mode = strings.ReplaceAll(mode, "%2E", ".") + " "
	}
	label, unit, isPrice := priceTerm(name)
	c.Term = mode + label
	value := termText
	if isPrice {
		value = priceText
	}
	if name == "tiers" {
		value = tiersText
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

// priceTerm returns the label and the unit of a price, or the label of another term.
func priceTerm(name string) (label, unit string, isPrice bool) {
	switch name {
	case "input", "output":
		return name + " price", "per million tokens", true
	case "cacheRead":
		return "cached input price", "per million tokens", true
	case "cacheWrite":
		return "cache write price", "per million tokens", true
	case "reasoningOutput":
		return "reasoning price", "per million tokens", true
	case "inputAudio":
		return "audio input price", "per million tokens", true
	case "outputAudio":
		return "audio output price", "per million tokens", true
	case "image", "request":
		return name + " price", "per " + name, true
	case "context":
		return "context window", "", false
	case "outputLimit":
		return "maximum output", "", false
	case "tiers":
		return "prices of long requests", "", false
	case "deprecated":
		return "deprecation", "", false
	case "free":
		return "free use", "", false
	case "reviewed":
		return "reviewed warnings", "", false
	}
	return name, "", false
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

func tiersText(raw []byte) string {
	if string(raw) == "null" {
		return ""
	}
	o, err := record.DecodeOffer([]byte(`{"tiers":` + string(raw) + `}`))
	if err != nil {
		return string(raw)
	}
	return strings.Join(Conditions(&o), ", ")
}

// offerText describes an added or removed offer, or returns "" for null.
func offerText(raw []byte) string {
	if string(raw) == "null" {
		return ""
	}
	o, err := record.DecodeOffer(raw)
	if err != nil {
		return string(raw)
	}
	p := record.PriceSummary{Input: o.Prices[record.InputPrice], Output: o.Prices[record.OutputPrice]}
	if words := Words(&p); words != "" {
		return words
	}
	return "prices unknown"
}
