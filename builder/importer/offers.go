package importer

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"

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

// adjustments are the prices of one row that were not taken as the input states them.
type adjustments struct {
	prices []Adjustment
	free   int // offers with an input and an output price of 0
}

// offers adds the offers of a row. An offer without a provider or id is left out.
func (dr *drafter) offers(d *draft, rec inputRecord) {
	var list []any
	for i := range dr.m.Offers {
		columns := &dr.m.Offers[i]
		scopes, err := scopesOf(columns.Each, rec)
		if err != nil {
			d.refuse("offers", err)
		}
		for _, scope := range scopes {
			field := "offers[" + strconv.Itoa(len(list)) + "]"
			provider, err1 := dr.text(columns.Field("provider"), "", scope)
			id, err2 := dr.text(columns.Field("id"), "", scope)
			for _, err := range []error{err1, err2} {
				if err != nil {
					d.refuse(field, err)
				}
			}
			if provider != "" && id != "" {
				if offer := dr.offer(d, columns, scope, field); offer != nil {
					list = append(list, offer)
				}
			}
		}
	}
	if len(list) == 0 {
		return
	}
	d.set([]string{"offers"}, list)
	if read, _ := d.fields["offersRead"].(map[string]any); dr.date != "" && read["date"] == nil {
		d.set([]string{"offersRead", "date"}, dr.date)
	}
}

// scopesOf returns the records that columns with each refer to: the row itself, or the entries
// of a list in it.
func scopesOf(each string, rec inputRecord) ([]inputRecord, error) {
	if each == "" {
		return []inputRecord{rec}, nil
	}
	return entries(each, rec)
}

func (dr *drafter) offer(d *draft, columns *mapping.OfferColumns, rec inputRecord, field string) map[string]any {
	free, err := dr.answer(columns.Field("free"), rec)
	if err != nil {
		d.refuse(field+".free", err)
	}
	unit, err := dr.unit(columns.Per, rec)
	if err != nil {
		d.refuse(field, err)
		return nil
	}
	unit.free = free == true
	before := len(d.adjusted.prices)
	offer := dr.priced(d, columns, rec, field, unit)
	zero := func(name string) bool {
		return slices.ContainsFunc(d.adjusted.prices[before:], func(a Adjustment) bool { return a.Field == field+"."+name && a.Taken == "" })
	}
	if zero("input") && zero("output") {
		d.adjusted.free++
	}
	modes := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(columns.Modes)) {
		if mode := dr.priced(d, columns.Modes[name], rec, field+".modes."+name, unit); len(mode) > 0 {
			modes[name] = mode
		}
	}
	if len(modes) > 0 {
		offer["modes"] = modes
	}
	return offer
}

// unit is what the prices of an offer in the input are for.
type unit struct {
	tokens int64
	free   bool // prices of 0 are intended
}

func (dr *drafter) unit(v *mapping.Value, rec inputRecord) (unit, error) {
	if v == nil {
		return unit{tokens: 1e6}, nil
	}
	text, err := dr.text(v, "", rec)
	if err != nil {
		return unit{}, err
	}
	tokens, wrong := mapping.Tokens(text)
	if text == "" {
		wrong = "is empty, so it is unknown what the prices are for; set default: million, or another default"
	} else if wrong != "" {
		wrong = yamldoc.Quote(text) + " " + wrong
	}
	if wrong != "" {
		return unit{}, &Reason{Column: columnOf(v), Value: text, Message: wrong}
	}
	return unit{tokens: tokens}, nil
}

// priced returns the fields of an offer, a tier or a mode, except modes.
func (dr *drafter) priced(d *draft, columns *mapping.OfferColumns, rec inputRecord, field string, u unit) map[string]any {
	out := map[string]any{}
	for _, t := range columns.Fields {
		name := t.Path[len(t.Path)-1]
		v, err := dr.offerField(name, t.Value, rec)
		if kind := slices.Index(record.PriceNames, name); err == nil && v != nil && kind >= 0 {
			v, err = d.price(field, kind, v, u)
		}
		if err != nil {
			d.refuse(field+"."+name, withColumn(err, t.Value))
		} else if v != nil && v != false {
			out[name] = v
		}
	}
	if columns.Tiers == nil {
		return out
	}
	var tiers []any
	scopes, err := scopesOf(columns.Tiers.Each, rec)
	if err != nil {
		d.refuse(field+".tiers", err)
	}
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

// offerField returns a field of an offer in the form used in files, or nil if it has no value.
func (dr *drafter) offerField(name string, v *mapping.Value, rec inputRecord) (any, error) {
	as := ""
	switch name {
	case "free", "deprecated":
		return dr.answer(v, rec)
	case "provider", "id", "source":
	case "date":
		as = "date"
	default:
		item, ok, err := dr.single(v, "number", rec)
		if !ok || err != nil {
			return nil, err
		}
		return item, nil
	}
	text, err := dr.text(v, as, rec)
	if err != nil || text == "" {
		return nil, err
	}
	return text, nil
}

// price returns a price for a million tokens, or for one image or request, rounded to six decimals.
// It returns nil if the price is 0 and not free: sources write 0 for unknown prices, too. It records
// both in the draft.
func (d *draft) price(field string, kind int, item any, u unit) (any, error) {
	text := textOf(item)
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, &Reason{Value: text, Message: yamldoc.Quote(text) + " is not a number"}
	}
	if kind != record.ImagePrice && kind != record.RequestPrice {
		x = times(x, 1_000_000/u.tokens)
	}
	if kind == record.InputPrice && x > 0 {
		d.inputs = append(d.inputs, x)
	}
	if wrong := content.Implausible(kind, x); wrong != "" {
		if u.tokens == 1_000_000 && x < 1 {
			wrong += "; if so, set per in offers to token or thousand"
		}
		return nil, &Reason{Value: text, Message: wrong}
	}
	p, exact, err := record.TakePrice(x)
	switch {
	case err != nil:
		return nil, &Reason{Value: text, Message: err.Error()}
	case x == 0 && !u.free:
		d.adjusted.prices = append(d.adjusted.prices, Adjustment{Field: field + "." + record.PriceNames[kind], Value: text})
		return nil, nil
	case !exact:
		d.adjusted.prices = append(d.adjusted.prices, Adjustment{Field: field + "." + record.PriceNames[kind], Value: text, Taken: p.String()})
	}
	return p.Float(), nil
}

// times multiplies the decimal number that x stands for, so that 7.5e-08 times a million is 0.075.
func times(x float64, factor int64) float64 {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
	if !ok {
		return x // infinite
	}
	product, _ := r.Mul(r, new(big.Rat).SetInt64(factor)).Float64()
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
	return yamldoc.Problems{j.mapping.Problem(j.mapping.Offers[0].Location, message, "")}
}

// keepReviews copies the rules whose warnings a person has checked from the existing offers to
// the new ones with the same prices.
func keepReviews(d *draft, old *record.Entity) {
	list, _ := d.fields["offers"].([]any)
	if old == nil || len(list) == 0 {
		return
	}
	byKey := map[string]map[string]any{}
	for _, item := range list {
		offer, _ := item.(map[string]any)
		byKey[(&record.Offer{Provider: textOf(offer["provider"]), ID: textOf(offer["id"])}).Key()] = offer
	}
	for i := range old.Offers {
		o := &old.Offers[i]
		offer := byKey[o.Key()]
		if offer == nil || len(o.Reviewed) == 0 {
			continue
		}
		same := true
		for kind, name := range record.PriceNames {
			same = same && (offer[name] == nil) == !o.Prices[kind].Known() && (offer[name] == nil || textOf(offer[name]) == o.Prices[kind].String())
		}
		if same {
			offer["reviewed"] = o.Reviewed
		}
	}
}

// withColumn adds the columns of a value to a reason that does not name any.
func withColumn(err error, v *mapping.Value) error {
	if r, ok := errors.AsType[*Reason](err); ok && r.Column == "" {
		r.Column = columnOf(v)
	}
	return err
}
