package mcp

import (
	"encoding/json"
	"maps"
	"slices"

	"kindex/exports/pricing"
	"kindex/exports/record"
)

// entity has the members of an entity from the API, including those that lists add.
type entity map[string]json.RawMessage

// get decodes a member of an entity. The result is zero if the member is absent or of another type.
func get[T any](e entity, name string) T {
	var v T
	if json.Unmarshal(e[name], &v) != nil {
		return *new(T)
	}
	return v
}

func (e entity) key() string { return get[string](e, "type") + "/" + get[string](e, "slug") }

// facts is what a result says about an entity. Members that are unknown are absent.
type facts map[string]any

// facts returns the members that lists and single entities have in common, and the named ones.
func (e entity) facts(names ...string) facts {
	f := facts{"id": e.key()}
	for _, name := range append(names, "name", "provider", "description", "category", "status", "pricingModel", "license", "price", "maintenance", "maintenanceAsOf", "lifecycle") {
		if v := known(get[any](e, name)); v != nil {
			f[name] = v
		}
	}
	if n := get[int](e, "offerCount"); n > 0 {
		f["offerCount"] = n
	}
	return f
}

// known returns a value without the members that are null or empty, or nil if nothing remains.
func known(v any) any {
	switch v := v.(type) {
	case string:
		if v == "" {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, member any) bool { return known(member) == nil })
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

// brief returns enough of an entity in a list to choose one.
func (e entity) brief() facts {
	f := e.facts("boardScore", "rank", "growth", "kind", "similarity", "reasons")
	f["score"] = get[map[string]*float64](e, "scores")["composite"]
	if f["status"] == record.Active {
		delete(f, "status")
	}
	if context := readFigure(get[entity](e, "signals")["contextTokens"]); context != nil {
		f["contextTokens"] = context
	}
	if delta := get[*int](e, "delta"); delta != nil {
		f["climbed"] = *delta
	}
	if t := get[*struct {
		Gain               float64
		Changes            int
		Rank, PreviousRank *int
	}](e, "trend"); t != nil {
		f["gain"], f["changes"] = t.Gain, t.Changes
		if t.Rank != nil {
			f["rank"] = *t.Rank
		}
		if t.Rank != nil && t.PreviousRank != nil {
			f["climbed"] = *t.PreviousRank - *t.Rank
		}
	}
	return f
}

// maxOffers is the maximum number of offers of one entity in a result.
const maxOffers = 8

// offer is the short form of an offer.
type offer struct {
	Provider   string       `json:"provider"`
	ID         string       `json:"id"`
	Input      record.Price `json:"input"`
	Output     record.Price `json:"output"`
	CacheRead  record.Price `json:"cacheRead"`
	Context    *int64       `json:"context,omitempty"`
	Free       bool         `json:"free,omitempty"`
	Deprecated bool         `json:"deprecated,omitempty"`
	Date       string       `json:"date,omitempty"`
}

func (o *offer) full() *record.Offer {
	return &record.Offer{Prices: record.Prices{record.InputPrice: o.Input, record.OutputPrice: o.Output}, Deprecated: o.Deprecated}
}

// details returns all information about a single entity, with only the cheapest offers.
func (e entity) details() facts {
	f := e.facts("version", "url", "tags", "capabilities", "lastUpdated", "ids", "family", "openWeights", "modalities",
		"knowledge", "parameters", "reasoning", "reasoningEfforts")
	f["scores"] = get[map[string]*float64](e, "scores")
	figures, dates := e.figures()
	if len(figures) > 0 {
		f["signals"], f["signalDates"] = figures, dates
	}
	if read := dates["lastRelease"]; read != "" && f["version"] != nil {
		f["versionAsOf"] = read
	}
	if offers := get[[]offer](e, "offers"); len(offers) > 0 {
		slices.SortStableFunc(offers, func(a, b offer) int { return pricing.CompareOffers(a.full(), b.full()) })
		f["offers"] = offers[:min(len(offers), maxOffers)]
	}
	return f
}

// dated is a figure with the day on which it was read.
type dated struct {
	Value any    `json:"value"`
	Date  string `json:"date,omitempty"`
}

// readFigure decodes a signal, or returns nil if it is not a single figure.
func readFigure(raw json.RawMessage) *dated {
	var d dated
	if json.Unmarshal(raw, &d) != nil || d.Value == nil {
		return nil
	}
	return &d
}

// figures returns the values of the signals, by name, and the days on which they were read,
// without sources. Each benchmark result is a separate value.
func (e entity) figures() (figures map[string]any, dates map[string]string) {
	figures, dates = map[string]any{}, map[string]string{}
	add := func(name string, value any, date string) {
		if figures[name] = value; date != "" {
			dates[name] = date
		}
	}
	for name, raw := range get[entity](e, "signals") {
		var results []record.Benchmark
		if one := readFigure(raw); one != nil {
			add(name, one.Value, one.Date)
		} else if json.Unmarshal(raw, &results) == nil {
			for i := range results {
				add(results[i].FoldedName(), results[i].Value, results[i].Date)
			}
		}
	}
	return figures, dates
}
