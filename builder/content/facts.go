package content

import (
	"cmp"
	"slices"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/exports/ids"
	"kindex/exports/record"
)

// decodeFacts copies the facts of an entity that are not signals. source returns a source
// that several values share.
func decodeFacts(e *record.Entity, m map[string]any, source func(any) string) {
	e.IDs = decodeIDs(e, m["ids"])
	e.Values = record.ValuesOf(e.Declared(), m)
	if l, ok := m["lifecycle"].(map[string]any); ok {
		e.Lifecycle = &record.Lifecycle{Deprecated: yamldoc.Text(l["deprecated"]), Retires: yamldoc.Text(l["retires"]),
			ReplacedBy: yamldoc.Text(l["replacedBy"]), Source: source(l["source"])}
	}
	e.Offers = decodeOffers(m, source)
}

// decodeIDs returns the identifiers that a file states, and those that follow from its links.
func decodeIDs(e *record.Entity, v any) (list []record.ID) {
	stated, _ := v.(map[string]any)
	for namespace, value := range stated {
		for _, id := range textOrTexts(value) {
			list = append(list, record.ID{Namespace: yamldoc.Text(namespace), Value: strings.Clone(id)})
		}
	}
	for _, id := range record.LinkedIDs(e.Links) {
		if stated[id.Namespace] == nil {
			list = append(list, id)
		}
	}
	record.SortIDs(list)
	return list
}

// textOrTexts returns the texts of a list, or a text as a list.
func textOrTexts(v any) []string {
	if s := yamldoc.Text(v); s != "" {
		return []string{s}
	}
	return yamldoc.Texts(v)
}

func decodeOffers(m map[string]any, source func(any) string) []record.Offer {
	list, _ := m["offers"].([]any)
	if len(list) == 0 {
		return nil
	}
	read, _ := m["offersRead"].(map[string]any)
	offers := make([]record.Offer, 0, len(list))
	for _, v := range list {
		f, ok := v.(map[string]any)
		if !ok {
			continue
		}
		o := record.Offer{Provider: yamldoc.Text(f["provider"]), ID: yamldoc.Text(f["id"]), Prices: decodePrices(f),
			Context: int64(numberOf(f["context"])), OutputLimit: int64(numberOf(f["outputLimit"])), Tiers: decodeTiers(f["tiers"]), Modes: decodeModes(f["modes"]), Until: yamldoc.Text(f["until"]),
			Free: f["free"] == true, Deprecated: f["deprecated"] == true, Reviewed: yamldoc.Texts(f["reviewed"]),
			Date: cmp.Or(yamldoc.Text(f["date"]), yamldoc.Text(read["date"])), Source: cmp.Or(source(f["source"]), source(read["source"]))}
		if next, ok := f["next"].(map[string]any); ok {
			o.Next = &record.Terms{From: yamldoc.Text(next["from"]), Prices: decodePrices(next), Tiers: decodeTiers(next["tiers"]), Modes: decodeModes(next["modes"])}
		}
		offers = append(offers, o)
	}
	record.SortOffers(offers)
	return offers
}

func decodeModes(v any) (modes []record.Mode) {
	fields, _ := v.(map[string]any)
	for name, v := range fields {
		mode, _ := v.(map[string]any)
		modes = append(modes, record.Mode{Name: yamldoc.Text(name), Hours: yamldoc.Text(mode["hours"]), Prices: decodePrices(mode), Tiers: decodeTiers(mode["tiers"])})
	}
	return modes
}

func decodeTiers(v any) (tiers []record.Tier) {
	list, _ := v.([]any)
	for _, v := range list {
		t, _ := v.(map[string]any)
		tiers = append(tiers, record.Tier{Over: int64(numberOf(t["over"])), Prices: decodePrices(t)})
	}
	return tiers
}

// decodePrices returns the valid prices among some fields.
func decodePrices(fields map[string]any) (p record.Prices) {
	for i, name := range record.PriceNames {
		switch v := fields[name].(type) {
		case int64, float64:
			if price, _, err := record.RoundPrice(numberOf(v)); err == nil {
				p[i] = price
			}
		}
	}
	return p
}

// decodeBenchmark copies one benchmark result.
func decodeBenchmark(v any, source func(any) string) record.Benchmark {
	f, _ := v.(map[string]any)
	text := func(key string) string { return yamldoc.Text(f[key]) }
	b := record.Benchmark{Name: text("name"), Value: numberOf(f["value"]), Metric: text("metric"), Harness: text("harness"),
		Variant: text("variant"), Dataset: text("dataset"), Version: text("version"), By: text("by"), Publisher: text("publisher"),
		Date: text("date"), Source: source(f["source"])}
	b.Unfold()
	return b
}

// hasID reports whether a list has a value, compared as in its namespace.
func hasID(list []record.ID, id record.ID) bool {
	return slices.ContainsFunc(list, func(x record.ID) bool {
		return x.Namespace == id.Namespace && ids.Canonical(x.Namespace, x.Value) == ids.Canonical(id.Namespace, id.Value)
	})
}
