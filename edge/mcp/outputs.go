package mcp

import "encoding/json"

// The schemas of the tools' results. They are short because models may read them. They allow
// additional properties, so that members can be added later.
var (
	// factsSchema contains facts that lists and single entities have in common. Members that
	// explain themselves are left out: every conversation carries the schemas.
	factsSchema = `"price":{"type":"object","description":"US dollars per million tokens at provider (absent: median), as of date."},
"maintenance":{"type":"string"},"lifecycle":{"type":"object"}`

	listSchema = json.RawMessage(`{"type":"object","required":["total","results"],"properties":{
"total":{"type":"integer","description":"Number of results on all pages."},
"results":{"type":"array","items":{"type":"object","required":["id","name","category","score","description"],"properties":{
"id":{"type":"string","description":"type/slug; pass it to get_entity, similar or compare."},
"name":{"type":"string"},"provider":{"type":"string"},"category":{"type":"string"},
"score":{"type":["number","null"],"description":"Composite score from 0 to 100; null if not enough is known."},
"boardScore":{"type":"number","description":"Present only on a board."},
"pricingModel":{"type":"string"},"license":{"type":"string"},"status":{"type":"string","description":"Present only if the entity is not active."},
"description":{"type":"string"},` + factsSchema + `,
"rank":{"type":"integer"},"climbed":{"type":"integer","description":"Places gained over the past week, or over the window."},
"gain":{"type":"number","description":"Points of score gained over the window."},"changes":{"type":"integer"},
"growth":{"type":"object","description":"How much the figure in by grew within the window.","properties":{"signal":{"type":"string"},"value":{"type":"number"},"previousValue":{"type":"number"},"gain":{"type":"number"},"percent":{"type":["number","null"]}}},
"kind":{"type":"string","description":"Of a similar entity: alternative (does the same job) or related."},"similarity":{"type":"number"},"reasons":{"type":"array","items":{"type":"string"}},
"record":{"type":"object","description":"The complete record, if full is true."}}}},
"nextOffset":{"type":"integer","description":"Offset of the next page; absent on the last page."},
"nearest":{"type":"array","items":{"type":"string"},"description":"The most similar entities, if nothing was found."},
"note":{"type":"string"}}}`)

	detailsSchema = `{"type":"object","required":["id","name","description","category","status","scores"],"properties":{
"id":{"type":"string"},"name":{"type":"string"},"provider":{"type":"string"},"description":{"type":"string"},
"category":{"type":"string"},"status":{"type":"string"},"version":{"type":"string"},"pricingModel":{"type":"string"},
"license":{"type":"string"},"url":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},
"capabilities":{"type":"array","items":{"type":"string"}},
"scores":{"type":"object","additionalProperties":{"type":["number","null"]},"description":"From 0 to 100; null if not enough is known."},
"versionAsOf":{"type":"string","description":"Day when it was read."},
"lastUpdated":{"type":"string","description":"Day when the entry changed."},
"signals":{"type":"object","description":"The figures that scores are calculated from."},
"signalDates":{"type":"object","description":"Days when they were read."},` + factsSchema + `,
"offers":{"type":"array","items":{"type":"object"},"description":"The cheapest of the offerCount offers."},
"links":{"type":"object"},"record":{"type":"object","description":"The complete record; present only in the view full."}}}`

	entitySchema = json.RawMessage(`{"type":"object","properties":{"entity":` + detailsSchema + `,
"score":{"type":"object","description":"Present only in the view score.","required":["id","composite","dimensions"],"properties":{
"id":{"type":"string"},"composite":{"type":["number","null"]},"ranked":{"type":"boolean"},"reason":{"type":"string"},
"formulaVersion":{"type":"string"},"asOf":{"type":"string"},"dimensions":{"type":"array","items":{"type":"object"}}}},
"note":{"type":"string"}}}`)

	compareSchema = json.RawMessage(`{"type":"object","required":["entities"],"properties":{"entities":{"type":"array","items":` + detailsSchema + `},
"note":{"type":"string"}}}`)

	changesSchema = json.RawMessage(`{"type":"object","required":["total","results"],"properties":{
"total":{"type":"integer"},"results":{"type":"array","items":{"type":"object","required":["id","event","timestamp","entity","name"],"properties":{
"id":{"type":"string"},"event":{"type":"string"},"timestamp":{"type":"string"},"entity":{"type":"string"},"name":{"type":"string"},
"changes":{"type":"array","items":{"type":"object","properties":{"field":{"type":"string"},"old":{},"new":{}}}}}}},
"nextOffset":{"type":"integer"}}}`)
)
