package record

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
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

// dayBefore returns the day before a day, or "" if it is none.
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
func (o *Offer) Key() string { return o.Provider + "/" + EscapeOfferID(o.ID) }

// EscapeOfferID percent-encodes an offer's id for the name of a field, so that it contains
// neither dots nor slashes.
func EscapeOfferID(id string) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(id) {
		switch c := id[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '~':
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
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

// AppendOffers appends offers as an array.
func AppendOffers(dst []byte, offers []Offer) []byte {
	dst = append(dst, '[')
	for i := range offers {
		dst = jsonenc.AppendComma(dst, i)
		dst = offers[i].AppendJSON(dst)
	}
	return append(dst, ']')
}

// AppendJSON appends the offer as one compact object. Unknown values are null; tiers and
// modes contain only what they state.
func (o *Offer) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"provider":`...)
	dst = jsonenc.AppendString(dst, o.Provider)
	dst = jsonenc.AppendMember(dst, "id")
	dst = jsonenc.AppendString(dst, o.ID)
	for i, name := range PriceNames {
		if i < commonPrices || o.Prices[i].Known() {
			dst = o.Prices[i].AppendJSON(jsonenc.AppendMember(dst, name))
		}
	}
	dst = jsonenc.AppendMember(dst, "context")
	dst = appendCount(dst, o.Context)
	dst = jsonenc.AppendMember(dst, "outputLimit")
	dst = appendCount(dst, o.OutputLimit)
	dst = jsonenc.AppendMember(dst, "tiers")
	dst = appendTiers(dst, o.Tiers)
	dst = appendModes(jsonenc.AppendMember(dst, "modes"), o.Modes)
	if o.Until != "" {
		dst = jsonenc.AppendTexts(dst, "until", o.Until)
	}
	if o.Next != nil {
		dst = o.Next.AppendJSON(jsonenc.AppendMember(dst, "next"))
	}
	dst = append(dst, `,"free":`...)
	dst = strconv.AppendBool(dst, o.Free)
	dst = jsonenc.AppendMember(dst, "deprecated")
	dst = strconv.AppendBool(dst, o.Deprecated)
	dst = jsonenc.AppendStrings(jsonenc.AppendMember(dst, "reviewed"), o.Reviewed)
	return append(jsonenc.AppendTexts(dst, "date", o.Date, "source", o.Source), '}')
}

// AppendJSON appends the terms as one compact object with what they state.
func (t *Terms) AppendJSON(dst []byte) []byte {
	dst = jsonenc.AppendString(append(dst, `{"from":`...), t.From)
	dst = t.Prices.appendMembers(dst)
	if len(t.Tiers) > 0 {
		dst = appendTiers(jsonenc.AppendMember(dst, "tiers"), t.Tiers)
	}
	if len(t.Modes) > 0 {
		dst = appendModes(jsonenc.AppendMember(dst, "modes"), t.Modes)
	}
	return append(dst, '}')
}

func appendModes(dst []byte, modes []Mode) []byte {
	dst = append(dst, '{')
	for i := range modes {
		m := &modes[i]
		dst = append(jsonenc.AppendString(jsonenc.AppendComma(dst, i), m.Name), ':', '{')
		if m.Hours != "" {
			dst = jsonenc.AppendString(append(dst, `"hours":`...), m.Hours)
		}
		dst = m.Prices.appendMembers(dst)
		if len(m.Tiers) > 0 {
			dst = appendTiers(jsonenc.AppendMember(dst, "tiers"), m.Tiers)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

func appendTiers(dst []byte, tiers []Tier) []byte {
	dst = append(dst, '[')
	for i := range tiers {
		dst = jsonenc.AppendComma(dst, i)
		dst = append(dst, `{"over":`...)
		dst = jsonenc.AppendNumber(dst, float64(tiers[i].Over))
		dst = append(tiers[i].Prices.appendMembers(dst), '}')
	}
	return append(dst, ']')
}

// appendMembers appends the known prices as members.
func (p *Prices) appendMembers(dst []byte) []byte {
	for i, name := range PriceNames {
		if p[i].Known() {
			dst = p[i].AppendJSON(jsonenc.AppendMember(dst, name))
		}
	}
	return dst
}

// appendComputed appends what is computed from an entity, besides its scores.
func (e *Entity) appendComputed(dst []byte) []byte {
	if e.Declared().HasBlock(kinds.Maintenance) {
		dst = jsonenc.AppendTexts(dst, "maintenance", e.Maintenance.State, "maintenanceAsOf", e.Maintenance.AsOf)
	}
	if !e.Declared().HasBlock(kinds.Offers) {
		return dst
	}
	dst = jsonenc.AppendMember(dst, "price")
	if p := &e.Price; p.Input.Known() || p.Output.Known() {
		dst = p.Input.AppendJSON(append(dst, `{"input":`...))
		dst = p.Output.AppendJSON(append(dst, `,"output":`...))
		dst = p.Blended.AppendJSON(append(dst, `,"blended":`...))
		dst = append(jsonenc.AppendTexts(dst, "provider", p.Provider, "date", p.Date), '}')
	} else {
		dst = append(dst, "null"...)
	}
	return jsonenc.AppendNumber(jsonenc.AppendMember(dst, "offerCount"), float64(len(e.Offers)))
}

// appendOffers appends the last member of a record and its closing brace.
func (e *Entity) appendOffers(dst []byte) []byte {
	if !e.Declared().HasBlock(kinds.Offers) {
		return append(dst, '}')
	}
	dst = jsonenc.AppendMember(dst, "offers")
	return append(AppendOffers(dst, e.Offers), '}')
}
