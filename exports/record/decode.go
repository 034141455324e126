package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// modelJSON mirrors the members of a Model for decoding.
type modelJSON struct {
	Family           string
	OpenWeights      *bool
	Modalities       struct{ Input, Output []string }
	Knowledge        string
	Parameters       struct{ Total, Active int64 }
	Reasoning        *bool
	ReasoningEfforts []string
}

func (r *modelJSON) model() *Model {
	m := Model{Family: r.Family, OpenWeights: answerTo(r.OpenWeights), Input: orNil(r.Modalities.Input),
		Output: orNil(r.Modalities.Output), Knowledge: r.Knowledge, Parameters: r.Parameters.Total,
		ActiveParameters: r.Parameters.Active, Reasoning: answerTo(r.Reasoning), ReasoningEfforts: orNil(r.ReasoningEfforts)}
	return m.OrNil()
}

// OrNil returns nil for a model without facts, otherwise m.
func (m *Model) OrNil() *Model {
	if m.Family == "" && m.OpenWeights == Unknown && m.Input == nil && m.Output == nil && m.Knowledge == "" &&
		m.Parameters == 0 && m.ActiveParameters == 0 && m.Reasoning == Unknown && m.ReasoningEfforts == nil {
		return nil
	}
	return m
}

func answerTo(b *bool) Answer {
	if b == nil {
		return Unknown
	}
	return AnswerOf(*b)
}

func orNil(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

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
}

func (p *pricesJSON) prices() Prices {
	return Prices{p.Input, p.Output, p.CacheRead, p.CacheWrite, p.ReasoningOutput, p.InputAudio, p.OutputAudio, p.Image, p.Request}
}

type tierJSON struct {
	Over int64
	pricesJSON
}

// offerJSON mirrors an Offer for decoding.
type offerJSON struct {
	Provider, ID string
	pricesJSON
	Context, OutputLimit int64
	Tiers                []tierJSON
	Modes                map[string]struct {
		pricesJSON
		Tiers []tierJSON
	}
	Free, Deprecated bool
	Reviewed         []string
	Date, Source     string
}

func decodeOffers(list []offerJSON) (offers []Offer) {
	for _, r := range list {
		o := Offer{Provider: r.Provider, ID: r.ID, Prices: r.prices(), Context: r.Context, OutputLimit: r.OutputLimit,
			Tiers: decodeTiers(r.Tiers), Free: r.Free, Deprecated: r.Deprecated, Reviewed: orNil(r.Reviewed), Date: r.Date, Source: r.Source}
		for name, m := range r.Modes {
			o.Modes = append(o.Modes, Mode{Name: name, Prices: m.prices(), Tiers: decodeTiers(m.Tiers)})
		}
		slices.SortFunc(o.Modes, func(a, b Mode) int { return cmp.Compare(a.Name, b.Name) })
		offers = append(offers, o)
	}
	return offers
}

// DecodeOffer decodes an offer that AppendJSON wrote. Members that are absent are unknown.
func DecodeOffer(b []byte) (Offer, error) {
	list := make([]offerJSON, 1)
	if err := json.Unmarshal(b, &list[0]); err != nil {
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
