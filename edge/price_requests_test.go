package edge_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pricedFixture adds a model with offers, and their providers, to the content for tests in a
// folder.
func pricedFixture(t *testing.T, content string) {
	t.Helper()
	path := filepath.Join(content, "providers.yaml")
	providers, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		providers, err = []byte("providers:\n"), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, slug := range []string{"openai", "fixture-cloud"} {
		if !strings.Contains(string(providers), "slug: "+slug+"\n") && !strings.Contains(string(providers), "slug: "+slug+",") {
			providers = append(providers, "  - {slug: "+slug+", name: "+slug+"}\n"...)
		}
	}
	model := `name: Priced fixture
category: language
description: A model with everything that an offer can state.
family: fixture
modalities: {input: [text, image], output: [text]}
offersRead: {date: 2026-07-02, source: https://example.org/prices}
offers:
  - provider: fixture-cloud
    id: fixture
    input: 1
    output: 4
    cacheRead: 0.1
    cacheWrite: 1.25
    reasoningOutput: 5
    inputAudio: 6
    outputAudio: 7
    image: 0.01
    request: 0.002
    context: 200000
    outputLimit: 8000
    tiers: [{over: 1000, input: 2, output: 8, reasoningOutput: 10, cacheRead: 0.2, cacheWrite: 2.5, inputAudio: 12, outputAudio: 14, image: 0.02, request: 0.004}]
    modes:
      batch: {input: 0.5, output: 2, tiers: [{over: 1000, input: 1, output: 4}]}
  - {provider: fixture-cloud, id: fixture-3, input: 9}
  - {provider: openai, id: fixture-2, output: 9, deprecated: true}
`
	if err := os.WriteFile(path, providers, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(content, "model", "priced-fixture.yaml"), []byte(model), 0o644); err != nil {
		t.Fatal(err)
	}
}

// prices returns the requests for offers and costs.
func prices() []request {
	const fixture = "?model=priced-fixture"
	return slices.Concat(
		ok("listOffers", "/api/offers", "", "?sort=input", "?sort=output&limit=1", fixture, "?model=model/priced-fixture&model=gpt-5", "?provider=openai&provider=fixture-cloud",
			"?family=fixture", "?family=no-such-family", "?modality=image", "?modality=video&modality=text", "?maxInput=0", "?maxInput=999999.999999", "?maxOutput=4.000000",
			"?minContext=0", "?minContext=200000", fixture+"&at=2026-10-25", fixture+"&limit=1&offset=1"),
		pages("listOffers", "/api/offers", "?"),
		days("listOffers", "/api/offers"),
		bad("listOffers", "/api/offers", "model", "", "%20"),
		beyond("listOffers", "/api/offers", "model", "no-such-model", "tool/pytorch"),
		bad("listOffers", "/api/offers", "provider", "", "Open%20AI"),
		beyond("listOffers", "/api/offers", "provider", "no-such-provider"),
		bad("listOffers", "/api/offers", "family", "", "%20"),
		bad("listOffers", "/api/offers", "modality", "", "smell", "text,image"),
		bad("listOffers", "/api/offers", "maxInput", "", "-1", "1e3", "0.0000001", "1000000000"),
		bad("listOffers", "/api/offers", "maxOutput", "", "5.", "free", "1.2345678"),
		bad("listOffers", "/api/offers", "minContext", "", "-1", "1.5", "2147483648"),
		bad("listOffers", "/api/offers", "sort", "", "context"),

		ok("getCost", "/api/cost"+fixture, "&input=1000&output=10", "&input=0&output=10", "&input=1001&cached=500&cacheWrite=1&output=10&reasoning=3&requests=12", "&input=1&output=1&mode=batch",
			"&input=9&cacheWrite1h=1&inputAudio=2&output=9&outputAudio=3&images=4", "&input=1&mode=priority", "&input=1&provider=openai", "&input=1000000000&requests=1000000000", "&input=1&at=2026-10-25"),
		ok("getCost", "/api/cost", "?model=gpt-5&input=1", "?model=model/priced-fixture&input=1"),
		bad("getCost", "/api/cost"+fixture+"&input=1", "at", "2026-02-30", "yesterday", ""),
		beyond("getCost", "/api/cost"+fixture+"&input=1", "at", "2026-11-02"),
		status(404, "getCost", "at", "/api/cost"+fixture+"&input=1&at=2026-08-02"),
		status(410, "getCost", "model", "/api/cost?model=retired-fixture&input=1"),
		status(410, "listOffers", "model", "/api/offers?model=retired-fixture"),
		status(400, "getCost", "model", "/api/cost", "/api/cost?input=1"),
		status(400, "getCost", "input", "/api/cost"+fixture, "/api/cost"+fixture+"&output=1"),
		bad("getCost", "/api/cost?input=1", "model", "", "%20"),
		beyond("getCost", "/api/cost?input=1", "model", "no-such-model", "gpt-5&model=gpt-5"),
		bad("getCost", "/api/cost"+fixture, "input", "", "-1", "1.5", "1000000001"),
		bad("getCost", "/api/cost"+fixture+"&input=1", "output", "", "-1", "1.5", "1000000001"),
		bad("getCost", "/api/cost"+fixture+"&input=9", "cached", "", "-1", "x"),
		beyond("getCost", "/api/cost"+fixture+"&input=9", "cached", "10", "5&cacheWrite=5"),
		bad("getCost", "/api/cost"+fixture+"&input=9", "cacheWrite", "", "-1", "x"),
		beyond("getCost", "/api/cost"+fixture+"&input=9", "cacheWrite", "10"),
		bad("getCost", "/api/cost"+fixture+"&input=9", "cacheWrite1h", "", "-1", "x"),
		beyond("getCost", "/api/cost"+fixture+"&input=9", "cacheWrite1h", "10"),
		bad("getCost", "/api/cost"+fixture+"&input=9", "inputAudio", "", "-1", "x"),
		beyond("getCost", "/api/cost"+fixture+"&input=9", "inputAudio", "10"),
		bad("getCost", "/api/cost"+fixture+"&input=9&output=9", "outputAudio", "", "-1", "x"),
		beyond("getCost", "/api/cost"+fixture+"&input=9&output=9", "outputAudio", "10"),
		bad("getCost", "/api/cost"+fixture+"&input=9", "images", "", "-1", "x"),
		bad("getCost", "/api/cost"+fixture+"&input=0&output=9", "reasoning", "", "-1", "x"),
		beyond("getCost", "/api/cost"+fixture+"&input=0&output=9", "reasoning", "10"),
		bad("getCost", "/api/cost"+fixture+"&input=9", "requests", "", "0", "1000000001"),
		bad("getCost", "/api/cost"+fixture+"&input=9", "mode", "", "standard"),
		bad("getCost", "/api/cost"+fixture+"&input=9", "provider", "", "Open%20AI"),
		beyond("getCost", "/api/cost"+fixture+"&input=9", "provider", "no-such-provider"),
	)
}
