package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content"
	"kindex/exports/quality"
	"kindex/exports/record"
)

// offerEdit is what becomes of an offer in a file.
type offerEdit struct {
	offerTarget
	fresh   record.Offer // with its new date and source
	remove  bool
	changes []offerChange // if there are none, only the date is new
	// accepted has the changes that a guard would have stopped.
	accepted []quality.Stopped
}

// offerChange is a price or limit of an offer that differs.
type offerChange struct {
	term        string // "" for the whole offer
	held, found any    // nil if there is none
	reason      string // why a person must look at it, or ""
}

// name returns the name of a change in reports.
func (t offerTarget) name(c offerChange) string {
	return strings.TrimSuffix(offerName(t.offer)+"."+c.term, ".")
}

// change returns a change for reports.
func (t offerTarget) change(a *asking, c offerChange) *Change {
	return &Change{Entity: t.entity.Key(), Name: t.name(c), Source: a.info.Name, Old: c.held, New: c.found, OldDate: t.offer.Date}
}

// judgeOffers lets all offers pass the guards. An offer has one date and one source, so if a
// guard stops one of its prices, the whole offer stays as it was.
func (r *run) judgeOffers() (pass []verdict) {
	for _, a := range r.asks {
		edits := map[*record.Entity][]offerEdit{}
		for _, t := range a.offers {
			answer, ok := a.used[t.id]
			if !ok {
				continue
			}
			if edit := r.judgeOffer(a, t, &answer); edit != nil {
				edits[t.entity] = append(edits[t.entity], *edit)
			}
		}
		for _, e := range r.entities {
			list := r.checkPrices(a, e, edits[e])
			for _, edit := range list {
				r.reportOffer(a, edit)
			}
			if len(list) > 0 {
				pass = append(pass, verdict{entity: e, offers: list, source: a.info.Name})
			}
		}
	}
	return pass
}

// judgeOffer returns what becomes of an offer, or nil if it stays as it is.
func (r *run) judgeOffer(a *asking, t offerTarget, answer *Answer) *offerEdit {
	switch {
	case t.offer.Date > answer.Day:
		a.report.Older++
		return nil
	case answer.Gone:
		gone := []offerChange{{held: shownOffer(t.offer), reason: a.info.Title + " no longer has this offer; accept it to remove it"}}
		accepted, ok := r.pass(a, t, gone)
		if !ok {
			return nil
		}
		return &offerEdit{offerTarget: t, fresh: record.Offer{Date: answer.Day}, remove: true, changes: gone, accepted: accepted}
	}
	if reason := wrongOffer(&answer.Offer.Offer, answer.Day, r.today); reason != "" {
		r.stop(a, t.change(a, offerChange{held: shownOffer(t.offer)}), reason)
		return nil
	}
	fresh := r.complete(a, t, &answer.Offer.Offer)
	fresh.Date = answer.Day
	changes := r.compareOffers(t.offer, &fresh)
	for i := range changes {
		changes[i].reason = cmp.Or(r.refused(t.entity, t.name(changes[i])), changes[i].reason)
	}
	if len(changes) == 0 && t.offer.Date != "" && age(t.offer.Date, fresh.Date) < r.minDays {
		a.report.Unchanged++
		return nil
	}
	accepted, ok := r.pass(a, t, changes)
	if !ok {
		return nil
	}
	if len(changes) > 0 {
		setFree(&fresh)
	}
	return &offerEdit{offerTarget: t, fresh: fresh, changes: changes, accepted: accepted}
}

// reportOffer reports what an edit changes.
func (r *run) reportOffer(a *asking, edit offerEdit) {
	r.report.Accepted = append(r.report.Accepted, edit.accepted...)
	if len(edit.changes) == 0 {
		a.report.Redated++
	}
	for _, c := range edit.changes {
		a.report.Changed++
		change := edit.change(a, c)
		change.Date = edit.fresh.Date
		r.report.Changes = append(r.report.Changes, *change)
	}
}

// complete adds to an offer what its source says nothing about.
func (r *run) complete(a *asking, t offerTarget, found *record.Offer) record.Offer {
	held, fresh := t.offer, *found
	fresh.Provider, fresh.ID, fresh.Free = held.Provider, held.ID, held.Free
	for kind, name := range record.PriceNames {
		silent := kind == record.ImagePrice || kind == record.RequestPrice || !a.info.states(name)
		if silent && !fresh.Prices[kind].Known() {
			fresh.Prices[kind] = held.Prices[kind]
		}
	}
	if !a.info.states("modes") {
		fresh.Modes = held.Modes
	}
	if !a.info.states("deprecated") {
		fresh.Deprecated = held.Deprecated
	}
	if !a.info.states("context") {
		fresh.Context = held.Context
	}
	if !a.info.states("outputLimit") {
		fresh.OutputLimit = held.OutputLimit
	}
	if !hasOutputTokens(t.entity) {
		fresh.OutputLimit = held.OutputLimit
	}
	// An offer that states no limit has that of the model.
	if held.Context == 0 && r.isLimit(a, t.entity, "contextTokens", fresh.Context) {
		fresh.Context = 0
	}
	if held.OutputLimit == 0 && r.isLimit(a, t.entity, "outputTokens", fresh.OutputLimit) {
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

// keepUnknown makes prices of 0 unknown if the file does not have them either: sources also write
// 0 for unknown prices.
func keepUnknown(held, fresh *record.Offer) {
	known := map[string]bool{}
	for _, t := range terms(held) {
		known[t.name] = true
	}
	eachPrices(fresh, func(prefix string, p *record.Prices) {
		for kind, name := range record.PriceNames {
			if p[kind].Known() && p[kind].Micros() == 0 && !known[prefix+name] {
				p[kind] = record.Price{}
			}
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
	answer := a.used[a.source.Identify(e)]
	v, ok := answer.Find(signal)
	return ok && int64(v.Number) == tokens
}

// compareOffers returns the prices and limits that differ.
func (r *run) compareOffers(held, fresh *record.Offer) (changes []offerChange) {
	news := terms(fresh)
	for _, old := range terms(held) {
		i := slices.IndexFunc(news, func(t term) bool { return t.name == old.name })
		if i < 0 {
			changes = append(changes, offerChange{term: old.name, held: old.value, reason: "it is no longer listed; accept it to remove it"})
			continue
		}
		if now := news[i].value; now != old.value {
			changes = append(changes, offerChange{term: old.name, held: old.value, found: now, reason: r.suspectTerm(old.value, now)})
		}
		news = slices.Delete(news, i, i+1)
	}
	for _, t := range news {
		changes = append(changes, offerChange{term: t.name, found: t.value, reason: suspectNew(fresh, t)})
	}
	if held.Deprecated != fresh.Deprecated {
		changes = append(changes, offerChange{term: "deprecated", held: strconv.FormatBool(held.Deprecated), found: strconv.FormatBool(fresh.Deprecated)})
	}
	return changes
}

// suspectTerm returns the reason a person must look at a price or limit of an offer, or "".
func (r *run) suspectTerm(held, found float64) string {
	factor := r.config.Guards.factor()
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

// suspectNew returns the reason a person must look at a price that the file does not have, or "":
// in a tier or mode, it is a thousand times as large or small as the standard price. Other new
// prices are compared with those of other offers.
func suspectNew(fresh *record.Offer, t term) string {
	i := strings.LastIndexByte(t.name, '.')
	kind := slices.Index(record.PriceNames, t.name[i+1:])
	if i < 0 || kind < 0 {
		return ""
	}
	if base := fresh.Prices[kind].Float(); base > 0 && (t.value >= 1000*base || 1000*t.value <= base) {
		return number(t.value) + " is far from the standard price, " + number(base)
	}
	return ""
}

// setFree marks an offer with a price of 0 as free, and no other.
func setFree(o *record.Offer) {
	o.Free = false
	for _, t := range terms(o) {
		o.Free = o.Free || t.value == 0
	}
}

// checkPrices leaves out the edits after which kindex validate would warn about a price.
func (r *run) checkPrices(a *asking, e *record.Entity, edits []offerEdit) (pass []offerEdit) {
	if len(edits) == 0 {
		return nil
	}
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
	unlikely := content.UnlikelyPrices(&after)
	for _, edit := range edits {
		accepted, ok := r.pass(a, edit.offerTarget, edit.doubts(unlikely))
		if ok {
			edit.accepted = append(edit.accepted, accepted...)
			pass = append(pass, edit)
		}
	}
	return pass
}

// doubts returns the prices of a changed offer that are unlikely.
func (edit *offerEdit) doubts(unlikely []content.UnlikelyPrice) (list []offerChange) {
	if edit.remove || len(edit.changes) == 0 {
		return nil
	}
	for _, u := range unlikely {
		if u.Offer.Key() != edit.offer.Key() {
			continue
		}
		c := offerChange{term: record.PriceNames[u.Price], found: u.Offer.Prices[u.Price].Float(), reason: u.Message}
		if old := edit.offer.Prices[u.Price]; old.Known() {
			c.held = old.Float()
		}
		list = append(list, c)
	}
	return list
}

// pass reports whether a person has accepted all suspicious changes of an offer, and returns
// them. It reports changes that nobody accepted as stopped.
func (r *run) pass(a *asking, t offerTarget, changes []offerChange) (accepted []quality.Stopped, ok bool) {
	ok = true
	for _, c := range changes {
		switch {
		case c.reason == "":
		case r.accepted(t.entity, t.name(c)):
			accepted = append(accepted, t.change(a, c).stopped(c.reason))
		default:
			r.stop(a, t.change(a, c), c.reason)
			ok = false
		}
	}
	return accepted, ok
}
