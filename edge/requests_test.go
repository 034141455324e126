package edge_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/web"
	"kindex/edge/webhook"
	"kindex/exports/board"
	"kindex/exports/feed"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/table"
	"kindex/exports/view"
	"kindex/site/badge"
)

// request is an entry in the test tables: a request and the expected response.
type request struct {
	op     string // the ID of the operation
	verb   string // default: GET
	target string // {build} and {old} are replaced with the IDs of the builds
	header []string
	status int
	fault  string // the parameter that is refused
	beyond bool   // no schema can express why the request is refused
	closed bool   // send it to the server that has released its build
	base   string // the address of a different server
	key    string // in x-api-key
	body   string // JSON
	known  bool   // the records in the response have been compared with their schema already
}

func (r request) method() string {
	if r.verb == "" {
		return http.MethodGet
	}
	return r.verb
}

// ok returns requests that succeed, one for each query.
func ok(op, path string, queries ...string) []request {
	var list []request
	for _, q := range queries {
		list = append(list, request{op: op, target: path + q, status: 200})
	}
	return list
}

// bad returns requests with values of a parameter that both the server and the parameter's
// schema reject.
func bad(op, path, param string, values ...string) []request {
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	var list []request
	for _, v := range values {
		list = append(list, request{op: op, target: path + sep + param + "=" + v, status: 400, fault: param})
	}
	return list
}

// beyond is like bad, but for values that only the server can reject.
func beyond(op, path, param string, values ...string) []request {
	list := bad(op, path, param, values...)
	for i := range list {
		list[i].beyond = true
	}
	return list
}

// status returns requests that are answered with the given status; fault is the part of the
// address that is wrong.
func status(code int, op, fault string, targets ...string) []request {
	var list []request
	for _, target := range targets {
		list = append(list, request{op: op, target: target, status: code, fault: fault})
	}
	return list
}

// filters returns requests with valid and invalid values of every filter, for a path that has all filters. All
// operations read them alike: except for the first, make test sends each parameter once and refused once.
func filters(op, path, sep string) []request {
	accepted := ok(op, path, sep+"type=tool&category=nlp&provider=OpenAI&tag=python&capability=gpu&license=mit&pricingModel=open-source&status=active&minScore=0&addedSince=2024-02-29&updatedSince=2020-01-01",
		sep+"type=model&family=gpt&modality=text&outputModality=text&openWeights=true&maintenance=slow&minContext=128000&maxPrice=1&retiresBefore=2027-01-01&signal=stars%3E%3D1000",
		sep+"minParameters=1&maxParameters=2")
	if op == "listEntities" || suite.Soaking() {
		accepted = ok(op, path, sep+"type=tool", sep+"type=tool&type=model", sep+"category=nlp&category=speech-to-text", sep+"provider=openai",
			sep+"provider=OpenAI&provider=Google", sep+"tag=python,deep-learning&tag=speech", sep+"tag=no-such-tag", sep+"capability=autodiff,gpu",
			sep+"license=mit&license=Apache-2.0", sep+"pricingModel=open-weights&pricingModel=proprietary",
			sep+"status=withdrawn", sep+"status=active&status=deprecated", sep+"minScore=0", sep+"minScore=67.5", sep+"minScore=100",
			sep+"addedSince=2024-02-29", sep+"updatedSince=2020-01-01", sep+"type=model&tag=coding&minScore=50&status=active",
			sep+"family=gpt&family=claude", sep+"modality=text,image&modality=audio", sep+"outputModality=text", sep+"openWeights=true",
			sep+"maintenance=slow&maintenance=dormant", sep+"minContext=128000", sep+"maxPrice=0", sep+"maxPrice=0.000001", sep+"maxPrice=1000000",
			sep+"retiresBefore=2027-01-01", sep+"signal=stars%3E%3D1000", sep+"signal=stars>=1000&signal=stars%3C%3D2000.5&signal=lastRelease>=2024-02-29",
			sep+"type=model&minContext=100000&signal=parameters%3C%3D1000000000", sep+"minParameters=1&maxParameters=7000000000")
	}
	list := slices.Concat(
		accepted,
		bad(op, path, "type", "robot", "", "tool,model"),
		bad(op, path, "category", "", "No", "nlp,speech"),
		beyond(op, path, "category", "no-such-category"),
		bad(op, path, "provider", "", "%20"),
		bad(op, path, "tag", "", "a,,b", ",a", "a,%20"),
		bad(op, path, "capability", "", "gpu,"),
		bad(op, path, "license", ""),
		bad(op, path, "pricingModel", "gratis", ""),
		bad(op, path, "status", "retired", ""),
		bad(op, path, "minScore", "-0.1", "100.1", "NaN", "high", ""),
		bad(op, path, "addedSince", "2024-02-30", "2024-02", "yesterday"),
		bad(op, path, "updatedSince", "2023-02-29", "2023"),
		bad(op, path, "family", "", "%20"),
		bad(op, path, "modality", "", "txt", "text,"),
		bad(op, path, "outputModality", "", "speech"),
		bad(op, path, "openWeights", "", "yes", "1"),
		bad(op, path, "maintenance", "", "retired"),
		bad(op, path, "minContext", "", "0", "-1", "1.5", "128kk", "2147483648"),
		beyond(op, path, "minContext", "1&minContext=2"),
		bad(op, path, "minParameters", "", "0", "-1", "1.5", "7BB", "1000000000000001"),
		bad(op, path, "maxParameters", "", "0", "-1", "1.5", "7BB", "1000000000000001"),
		beyond(op, path, "minParameters", "2&maxParameters=1"),
		bad(op, path, "maxPrice", "", "-0.5", "free", "1000000.01"),
		beyond(op, path, "maxPrice", "0.0000001", "1e2"),
		bad(op, path, "retiresBefore", "2026-02-29", "2026-01", "soon"),
		bad(op, path, "signal", "", "stars", "stars=1000", "stars>1000", "stars>=many", "stars>=-1", "stars>=1e6"),
		beyond(op, path, "signal", "star>=1000", "stars>=2024-01-31", "lastRelease>=2026", "lastRelease>=2026-02-30"),
	)
	return fewer(op, list)
}

// fewer leaves out all but the first request that is refused for each parameter, except for the first operation and
// in make soak.
func fewer(op string, list []request) []request {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(r request) bool {
		was := seen[r.fault]
		seen[r.fault] = true
		return was && r.fault != "" && op != "listEntities" && !suite.Soaking()
	})
}

// pages returns requests with valid and invalid values of the paging parameters.
func pages(op, path, sep string) []request {
	return fewer(op, slices.Concat(
		ok(op, path, sep+"limit=1", sep+"offset=3&limit=2", sep+"limit=1000&offset=2147483647"),
		bad(op, path, "limit", "0", "1001", "-1", "1.5", "ten", "", "99999999999999999999"),
		beyond(op, path, "limit", "1&limit=2"),
		bad(op, path, "offset", "-1", "2147483648", "x"),
		bad(op, path, "cursor", "", "a%20b", strings.Repeat("A", 2049)),
		beyond(op, path, "cursor", "AAAA", "eyJxIjoxLCJ2IjoiIiwidCI6InRvb2wiLCJzIjoieCJ9"),
		[]request{{op: op, target: path + sep + "offset=1&cursor=AAAA", status: 400, fault: "offset", beyond: true}},
	))
}

// longTable returns requests for a long table.
func longTable(op, path string) []request {
	return slices.Concat(
		ok(op, path, "", "?format=json", "?format=csv", "?format=jsonl", "?format=parquet", "?format=csv&csv=spreadsheet", "?format=parquet&type=model", "?tag=no-such-tag&format=csv"),
		filters(op, path, "?"),
		bad(op, path, "format", "xml", ""),
		bad(op, path+"?format=csv", "csv", "excel", ""),
	)
}

// nowhere returns requests for what belongs to entities that do not exist, or that were deleted. What has changed
// about a deleted entity can still be read.
func nowhere() (list []request) {
	for op, part := range map[string]string{"listRelations": "relations", "getEntityScore": "score", "listSimilarEntities": "similar", "listEntityChanges": "changelog", "listEntitySignals": "signals"} {
		list = append(list, status(404, op, "slug", "/api/entity/tool/nothing-like-it/"+part)...)
		list = append(list, status(404, op, "type", "/api/entity/robot/pytorch/"+part)...)
		if part != "changelog" && part != "signals" {
			list = append(list, status(410, op, "slug", "/api/entity/tool/short-lived/"+part)...)
		}
	}
	return list
}

func requestTable() []request {
	return slices.Concat(
		ok("listEntities", "/api/entities", "", "?sort=name", "?sort=name&order=desc", "?sort=quality&order=asc", "?sort=addedDate",
			"?sort=lastUpdated&order=asc", "?fields=slug", "?fields=type,slug,scores", "?fields=slug,composite,quality", "?fields=links,signals",
			"?sort=price", "?sort=price&order=desc", "?sort=context", "?sort=signal.stars&order=asc", "?sort=signal.lastRelease"),
		filters("listEntities", "/api/entities", "?"),
		pages("listEntities", "/api/entities", "?"),
		bad("listEntities", "/api/entities", "sort", "rank", "", "signal", "signal.star", "stars"),
		ok("listEntities", "/api/entities?at=2026-10-25", "", "&type=model&sort=name", "&sort=lastUpdated&order=asc&limit=3", "&minScore=50&tag=python&fields=slug,composite", "&status=withdrawn",
			"&sort=context&minContext=1000", "&sort=signal.stars&signal=stars%3C%3D100000&maintenance=active"),
		days("listEntities", "/api/entities"),
		bad("listEntities", "/api/entities", "order", "up"),
		bad("listEntities", "/api/entities", "fields", "nmae", "", "slug,,name"),

		ok("getEntity", "/api/entity", "/tool/pytorch", "/model/o3", "/model/claude-3-5-sonnet-20241022", "/tool/theano"),
		ok("getEntity", "/api/entity", "/tool/pytorch.md", "/model/o3.md", "/tool/theano.md", "/tool/pytorch.md?at=2026-08-03"),
		status(301, "getEntity", "", "/api/entity/tool/mxnet.md"),
		status(404, "getEntity", "slug", "/api/entity/tool/pytorhc.md", "/api/entity/tool/pytorch.markdown", "/api/entity/tool/.md"),
		status(410, "getEntity", "slug", "/api/entity/tool/short-lived.md"),
		status(301, "getEntity", "", "/api/entity/tool/mxnet", "/api/entity/tool/lightning-ai-lightning"),
		ok("getEntity", "/api/entity/tool/", "pytorch?at=2026-08-03", "mxnet?at=2026-10-09", "mxnet?at=2026-10-10", "incubator-mxnet?at=2026-08-03", "phoenix", "phoenix?at=2026-09-14"),
		days("getEntity", "/api/entity/tool/pytorch"),
		status(404, "getEntity", "at", "/api/entity/tool/keras?at=2026-10-28"),
		status(410, "getEntity", "slug", "/api/entity/tool/short-lived"),
		status(410, "getEntity", "at", "/api/entity/tool/short-lived?at=2026-09-15", "/api/entity/tool/phoenix?at=2026-10-19"),
		status(404, "getEntity", "slug", "/api/entity/tool/pytorhc", "/api/entity/model/pytorch", "/api/entity/tool/PyTorch"),
		status(404, "getEntity", "type", "/api/entity/robot/pytorch", "/api/entity/Tool/pytorch"),

		ok("getEntityScore", "/api/entity", "/tool/pytorch/score", "/model/o3/score", "/tool/theano/score", "/model/whisper-large-v3/score",
			"/model/claude-3-5-sonnet-20241022/score"),
		ok("getEntityScore", "/api/entity", "/tool/pytorch/score?board=growing-tools", "/tool/theano/score?board=open-language-models",
			"/model/o3/score?board=open-language-models", "/tool/theano/score?board=retired-tools"),
		bad("getEntityScore", "/api/entity/tool/pytorch/score", "board", "", "All"),
		beyond("getEntityScore", "/api/entity/tool/pytorch/score", "board", "all", "growing-tool", "growing-tools&board=retired-tools"),
		status(301, "getEntityScore", "", "/api/entity/tool/mxnet/score", "/api/entity/tool/mxnet/score?board=growing-tools"),

		ok("listRelations", "/api/entity/tool/pytorch/relations", ""),
		status(301, "listRelations", "", "/api/entity/tool/mxnet/relations"),
		ok("listKinds", "/api/kinds", ""),
		ok("listSimilarEntities", "/api/entity/tool/pytorch/similar", "", "?limit=1", "?limit=20", "?kind=alternatives", "?kind=related&limit=3"),
		ok("listSimilarEntities", "/api/entity", "/model/gpt-5/similar", "/model/claude-3-5-sonnet-20241022/similar"),
		bad("listSimilarEntities", "/api/entity/tool/pytorch/similar", "limit", "0", "21", "x", ""),
		bad("listSimilarEntities", "/api/entity/tool/pytorch/similar", "kind", "alternative", "both", ""),
		status(301, "listSimilarEntities", "", "/api/entity/tool/mxnet/similar", "/api/entity/tool/mxnet/similar?limit=3"),

		ok("searchEntities", "/api/search?q=", "pytorch", "pytorhc", "language+model", "GPT-5", "speech&facets=type",
			"python&facets=capability,category,family,license,maintenance,modality,openWeights,outputModality,pricingModel,provider,status,tag,type&limit=1", "%3Cscript%3E", "zzzzzzzz",
			"gpt&fields=slug", "gpt&fields=composite", "%C3%A9", "%22neural+networks%22", "%22", "pyttrchhh", "pytorch&type=model"),
		filters("searchEntities", "/api/search?q=model", "&"),
		pages("searchEntities", "/api/search?q=model", "&"),
		bad("searchEntities", "/api/search", "q", "", "%20", strings.Repeat("a", 501)),
		beyond("searchEntities", "/api/search", "q", "a&q=b", strings.Repeat("%C3%A9", 251)),
		status(400, "searchEntities", "q", "/api/search"),
		bad("searchEntities", "/api/search?q=a", "facets", "rank", "", "type,,tag"),
		bad("searchEntities", "/api/search?q=a", "fields", "nmae", ""),

		ok("suggestEntities", "/api/suggest?q=", "py", "gpt&type=model", "s&limit=20", "zzzz", "py&limit=1"),
		ok("resolve", "/api/resolve?id=", "pypi:torch", "tool/pytorch", "nothing", "https://github.com/pytorch/pytorch&id=a", "two+words"),
		bad("resolve", "/api/resolve", "id", "", "%09", strings.Repeat("a", 1001), "a"+strings.Repeat("&id=a", 50)),
		status(400, "resolve", "id", "/api/resolve"),
		bad("suggestEntities", "/api/suggest", "q", "", "%09", strings.Repeat("a", 501)),
		status(400, "suggestEntities", "q", "/api/suggest"),
		bad("suggestEntities", "/api/suggest?q=a", "type", "robot", ""),
		bad("suggestEntities", "/api/suggest?q=a", "limit", "0", "21"),

		ok("getLeaderboard", "/api/leaderboard/", "all", "nlp", "all?type=model&by=quality", "ml-frameworks?by=adoption", "geospatial-data?type=model"),
		ok("getLeaderboard", "/api/leaderboard/", "all?at=2026-10-25", "ml-frameworks?at=2026-10-26&type=tool&by=adoption"),
		days("getLeaderboard", "/api/leaderboard/all"),
		pages("getLeaderboard", "/api/leaderboard/all", "?"),
		status(301, "getLeaderboard", "", "/api/leaderboard/former-fixtures", "/api/leaderboard/former-fixtures?limit=3&at=2026-10-25"),
		bad("getLeaderboard", "/api/leaderboard/all", "type", "robot", ""),
		bad("getLeaderboard", "/api/leaderboard/all", "by", "name", ""),
		status(404, "getLeaderboard", "category", "/api/leaderboard/reasonin", "/api/leaderboard/All", "/api/leaderboard/"+strings.Repeat("x", 300)),

		history(),
		prices(),
		nowhere(),

		ok("listCategories", "/api/categories", ""),
		ok("getQuality", "/api/quality", ""),
		ok("listBoards", "/api/boards", ""),
		ok("getLeaderboard", "/api/leaderboard/", "growing-tools", "growing-tools?by=boardScore&type=tool&limit=3", "growing-tools?by=freshness",
			"open-language-models?type=model", "growing-tools?at=2026-10-25", "growing-tools?at=2026-10-26&by=adoption"),
		days("getLeaderboard", "/api/leaderboard/growing-tools"),
		pages("getLeaderboard", "/api/leaderboard/growing-tools", "?"),
		bad("getLeaderboard", "/api/leaderboard/growing-tools", "by", "name", ""),
		beyond("getLeaderboard", "/api/leaderboard/growing-tools", "type", "model"),
		beyond("getLeaderboard", "/api/leaderboard/all", "by", "boardScore"),
		status(404, "getLeaderboard", "category", "/api/leaderboard/retired-tools", "/api/leaderboard/retired-tools?at=2026-10-25"),
		ok("exportLeaderboard", "/api/export/leaderboard?category=growing-tools", "", "&format=csv", "&format=jsonl", "&format=parquet", "&at=2026-10-25"),
		status(404, "exportLeaderboard", "category", "/api/export/leaderboard?category=retired-tools"),

		ok("exportEntities", "/api/export/entities", "", "?format=json", "?format=csv", "?format=jsonl", "?format=parquet", "?fields=slug,name,tags",
			"?format=csv&fields=composite,slug&type=model", "?format=jsonl&minScore=60", "?format=parquet&fields=tags,addedDate&type=tool", "?tag=no-such-tag&format=csv",
			"?fields=all", "?fields=all&format=parquet", "?fields=all&type=model&format=csv", "?fields=slug,rank,priceBlended,linkHomepage&type=model", "?fields=status,maintenance,retires,replacedBy"),
		filters("exportEntities", "/api/export/entities", "?"),
		bad("exportEntities", "/api/export/entities", "format", "xml", ""),
		ok("exportEntities", "/api/export/entities?format=csv&csv=spreadsheet", "", "&fields=name,tags", "&type=tool"),
		bad("exportEntities", "/api/export/entities?format=csv", "csv", "excel", ""),
		ok("exportLeaderboard", "/api/export/leaderboard?format=csv&csv=spreadsheet", "", "&category=nlp"),
		bad("exportLeaderboard", "/api/export/leaderboard?format=csv", "csv", "excel", ""),
		ok("exportChangelog", "/api/export/changelog?format=csv&csv=spreadsheet", "", "&type=tool"),
		bad("exportChangelog", "/api/export/changelog?format=csv", "csv", "excel", ""),
		bad("exportEntities", "/api/export/entities", "fields", "scores", "", "slug,"),
		beyond("exportEntities", "/api/export/entities", "fields", "all,slug"),
		longTable("exportSignals", "/api/export/signals"),
		longTable("exportBenchmarks", "/api/export/benchmarks"),
		longTable("exportOffers", "/api/export/offers"),
		longTable("exportIds", "/api/export/ids"),

		ok("exportLeaderboard", "/api/export/leaderboard", "", "?category=all", "?category=nlp", "?format=csv&category=nlp", "?format=jsonl", "?format=parquet"),
		ok("exportLeaderboard", "/api/export/leaderboard?at=2026-10-25", "", "&category=nlp&format=csv", "&format=jsonl", "&format=parquet"),
		days("exportLeaderboard", "/api/export/leaderboard"),
		bad("exportLeaderboard", "/api/export/leaderboard", "format", "xml", ""),
		bad("exportLeaderboard", "/api/export/leaderboard", "category", ""),
		beyond("exportLeaderboard", "/api/export/leaderboard", "category", "no-such-category", "nlp&category=speech-to-text"),

		ok("getManifest", "/api/export/manifest", ""),

		ok("getDataFile", "/data/{build}/", "entities.json", "entities.csv", "entities.jsonl", "entities.parquet", "entities.csv.gz",
			"categories.json", "leaderboards.json", "lookup%2Fversions.jsonl.gz", "scoring.json", "entity.schema.json", "lookup/versions.jsonl.gz"),
		ok("getDataFile", "/data/{old}/", "entities.csv", "leaderboards.json"),
		status(404, "getDataFile", "file", "/data/{build}/entities.xml", "/data/{old}/no/such/file", "/data/{build}/lookup/", "/data/{build}/..%2F..%2Fcurrent"),
		status(404, "getDataFile", "build", "/data/20250101-0123456789abcdef/entities.csv", "/data/current/entities.csv", "/data/..%2F{build}/entities.csv"),

		clients(),
		badges(),
		ok("getCroissant", "/api/export/croissant", ""),

		ok("getOpenapi", "/api/openapi", "", "?format=json", "?format=yaml"),
		bad("getOpenapi", "/api/openapi", "format", "toml", ""),
		beyond("getOpenapi", "/api/openapi", "format", "json&format=yaml"),
	)
}

func testTable(t *testing.T, c *contract) {
	list := requestTable()
	suite.Holds(t, len(list) >= 120, "the table has only", len(list), "requests")
	for _, r := range list {
		t.Run(r.op+" "+shortTarget(r.target), func(t *testing.T) { c.send(t, r) })
	}
}

func shortTarget(s string) string { return s[:min(len(s), 120)] }

// plainTarget returns an address at which an operation answers with 200. It is built from the
// examples of the required parameters.
func (op *operation) plainTarget(t *testing.T) string {
	t.Helper()
	target := op.path
	query := url.Values{}
	for _, ref := range op.Parameters {
		p := ref.Value
		value := exampleTexts(p.Example)[0]
		switch {
		case p.In == "path" && p.Name == "build":
			// The example in the description is the ID of a past build, so it is not used.
		case p.In == "path":
			target = strings.Replace(target, "{"+p.Name+"}", value, 1)
		case p.Required:
			query.Set(p.Name, value)
			if list, ok := p.Example.([]any); ok {
				query.Del(p.Name)
				for _, v := range list {
					query.Add(p.Name, fmt.Sprint(v))
				}
			}
		}
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	return target
}

// fullTarget returns an address whose response has all headers: a page that is followed by another page, or a file in
// the form in which it is stored.
func (op *operation) fullTarget(t *testing.T) string {
	t.Helper()
	path, query, _ := strings.Cut(op.plainTarget(t), "?")
	switch {
	case op.Parameters.GetByInAndName("query", "cursor") != nil:
		return path + "?limit=1&" + query
	case strings.HasPrefix(path, "/api/export/") && op.OperationID != "exportLeaderboard" && op.Parameters.GetByInAndName("query", "format") != nil:
		return path + "?format=parquet"
	}
	return op.plainTarget(t)
}

// testEveryOperation checks what all operations that read the index must have in common.
func testEveryOperation(t *testing.T, c *contract) {
	for _, id := range c.sortedIDs() {
		op := c.operations[id]
		if op.method != http.MethodGet || op.own() {
			continue
		}
		target := op.fullTarget(t)
		t.Run(id, func(t *testing.T) {
			whole := c.send(t, request{op: id, target: target, status: 200})
			head := c.send(t, request{op: id, verb: http.MethodHead, target: target, status: 200})
			for _, name := range []string{"ETag", "Content-Type", "Link", "Repr-Digest", "Last-Modified"} {
				suite.Equal(t, head.header.Values(name), whole.header.Values(name), "HEAD", name)
			}
			c.send(t, request{op: id, target: op.plainTarget(t), status: 304, header: []string{"If-None-Match: *"}})
			c.send(t, request{op: id, verb: http.MethodHead, target: target, status: 304, header: []string{"If-None-Match: *"}})
			tag := whole.header.Get("ETag")
			for match, status := range map[string]int{tag: 304, `"other", ` + tag: 304, "W/" + tag: 304, `"other"`: 200} {
				a := c.send(t, request{op: id, target: target, status: status, header: []string{"If-None-Match: " + match}})
				suite.Equal(t, a.header.Get("ETag"), tag, "If-None-Match", match)
			}
			named := c.send(t, request{op: id, target: target, status: 200, header: []string{"X-Request-Id: a-Name.of_mine"}})
			suite.Equal(t, named.header.Get("X-Request-Id"), "a-Name.of_mine")
			named = c.send(t, request{op: id, target: target, status: 200, header: []string{"X-Request-Id: not a plain id"}})
			suite.Lacks(t, named.header.Get("X-Request-Id"), " ", "the request ID", "was adopted")
			for _, verb := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
				if op.item.GetOperation(verb) != nil {
					continue
				}
				refused := c.send(t, request{op: id, verb: verb, target: target, status: 405})
				suite.Equal(t, refused.header.Get("Allow"), op.allow(), verb, "Allow")
			}
			c.send(t, request{op: id, target: target, status: 503, closed: true})
			c.send(t, request{op: id, verb: http.MethodHead, target: target, status: 503, closed: true})
			c.testUnknownParameter(t, op, target)
		})
	}
}

// testUnknownParameter sends an unknown parameter to each operation. The error names all
// parameters of the route, which must be those in the description.
func (c *contract) testUnknownParameter(t *testing.T, op *operation, target string) {
	t.Helper()
	path, _, _ := strings.Cut(target, "?")
	a := c.send(t, request{op: op.OperationID, target: path + "?noSuchThing=1", status: 400})
	var p web.Problem
	a.decode(t, &p)
	suite.Require(t, len(p.Errors) == 1 && p.Errors[0].Field == "noSuchThing" &&
		p.Code == "unknown-parameter", "not an unknown-parameter error")
	var described []string
	for _, ref := range op.Parameters {
		if ref.Value.In == "query" {
			described = append(described, ref.Value.Name)
		}
	}
	slices.Sort(described)
	want := "is not a parameter of this endpoint; expected one of: " + strings.Join(described, ", ")
	if len(described) == 0 {
		want = "this endpoint takes no parameters"
	}
	suite.Equal(t, p.Errors[0].Message, want, "the parameters of the route and the description differ")
	// The query cannot be parsed.
	c.send(t, request{op: op.OperationID, target: path + "?a=%zz", status: 400})
	// A name with one extra letter.
	if len(described) > 0 {
		name := described[0]
		a := c.send(t, request{op: op.OperationID, target: path + "?" + name + "x=1", status: 400})
		var p web.Problem
		a.decode(t, &p)
		suite.Holds(t, p.Suggestion != nil && *p.Suggestion == name, "the suggestion for", name+"x")
	}
}

// testParameterExamples checks that the examples in the description work, all together, because tools generated
// from the description may send them.
func testParameterExamples(t *testing.T, c *contract) {
	for _, id := range c.sortedIDs() {
		op := c.operations[id]
		if op.method != http.MethodGet {
			continue
		}
		target, _, _ := strings.Cut(op.plainTarget(t), "?")
		all := url.Values{}
		for _, ref := range op.Parameters {
			p := ref.Value
			if p.In != "query" || p.Example == nil {
				continue
			}
			all[p.Name] = exampleTexts(p.Example)
			if p.Explode != nil && !*p.Explode {
				all[p.Name] = []string{strings.Join(all[p.Name], ",")}
			}
		}
		if len(all) > 0 {
			c.send(t, request{op: id, target: target + "?" + all.Encode(), status: 200, key: c.key})
		}
	}
}

func signalNames() (names []string) {
	for _, s := range kinds.Default().Signals {
		names = append(names, s.Name)
	}
	return names
}

// testEnums: the description lists the same values as the program, and all of them work.
func testEnums(t *testing.T, c *contract) {
	var columns, formats []string
	for _, column := range append(slices.Clone(table.FullColumns(kinds.Default())), table.Column{Name: "all"}) {
		columns = append(columns, column.Name)
	}
	for _, format := range table.Formats {
		formats = append(formats, format.Name)
	}
	known := map[string][]string{
		"type": kinds.Default().Names(), "status": record.Statuses, "pricingModel": kinds.Default().PricingModels,
		"facets": view.FilterFields(kinds.Default()), "sort": view.SortKeys(kinds.Default()), "by": record.ScoreNames,
		"listTrending by":   append([]string{"score"}, kinds.Default().Growing()...),
		"getLeaderboard by": append(slices.Clone(record.ScoreNames), board.ScoreName), "order": {"asc", "desc"},
		"fields": slices.Concat(record.RecordFields(kinds.Default()), record.ScoreNames), "exportEntities fields": columns,
		"format": formats, "getOpenapi format": {"json", "yaml"}, "getFeed format": feed.Formats,
		"event": record.Events, "field": record.ChangeFields(kinds.Default()), "window": {"7d", "30d"}, "listDeliveries status": webhook.Statuses,
		"maintenance": record.MaintenanceStates, "openWeights": {"true", "false"}, "figures": {"true", "false"},
		"listOffers sort": view.OfferSortKeys, "modality": kinds.Default().Field("modalities.input").Values, "mode": record.OfferModes,
		"name":                     signalNames(),
		"csv":                      {"plain", "spreadsheet"},
		"show":                     badge.Kinds,
		"listSimilarEntities kind": {"alternatives", "related"},
		"listSubmissions status":   {"pending", "in-review", "accepted", "published", "rejected", "withdrawn"},
	}
	for _, id := range c.sortedIDs() {
		op := c.operations[id]
		for _, ref := range op.Parameters {
			p := ref.Value
			schema := p.Schema.Value
			if schema.Items != nil {
				schema = schema.Items.Value
			}
			if len(schema.Enum) == 0 || p.In != "query" || op.method != http.MethodGet {
				continue
			}
			want := known[id+" "+p.Name]
			if want == nil {
				want = known[p.Name]
			}
			described := exampleTexts(schema.Enum)
			if !slices.Equal(slices.Sorted(slices.Values(described)), slices.Sorted(slices.Values(want))) {
				t.Errorf("%s %s: described %s, known %s", id, p.Name, described, want)
			}
			target := op.plainTarget(t)
			sep := map[bool]string{true: "&", false: "?"}[strings.Contains(target, "?")]
			if p.Name == "csv" {
				target, sep = target+sep+"format=csv", "&" // the parameter is allowed only for CSV
			}
			for i, value := range described {
				if i > 0 && i < len(described)-1 && value != board.ScoreName && !suite.Soaking() {
					continue // each value is a request; the list of all is compared above
				}
				if value == board.ScoreName {
					target = "/api/leaderboard/growing-tools" // only boards have this score
				}
				c.send(t, request{op: id, target: target + sep + p.Name + "=" + url.QueryEscape(value), status: 200, key: c.key})
			}
		}
	}
}
