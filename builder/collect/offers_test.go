package collect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kindex/builder/collect"
	"kindex/builder/content/schema"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// shop returns a source of offers, which are by provider/id. Those that it does not have are gone.
func shop(offers map[string]record.Offer, day string) *collect.Source {
	return &collect.Source{Name: "modelsdev", Title: "Shop", Columns: []collect.Column{{Name: "contextTokens"}, {Name: collect.OffersColumn}},
		Identify: func(*record.Entity) string { return "" },
		LookOffer: func(o *record.Offer) (collect.Answer, bool) {
			found, ok := offers[o.Provider+"/"+o.ID]
			a := collect.Answer{Day: day, Gone: !ok}
			if ok {
				found.Provider, found.ID, found.Source = o.Provider, o.ID, "https://shop.example/new"
				a.Offer = &found
			}
			return a, o.Source == "" || strings.HasPrefix(o.Source, "https://shop.example/")
		}}
}

func dollars(input, output, cacheRead float64) (p record.Prices) {
	for kind, x := range map[int]float64{record.InputPrice: input, record.OutputPrice: output, record.CacheReadPrice: cacheRead} {
		if x >= 0 {
			p[kind], _, _ = record.RoundPrice(x)
		}
	}
	return p
}

const pricedModel = `# about it
name: M
description: What M is.   # short
category: things
offersRead: {date: 2026-07-02, source: https://shop.example/old}
offers:
  # the maker
  - {provider: zeta, id: m-1.5, input: 3, output: 15, cacheRead: 0.3, context: 1000}
  - {provider: acme, id: org/m, input: 2, output: 10}   # cheaper
  - provider: free
    id: m
    # in the evening
    input: 0
    output: 0
    free: true
    source: https://shop.example/free
  - {provider: page, id: m, input: 4, output: 20, source: https://page.example/prices}
`

// same are the offers of pricedModel as the shop has them.
func same() map[string]record.Offer {
	return map[string]record.Offer{"zeta/m-1.5": {Prices: dollars(3, 15, .3), Context: 1000}, "acme/org/m": {Prices: dollars(2, 10, -1)}, "free/m": {Prices: dollars(0, 0, 0)}}
}

func TestOffers(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(m map[string]record.Offer)
		names  string // stopped, without the prefix offers.
		reason string // of the first
		accept string // with which it is let through
		want   string // a line in the file after the run, or after it was accepted
	}{
		{"a cut", func(m map[string]record.Offer) { m["acme/org/m"] = record.Offer{Prices: dollars(1, 5, .1)} }, "", "", "",
			"  - {provider: acme, id: org/m, input: 1, output: 5, cacheRead: 0.1, date: 2026-11-20, source: https://shop.example/new} # cheaper\n"},
		{"a limit", func(m map[string]record.Offer) {
			m["zeta/m-1.5"] = record.Offer{Prices: dollars(3, 15, .3), Context: 2000, OutputLimit: 64}
		}, "", "", "",
			"  # the maker\n  - {provider: zeta, id: m-1.5, input: 3, output: 15, cacheRead: 0.3, context: 2000, outputLimit: 64, date: 2026-11-20, source: https://shop.example/new}\n"},
		{"tiers and modes", func(m map[string]record.Offer) {
			m["acme/org/m"] = record.Offer{Prices: dollars(2, 10, -1), Deprecated: true, Tiers: []record.Tier{{Over: 500, Prices: dollars(4, 20, -1)}},
				Modes: []record.Mode{{Name: "batch", Prices: dollars(1, 5, 0)}}}
		}, "", "", "", "    tiers:\n      - {over: 500, input: 4, output: 20}\n    modes:\n      batch: {input: 1, output: 5}\n    deprecated: true\n"},
		{"0", func(m map[string]record.Offer) { m["acme/org/m"] = record.Offer{Prices: dollars(0, 10, -1)} }, "acme/org%2Fm.input", "fell from 2 to 0", "offers.acme/org%2Fm.input",
			"input: 0, output: 10, free: true, date: 2026-11-20"},
		{"no longer free", func(m map[string]record.Offer) { m["free/m"] = record.Offer{Prices: dollars(1, 2, -1)} }, "free/m.input free/m.output", "it was free", "offers.free/m",
			"input: 1\n    output: 2\n    date: 2026-11-20"},
		{"threefold", func(m map[string]record.Offer) { m["acme/org/m"] = record.Offer{Prices: dollars(6, 30, -1)} }, "", "", "", "input: 6, output: 30, date"},
		{"more than threefold", func(m map[string]record.Offer) { m["acme/org/m"] = record.Offer{Prices: dollars(6.01, 12, -1)} }, "acme/org%2Fm.input",
			"changed from 2 by a factor of more than 3", "offers", "input: 6.01, output: 12"},
		{"less than a third", func(m map[string]record.Offer) {
			m["zeta/m-1.5"] = record.Offer{Prices: dollars(.9, 15, .3), Context: 300}
		}, "zeta/m-1%2E5.context zeta/m-1%2E5.input",
			"changed from 1000 by a factor of more than 3", "*", "input: 0.9, output: 15, cacheRead: 0.3, context: 300"},
		{"a price that is lost", func(m map[string]record.Offer) {
			m["zeta/m-1.5"] = record.Offer{Prices: dollars(3, 15, -1), Context: 1000}
		}, "zeta/m-1%2E5.cacheRead",
			"it is no longer listed", "offers.zeta/m-1%2E5", "input: 3, output: 15, context: 1000, date: 2026-11-20"},
		{"gone", func(m map[string]record.Offer) { delete(m, "free/m") }, "free/m", "Shop no longer has this offer", "", ""},
		{"unlikely", func(m map[string]record.Offer) { m["acme/org/m"] = record.Offer{Prices: dollars(2, 10, 2.5)} }, "acme/org%2Fm.cacheRead", "2.5 is above the input price, 2",
			"offers.acme/org%2Fm.cacheRead", "cacheRead: 2.5, date"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, map[string]string{"model/m.yaml": pricedModel})
			offers := same()
			o := options(t, dir, newClock("2026-11-23"), shop(offers, "2026-11-20"))
			mustRun(t, o) // dates
			first := read(t, dir)["model/m.yaml"]
			c.change(offers)
			os := write(t, map[string]string{"model/m.yaml": strings.Replace(first, "date: 2026-11-20", "date: 2026-11-19", 1)})
			before := read(t, os)["model/m.yaml"]
			o.Content = os
			r := mustRun(t, o)
			var names []string
			for _, stopped := range r.Stopped {
				names = append(names, strings.TrimPrefix(stopped.Name, "offers."))
			}
			after := read(t, os)
			if c.names != strings.Join(names, " ") || c.names != "" && !strings.HasPrefix(r.Stopped[0].Reason, c.reason) {
				t.Fatalf("%+v", r.Stopped)
			}
			if c.names != "" {
				if after["model/m.yaml"] != before || !strings.Contains(after[schema.StatusFile], c.reason) {
					t.Errorf("what a guard stops has changed the file:\n%s", after["model/m.yaml"])
				}
				if c.accept == "" {
					return
				}
				o.Accept = []string{"model/m:" + c.accept}
				mustRun(t, o)
				after = read(t, os)
			}
			suite.Contains(t, after["model/m.yaml"], c.want)
			comments := func(text string) (n int) { return strings.Count(text, "#") }
			suite.Equal(t, comments(after["model/m.yaml"]), comments(before), "comments are lost", after["model/m.yaml"])
			if r = mustRun(t, o); r.Files != 0 {
				t.Errorf("a second run changes %d files", r.Files)
			}
		})
	}
}

// An offer that a person removes leaves the others as they are.
func TestOfferRemoved(t *testing.T) {
	text := strings.Replace(pricedModel, "    # in the evening\n", "", 1)
	dir := write(t, map[string]string{"model/m.yaml": text})
	offers := same()
	delete(offers, "free/m")
	o := options(t, dir, newClock("2026-11-23"), shop(offers, "2026-07-03"))
	o.Accept = []string{"model/m:offers.free/m"}
	mustRun(t, o)
	want := strings.Replace(text, text[strings.Index(text, "  - provider: free"):strings.Index(text, "  - {provider: page")], "", 1)
	if got := read(t, dir)["model/m.yaml"]; !strings.Contains(got, "cheaper") || strings.Contains(got, "provider: free") || len(got) > len(want)+100 {
		t.Errorf("%s", got)
	}
}

// The day of offers that are the same moves for all of them, in one line.
func TestOffersRedated(t *testing.T) {
	text := strings.Replace(pricedModel, "  - {provider: page, id: m, input: 4, output: 20, source: https://page.example/prices}\n", "", 1)
	dir := write(t, map[string]string{"model/m.yaml": text})
	r := mustRun(t, options(t, dir, newClock("2026-11-23"), shop(same(), "2026-07-20")))
	if r.Files != 0 || r.Sources[0].Unchanged != 3 {
		t.Errorf("after less than minDays: %+v", r.Sources[0])
	}
	before := read(t, dir)["model/m.yaml"]
	r = mustRun(t, options(t, dir, newClock("2026-11-23"), shop(same(), "2026-11-20")))
	after := read(t, dir)["model/m.yaml"]
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	now = slices.DeleteFunc(now, func(line string) bool { return slices.Contains(old, line) })
	if r.Sources[0].Redated != 3 || len(r.Changes) != 0 || !strings.Contains(after, "date: 2026-11-20") || strings.Count(after, "2026-") != 1 {
		t.Errorf("%+v\n%s", r.Sources[0], strings.Join(now, "\n"))
	}
	// An older reading changes nothing.
	r = mustRun(t, options(t, dir, newClock("2026-11-23"), shop(nil, "2026-11-01")))
	if r.Files != 0 || r.Sources[0].Older != 3 || len(r.Stopped) != 0 {
		t.Errorf("%+v", r)
	}
}

// A limit that is that of the model is not written into an offer that has none.
func TestLimitOfTheModel(t *testing.T) {
	text := "name: M\ndescription: What M is.\ncategory: things\nsignals:\n  contextTokens: {value: 1000, date: 2026-07-02}\noffersRead: {date: 2026-07-02}\noffers:\n  - {provider: a, id: m, input: 1, output: 2}\n"
	dir := write(t, map[string]string{"model/m.yaml": text, "collect.yaml": "guards:\n  factor: 1.5\n  refuse: [\"model/m:offers.a/m.cacheRead\"]\n"})
	offers := map[string]record.Offer{"a/m": {Prices: dollars(1, 2, -1), Context: 1000}}
	s := shop(offers, "2026-07-03")
	if r := mustRun(t, options(t, dir, newClock("2026-11-23"), s)); r.Files != 0 {
		t.Errorf("%+v", r)
	}
	offers["a/m"] = record.Offer{Prices: dollars(1.6, 2, .1), Context: 900}
	r := mustRun(t, options(t, dir, newClock("2026-11-23"), s))
	if len(r.Stopped) != 2 || r.Stopped[0].Reason != "it is listed in guards.refuse in collect.yaml" || r.Stopped[1].Reason != "changed from 1 by a factor of more than 1.5" || r.Files != 0 {
		t.Errorf("%+v", r.Stopped)
	}
}

// The name in an offer that a person removes is kept in ids: programs that still send it must
// find the model.
func TestOfferRemovedKeepsName(t *testing.T) {
	model := func(offers string) string {
		return "name: M\nprovider: Acme\ndescription: What M is.\ncategory: things\nids: {bedrock: acme.m-v1}\n" +
			"offersRead: {date: 2026-07-01, source: 'https://shop.example/old'}\noffers:\n" + offers
	}
	for _, c := range []struct{ name, offers, index, want, problem string }{
		{"a declared namespace", "  - {provider: acme, id: m-1, input: 1, output: 2}\n", "acme", "ids:\n  bedrock: acme.m-v1\n  acme: m-1\n", ""},
		{"a known name", "  - {provider: amazon-bedrock, id: acme.m-v1, input: 1, output: 2}\n", "acme", "ids:\n  bedrock: acme.m-v1\n", ""},
		{"another name there", "  - {provider: amazon-bedrock, id: 'acme.m-v2:0', input: 1, output: 2}\n", "acme", "bedrock: [acme.m-v1, acme.m-v2:0]", ""},
		{"no namespace at a host", "  - {provider: host, id: m-1, input: 1, output: 2}\n", "acme", "ids:\n  bedrock: acme.m-v1\n", ""},
		{"no namespace at the maker", "  - {provider: acme, id: m-1, input: 1, output: 2}\n", "other", "provider: acme", "declare acme under ids in kinds.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, map[string]string{
				"model/m.yaml":   model(c.offers),
				"kinds.yaml":     "ids:\n  - {name: " + c.index + ", title: Names}\n",
				"providers.yaml": "providers:\n  - {slug: acme, name: Acme, url: 'https://acme.example', maker: Acme}\n  - {slug: host, name: Host}\n  - {slug: amazon-bedrock, name: Bedrock}\n",
			})
			o := options(t, dir, newClock("2026-11-23"), shop(map[string]record.Offer{}, "2026-11-20"))
			o.Accept = []string{"model/m:offers"}
			r := mustRun(t, o)
			if got := read(t, dir)["model/m.yaml"]; !strings.Contains(got, c.want) || c.problem == "" && strings.Contains(got, "offers") {
				t.Errorf("want %q:\n%s", c.want, got)
			}
			if problems := fmt.Sprint(r.Refused); (c.problem == "") != (len(r.Refused) == 0) || !strings.Contains(problems, c.problem) {
				t.Errorf("refused %s, want %q", problems, c.problem)
			}
		})
	}
}
