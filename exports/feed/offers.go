package feed

import (
	"fmt"

	"kindex/exports/pricing"
	"kindex/exports/record"
)

// offerRows collects the changed fields of offers. Added and removed offers become one list.
type offerRows struct {
	whole row
	terms []row
}

// take reports whether a field belongs to an offer.
func (o *offerRows) take(f record.FieldChange) bool {
	c, ok := pricing.DescribeChange(f)
	if !ok {
		return false
	}
	if c.Term != "" {
		o.terms = append(o.terms, row{field: f.Field, label: clean(c.Label()), old: value{text: clean(c.Old)}, new: value{text: clean(c.New)}})
		return true
	}
	o.whole.field, o.whole.label = "offers", "offers"
	if c.Old != "" {
		o.whole.old.list = append(o.whole.old.list, clean(c.Offer+" ("+c.Old+")"))
	}
	if c.New != "" {
		o.whole.new.list = append(o.whole.new.list, clean(c.Offer+" ("+c.New+")"))
	}
	return true
}

// rows returns the rows: the list of offers first, then at most listLength other changes.
func (o *offerRows) rows() (rows []row) {
	if o.whole.field != "" {
		rows = append(rows, o.whole)
	}
	if n := len(o.terms) - listLength; n > 0 {
		rows = append(rows, o.terms[:listLength]...)
		return append(rows, row{field: "offers", label: "offers", note: fmt.Sprintf("%d more prices and terms changed", n), omitted: n - 1})
	}
	return append(rows, o.terms...)
}
