package collect_test

import (
	"fmt"
	"strings"
	"testing"

	"kindex/builder/content/schema"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// A wrong offer stays as it is and is reported, and the others of the file are still written.
func TestWrongOffers(t *testing.T) {
	tier := func(over int64, input float64) record.Tier {
		return record.Tier{Over: over, Prices: dollars(input, -1, -1)}
	}
	var many []record.Tier
	for i := range 11 {
		many = append(many, tier(int64(i+1)*1000, 2))
	}
	for _, c := range []struct {
		name, reason string
		offer        record.Offer
	}{
		{"a price of millions", "modes.batch.input: 1000000 is above 999999", record.Offer{Prices: dollars(2, 10, -1), Modes: []record.Mode{{Name: "batch", Prices: dollars(1_000_000, -1, -1)}}}},
		{"a limit that JSON rounds", "context: 9007199254740992 is above", record.Offer{Prices: dollars(2, 10, -1), Context: 1 << 53}},
		{"a negative limit", "outputLimit: -1 is below 1", record.Offer{Prices: dollars(2, 10, -1), OutputLimit: -1}},
		{"the same tier twice", "tiers[1].over: 1000 is given twice", record.Offer{Prices: dollars(2, 10, -1), Tiers: []record.Tier{tier(1000, 2), tier(1000, 900)}}},
		{"a tier over nothing", "tiers[0].over: has no value", record.Offer{Prices: dollars(2, 10, -1), Tiers: []record.Tier{tier(0, 2)}}},
		{"too many tiers", "tiers: has 11 entries", record.Offer{Prices: dollars(2, 10, -1), Tiers: many}},
		{"tiers of a mode", "modes.flex.tiers: has 11 entries", record.Offer{Prices: dollars(2, 10, -1), Modes: []record.Mode{{Name: "flex", Prices: dollars(1, 5, -1), Tiers: many}}}},
		{"an unknown mode", `modes."a.b": unknown field`, record.Offer{Prices: dollars(2, 10, -1), Modes: []record.Mode{{Name: "a.b", Prices: dollars(1, 5, -1)}}}},
		{"a new tier, a thousandfold", "2000 is far from the standard price, 2", record.Offer{Prices: dollars(2, 10, -1), Tiers: []record.Tier{tier(1000, 2000)}}},
		{"a new mode, a thousandth", "0.01 is far from the standard price, 10", record.Offer{Prices: dollars(2, 10, -1), Modes: []record.Mode{{Name: "batch", Prices: dollars(1, .01, -1)}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, map[string]string{"model/m.yaml": pricedModel})
			offers := same()
			offers["acme/org/m"] = c.offer
			offers["zeta/m-1.5"] = record.Offer{Prices: dollars(2.5, 12, .25), Context: 1000}
			r := mustRun(t, options(t, dir, newClock("2026-11-23"), shop(offers, "2026-11-20")))
			if len(r.Stopped) != 1 || !strings.HasPrefix(r.Stopped[0].Reason, c.reason) || !strings.HasPrefix(r.Stopped[0].Name, "offers.acme/org%2Fm") || len(r.Refused) != 0 {
				t.Errorf("stopped %+v, refused %+v", r.Stopped, r.Refused)
			}
			text := read(t, dir)["model/m.yaml"]
			for _, line := range []string{"{provider: zeta, id: m-1.5, input: 2.5, output: 12, cacheRead: 0.25,", "{provider: acme, id: org/m, input: 2, output: 10"} {
				suite.Contains(t, text, line)
			}
		})
	}
}

// What a person accepts is in the report, with its reason, and only if it is written.
func TestAcceptedOffers(t *testing.T) {
	dir := write(t, map[string]string{"model/m.yaml": strings.Replace(pricedModel, "    # in the evening\n", "", 1)})
	offers := same()
	delete(offers, "free/m")
	offers["acme/org/m"] = record.Offer{Prices: dollars(0, 10, -1)}
	offers["zeta/m-1.5"] = record.Offer{Prices: dollars(30, 150, 3), Context: 1000}
	o := options(t, dir, newClock("2026-11-23"), shop(offers, "2026-11-20"))
	o.Accept = []string{"model/m:offers.acme/org%2Fm", "model/m:offers.free/m", "model/m:offers.zeta/m-1%2E5.input"}
	r := mustRun(t, o)
	var accepted []string
	for _, x := range r.Accepted {
		accepted = append(accepted, fmt.Sprintf("%s %v: %s", x.Name, x.Found, x.Reason))
	}
	want := "offers.acme/org%2Fm.input 0: fell from 2 to 0, which may mean unknown; accept it if it is free\n" +
		"offers.free/m <nil>: Shop no longer has this offer; accept it to remove it"
	if got := strings.Join(accepted, "\n"); got != want || len(r.Stopped) != 2 || r.Routine {
		t.Errorf("accepted:\n%s\nstopped: %+v, routine: %t", got, r.Stopped, r.Routine)
	}
	suite.Contains(t, read(t, dir)[schema.StatusFile], `"read": "2026-11-20"`)
}

// A status file that would be too large to be read again stays as it was, and the report says so.
func TestTooManyStopped(t *testing.T) {
	files := map[string]string{}
	for i := range 12 {
		var b strings.Builder
		fmt.Fprintf(&b, "name: M%d\ndescription: What M%d is.\ncategory: things\noffersRead: {date: 2026-07-02}\noffers:\n", i, i)
		for j := range 500 {
			fmt.Fprintf(&b, "  - {provider: acme, id: %q, input: 1}\n", fmt.Sprintf("%03d%s", j, strings.Repeat("/", 197)))
		}
		files[fmt.Sprintf("model/m%d.yaml", i)] = b.String()
	}
	dir := write(t, files)
	o := options(t, dir, newClock("2026-11-23"), shop(nil, "2026-11-20"))
	r := mustRun(t, o)
	if len(r.Stopped) != 6000 || len(r.Refused) != 1 || r.Refused[0].Entity != schema.StatusFile || r.Files != 0 || r.Routine {
		t.Errorf("%d stopped, refused %+v", len(r.Stopped), r.Refused)
	}
	if _, ok := read(t, dir)[schema.StatusFile]; ok {
		t.Error("the file was written")
	}
	mustRun(t, o) // the content can still be read
}
