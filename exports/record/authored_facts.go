package record

import (
	"slices"

	"kindex/exports/jsonenc"
)

// facts reads the members after the signals.
func (r *recordReader) facts(e *Entity) {
	e.IDs = r.member("ids").ids()
	var m Model
	m.Family = r.member("family").word()
	m.OpenWeights = r.member("openWeights").answer()
	r.member("modalities").literal(`{"input":`)
	m.Input = r.words()
	m.Output = r.member("output").words()
	r.literal("}")
	m.Knowledge = r.member("knowledge").word()
	r.member("parameters").literal(`{"total":`)
	m.Parameters = r.count()
	m.ActiveParameters = r.member("active").count()
	r.literal("}")
	m.Reasoning = r.member("reasoning").answer()
	m.ReasoningEfforts = r.member("reasoningEfforts").words()
	if known := m.OrNil(); known != nil {
		e.Model = new(m)
	}
	e.Lifecycle = r.member("lifecycle").lifecycle()
	r.member("maintenance").word()
	r.member("maintenanceAsOf").word()
	r.member("price")
	if r.nextIs('{') {
		r.skipPast('}')
	} else {
		r.literal("null")
	}
	r.member("offerCount").number()
	e.Offers = r.member("offers").offers()
}

func (r *recordReader) ids() (ids []ID) {
	for more := r.open("{", "}"); more; more = r.next("}") {
		namespace := r.word()
		r.literal(":")
		for more := r.open("[", "]"); more; more = r.next("]") {
			ids = append(ids, ID{namespace, r.text()})
		}
	}
	return ids
}

func (r *recordReader) answer() Answer {
	for _, a := range [...]Answer{No, Yes} {
		if r.nextIs(a.String()[0]) {
			r.literal(a.String())
			return a
		}
	}
	r.literal("null")
	return Unknown
}

// count reads a positive integer, 0 for null.
func (r *recordReader) count() int64 {
	if r.nextIs('n') {
		r.literal("null")
		return 0
	}
	return int64(r.number())
}

func (r *recordReader) price() Price {
	if r.nextIs('n') {
		r.literal("null")
		return Price{}
	}
	p, exact, err := RoundPrice(r.number())
	if !exact || err != nil {
		r.fail()
	}
	return p
}

func (r *recordReader) lifecycle() *Lifecycle {
	if r.nextIs('n') {
		r.literal("null")
		return nil
	}
	l := &Lifecycle{}
	r.literal(`{"deprecated":`)
	l.Deprecated = r.word()
	l.Retires = r.member("retires").word()
	l.ReplacedBy = r.member("replacedBy").word()
	l.Source = r.member("source").text()
	r.literal("}")
	return l
}

func (r *recordReader) offers() (list []Offer) {
	source := "" // most offers of a model have the same source
	for more := r.open("[", "]"); more; more = r.next("]") {
		var o Offer
		r.literal(`{"provider":`)
		o.Provider = r.word()
		o.ID = r.member("id").text()
		for i, name := range PriceNames {
			o.Prices[i] = r.member(name).price()
		}
		o.Context = r.member("context").count()
		o.OutputLimit = r.member("outputLimit").count()
		o.Tiers = r.member("tiers").tiers()
		o.Modes = r.member("modes").modes()
		o.Free = r.member("free").answer() == Yes
		o.Deprecated = r.member("deprecated").answer() == Yes
		o.Reviewed = r.member("reviewed").words()
		o.Date = r.member("date").word()
		if o.Source = r.member("source").text(); o.Source == source {
			o.Source = source
		}
		source = o.Source
		r.literal("}")
		list = append(list, o)
	}
	return slices.Clip(list)
}

func (r *recordReader) tiers() (list []Tier) {
	for more := r.open("[", "]"); more; more = r.next("]") {
		var t Tier
		r.literal(`{"over":`)
		t.Over = r.count()
		if r.nextIs(',') {
			r.literal(",")
			t.Prices = r.prices()
		}
		r.literal("}")
		list = append(list, t)
	}
	return list
}

// prices reads the known prices of a tier or mode, in order, up to another member or the
// end of the object.
func (r *recordReader) prices() (p Prices) {
	for i, name := range PriceNames {
		if len(r.rest) < len(name)+2 || r.rest[0] != '"' || r.rest[1:len(name)+1] != name || r.rest[len(name)+1] != '"' {
			continue
		}
		r.literal(`"` + name + `":`)
		p[i] = r.price()
		if !r.nextIs(',') {
			break
		}
		r.literal(",")
	}
	return p
}

func (r *recordReader) modes() (list []Mode) {
	for more := r.open("{", "}"); more; more = r.next("}") {
		m := Mode{Name: r.word()}
		r.literal(":{")
		m.Prices = r.prices()
		if r.nextIs('"') {
			r.literal(`"tiers":`)
			m.Tiers = r.tiers()
		}
		r.literal("}")
		list = append(list, m)
	}
	return list
}

// ParseOffers decodes the offers of a record, or of an authored record, with the family and
// input of the model. The other fields of the result are empty. It takes only a fraction of
// the time that UnmarshalJSON takes.
func ParseOffers(record []byte) (*Entity, error) {
	e := &Entity{}
	var m Model
	failed := false
	for name, value := range jsonenc.Members(record) {
		r := &recordReader{rest: string(value)}
		switch string(name) {
		case "family":
			m.Family = r.word()
		case "modalities":
			r.literal(`{"input":`)
			m.Input = r.words()
		case "offers":
			e.Offers = r.offers()
		}
		failed = failed || r.failed
	}
	if failed {
		return nil, errRecord
	}
	e.Model = m.OrNil()
	return e, nil
}
