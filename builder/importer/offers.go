package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
	"kindex/exports/record"
)

// Adjustment is a price that was not taken as the input states it.
type Adjustment struct {
	Field string `json:"field"`
	Value string `json:"value"`           // as in the input
	Taken string `json:"taken,omitempty"` // the rounded price, or "" if the price is left out as unknown
}

// offers adds the offers of a row. An offer without a provider or id is left out.
func (dr *drafter) offers(d *Draft, o object) {
	var list []any
	for _, columns := range dr.m.Offers {
		scopes, err := scopesOf(columns.Each, o)
		d.refuse("offers", err)
		for _, scope := range scopes {
			field := "offers[" + strconv.Itoa(len(list)) + "]"
			provider, err := dr.text(columns.Field("provider"), scope)
			d.refuse(field, err)
			id, err := dr.text(columns.Field("id"), scope)
			d.refuse(field, err)
			if provider == "" || id == "" {
				continue
			}
			if offer := dr.offer(d, columns, scope, field); offer != nil {
				list = append(list, offer)
			}
		}
	}
	if len(list) == 0 {
		return
	}
	d.set(list, "offers")
	if read, _ := d.Fields["offersRead"].(map[string]any); dr.date != "" && read["date"] == nil {
		d.set(dr.date, "offersRead", "date")
	}
}

func (dr *drafter) offer(d *Draft, columns *mapping.Columns, o object, field string) map[string]any {
	u, err := dr.unit(columns, o)
	if err != nil {
		d.refuse(field, err)
		return nil
	}
	before := len(d.adjusted)
	offer := dr.priced(d, columns, o, field, u)
	zero := func(name string) bool {
		return slices.Contains(d.adjusted[before:], Adjustment{Field: field + "." + name, Value: "0"})
	}
	if zero("input") && zero("output") {
		d.zeroOffers++
	}
	modes := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(columns.Modes)) {
		if mode := dr.priced(d, columns.Modes[name], o, field+".modes."+name, u); len(mode) > 0 {
			modes[name] = mode
		}
	}
	if len(modes) > 0 {
		offer["modes"] = modes
	}
	if columns.Next != nil {
		if next := dr.priced(d, columns.Next, o, field+".next", u); next["from"] != nil && len(next) > 1 {
			offer["next"] = next
		}
	}
	return offer
}

// unit is what the prices of an offer in the input are for.
type unit struct {
	tokens int64
	free   bool // prices of 0 are intended
}

func (dr *drafter) unit(columns *mapping.Columns, o object) (u unit, err error) {
	free, _ := dr.field(columns.Field("free"), "answer", o) // an error is reported with the other fields
	u = unit{tokens: 1e6, free: free == true}
	if columns.Per == nil {
		return u, nil
	}
	text, err := dr.text(columns.Per, o)
	if err != nil {
		return u, err
	}
	var wrong string
	if u.tokens, wrong = mapping.Tokens(text); wrong != "" {
		return u, refusal(columns.Per, text, wrong)
	}
	if text == "" {
		return u, &Reason{Column: columnOf(columns.Per), Message: "is empty, so it is unknown what the prices are for; set default: million, or another default"}
	}
	return u, nil
}

// priced returns the fields of an offer, a tier or a mode, except modes.
func (dr *drafter) priced(d *Draft, columns *mapping.Columns, o object, field string, u unit) map[string]any {
	out := map[string]any{}
	for _, t := range columns.Fields {
		name, form := t.Path[0], partForms[t.Path[0]]
		kind := slices.Index(record.PriceNames, name)
		if kind >= 0 {
			form = "number"
		} else if name == "date" || name == "until" || name == "from" {
			form = "date" // a month is too little
		}
		v, err := dr.field(t.Value, form, o)
		if err == nil && v != nil && kind >= 0 {
			var wrong string
			item := v
			if v, wrong = d.price(field, kind, textOf(item), u); wrong != "" {
				err = &Reason{Column: columnOf(t.Value), Value: textOf(item), Message: wrong}
			}
		}
		if d.refuse(field+"."+name, err); v != nil && v != false {
			out[name] = v
		}
	}
	if columns.Tiers == nil {
		return out
	}
	var tiers []any
	scopes, err := scopesOf(columns.Tiers.Each, o)
	d.refuse(field+".tiers", err)
	for _, scope := range scopes {
		tier := dr.priced(d, columns.Tiers, scope, field+".tiers["+strconv.Itoa(len(tiers))+"]", u)
		if tier["over"] != nil && len(tier) > 1 {
			tiers = append(tiers, tier)
		}
	}
	if len(tiers) > 0 {
		out["tiers"] = tiers
	}
	return out
}

// price converts a number to a price for a million tokens or for one, rounded to six decimals, or returns what is wrong.
// A price of 0 that is not free is nil: sources write 0 for unknown prices. The draft records both.
func (d *Draft) price(field string, kind int, text string, u unit) (price any, wrong string) {
	x, _ := strconv.ParseFloat(text, 64) // cannot fail
	if record.PerMillion(kind) {
		x = times(x, 1_000_000/u.tokens)
	}
	if kind == record.InputPrice && x > 0 {
		d.inputs = append(d.inputs, x)
	}
	if wrong := content.Implausible(kind, x); wrong != "" {
		if u.tokens == 1_000_000 && x < 1 {
			wrong += "; if so, set per in offers to token or thousand"
		}
		return nil, wrong
	}
	p, exact, err := record.TakePrice(x)
	adjusted := Adjustment{Field: field + "." + record.PriceNames[kind], Value: text}
	switch {
	case err != nil:
		return nil, err.Error()
	case x == 0 && !u.free:
		d.adjusted = append(d.adjusted, adjusted)
		return nil, ""
	case !exact:
		adjusted.Taken = p.String()
		d.adjusted = append(d.adjusted, adjusted)
	}
	return p.Float(), ""
}

// times multiplies the decimal number that x stands for by a power of ten, so that 7.5e-08 times a million is 0.075.
func times(x float64, factor int64) float64 {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exponent)
	product, _ := strconv.ParseFloat(fmt.Sprintf("%se%d", mantissa, n+len(strconv.FormatInt(factor, 10))-1), 64)
	return product
}

// Bounds for the median input price of a list, in dollars for a million tokens. Beyond them, the
// list has another unit, though some of its prices would be plausible.
const (
	leastMedian = 0.004
	mostMedian  = 100
	fewPrices   = 3 // fewer prices have no telling median
)

// wrongUnit returns an error if the input prices of a whole list are implausible.
func (j *job) wrongUnit(inputs []float64) error {
	if len(inputs) < fewPrices {
		return nil
	}
	slices.Sort(inputs)
	median := inputs[len(inputs)/2]
	if median >= leastMedian && median <= mostMedian {
		return nil
	}
	hint := "check per in offers"
	for _, name := range []string{"token", "thousand"} {
		tokens, _ := mapping.Tokens(name)
		if x := median * float64(1_000_000/tokens); x >= leastMedian && x <= mostMedian {
			hint = "if the prices are per " + name + ", set per: " + name
			break
		}
	}
	message := fmt.Sprintf("the median of %d input prices is %s dollars for a million tokens, which is implausible; %s",
		len(inputs), strconv.FormatFloat(median, 'f', -1, 64), hint)
	return yamldoc.Problems{j.mapping.Offers[0].Place.Problem(message, "")}
}

// keepReviews copies the rules that a person has checked to new offers with the same prices.
func keepReviews(d *Draft, old *record.Entity) {
	list, _ := d.Fields["offers"].([]any)
	if old == nil {
		return
	}
	for _, item := range list {
		offer, _ := item.(map[string]any)
		data, _ := json.Marshal(offer)
		fresh, err := record.DecodeOffer(data)
		for _, o := range old.Offers {
			if err == nil && o.Key() == fresh.Key() && o.Prices == fresh.Prices && len(o.Reviewed) > 0 {
				offer["reviewed"] = o.Reviewed
			}
		}
	}
}
