package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"kindex/exports/jsonenc"
)

// fitted returns a decoded list without the room for more that decoding leaves, or nil if it is empty.
func fitted[T any](list []T) []T { return append([]T(nil), list...) }

func decodeIDs(all map[string][]string) (ids []ID) {
	for _, namespace := range slices.Sorted(maps.Keys(all)) {
		for _, v := range all[namespace] {
			ids = append(ids, ID{namespace, v})
		}
	}
	return ids
}

// pricesJSON mirrors Prices for decoding.
type pricesJSON struct {
	Input, Output, CacheRead, CacheWrite, ReasoningOutput, InputAudio, OutputAudio, Image, Request Price
	CacheWrite1h, InputImage, Page, Minute, Second, Character                                      Price
}

func (p *pricesJSON) prices() Prices {
	return Prices{p.Input, p.Output, p.CacheRead, p.CacheWrite, p.ReasoningOutput, p.InputAudio, p.OutputAudio, p.Image, p.Request,
		p.CacheWrite1h, p.InputImage, p.Page, p.Minute, p.Second, p.Character}
}

type tierJSON struct {
	Over int64
	pricesJSON
}

// termsJSON mirrors what an offer states now, or from a day on.
type termsJSON struct {
	pricesJSON
	Tiers []tierJSON
	Modes map[string]struct {
		pricesJSON
		Hours string
		Tiers []tierJSON
	}
}

func (t *termsJSON) modes() (modes []Mode) {
	for name, m := range t.Modes {
		modes = append(modes, Mode{name, m.Hours, m.prices(), decodeTiers(m.Tiers)})
	}
	slices.SortFunc(modes, func(a, b Mode) int { return cmp.Compare(a.Name, b.Name) })
	return modes
}

// offerJSON mirrors an Offer for decoding.
type offerJSON struct {
	Provider, ID string
	termsJSON
	Context, OutputLimit int64
	Until                string
	Next                 *struct {
		From string
		termsJSON
	}
	Free, Deprecated bool
	Reviewed         []string
	Date, Source     string
}

func decodeOffers(list []offerJSON) (offers []Offer) {
	for _, r := range list {
		o := Offer{Provider: r.Provider, ID: r.ID, Prices: r.prices(), Context: r.Context, OutputLimit: r.OutputLimit,
			Tiers: decodeTiers(r.Tiers), Modes: r.modes(), Until: r.Until, Free: r.Free, Deprecated: r.Deprecated, Reviewed: fitted(r.Reviewed),
			Date: r.Date, Source: r.Source}
		if n := r.Next; n != nil {
			o.Next = &Terms{n.From, n.prices(), decodeTiers(n.Tiers), n.modes()}
		}
		offers = append(offers, o)
	}
	return offers
}

// DecodeOffer decodes an offer that AppendJSON wrote. Members that are absent are unknown.
func DecodeOffer(b []byte) (Offer, error) {
	list := make([]offerJSON, 1)
	if err := jsonenc.Decode(b, &list[0]); err != nil {
		return Offer{}, fmt.Errorf("offer: %w", err)
	}
	return decodeOffers(list)[0], nil
}

func decodeTiers(list []tierJSON) (tiers []Tier) {
	for _, t := range list {
		tiers = append(tiers, Tier{t.Over, t.prices()})
	}
	return tiers
}
