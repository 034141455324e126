package record

import (
	"cmp"
	"slices"
	"strings"

	"kindex/exports/jsonenc"
)

// addFacts adds the facts of an entity after its signals, in the order of the record. Each
// top-level field is a section of its own.
func (c *fieldCollector) addFacts(e *Entity) {
	section, linked := factSection, LinkedIDs(e.Links) // a changed link is a change of its own
	for from := 0; from < len(e.IDs); {
		to := from + 1
		for to < len(e.IDs) && e.IDs[to].Namespace == e.IDs[from].Namespace {
			to++
		}
		if to-from > 1 || !slices.Contains(linked, e.IDs[from]) {
			c.add(section, "ids."+e.IDs[from].Namespace, jsonenc.AppendStrings(c.buf, e.IDsIn(e.IDs[from].Namespace)))
		}
		from = to
	}
	text := func(name, value string) {
		if value != "" {
			c.add(section, name, jsonenc.AppendString(c.buf, value))
		}
	}
	first := len(c.list)
	for _, f := range e.Declared().Fields { // the parts of a group belong to its section
		section++
		for _, v := range e.Values {
			if own := v.Field.Name == f.Name && v.Field.Group == nil || v.Field.Group == f; own && v.Field.ComputedFrom == "" {
				c.add(section, v.Field.Path, v.Field.AppendJSON(c.buf, v.Value))
			}
		}
	}
	slices.SortStableFunc(c.list[first:], func(a, b fieldValue) int {
		return cmp.Or(a.section-b.section, strings.Compare(a.name, b.name))
	})
	section = offerSection - 1
	if l := e.Lifecycle; l != nil {
		text("lifecycle.deprecated", l.Deprecated)
		text("lifecycle.replacedBy", l.ReplacedBy)
		text("lifecycle.retires", l.Retires)
	}
}

// addOffers adds the fields of the offers. An offer is one field, the whole object, if it
// was added or removed, which diff cannot know yet; so each offer is a group of fields.
func (c *fieldCollector) addOffers(offers []Offer) {
	first := len(c.list)
	var terms []term
	for i := range offers {
		o := &offers[i]
		whole := "offers." + o.Key()
		c.add(offerSection, whole, o.AppendJSON(c.buf))
		c.list[len(c.list)-1].compareAs, c.list[len(c.list)-1].group = offerCompareAs, whole
		terms, c.buf = o.terms(terms[:0], c.buf)
		for _, t := range terms {
			c.list = append(c.list, fieldValue{section: offerSection, name: whole + "." + t.prefix + t.name, value: t.value, group: whole})
		}
	}
	slices.SortFunc(c.list[first:], func(a, b fieldValue) int { return strings.Compare(a.name, b.name) })
}

// offerCompareAs makes all whole offers equal: their terms are compared instead.
var offerCompareAs = []byte("offer")

// term is a named value of an offer, as JSON.
type term struct {
	prefix, name string // the name is in two parts, because most terms have no prefix
	value        []byte
}

// terms appends to list what is known of an offer besides its provider and id, without its
// date and source. The values are appended to buf.
func (o *Offer) terms(list []term, buf []byte) ([]term, []byte) {
	add := func(prefix, name string, grown []byte) {
		list = append(list, term{prefix: prefix, name: name, value: grown[len(buf):len(grown):len(grown)]})
		buf = grown
	}
	prices := func(prefix string, p *Prices) {
		for i, name := range PriceNames {
			if p[i].Known() {
				add(prefix, name, p[i].AppendJSON(buf))
			}
		}
	}
	tiers := func(prefix string, t []Tier) {
		if len(t) > 0 {
			add(prefix, "tiers", appendTiers(buf, t))
		}
	}
	count := func(name string, n int64) {
		if n != 0 {
			add("", name, appendCount(buf, n))
		}
	}
	prices("", &o.Prices)
	count("context", o.Context)
	count("outputLimit", o.OutputLimit)
	tiers("", o.Tiers)
	for i := range o.Modes {
		prefix := "modes." + strings.ReplaceAll(o.Modes[i].Name, ".", "%2E") + "."
		if o.Modes[i].Hours != "" {
			add(prefix, "hours", jsonenc.AppendString(buf, o.Modes[i].Hours))
		}
		prices(prefix, &o.Modes[i].Prices)
		tiers(prefix, o.Modes[i].Tiers)
	}
	if o.Until != "" {
		add("", "until", jsonenc.AppendString(buf, o.Until))
	}
	if o.Next != nil {
		add("", "next", o.Next.AppendJSON(buf))
	}
	if o.Free {
		add("", "free", append(buf, "true"...))
	}
	if o.Deprecated {
		add("", "deprecated", append(buf, "true"...))
	}
	if len(o.Reviewed) > 0 {
		add("", "reviewed", jsonenc.AppendStrings(buf, o.Reviewed))
	}
	return list, buf
}
