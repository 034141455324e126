package importer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

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
				list = append(list, dr.offer(d, columns, scope, field))
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
	before := len(d.adjusted.prices)
	offer := dr.priced(d, columns, rec, field, free == true)
	zero := func(name string) bool {
		return slices.ContainsFunc(d.adjusted.prices[before:], func(a Adjustment) bool { return a.Field == field+"."+name && a.Taken == "" })
	}
	if zero("input") && zero("output") {
		d.adjusted.free++
	}
	modes := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(columns.Modes)) {
		if mode := dr.priced(d, columns.Modes[name], rec, field+".modes."+name, free == true); len(mode) > 0 {
			modes[name] = mode
		}
	}
	if len(modes) > 0 {
		offer["modes"] = modes
	}
	return offer
}

// priced returns the fields of an offer, a tier or a mode, except modes.
func (dr *drafter) priced(d *draft, columns *mapping.OfferColumns, rec inputRecord, field string, free bool) map[string]any {
	out := map[string]any{}
	for _, t := range columns.Fields {
		name := t.Path[len(t.Path)-1]
		v, err := dr.offerField(name, t.Value, rec)
		if err == nil && v != nil && slices.Contains(record.PriceNames, name) {
			v, err = d.price(field+"."+name, v, free)
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
		tier := dr.priced(d, columns.Tiers, scope, field+".tiers["+strconv.Itoa(len(tiers))+"]", free)
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

// price returns a price rounded to six decimals, or nil if it is 0 and not free: sources write
// 0 for unknown prices, too. It records both in the draft.
func (d *draft) price(field string, item any, free bool) (any, error) {
	x, err := strconv.ParseFloat(textOf(item), 64)
	if err != nil {
		return nil, &Reason{Value: textOf(item), Message: yamldoc.Quote(textOf(item)) + " is not a number"}
	}
	p, exact, err := record.RoundPrice(x)
	switch {
	case err != nil:
		return nil, &Reason{Value: textOf(item), Message: err.Error()}
	case x == 0 && !free:
		d.adjusted.prices = append(d.adjusted.prices, Adjustment{Field: field, Value: textOf(item)})
		return nil, nil
	case x > 0 && p.Micros() == 0:
		return nil, &Reason{Value: textOf(item), Message: fmt.Sprintf("%s is less than a millionth of a dollar; prices are per million tokens", textOf(item))}
	case !exact:
		d.adjusted.prices = append(d.adjusted.prices, Adjustment{Field: field, Value: textOf(item), Taken: p.String()})
		return p.Float(), nil
	}
	return item, nil
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
