package pricing_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

func dollars(p record.Price) *big.Rat {
	r, ok := new(big.Rat).SetString(p.String())
	if !ok {
		panic("unknown price")
	}
	return r
}

// plainCost is a second way to calculate a cost, written as a person would explain it. It
// returns nil if a price that is needed is unknown.
func plainCost(o *record.Offer, u pricing.Use) *big.Rat {
	if o.Context > 0 && u.Input > o.Context || o.OutputLimit > 0 && u.Output > o.OutputLimit {
		return nil
	}
	list, tiers := o.Prices, o.Tiers
	if u.Mode != "" {
		found := false
		for _, m := range o.Modes {
			if m.Name == u.Mode {
				list, tiers, found = m.Prices, m.Tiers, true
			}
		}
		if !found {
			return nil
		}
	}
	all := slices.Clone(o.Tiers)
	for _, m := range o.Modes {
		all = append(all, m.Tiers...)
	}
	if len(tiers) == 0 && slices.ContainsFunc(all, func(t record.Tier) bool { return u.Input > t.Over }) {
		list = record.Prices{}
	}
	best := int64(-1)
	for _, t := range tiers {
		if u.Input > t.Over && t.Over > best {
			best, list = t.Over, t.Prices
		}
	}
	price := map[string]record.Price{}
	for i, name := range record.PriceNames {
		price[name] = list[i]
	}
	if !price["reasoningOutput"].Known() {
		price["reasoningOutput"] = price["output"]
	}
	if u.Requests == 0 {
		return new(big.Rat)
	}
	total := new(big.Rat)
	for name, tokens := range map[string]int64{"input": u.Input - u.Cached - u.CacheWrite - u.CacheWrite1h - u.InputAudio - u.InputImage, "cacheRead": u.Cached,
		"cacheWrite": u.CacheWrite, "cacheWrite1h": u.CacheWrite1h, "inputAudio": u.InputAudio, "inputImage": u.InputImage,
		"output": u.Output - u.Reasoning - u.OutputAudio, "reasoningOutput": u.Reasoning, "outputAudio": u.OutputAudio} {
		if tokens == 0 {
			continue
		}
		if !price[name].Known() {
			return nil
		}
		perToken := new(big.Rat).Quo(dollars(price[name]), big.NewRat(1_000_000, 1))
		total.Add(total, perToken.Mul(perToken, big.NewRat(tokens, 1)))
	}
	switch seconds := big.NewRat(u.Seconds, 1); {
	case u.Seconds == 0:
	case price["second"].Known():
		total.Add(total, seconds.Mul(seconds, dollars(price["second"])))
	case price["minute"].Known():
		total.Add(total, seconds.Mul(seconds, new(big.Rat).Quo(dollars(price["minute"]), big.NewRat(60, 1))))
	default:
		return nil
	}
	for name, n := range map[string]int64{"image": u.Images, "page": u.Pages, "character": u.Characters} {
		if n > 0 && !price[name].Known() {
			return nil
		}
		if n > 0 {
			total.Add(total, new(big.Rat).Mul(dollars(price[name]), big.NewRat(n, 1)))
		}
	}
	if price["request"].Known() {
		total.Add(total, dollars(price["request"]))
	}
	return total.Mul(total, big.NewRat(u.Requests, 1))
}

func randomPrices(rng *rand.Rand) (p record.Prices) {
	for i := range p {
		if rng.IntN(5) > 0 {
			p[i] = record.PriceOf(rng.Int64N([]int64{3, 1000, 20_000_000, 1e14}[rng.IntN(4)]))
		}
	}
	return p
}

func randomTiers(rng *rand.Rand) (tiers []record.Tier) {
	for range rng.IntN(4) {
		over := 1 + rng.Int64N(2000)
		if !slices.ContainsFunc(tiers, func(t record.Tier) bool { return t.Over == over }) {
			tiers = append(tiers, record.Tier{Over: over, Prices: randomPrices(rng)})
		}
	}
	return tiers
}

func randomOffer(rng *rand.Rand) record.Offer {
	o := record.Offer{Provider: "p", ID: "m", Prices: randomPrices(rng), Tiers: randomTiers(rng)}
	if rng.IntN(4) == 0 {
		o.Context, o.OutputLimit = rng.Int64N(5000), rng.Int64N(5000) // 0 is unknown
	}
	for _, name := range []string{"batch", "flex"}[:rng.IntN(3)] {
		o.Modes = append(o.Modes, record.Mode{Name: name, Prices: randomPrices(rng), Tiers: randomTiers(rng)})
	}
	list := []record.Offer{o}
	record.SortOffers(list)
	return list[0]
}

func randomUse(rng *rand.Rand) (u pricing.Use) {
	size := []int64{2, 3000, pricing.MaxQuantity + 1}[rng.IntN(3)]
	u = pricing.Use{Input: rng.Int64N(size), Output: rng.Int64N(size), Requests: rng.Int64N(size), Mode: []string{"", "", "batch", "flex"}[rng.IntN(4)]}
	if rng.IntN(2) == 0 && u.Input > 0 {
		u.Cached = rng.Int64N(u.Input + 1)
		u.CacheWrite = rng.Int64N(u.Input - u.Cached + 1)
		u.InputAudio = rng.Int64N(u.Input - u.InputParts() + 1)
		u.InputImage = rng.Int64N(u.Input - u.InputParts() + 1)
		if rng.IntN(9) == 0 {
			u.CacheWrite1h = rng.Int64N(u.Input - u.InputParts() + 1)
		}
	}
	if rng.IntN(2) == 0 {
		u.Reasoning = rng.Int64N(u.Output + 1)
		u.OutputAudio = rng.Int64N(u.Output - u.Reasoning + 1)
	}
	if rng.IntN(4) == 0 {
		u.Images, u.Pages, u.Seconds, u.Characters = rng.Int64N(3), rng.Int64N(2), rng.Int64N(100), rng.Int64N(2)
	}
	return u
}

// TestCost compares costs with a second calculation, for random offers and uses.
func TestCost(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 3))
	known, tiered := 0, 0
	for range 50_000 {
		o, u := randomOffer(rng), randomUse(rng)
		if err := u.Check(); err != nil {
			t.Fatalf("%+v: %v", u, err)
		}
		got, want := pricing.CalculateAll([]record.Offer{o}, "", u)[0], plainCost(&o, u)
		if (got.Total == nil) != (want == nil) || want != nil && got.Total.Cmp(want) != 0 {
			t.Fatalf("%+v\n%+v\ngot  %v\nwant %v", o, u, got.Total, want)
		}
		if (got.Total == nil) != (len(got.Unknown)+len(got.Exceeds) > 0) || (got.Total == nil) != (got.Reason() != "") {
			t.Fatalf("%+v: unknown: %v, exceeds %v: %s", u, got.Unknown, got.Exceeds, got.Reason())
		}
		if want == nil {
			continue
		}
		known++
		if got.Over > 0 {
			tiered++
		}
		sum := new(big.Rat)
		for _, l := range got.Lines {
			sum.Add(sum, l.Cost)
		}
		if sum.Cmp(want) != 0 {
			t.Fatalf("the lines add up to %v, not %v", sum, want)
		}
		total, err := strconv.ParseFloat(got.Dollars(), 64)
		if rounded, _ := strconv.ParseFloat(want.FloatString(6), 64); err != nil || total != rounded { // half away from zero
			t.Fatalf("%v was rounded to %s", want, got.Dollars())
		}
	}
	if known < 10_000 || tiered < 1000 {
		t.Errorf("only %d costs are known, %d by a tier", known, tiered)
	}
}

func TestCostChecksQuantities(t *testing.T) {
	for want, u := range map[string]pricing.Use{
		"input: -1 is not between 0 and 1000000000":                                                                         {Input: -1},
		"requests: 1000000001 is not between 0 and 1000000000":                                                              {Requests: pricing.MaxQuantity + 1},
		"cached, cacheWrite, cacheWrite1h, inputAudio and inputImage together are more than input, of which they are parts": {Input: 5, Cached: 2, CacheWrite: 1, CacheWrite1h: 1, InputAudio: 2},
		"reasoning and outputAudio together are more than output, of which they are parts":                                  {Output: 5, Reasoning: 3, OutputAudio: 3},
	} {
		if err := u.Check(); err == nil || err.Error() != want {
			t.Errorf("%+v: %v", u, err)
		}
	}
}

// TestCompare sorts costs: the cheapest first, unknown ones last.
func TestCompare(t *testing.T) {
	priced := func(provider string, micros int64) record.Offer {
		o := record.Offer{Provider: provider}
		if micros >= 0 {
			o.Prices[record.InputPrice] = record.PriceOf(micros)
		}
		return o
	}
	var costs []pricing.Cost
	for _, o := range []record.Offer{priced("b", 5), priced("unknown", -1), priced("a", 5), priced("free", 0)} {
		costs = append(costs, pricing.CalculateAll([]record.Offer{o}, "", pricing.Use{Input: 10, Requests: 1})[0])
	}
	slices.SortFunc(costs, pricing.Compare)
	var order []string
	for _, c := range costs {
		order = append(order, c.Offer.Provider)
	}
	if got := strings.Join(order, " "); got != "free a b unknown" {
		t.Error(got)
	}
}

// TestUntold checks that an offer without tiers has no price for requests to which another offer of
// the model applies a tier, and is not the cheapest because of that.
func TestUntold(t *testing.T) {
	price := func(dollars float64) (p record.Prices) {
		p[record.InputPrice], _, _ = record.RoundPrice(dollars)
		return p
	}
	offers := []record.Offer{
		{Provider: "flat", Prices: price(1)},
		{Provider: "stated", Prices: price(1), Tiers: []record.Tier{{Over: 200_000, Prices: price(1.5)}}},
		{Provider: "small", Prices: price(0.1), Context: 128_000},
		{Provider: "maker", Prices: price(1.25), Tiers: []record.Tier{{Over: 200_000, Prices: price(2.5)}}},
	}
	for _, c := range []struct {
		input    int64
		provider string
		want     string
	}{
		{200_000, "", "flat, stated, maker, small"},
		{200_001, "", "stated, maker, flat, small"},
		{200_001, "flat", "flat"},
	} {
		var order, reasons []string
		for _, cost := range pricing.CalculateAll(offers, c.provider, pricing.Use{Input: c.input, Requests: 1}) {
			order, reasons = append(order, cost.Offer.Provider), append(reasons, cost.Reason())
		}
		suite.Equal(t, strings.Join(order, ", "), c.want, c.input)
		if got := reasons[slices.Index(order, "flat")]; (got != "") != (c.input > 200_000) {
			t.Errorf("%d: %q", c.input, got)
		}
	}
}

func TestSummarize(t *testing.T) {
	offer := func(provider, id string, in, out float64, change ...func(*record.Offer)) record.Offer {
		o := record.Offer{Provider: provider, ID: id}
		for i, x := range []float64{in, out} {
			if x >= 0 {
				o.Prices[i], _, _ = record.RoundPrice(x)
			}
		}
		for _, f := range change {
			f(&o)
		}
		return o
	}
	deprecated := func(o *record.Offer) { o.Deprecated = true }
	makers := pricing.Providers{{Slug: "acme", Maker: "Acme"}, {Slug: "zeta"}}
	for name, c := range map[string]struct {
		ids    []record.ID
		offers []record.Offer
		want   string // input, output, blended, provider
	}{
		"none":              {nil, nil, ",,,"},
		"the maker's":       {nil, []record.Offer{offer("acme", "m", 3, 15), offer("zeta", "m", 1, 1)}, "3,15,6,acme"},
		"the first":         {nil, []record.Offer{offer("acme", "a", 3, 15), offer("acme", "b", 1, 1)}, "3,15,6,acme"},
		"the one in ids":    {[]record.ID{{Namespace: "modelsdev", Value: "acme/b"}}, []record.Offer{offer("acme", "a", 3, 15), offer("acme", "b", 1, 1)}, "1,1,1,acme"},
		"input only":        {nil, []record.Offer{offer("acme", "m", 3, -1)}, "3,,,acme"},
		"no price at maker": {nil, []record.Offer{offer("acme", "m", -1, -1), offer("zeta", "m", 2, 4)}, "2,4,2.5,"},
		"median": {nil, []record.Offer{offer("a", "m", 1, 10), offer("b", "m", 2, -1), offer("c", "m", 9, 30), offer("d", "m", 3, 20),
			offer("e", "m", 0.001, 0.001, deprecated)}, "2,20,6.5,"}, // of 1 2 3 9 the lower middle
		"half up": {nil, []record.Offer{offer("a", "m", 0.000001, 0.000003)}, "0.000001,0.000003,0.000002,"}, // 1.5 millionths
	} {
		e := &record.Entity{Type: "model", Provider: "Acme", IDs: c.ids, Offers: c.offers}
		p := makers.Compute(e, "2026-01-01").Price
		suite.Equal(t, strings.Join([]string{p.Input.String(), p.Output.String(), p.Blended.String(), p.Provider}, ","), c.want, name)
	}
}
