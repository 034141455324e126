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
// dollars: per million tokens, or per image and per request.
var PriceNames = []string{
	"input", "output", "cacheRead", "cacheWrite", "reasoningOutput", "inputAudio", "outputAudio", "image", "request",
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
	priceCount
)

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
	Free        bool   // prices of 0 are intended
	Deprecated  bool
	Reviewed    []string // the rules whose warnings a person has checked
	Date        string   // when it was read
	Source      string   // URL where it was read
}

// Tier holds the prices of requests whose input is longer than Over tokens.
type Tier struct {
	Over   int64
	Prices Prices
}

// OfferModes are the valid names of a Mode.
var OfferModes = []string{"batch", "flex", "priority"}

// Mode holds the prices of another way of sending requests, such as batch.
type Mode struct {
	Name   string
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
		for j := range o.Modes {
			tiers(o.Modes[j].Tiers)
		}
		slices.SortStableFunc(o.Modes, func(a, b Mode) int { return cmp.Compare(a.Name, b.Name) })
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
		dst = jsonenc.AppendMember(dst, name)
		dst = o.Prices[i].AppendJSON(dst)
	}
	dst = jsonenc.AppendMember(dst, "context")
	dst = appendCount(dst, o.Context)
	dst = jsonenc.AppendMember(dst, "outputLimit")
	dst = appendCount(dst, o.OutputLimit)
	dst = jsonenc.AppendMember(dst, "tiers")
	dst = appendTiers(dst, o.Tiers)
	dst = append(dst, `,"modes":{`...)
	for i := range o.Modes {
		m := &o.Modes[i]
		dst = jsonenc.AppendComma(dst, i)
		dst = append(jsonenc.AppendString(dst, m.Name), ':', '{')
		dst = m.Prices.appendMembers(dst)
		if len(m.Tiers) > 0 {
			dst = appendTiers(jsonenc.AppendMember(dst, "tiers"), m.Tiers)
		}
		dst = append(dst, '}')
	}
	dst = append(dst, `},"free":`...)
	dst = strconv.AppendBool(dst, o.Free)
	dst = jsonenc.AppendMember(dst, "deprecated")
	dst = strconv.AppendBool(dst, o.Deprecated)
	dst = jsonenc.AppendStrings(jsonenc.AppendMember(dst, "reviewed"), o.Reviewed)
	return append(jsonenc.AppendTexts(dst, "date", o.Date, "source", o.Source), '}')
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
