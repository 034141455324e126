package collect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

type offerEdit struct {
	target
	fresh   record.Offer // with its new date and source
	remove  bool
	changes []Change // if there are none, only the date is new
}

// change returns a change of a price or limit, or of the whole offer if the term is "".
func (t target) change(a *asking, term string, held, found any, reason string) Change {
	return Change{Entity: t.entity.Key(), Name: strings.TrimSuffix(t.id+"."+term, "."), Source: a.Name,
		Old: held, New: found, OldDate: t.offer.Date, Date: a.used[t.id].Day, reason: reason}
}

// judgeOffers lets all offers pass the guards. An offer has one date and one source, so if a
// guard stops one of its prices, the whole offer stays as it was.
func (r *run) judgeOffers() {
	for _, a := range r.asks {
		edits := map[*record.Entity][]offerEdit{}
		for _, t := range a.offers {
			if answer, ok := a.used[t.id]; ok {
				edits[t.entity] = append(edits[t.entity], r.judgeOffer(a, t, &answer)...)
			}
		}
		for _, e := range r.entities {
			list := slices.DeleteFunc(edits[e], func(edit offerEdit) bool { return r.stopAny(a, e, edit.changes) })
			doubtPrices(a, e, list)
			list = slices.DeleteFunc(list, func(edit offerEdit) bool {
				if _, problem := r.nameOf(e, edit.offer); edit.remove && problem != "" {
					r.report.Refused = append(r.report.Refused, Problem{Entity: e.Key(), Reason: problem})
					return true
				}
				return !r.settle(a, e, edit.changes...)
			})
			if len(list) > 0 {
				r.edit(e, func(file, fields map[string]any) { r.editOffers(e, list, file, fields) })
			}
		}
	}
}

// judgeOffer returns what becomes of an offer, or nothing if it stays as it is.
func (r *run) judgeOffer(a *asking, t target, answer *Answer) []offerEdit {
	switch {
	case r.current(a, false, t.offer.Date, answer.Day):
		return nil
	case answer.Gone:
		c := t.change(a, "", shownOffer(t.offer), nil, a.Title+" no longer has this offer; accept it to remove it")
		return []offerEdit{{target: t, remove: true, changes: []Change{c}}}
	}
	found := *answer.Offer
	found.Provider, found.ID, found.Date = t.offer.Provider, t.offer.ID, answer.Day
	if reason := r.wrongOffer(t.entity.Type, found, answer.Day); reason != "" {
		c := t.change(a, "", shownOffer(t.offer), nil, reason)
		r.stop(a, &c)
		return nil
	}
	fresh := r.complete(a, t, found)
	changes := r.compareOffers(a, t, &fresh)
	for i := range changes {
		changes[i].reason = cmp.Or(r.refused(t.entity, changes[i].Name), changes[i].reason)
	}
	switch {
	case len(changes) > 0:
		setFree(&fresh)
	case r.current(a, true, t.offer.Date, fresh.Date):
		return nil
	default:
		a.report.Redated++
	}
	return []offerEdit{{target: t, fresh: fresh, changes: changes}}
}

// complete adds to an offer what its source says nothing about.
func (r *run) complete(a *asking, t target, fresh record.Offer) record.Offer {
	held := t.offer
	fresh.Free = held.Free
	for kind, name := range record.PriceNames {
		silent := !record.PerMillion(kind) || kind == record.CacheWrite1hPrice || kind == record.InputImagePrice || !a.states(name)
		if silent && !fresh.Prices[kind].Known() {
			fresh.Prices[kind] = held.Prices[kind]
		}
	}
	if !a.states("modes") {
		fresh.Modes = held.Modes
	}
	for _, m := range held.Modes { // no source states hours
		if m.Hours != "" && !slices.ContainsFunc(fresh.Modes, func(x record.Mode) bool { return x.Name == m.Name }) {
			fresh.Modes = append(fresh.Modes, m)
		}
	}
	if held.Until >= fresh.Date {
		fresh.Until = held.Until
	}
	if held.Next != nil && held.Next.From > fresh.Date {
		fresh.Next = held.Next
	}
	if !a.states("deprecated") {
		fresh.Deprecated = held.Deprecated
	}
	if !a.states("context") {
		fresh.Context = held.Context
	}
	if !a.states("outputLimit") || !hasOutputTokens(t.entity) {
		fresh.OutputLimit = held.OutputLimit
	}
	// An offer that states no limit has that of the model.
	if held.Context == 0 && r.isLimit(a, t.entity, kinds.ContextSignal, fresh.Context) {
		fresh.Context = 0
	}
	if held.OutputLimit == 0 && r.isLimit(a, t.entity, kinds.OutputSignal, fresh.OutputLimit) {
		fresh.OutputLimit = 0
	}
	fresh.Tiers, fresh.Modes = slices.Clone(fresh.Tiers), slices.Clone(fresh.Modes)
	for i := range fresh.Modes {
		fresh.Modes[i].Tiers = slices.Clone(fresh.Modes[i].Tiers)
	}
	keepUnknown(held, &fresh)
	if held.Prices == fresh.Prices {
		fresh.Reviewed = held.Reviewed
	}
	return fresh
}

// keepUnknown makes prices of 0 unknown that the file does not have: sources also write 0 for unknown prices.
func keepUnknown(held, fresh *record.Offer) {
	known := terms(held)
	eachPrice(fresh, func(name string, p *record.Price) {
		if _, had := known[name]; !had && p.Micros() == 0 {
			*p = record.Price{}
		}
	})
	unknown := func(t record.Tier) bool { return !t.Prices.Known() }
	fresh.Tiers = slices.DeleteFunc(fresh.Tiers, unknown)
	for i := range fresh.Modes {
		fresh.Modes[i].Tiers = slices.DeleteFunc(fresh.Modes[i].Tiers, unknown)
	}
	fresh.Modes = slices.DeleteFunc(fresh.Modes, func(m record.Mode) bool { return !m.Prices.Known() && len(m.Tiers) == 0 })
}

// isLimit reports whether a number of tokens is that of the model, in the file or in the source.
func (r *run) isLimit(a *asking, e *record.Entity, signal string, tokens int64) bool {
	if f, ok := e.Signals.Fact(signal); ok && int64(f.Number) == tokens {
		return true
	}
	answer := a.used[a.Identify(e)]
	v, ok := answer.Find(signal)
	return ok && int64(v.Number) == tokens
}

func (r *run) compareOffers(a *asking, t target, fresh *record.Offer) (changes []Change) {
	add := func(term string, held, found any, reason string) {
		changes = append(changes, t.change(a, term, held, found, reason))
	}
	had, has := terms(t.offer), terms(fresh)
	all := maps.Clone(had)
	maps.Copy(all, has)
	for _, name := range sortedKeys(all) {
		old, before := had[name]
		now, after := has[name]
		switch {
		case !after:
			add(name, old, nil, "it is no longer listed; accept it to remove it")
		case !before:
			add(name, nil, now, suspectNew(fresh, name, now))
		case old != now:
			add(name, old, now, r.suspectTerm(old, now))
		}
	}
	if held := t.offer.Deprecated; held != fresh.Deprecated {
		add("deprecated", strconv.FormatBool(held), strconv.FormatBool(fresh.Deprecated), "")
	}
	return changes
}

func (r *run) suspectTerm(held, found float64) string {
	factor := r.config.Guards.Factor
	switch {
	case found == 0:
		return "fell from " + number(held) + " to 0, which may mean unknown; accept it if it is free"
	case held == 0:
		return "it was free"
	case factor > 0 && (found > held*factor || held > found*factor):
		return fmt.Sprintf("changed from %s by a factor of more than %s", number(held), number(factor))
	}
	return ""
}

// suspectNew doubts a new price of a tier or mode that is a thousand times as large or small as the standard price.
func suspectNew(fresh *record.Offer, name string, value float64) string {
	i := strings.LastIndexByte(name, '.')
	kind := slices.Index(record.PriceNames, name[i+1:])
	if i < 0 || kind < 0 {
		return ""
	}
	if base := fresh.Prices[kind].Float(); base > 0 && (value >= 1000*base || 1000*value <= base) {
		return number(value) + " is far from the standard price, " + number(base)
	}
	return ""
}

// setFree marks an offer with a price of 0 as free, and no other.
func setFree(o *record.Offer) {
	o.Free = false
	for _, v := range terms(o) {
		o.Free = o.Free || v == 0
	}
}

// doubtPrices adds to the changes of offers the prices about which kindex validate would warn after them.
func doubtPrices(a *asking, e *record.Entity, edits []offerEdit) {
	byKey := map[string]*offerEdit{}
	for i := range edits {
		byKey[edits[i].offer.Key()] = &edits[i]
	}
	after := *e
	after.Offers = nil
	for _, o := range e.Offers {
		switch edit := byKey[o.Key()]; {
		case edit == nil:
			after.Offers = append(after.Offers, o)
		case !edit.remove:
			after.Offers = append(after.Offers, edit.fresh)
		}
	}
	for _, u := range content.UnlikelyPrices(&after) {
		edit := byKey[u.Offer.Key()]
		if edit == nil || len(edit.changes) == 0 {
			continue
		}
		var held any
		if old := edit.offer.Prices[u.Price]; old.Known() {
			held = old.Float()
		}
		doubt := edit.change(a, record.PriceNames[u.Price], held, u.Offer.Prices[u.Price].Float(), u.Message)
		if i := slices.IndexFunc(edit.changes, func(c Change) bool { return c.Name == doubt.Name }); i >= 0 {
			edit.changes[i].reason = cmp.Or(edit.changes[i].reason, doubt.reason)
		} else {
			edit.changes = append(edit.changes, doubt)
		}
	}
}
