package pages

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"kindex/exports/history"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/site/chart"
	"kindex/site/textfmt"
)

// entityOffers is the number of offers that are always visible; the others are folded.
const entityOffers = 5

type offerTable struct {
	Rows []offerRow // the maker's own first, then the cheapest
	Rest []offerRow
	Cost string // path of the page that calculates costs, or "" for an earlier version
}

// offerRow is an offer, with who makes it.
type offerRow struct {
	*record.Offer
	Seller link // to its own site, if that is known
	Own    bool // the provider makes the model
	Read   figure
}

// Price returns a price by the name of its column, or "" if it is unknown.
func (o offerRow) Price(name string) string { return textfmt.Price(offerPrice(o.Offer, name)) }

// Window returns the context of the offer, or "" if it is unknown.
func (o offerRow) Window() string {
	return numberCell(float64(o.Context), o.Context > 0).Text
}

func (r *request) offers(e *record.Entity, day string, now bool) *offerTable {
	if len(e.Offers) == 0 {
		return nil
	}
	var rows []offerRow
	on := pricing.On(e.Offers, day)
	for i := range on {
		o := &on[i]
		rows = append(rows, offerRow{o, r.seller(o.Provider), r.Build.Providers().Makes(o.Provider, e.Provider), readAt(o.Date, o.Source)})
	}
	slices.SortStableFunc(rows, func(a, b offerRow) int {
		x, y := offerPrice(a.Offer, "blended"), offerPrice(b.Offer, "blended")
		return cmp.Or(record.CompareBools(b.Own, a.Own), record.CompareBools(a.Deprecated, b.Deprecated),
			record.CompareBools(!x.Known(), !y.Known()), cmp.Compare(x.Micros(), y.Micros()))
	})
	shown := min(entityOffers, len(rows))
	t := &offerTable{Rows: rows[:shown], Rest: rows[shown:]}
	if now {
		t.Cost = "/prices/?" + singleQuery("model", e.Slug)
	}
	return t
}

// More describes what the columns of an offer do not show.
func (o offerRow) More() (list []string) {
	if o.OutputLimit > 0 {
		list = append(list, "Output up to "+textfmt.Count(o.OutputLimit)+" tokens")
	}
	rest := o.Prices
	for _, i := range []int{record.InputPrice, record.OutputPrice, record.CacheReadPrice} { // they have columns
		rest[i] = record.Price{}
	}
	if rest.Known() {
		list = append(list, textfmt.Capitalize(describePrices(&rest)))
	}
	list = append(list, describeTiers("", o.Tiers)...)
	for _, m := range o.Modes {
		name := modeName(m.Name)
		if m.Prices.Known() {
			list = append(list, name+": "+describePrices(&m.Prices))
		}
		if list = append(list, describeTiers(name+", ", m.Tiers)...); m.Hours != "" {
			list = append(list, name+" hours: "+textfmt.Name(m.Hours))
		}
	}
	if o.Until != "" {
		list = append(list, "These prices end on "+textfmt.Day(o.Until))
	}
	if o.Next != nil {
		list = append(list, "From "+textfmt.Day(o.Next.From)+": "+describePrices(&o.Next.Prices))
	}
	return list
}

// modeName returns the name of a mode as people read it.
func modeName(name string) string {
	if name == "offPeak" {
		return "Off-peak"
	}
	return textfmt.Capitalize(textfmt.Name(name))
}

func describeTiers(prefix string, tiers []record.Tier) []string {
	return each(tiers, func(t record.Tier) string {
		return textfmt.Capitalize(prefix + "over " + textfmt.Count(t.Over) + " input tokens: " + describePrices(&t.Prices))
	})
}

// priceWords are the names of prices, in the order of record.PriceNames.
var priceWords = [...]string{"input", "output", "cache read", "cache write", "reasoning", "audio input", "audio output", "for an image", "for a request",
	"cache write for an hour", "image input", "a page", "a minute", "a second", "a character"}

// describePrices lists the known prices.
func describePrices(p *record.Prices) string {
	var parts []string
	for i := range p {
		if p[i].Known() {
			parts = append(parts, textfmt.Price(p[i])+" "+priceWords[i])
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "no prices known")
}

// Limits of the history on an entity's page.
const (
	entityVersions     = 400 // the newest ones that are read: a year of daily figures
	entityPriceChanges = 30  // rows of the table
)

type priceHistory struct {
	drawing               // only if the price ever changed
	Since   string        // the first day with a price
	Changes []priceChange // of single offers, newest first
	Omitted int           // older changes
}

type costs [2]record.Price

// priceChange is what something cost from a day on.
type priceChange struct {
	Offer string
	Day   string
	Value costs
}

// Gone reports whether there are no prices.
func (c priceChange) Gone() bool { return c.Value == costs{} }

// Price returns the input or the output price, or "" if it is unknown.
func (c priceChange) Price(i int) string { return textfmt.Price(c.Value[i]) }

// daily returns the costs of versions, the last of each day. Those that are not committed are from the
// day asOf.
func daily(offer string, moments []history.Moment, asOf string, of func(*record.Entity) costs) (list []priceChange) {
	for _, p := range history.Series(moments, of) {
		d := priceChange{offer, asOf, p.Value}
		if p.Time != 0 {
			d.Day = time.Unix(p.Time, 0).UTC().Format(time.DateOnly)
		}
		if n := len(list); n > 0 && list[n-1].Day == d.Day {
			list = list[:n-1]
		}
		list = append(list, d)
	}
	return list
}

// priceHistory returns the price of a model over time, or nil if none was ever known.
func (r *request) priceHistory(moments []history.Moment, asOf string) *priceHistory {
	providers, moments := r.Build.Providers(), withAnnounced(moments, asOf)
	series := daily("", moments, asOf, func(e *record.Entity) costs {
		p := providers.Compute(e, "").Price
		return costs{p.Input, p.Output}
	})
	if len(series) == 0 {
		return nil
	}
	h := &priceHistory{Since: series[0].Day}
	if len(series) > 1 {
		h.draw(series, asOf)
	}
	keys := map[[2]string]bool{}
	for _, m := range moments {
		for i := 0; m.Entity != nil && i < len(m.Entity.Offers); i++ {
			keys[[2]string{m.Entity.Offers[i].Provider, m.Entity.Offers[i].ID}] = true
		}
	}
	for key := range keys {
		name := textfmt.Name(r.providerName(key[0]) + " " + key[1])
		h.Changes = append(h.Changes, daily(name, moments, asOf, func(e *record.Entity) costs {
			o := first(e.Offers, func(o record.Offer) bool { return o.Provider == key[0] && o.ID == key[1] })
			return costs{o.Prices[record.InputPrice], o.Prices[record.OutputPrice]}
		})...)
	}
	slices.SortFunc(h.Changes, func(a, b priceChange) int { return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(a.Offer, b.Offer)) })
	if n := len(h.Changes) - entityPriceChanges; n > 0 {
		h.Changes, h.Omitted = h.Changes[:entityPriceChanges], n
	}
	return h
}

// withAnnounced returns moments, up to a day, with the offers as they were then. It adds those from which announced
// prices held or others no longer did.
func withAnnounced(moments []history.Moment, asOf string) (list []history.Moment) {
	for i, m := range moments {
		if m.Entity == nil {
			list = append(list, m)
			continue
		}
		start, end := asOf, asOf // of this moment
		if m.Time != 0 {
			start = time.Unix(m.Time, 0).UTC().Format(time.DateOnly)
		}
		if i+1 < len(moments) && moments[i+1].Time != 0 {
			end = min(end, time.Unix(moments[i+1].Time-1, 0).UTC().Format(time.DateOnly))
		}
		days := []string{start}
		for j := range m.Entity.Offers {
			o := &m.Entity.Offers[j]
			if o.Next != nil {
				days = append(days, o.Next.From)
			}
			if last, err := time.Parse(time.DateOnly, o.Until); err == nil {
				days = append(days, last.AddDate(0, 0, 1).Format(time.DateOnly))
			}
		}
		slices.Sort(days)
		for _, day := range slices.Compact(days) {
			at, e := m, *m.Entity
			if day > start {
				at.Time = dot(day, 0, false, "").At.Unix()
			}
			if day == start || day > start && day <= end {
				e.Offers, at.Entity = pricing.On(e.Offers, day), &e
				list = append(list, at)
			}
		}
	}
	return list
}

func (h *priceHistory) draw(series []priceChange, asOf string) {
	lines := []chart.Line{{Class: "l1", Step: true}, {Class: "l2", Step: true}}
	highest := 0.0
	for i, name := range []string{"input", "output"} {
		for _, p := range series {
			o := dot(p.Day, p.Value[i].Float(), p.Value[i].Known(), p.Price(i)+" "+name)
			highest = max(highest, o.Value)
			lines[i].Points = append(lines[i].Points, o)
		}
		h.Words += " " + describeHistory(name+" price", lines[i].Points, dollars)
	}
	top := 1.0
	if highest > 0 {
		up := steps(highest, highest)
		top = up[len(up)-1]
	}
	p := chart.Plot{High: top, Height: 120, From: lines[0].Points[0].At, To: dot(asOf, 0, false, "").At}
	h.Chart = p.Draw("prices", lines, []float64{0, top / 2, top}, dollars)
}

func dollars(v float64) string { return "$" + textfmt.Count(math.Round(v*1e6)/1e6) }

// providerName returns the name of a provider of offers, or its slug if it is unknown.
func (s *Site) providerName(slug string) string { return s.seller(slug).Name }

// seller returns a provider of offers with its own site, or its slug if it is unknown.
func (s *Site) seller(slug string) link {
	p := first(s.Build.Providers(), func(p pricing.Provider) bool { return p.Slug == slug })
	return link{Name: cmp.Or(p.Name, slug), To: textfmt.WebURL(p.URL)}
}
