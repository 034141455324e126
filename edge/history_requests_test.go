package edge_test

import (
	"slices"
	"strings"

	"kindex/edge"
)

// days returns requests with invalid values of the "at" parameter: strings that are not days, and
// days that the build does not cover.
func days(op, path string) []request {
	return slices.Concat(
		bad(op, path, "at", "2026-02-30", "2026-10", "yesterday", "", "2026-10-25T00:00:00Z"),
		beyond(op, path, "at", "2026-11-02", "9999-12-31", "2026-10-25&at=2026-10-25"),
		status(404, op, "at", path+"?at=2026-08-02", path+"?at=1970-01-01"),
	)
}

// moments returns requests with valid and invalid values of a parameter that identifies a point in
// the history.
func moments(op, path, param string) []request {
	return slices.Concat(
		ok(op, path+"?"+param+"=", "2026-10-10", "2026-10-10T12:00:00Z", "2026-10-10T14:00:00%2B02:00", "1970-01-01", "9999-12-31"),
		bad(op, path, param, "", "2026-02-30", "2026-10", "now", "2026-10-10T12:00", "0123456789ABCDEF01234567", "0123"),
		beyond(op, path, param, "0123456789abcdef01234567", "2026-10-10&"+param+"=2026-10-11"),
	)
}

// history returns the requests for changes.
func history() []request {
	return slices.Concat(
		ok("listChanges", "/api/changelog", "", "?event=entity.deleted", "?event=entity.created&event=entity.deleted&type=tool", "?field=slug",
			"?field=signals&field=version", "?category=ml-frameworks&category=nlp&limit=3", "?since=2026-09-01&until=2026-10-20"),
		pages("listChanges", "/api/changelog", "?"),
		moments("listChanges", "/api/changelog", "since"),
		moments("listChanges", "/api/changelog", "until"),
		beyond("listChanges", "/api/changelog?until=2026-10-10", "since", "2026-10-11", "2026-10-11T00:00:00Z", "9999-12-31"),
		ok("listChanges", "/api/changelog?figures=", "false", "true", "false&type=tool&limit=2"),
		bad("listChanges", "/api/changelog", "figures", "FALSY", "", "0", "no"),
		ok("getChangesOfMonth", "/api/changelog/", "2026-11", "2026-10"),
		status(404, "getChangesOfMonth", "month", "/api/changelog/1970-01", "/api/changelog/2026-12", "/api/changelog/2026-1", "/api/changelog/last"),
		bad("listChanges", "/api/changelog", "event", "created", "", "entity.created,entity.deleted"),
		bad("listChanges", "/api/changelog", "type", "robot", "", "tool,model"),
		bad("listChanges", "/api/changelog", "field", "stars", "", "signals.star", "name,version", "signals."),
		bad("listChanges", "/api/changelog", "category", "", "No", "nlp,speech"),
		beyond("listChanges", "/api/changelog", "category", "no-such-category"),

		ok("listEntityChanges", "/api/entity/tool/", "pytorch/changelog", "incubator-mxnet/changelog", "phoenix/changelog", "short-lived/changelog"),
		pages("listEntityChanges", "/api/entity/tool/pytorch/changelog", "?"),
		status(301, "listEntityChanges", "", "/api/entity/tool/mxnet/changelog?limit=1"),

		ok("listEntitySignals", "/api/entity/tool/", "pytorch/signals", "pytorch/signals?name=stars", "incubator-mxnet/signals?name=stars&name=lastRelease",
			"phoenix/signals?name=stars", "short-lived/signals", "pytorch/signals?limit=1000"),
		ok("listEntitySignals", "/api/entity/tool/pytorch/signals?limit=", "1", "1&offset=2", "2&offset=2147483647"),
		bad("listEntitySignals", "/api/entity/tool/pytorch/signals", "limit", "0", "1001", "x", ""),
		bad("listEntitySignals", "/api/entity/tool/pytorch/signals", "cursor", "", "a%20b"),
		beyond("listEntitySignals", "/api/entity/tool/pytorch/signals", "cursor", "AAAA"),
		bad("listEntitySignals", "/api/entity/tool/pytorch/signals", "offset", "-1", "x"),
		bad("listEntitySignals", "/api/entity/tool/pytorch/signals", "name", "star", "", "stars,forks", "benchmarks"),
		status(301, "listEntitySignals", "", "/api/entity/tool/mxnet/signals?name=stars"),

		ok("getFeed", "/api/feed", "", "?format=atom", "?format=json", "?type=model&format=json", "?category=nlp", "?entity=tool/pytorch&format=json",
			"?entity=tool/mxnet", "?entity=tool%2Fshort-lived", "?page=2&format=json", "?category=nlp&category=speech-to-text&type=tool&type=model"),
		ok("getFeed", "/api/feed?figures=", "false", "false&format=json&type=tool", "true&page=2"),
		bad("getFeed", "/api/feed", "figures", "FALSY", "", "0", "no"),
		bad("getFeed", "/api/feed", "format", "xml", ""),
		bad("getFeed", "/api/feed", "type", "robot", ""),
		bad("getFeed", "/api/feed", "category", "", "No"),
		beyond("getFeed", "/api/feed", "category", "no-such-category"),
		bad("getFeed", "/api/feed", "entity", "", "pytorch", "tool/", "robot/pytorch", "tool/Py", "tool/a/b"),
		beyond("getFeed", "/api/feed", "entity", "tool/nothing-like-it", "model/pytorch", "tool/pytorch&entity=tool/keras"),
		bad("getFeed", "/api/feed", "page", "0", "-1", "x", ""),
		beyond("getFeed", "/api/feed", "page", "999", "1&page=2"),

		ok("getCalendar", "/api/calendar", "", "?type=tool", "?category=nlp&category=speech-to-text", "?provider=OpenAI", "?entity=tool/pytorch&entity=tool/mxnet",
			"?entity=tool%2Fshort-lived"),
		bad("getCalendar", "/api/calendar", "type", "robot", ""),
		bad("getCalendar", "/api/calendar", "category", "", "No"),
		beyond("getCalendar", "/api/calendar", "category", "no-such-category"),
		bad("getCalendar", "/api/calendar", "provider", ""),
		bad("getCalendar", "/api/calendar", "entity", "", "pytorch", "tool/", "robot/pytorch", "tool/Py", "tool/a/b"),
		beyond("getCalendar", "/api/calendar", "entity", "tool/nothing-like-it", "model/pytorch"),

		ok("listTrending", "/api/trending", "", "?window=30d", "?limit=1000", "?type=tool&type=model&limit=1", "?category=ml-frameworks", "?type=model&window=7d", "?by=score&limit=2", "?by=stars&window=30d", "?by=downloads&type=tool", "?by=citations"),
		bad("listTrending", "/api/trending", "by", "star", "", "contextTokens", "composite"),
		bad("listTrending", "/api/trending", "window", "1d", "", "7"),
		bad("listTrending", "/api/trending", "type", "robot", ""),
		bad("listTrending", "/api/trending", "category", "", "No"),
		beyond("listTrending", "/api/trending", "category", "no-such-category"),
		bad("listTrending", "/api/trending", "limit", "0", "1001", "x", ""),

		ok("exportChangelog", "/api/export/changelog", "", "?format=csv", "?format=jsonl", "?format=parquet", "?since=2026-10-01", "?type=tool&format=csv",
			"?type=tool&type=model&format=jsonl", "?since=2026-10-20&format=parquet", "?since=2026-10-31"),
		bad("exportChangelog", "/api/export/changelog", "format", "xml", ""),
		moments("exportChangelog", "/api/export/changelog", "since"),
		bad("exportChangelog", "/api/export/changelog", "type", "robot", ""),
	)
}

// pricedFixture adds a model with offers, and their providers, to the content for tests.
func pricedFixture(r *edge.Repository) {
	providers := r.Read("content/providers.yaml")
	for _, slug := range []string{"openai", "fixture-cloud"} {
		if !strings.Contains(providers, "slug: "+slug) {
			providers += "  - {slug: " + slug + ", name: " + slug + "}\n"
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
	r.Write("content/providers.yaml", providers, "content/model/priced-fixture.yaml", model)
}

// prices returns the requests for offers and costs.
func prices() []request {
	const fixture = "?model=priced-fixture"
	list := slices.Concat(
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
			"&input=9&cacheWrite1h=1&inputAudio=2&inputImage=1&output=9&outputAudio=3&images=4&pages=1&seconds=2&characters=3&mode=offPeak", "&input=1&mode=priority", "&input=1&provider=openai", "&input=1000000000&requests=1000000000", "&input=1&at=2026-10-25"),
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
		bad("getCost", "/api/cost"+fixture+"&input=9&output=9", "outputAudio", "", "-1", "x"),
		beyond("getCost", "/api/cost"+fixture+"&input=9&output=9", "outputAudio", "10"),
		bad("getCost", "/api/cost"+fixture+"&input=0&output=9", "reasoning", "", "-1", "x"),
		beyond("getCost", "/api/cost"+fixture+"&input=0&output=9", "reasoning", "10"),
		bad("getCost", "/api/cost"+fixture+"&input=9", "requests", "", "0", "1000000001"),
		bad("getCost", "/api/cost"+fixture+"&input=9", "mode", "", "standard"),
		bad("getCost", "/api/cost"+fixture+"&input=9", "provider", "", "Open%20AI"),
		beyond("getCost", "/api/cost"+fixture+"&input=9", "provider", "no-such-provider"),
	)
	const nine = "/api/cost" + fixture + "&input=9"
	for _, part := range []string{"cached", "cacheWrite", "cacheWrite1h", "inputAudio", "inputImage"} {
		list = append(list, slices.Concat(bad("getCost", nine, part, "", "-1", "x"), beyond("getCost", nine, part, "10"))...)
	}
	for _, unit := range []string{"images", "pages", "seconds", "characters"} {
		list = append(list, bad("getCost", nine, unit, "", "-1", "x")...)
	}
	return append(list, beyond("getCost", nine, "cached", "5&cacheWrite=5")...)
}
