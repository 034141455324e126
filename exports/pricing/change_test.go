package pricing_test

import (
	"testing"

	"kindex/builder/suite"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

func TestDescribeChange(t *testing.T) {
	for _, c := range []struct{ field, old, new, want string }{
		{"offers.acme/openai%2Fgpt-5%2E1.input", "1.25", "1.1", "input price of openai/gpt-5.1 at acme: $1.25 → $1.10 per million tokens"},
		{"offers.acme/x.output", "0.000001", "null", "output price of x at acme: $0.000001 per million tokens → "},
		{"offers.acme/x.image", "null", "0", "image price of x at acme:  → $0 per image"},
		{"offers.acme/x.modes.batch.cacheRead", "1", "2", "batch cached input price of x at acme: $1 → $2 per million tokens"},
		{"offers.acme/x.modes.a%2Eb.tiers", "null", `[{"over":5,"input":1.5}]`, "a.b prices of long requests of x at acme:  → over 5 tokens $1.50 / unknown"},
		{"offers.acme/x.context", "128000", "400000", "context window of x at acme: 128000 → 400000"},
		{"offers.acme/x.deprecated", "null", "true", "deprecation of x at acme:  → yes"},
		{"offers.acme/x.reviewed", "null", `["far-from-median"]`, "reviewed warnings of x at acme:  → far-from-median"},
		{"offers.acme/x", `{"provider":"acme","id":"x","input":1,"output":null}`, "null", "offer x at acme: $1 input, unknown output per million tokens → "},
		{"offers.acme/x", "null", `{"provider":"acme","id":"x"}`, "offer x at acme:  → prices unknown"},
		{"offers.acme/x", "null", `{"provider":"acme","id":"x","image":0.04,"page":0.002}`, "offer x at acme:  → $0.04 per image, $0.002 per page"},
		{"offers.acme/x.next", "null", `{"from":"2026-12-01","input":3,"output":12}`, "announced prices of x at acme:  → from 2026-12-01 $3 / $12"},
		{"offers.acme/x.until", "null", `"2026-11-30"`, "end of the prices of x at acme:  → 2026-11-30"},
		{"offers.acme/x.modes.offPeak.hours", "null", `"at night"`, "offPeak hours of x at acme:  → at night"},
		{"offers.acme/x", "null", "[]", "offer x at acme:  → []"},
		{"offers.acme/x.input", "null", `"many"`, `input price of x at acme:  → "many" per million tokens`},
		{"offers", "null", "1", ""},
		{"offers.acme", "null", "1", ""},
		{"signals.stars", "1", "2", ""},
	} {
		got := ""
		if d, ok := pricing.DescribeChange(record.FieldChange{Field: c.field, Old: []byte(c.old), New: []byte(c.new)}); ok {
			got = d.Label() + ": " + d.Old + " → " + d.New
		}
		suite.Equal(t, got, c.want, c.field)
	}
}

func TestDollars(t *testing.T) {
	for micros, want := range map[int64]string{0: "$0", 1: "$0.000001", 1_100_000: "$1.10", 1_250_000: "$1.25", 10_000_000: "$10", 125_000: "$0.125"} {
		suite.Equal(t, pricing.Dollars(record.PriceOf(micros)), want, micros)
	}
	if got := pricing.Dollars(record.Price{}); got != "unknown" {
		t.Error(got)
	}
}
