package record

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"kindex/exports/jsonenc"
)

// PriceNames are the prices of an offer, in the order of its JSON object. All are in US
// dollars: per million tokens, or for one of what is not PerMillion.
var PriceNames = []string{
	"input", "output", "cacheRead", "cacheWrite", "reasoningOutput", "inputAudio", "outputAudio", "image", "request",
	"cacheWrite1h", "inputImage", "page", "minute", "second", "character",
}

// The indexes of Prices, in the order of PriceNames.
const (
	InputPrice = iota
	OutputPrice
	CacheReadPrice
	CacheWritePrice
	ReasoningPrice
	InputAudioPrice
	OutputAudioPrice
	ImagePrice
	RequestPrice
	CacheWrite1hPrice
	InputImagePrice
	PagePrice
	MinutePrice
	SecondPrice
	CharacterPrice
	priceCount
)

// commonPrices is the number of prices that an offer's JSON object has even if they are unknown. It has the
// others only if they are known.
const commonPrices = RequestPrice + 1

// PerMillion reports whether a price is that of a million tokens; otherwise it is that of one image, request,
// page, minute, second or character.
func PerMillion(price int) bool {
	return price < ImagePrice || price == CacheWrite1hPrice || price == InputImagePrice
}

// Prices are the prices of an offer, a tier or a mode. They stand alone: a tier or mode
// does not inherit the prices that it does not state.
type Prices [priceCount]Price

// Known reports whether any of the prices is known.
func (p *Prices) Known() bool { return *p != Prices{} }

// Offer is what a provider charges for a model. Provider and ID identify it.
type Offer struct {
	Provider    string // slug of a provider in providers.yaml
	ID          string // the model's name at the provider
	Prices      Prices
	Context     int64  // tokens that a request may contain, 0 if unknown
	OutputLimit int64  // tokens that an answer may contain, 0 if unknown
	Tiers       []Tier // by Over
	Modes       []Mode // by name
	Until       string // the last day of the prices, "" if none is announced
	Next        *Terms // what replaces the prices later, or nil if nothing is announced
	Free        bool   // prices of 0 are intended
	Deprecated  bool
	Reviewed    []string // the rules whose warnings a person has checked
	Date        string   // when it was read
	Source      string   // URL where it was read
}

// Terms are announced prices.
type Terms struct {
	From   string // the first day
	Prices Prices
	Tiers  []Tier // by Over
	Modes  []Mode // by name
}

// On returns the offer as it is at the end of a day, YYYY-MM-DD: with the announced prices from their first day
// on, and without prices after their last day. What was read on such a day or later holds, whatever had been
// announced. If the prices still end, Until is their last day.
func (o *Offer) On(day string) Offer {
	on := *o
	if o.Date > o.Until {
		on.Until = ""
	}
	switch next := o.Next; {
	case next != nil && o.Date >= next.From:
		on.Until, on.Next = "", nil
	case next != nil && day >= next.From:
		on.Prices, on.Tiers, on.Modes, on.Until, on.Next = next.Prices, next.Tiers, next.Modes, "", nil
	case on.Until == "" && next != nil:
		on.Until = dayBefore(next.From)
	case on.Until != "" && day > on.Until:
		on.Prices, on.Tiers, on.Modes = Prices{}, nil, nil
	}
	return on
}

func dayBefore(day string) string {
	n, err := DayNumber(day)
	if err != nil || n == NoDate {
		return ""
	}
	return FormatDay(n - 1)
}

// Tier holds the prices of requests whose input is longer than Over tokens.
type Tier struct {
	Over   int64
	Prices Prices
}

// OfferModes are the valid names of a Mode.
var OfferModes = []string{"batch", "flex", "priority", "offPeak"}

// Mode holds the prices of another way of sending requests, such as batch.
type Mode struct {
	Name   string
	Hours  string // when it is possible, in words; "" if it always is
	Prices Prices
	Tiers  []Tier // by Over
}

// Key returns the address of an offer within its model.
func (o *Offer) Key() string { return o.Provider + "/" + escapeID(o.ID) }

// plainInFields are the characters of an offer's id that the name of a field contains as they are.
const plainInFields = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~"

// escapeID percent-encodes an offer's id for the name of a field, so that it contains
// neither dots nor slashes.
func escapeID(id string) string {
	var b strings.Builder
	for _, c := range []byte(id) {
		if strings.IndexByte(plainInFields, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// SplitOfferField splits the name of a changed field, offers.<provider>/<id>.<name>. The name
// is "" for an added or removed offer. ok is false for other fields.
func SplitOfferField(field string) (provider, id, name string, ok bool) {
	rest, ok := strings.CutPrefix(field, "offers.")
	if !ok {
		return "", "", "", false
	}
	key, name, _ := strings.Cut(rest, ".")
	provider, id, ok = strings.Cut(key, "/")
	if plain, err := url.PathUnescape(id); err == nil {
		id = plain
	}
	return provider, id, name, ok
}

// SortOffers sorts offers by provider and id, their tiers by length, and their modes by
// name. Entities keep their offers sorted.
func SortOffers(offers []Offer) {
	tiers := func(list []Tier) {
		slices.SortStableFunc(list, func(a, b Tier) int { return cmp.Compare(a.Over, b.Over) })
	}
	for i := range offers {
		o := &offers[i]
		tiers(o.Tiers)
		modes := func(list []Mode) {
			for j := range list {
				tiers(list[j].Tiers)
			}
			slices.SortStableFunc(list, func(a, b Mode) int { return cmp.Compare(a.Name, b.Name) })
		}
		if modes(o.Modes); o.Next != nil {
			tiers(o.Next.Tiers)
			modes(o.Next.Modes)
		}
	}
	slices.SortStableFunc(offers, func(a, b Offer) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.ID, b.ID))
	})
}

// AppendJSON appends the offer as one compact object. Unknown values are null; tiers and
// modes contain only what they state.
func (o *Offer) AppendJSON(dst []byte) []byte { return appendObject(dst, o.members()) }

// DecodeOffer decodes an offer that AppendJSON wrote. Members that are absent are unknown.
func DecodeOffer(b []byte) (o Offer, err error) {
	if err := decodeObject(jsonenc.Compact(b), o.members()); err != nil {
		return Offer{}, fmt.Errorf("offer: %w", err)
	}
	return o, nil
}

func (o *Offer) members() []member {
	return slices.Concat([]member{{"provider", &o.Provider}, {"id", &o.ID}}, o.Prices.members(commonPrices),
		[]member{{"context", &o.Context}, {"outputLimit", &o.OutputLimit}, {"tiers", &o.Tiers}, {"modes", &o.Modes},
			{"until", optional{&o.Until}}, {"next", optional{&o.Next}}, {"free", &o.Free}, {"deprecated", &o.Deprecated},
			{"reviewed", &o.Reviewed}, {"date", &o.Date}, {"source", &o.Source}})
}

func (t *Terms) members() []member {
	return slices.Concat([]member{{"from", &t.From}}, t.Prices.members(0), []member{{"tiers", optional{&t.Tiers}}, {"modes", optional{&t.Modes}}})
}

func (m *Mode) members() []member {
	return slices.Concat([]member{{"hours", optional{&m.Hours}}}, m.Prices.members(0), []member{{"tiers", optional{&m.Tiers}}})
}

func (t *Tier) members() []member {
	return append([]member{{"over", &t.Over}}, t.Prices.members(0)...)
}

// members returns the prices, all but the first n of which are optional.
func (p *Prices) members(n int) (list []member) {
	for i, name := range PriceNames {
		if i < n {
			list = append(list, member{name, &p[i]})
		} else {
			list = append(list, member{name, optional{&p[i]}})
		}
	}
	return list
}
