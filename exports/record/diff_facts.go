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
	list := func(name string, values []string) {
		if len(values) > 0 {
			c.add(section, name, jsonenc.AppendStrings(c.buf, values))
		}
	}
	if m := e.Model; m != nil {
		answer := func(name string, a Answer) {
			section++
			if a != Unknown {
				c.add(section, name, a.append(c.buf))
			}
		}
		count := func(name string, n int64) {
			if n != 0 {
				c.add(section, name, appendCount(c.buf, n))
			}
		}
		section++
		text("family", m.Family)
		answer("openWeights", m.OpenWeights)
		section++
		list("modalities.input", m.Input)
		list("modalities.output", m.Output)
		section++
		text("knowledge", m.Knowledge)
		section++
		count("parameters.active", m.ActiveParameters)
		count("parameters.total", m.Parameters)
		answer("reasoning", m.Reasoning)
		section++
		list("reasoningEfforts", m.ReasoningEfforts)
	}
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
	for i := range offers {
		o := &offers[i]
		prefix := "offers." + o.Key()
		c.list = append(c.list, fieldValue{section: offerSection, name: prefix, value: o.AppendJSON(nil), compareAs: []byte("offer"), group: prefix})
		for _, f := range o.terms() {
			c.list = append(c.list, fieldValue{section: offerSection, name: prefix + "." + f.name, value: f.value, group: prefix})
		}
	}
	slices.SortFunc(c.list[first:], func(a, b fieldValue) int { return cmp.Compare(a.name, b.name) })
}

// term is a named value of an offer, as JSON.
type term struct {
	name  string
	value []byte
}

// terms returns what is known of an offer besides its provider and id, without its date
// and source.
func (o *Offer) terms() (list []term) {
	prices := func(prefix string, p *Prices) {
		for i, name := range PriceNames {
			if p[i].Known() {
				list = append(list, term{prefix + name, p[i].AppendJSON(nil)})
			}
		}
	}
	tiers := func(prefix string, t []Tier) {
		if len(t) > 0 {
			list = append(list, term{prefix + "tiers", appendTiers(nil, t)})
		}
	}
	count := func(name string, n int64) {
		if n != 0 {
			list = append(list, term{name, appendCount(nil, n)})
		}
	}
	prices("", &o.Prices)
	count("context", o.Context)
	count("outputLimit", o.OutputLimit)
	tiers("", o.Tiers)
	for i := range o.Modes {
		prefix := "modes." + strings.ReplaceAll(o.Modes[i].Name, ".", "%2E") + "."
		prices(prefix, &o.Modes[i].Prices)
		tiers(prefix, o.Modes[i].Tiers)
	}
	if o.Free {
		list = append(list, term{"free", []byte("true")})
	}
	if o.Deprecated {
		list = append(list, term{"deprecated", []byte("true")})
	}
	if len(o.Reviewed) > 0 {
		list = append(list, term{"reviewed", jsonenc.AppendStrings(nil, o.Reviewed)})
	}
	return list
}
