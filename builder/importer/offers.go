package importer

import (
	"encoding/json"
	"fmt"
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

// unit is what the prices of an offer in the input are for.
type unit struct {
	tokens int64
	free   bool // prices of 0 are intended
}

func (dr *drafter) unitOf(g *mapping.Group, o object) (unit, *Reason) {
	free := dr.field(g.Fields["free"], "answer", o) // what is wrong is reported with the other fields
	text := dr.text(g.Per, o)
	tokens, wrong := mapping.Tokens(text)
	switch {
	case g.Per == nil:
		tokens = 1e6
	case dr.wrong == nil && wrong != "":
		dr.refuse(g.Per, text, wrong)
	case dr.wrong == nil && text == "":
		dr.wrong = &Reason{Column: columnOf(g.Per), Message: "is empty, so it is unknown what the prices are for; set default: million, or another default"}
	}
	return unit{max(tokens, 1), free == true}, dr.wrong
}

// price converts a number to a price for a million tokens or for one, rounded to six decimals, or returns what is wrong.
// A price of 0 that is not free is nil: sources write 0 for unknown prices. The draft records both.
func (d *Draft) price(s scope, kind int, text string) (price any, wrong string) {
	x, _ := strconv.ParseFloat(text, 64) // cannot fail
	if record.PerMillion(kind) {
		x = times(x, 1_000_000/s.tokens)
	}
	if kind == record.InputPrice && x > 0 {
		d.inputs = append(d.inputs, x)
	}
	if wrong := content.Implausible(kind, x); wrong != "" {
		if s.tokens == 1_000_000 && x < 1 {
			wrong += "; if so, set per in offers to token or thousand"
		}
		return nil, wrong
	}
	p, exact, err := record.TakePrice(x)
	switch {
	case err != nil:
		return nil, err.Error()
	case x == 0 && !s.free:
		d.adjusted = append(d.adjusted, Adjustment{Field: s.field(), Value: text})
		return nil, ""
	case !exact:
		d.adjusted = append(d.adjusted, Adjustment{Field: s.field(), Value: text, Taken: p.String()})
	}
	return p.Float(), ""
}

// zeroOffers counts the offers whose input and output price of 0 were left out.
func zeroOffers(list []Adjustment) (n int) {
	for _, a := range list {
		offer, isInput := strings.CutSuffix(a.Field, "].input")
		if isInput && !strings.Contains(offer, ".") && slices.Contains(list, Adjustment{Field: offer + "].output", Value: "0"}) {
			n++
		}
	}
	return n
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
