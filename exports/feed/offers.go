package feed

import (
	"encoding/json"
	"net/url"
	"strings"

	"kindex/exports/record"
)

const offersPrefix = "offers."

// offerLabel returns the display name of a field of an offer, such as "acme model-1, cache
// read". Its name is offers.<provider>/<id>, with the id percent-encoded, and the name of the
// changed price, if the offer was not added or removed.
func offerLabel(field string) string {
	key, rest, _ := strings.Cut(strings.TrimPrefix(field, offersPrefix), ".")
	provider, id, _ := strings.Cut(key, "/")
	if plain, err := url.PathUnescape(id); err == nil {
		id = plain
	}
	name := clean(provider + " " + id)
	for part := range strings.SplitSeq(rest, ".") {
		if part != "" && part != "modes" {
			name += ", " + words(part)
		}
	}
	return name
}

// parseOffer describes an added or removed offer by its prices.
func parseOffer(raw string) (value, bool) {
	var prices map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &prices) != nil {
		return value{}, false
	}
	var parts []string
	for _, name := range record.PriceNames {
		if p := string(prices[name]); p != "" && p != "null" {
			parts = append(parts, "$"+number(p)+" "+words(name))
		}
	}
	if len(parts) == 0 {
		return value{text: "no prices"}, true
	}
	return value{text: strings.Join(parts, ", ")}, true
}
