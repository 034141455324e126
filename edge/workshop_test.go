package edge_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/parquet-go/parquet-go"

	"kindex/builder"
	"kindex/builder/importer"
	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/storage/storagetest"
	"kindex/exports/kinds"
)

// workshop serves the index of glazes, materials and kilns. The contract holds the description that it
// serves itself.
func workshop(t *testing.T) (c *contract, declared *kinds.Set) {
	t.Helper()
	data := suite.Must(os.ReadFile(filepath.Join(suite.Workshop(t), "kinds.yaml")))(t)
	declared = suite.Must(kinds.Parse(data))(t)
	c = &contract{operations: map[string]*operation{}, seen: newSeen(), valid: map[response]bool{}}
	defineFormats()
	out := t.TempDir()
	c.build = buildFixture(t, suite.Workshop(t), out, "2026-11-01")
	const plenty = 1e6
	c.state = storagetest.SQLite(t)
	c.server, c.url = serve(t, edge.Options{Dir: out, State: c.state, LimitAnonymous: plenty, LimitKey: plenty}, false)
	c.key = c.newKey(t, "potter", false)
	a := c.send(t, request{target: "/api/openapi?format=yaml", status: 200})
	c.doc = suite.Must(openapi3.NewLoader().LoadFromData(a.body))(t)
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			c.operations[op.OperationID] = &operation{path, method, item, op}
		}
	}
	return c, declared
}

// TestWorkshop: an index of other kinds than tools and models answers as its own description says, and
// knows nothing of theirs.
func TestWorkshop(t *testing.T) {
	suite.InTest(t)
	c, declared := workshop(t)
	t.Run("requests", func(t *testing.T) { testWorkshopRequests(t, c) })
	t.Run("fields", func(t *testing.T) { testWorkshopFields(t, c, declared) })
	t.Run("described", func(t *testing.T) { testWorkshopDescribed(t, c) })
	t.Run("refused", func(t *testing.T) { testWorkshopRefused(t, c) })
	t.Run("relations", func(t *testing.T) { testWorkshopRelations(t, c) })
	t.Run("submission", func(t *testing.T) { testWorkshopSubmission(t, c) })
	t.Run("agents", func(t *testing.T) { testWorkshopAgents(t, c) })
	t.Run("pages", func(t *testing.T) { testWorkshopPages(t, c) })
	t.Run("words", func(t *testing.T) { testWorkshopWords(t, c) })
}

func testWorkshopRequests(t *testing.T, c *contract) {
	for _, r := range []request{
		{op: "listEntities", target: "/api/entities"},
		{op: "listEntities", target: "/api/entities?type=kiln&sort=signal.firings&limit=1"},
		{op: "listEntities", target: "/api/entities?fields=slug,cone,recipe,analysis,log"},
		{op: "getEntity", target: "/api/entity/glaze/celadon"},
		{op: "getEntity", target: "/api/entity/kiln/large"},
		{op: "getEntity", target: "/api/entity/material/feldspar"},
		{op: "getEntity", target: "/api/entity/glaze/celadon.md"},
		{op: "listEntityChanges", target: "/api/entity/glaze/celadon/changelog"},
		{op: "listEntitySignals", target: "/api/entity/kiln/large/signals?name=firings"},
		{op: "getEntityScore", target: "/api/entity/glaze/celadon/score"},
		{op: "listSimilarEntities", target: "/api/entity/glaze/celadon/similar"},
		{op: "searchEntities", target: "/api/search?q=green&facets=type,finish,colour,recipe"},
		{op: "suggestEntities", target: "/api/suggest?q=tenm"},
		{op: "resolve", target: "/api/resolve?id=glaze/celadon"},
		{op: "getLeaderboard", target: "/api/leaderboard/all"},
		{op: "listTrending", target: "/api/trending?by=firings"},
		{op: "listChanges", target: "/api/changelog"},
		{op: "getCalendar", target: "/api/calendar"},
		{op: "getFeed", target: "/api/feed?format=json"},
		{op: "listBoards", target: "/api/boards"},
		{op: "listCategories", target: "/api/categories"},
		{op: "listKinds", target: "/api/kinds"},
		{op: "getQuality", target: "/api/quality"},
		{op: "exportEntities", target: "/api/export/entities?fields=all"},
		{op: "exportEntities", target: "/api/export/entities?type=glaze&format=csv"},
		{op: "exportSignals", target: "/api/export/signals"},
		{op: "exportIds", target: "/api/export/ids"},
		{op: "exportLeaderboard", target: "/api/export/leaderboard"},
		{op: "exportChangelog", target: "/api/export/changelog"},
		{op: "getManifest", target: "/api/export/manifest"},
		{op: "getCroissant", target: "/api/export/croissant"},
		{op: "getBadge", target: "/badge/glaze/celadon.svg"},
	} {
		t.Run(r.target, func(t *testing.T) {
			r.status = http.StatusOK
			c.send(t, r)
		})
	}
	for path, block := range map[string]string{"/api/offers": "offers", "/api/cost?model=celadon": "offers", "/api/export/offers": "offers",
		"/api/export/offers?type=glaze": "offers", "/api/export/benchmarks": "results", "/api/export/benchmarks?format=parquet": "results"} {
		suite.Contains(t, string(c.send(t, request{target: path, status: http.StatusNotFound}).body), "No kind of this index has "+block+".", path)
	}
}

// testWorkshopFields: each declared field can be read, filtered, counted and sorted by as /api/kinds says.
func testWorkshopFields(t *testing.T, c *contract, declared *kinds.Set) {
	type list struct {
		Data []struct{ Type, Slug string }
	}
	for _, f := range declared.Leaves() {
		value := firstValue(t, c, f)
		lowest, highest := f.Limits()
		for _, name := range []string{lowest, highest} {
			if name == "" {
				continue
			}
			var got list
			c.send(t, request{op: "listEntities", target: "/api/entities?" + name + "=" + url.QueryEscape(value), status: 200}).decode(t, &got)
			if len(got.Data) == 0 {
				t.Errorf("%s=%s matches nothing, although an entity has the value", name, value)
			}
		}
		if w := f.Words(); w == kinds.Text || w == kinds.Slug || w == kinds.Enum || w == kinds.Reference {
			var found list
			word := value[strings.Index(value, "/")+1:]
			c.send(t, request{op: "searchEntities", target: "/api/search?q=" + url.QueryEscape(word), status: 200}).decode(t, &found)
			if len(found.Data) == 0 {
				t.Errorf("a search for %s, a value of %s, finds nothing", word, f.Path)
			}
		}
		if f.Filter && lowest+highest == "" {
			var got list
			c.send(t, request{op: "listEntities", target: "/api/entities?" + f.Query + "=" + url.QueryEscape(value), status: 200}).decode(t, &got)
			if len(got.Data) == 0 {
				t.Errorf("%s=%s matches nothing, although an entity has the value", f.Query, value)
			}
			if all := len(got.Data); len(f.Kinds) == 1 {
				slug := value[strings.Index(value, "/")+1:]
				c.send(t, request{op: "listEntities", target: "/api/entities?" + f.Query + "=" + slug, status: 200}).decode(t, &got)
				suite.Equal(t, len(got.Data), all, f.Query, "the slug alone")
			}
			if all := len(got.Data); f.Splits() {
				c.send(t, request{op: "listEntities", target: "/api/entities?" + f.Query + "=" + url.QueryEscape(value+", "+value), status: 200}).decode(t, &got)
				suite.Equal(t, len(got.Data), all, f.Query, "the value twice, with a comma")
			}
			var counted struct {
				Facets map[string][]struct{ Value string }
			}
			c.send(t, request{op: "searchEntities", target: "/api/search?q=glaze&facets=" + f.Query, status: 200}).decode(t, &counted)
			suite.Holds(t, len(counted.Facets[f.Query]) != 0, "the facet", f.Query, "has no values")
		}
		if f.Sort {
			c.send(t, request{op: "listEntities", target: "/api/entities?order=asc&sort=" + f.SortKey(), status: 200})
		}
	}
}

// firstValue returns the value of a field in the first entity that has one, as the CSV export writes it.
func firstValue(t *testing.T, c *contract, f *kinds.Field) string {
	t.Helper()
	a := c.send(t, request{op: "exportEntities", target: "/api/export/entities?format=csv&fields=" + f.Column(), status: 200})
	for _, line := range strings.Split(string(a.body), "\r\n")[1:] {
		if value, _, _ := strings.Cut(strings.Trim(line, `"`), "|"); value != "" {
			return value
		}
	}
	t.Fatalf("no entity has a value of %s", f.Path)
	return ""
}

// testWorkshopDescribed: descriptions for programs name the service, what the index has, and nothing else.
func testWorkshopDescribed(t *testing.T, c *contract) {
	for target, want := range map[string][]string{
		"/api/openapi": {"does not require a key:", c.url + "/api/search?q=Celadon&limit=3", c.url + "/badge/glaze/celadon.svg", c.url + "/api/entity/glaze/celadon'", "the operator issues keys"},
		"/llms.txt":    {"> Glazes, their materials", "type (glaze, kiln, material)", "/api/entity/TYPE/SLUG.md", "have a daily limit"},
	} {
		text := string(c.send(t, request{target: target, status: 200}).body)
		suite.ContainsAll(t, text, want...)
		suite.LacksAll(t, text, "HOST", "/signin", "/api/offers", "/api/cost", "tool/")
	}
}

func testWorkshopRefused(t *testing.T, c *contract) {
	for target, want := range map[string]string{
		"/api/entities?type=tool":         "glaze, kiln, material",
		"/api/entities?maxPrice=1":        "maxPrice",
		"/api/entities?openWeights=true":  "openWeights",
		"/api/entities?sort=signal.stars": "signal. and the name of a signal",
		"/api/entities?minVolum=3":        "minVolume",
		"/api/entities?finish=glossy":     "gloss",
		"/api/entities?recipe=raw+clay":   "material/slug",
		"/api/entities?recipe=kiln/large": "material/slug",
		"/api/entities?fields=reasoning":  "reasoning",
	} {
		c.send(t, request{target: target, status: 400}).says(t, want)
	}
}

func testWorkshopRelations(t *testing.T, c *contract) {
	for target, want := range map[string][]string{
		"/api/entity/kiln/large/relations":      {"fires>glaze/celadon", "fires>glaze/tenmoku", "lining>material/firebrick"},
		"/api/entity/glaze/celadon/relations":   {"recipe>material/feldspar", "recipe>material/silica", "recipe>material/whiting", "fires<kiln/large"},
		"/api/entity/material/silica/relations": {"recipe<glaze/celadon", "recipe<glaze/majolica", "recipe<glaze/tenmoku"},
	} {
		var got struct {
			Data []struct {
				Field   string
				Inverse bool
				Entity  struct{ Type, Slug string }
			}
		}
		c.send(t, request{op: "listRelations", target: target, status: 200}).decode(t, &got)
		var list []string
		for _, r := range got.Data {
			list = append(list, r.Field+map[bool]string{false: ">", true: "<"}[r.Inverse]+r.Entity.Type+"/"+r.Entity.Slug)
		}
		slices.Sort(list)
		slices.Sort(want)
		suite.Equal(t, list, want, target)
	}
}

func testWorkshopSubmission(t *testing.T, c *contract) {
	const glaze = `{"type":"glaze","name":"Shino","description":"A thick white glaze.","category":"stoneware","url":"https://shino.example/",
		"finish":"satin","foodSafe":true,"cone":{"from":9,"to":10},"colours":["white"],"recipe":["material/feldspar"],"firing":"14h","analysis":{"silica":3.2},
		"signals":{"firings":{"value":3,"date":"2026-10-01","source":"https://shino.example/book"}}}`
	send := func(status int, body string) *answer {
		return c.send(t, request{op: "submitEntity", verb: "POST", target: "/api/submit", status: status, key: c.key, body: body})
	}
	for change, want := range map[string]string{
		`"satin"`:              `finish`,
		`"material/feldspar"`:  `recipe`,
		`{"from":9,"to":10}`:   `cone`,
		`"14h"`:                `firing`,
		`"firings":{"value":3`: `signals.firings`,
	} {
		wrong := map[string]string{`"satin"`: `"dull"`, `"material/feldspar"`: `"material/feldspat"`, `{"from":9,"to":10}`: `{"from":12,"to":10}`,
			`"14h"`: `"long"`, `"firings":{"value":3`: `"firings":{"value":-3`}[change]
		send(400, strings.Replace(glaze, change, wrong, 1)).says(t, `"`+want)
	}
	send(400, strings.Replace(glaze, `"foodSafe"`, `"openWeights"`, 1))
	send(201, glaze)
	send(201, strings.NewReplacer(`"url":"https://shino.example/",`, "", "Shino", "Ash").Replace(glaze)) // no glaze has one
}

func testWorkshopAgents(t *testing.T, c *contract) {
	call := func(method, params string) string {
		a := c.send(t, request{verb: "POST", target: "/mcp", status: 200, header: []string{"Accept: application/json, text/event-stream"},
			body: fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)})
		return string(a.body)
	}
	tools := call("tools/list", "{}")
	suite.ContainsAll(t, tools, "glaze", "kiln", "material")
	suite.LacksAll(t, tools, "openWeights", "contextTokens", "maxPrice")
	suite.Contains(t, call("tools/call", `{"name":"get_entity","arguments":{"entity":"glaze/celadon"}}`), "foodSafe", "get_entity")
	suite.Contains(t, call("tools/call", `{"name":"search","arguments":{"query":"green","type":"glaze"}}`), "Celadon", "search")
}

// testWorkshopPages: pages show the declared facts, and no word of tools, models, tokens or stars.
func testWorkshopPages(t *testing.T, c *contract) {
	for target, want := range map[string][]string{
		"/":                                 {"Glazes", "Kilns", "Materials"},
		"/glazes/":                          {"Celadon", "Finish", "Food-safe", "Firings"},
		"/glazes/?finish=gloss&sort=silica": {"Celadon", "Tenmoku"},
		"/glaze/celadon/":                   {"Fired in", "Large gas kiln", "Feldspar", "11h30m", "Silica", "3.6 mol", `<a href="/finish/gloss/"><bdi>Gloss</bdi></a>`},
		"/api/entity/glaze/celadon.md":      {"Finish: [Gloss](", "/finish/gloss/>)"},
		"/material/silica/":                 {"Used in", "Majolica", "SiO2"},
		"/kiln/large/":                      {"1,100 litres", "Fires", "Firebrick"},
		"/compare/?e=glaze/celadon&e=glaze/tenmoku": {"Celadon", "Tenmoku", "Cone"},
		"/search/?q=kiln":        {"Small electric"},
		"/categories/":           {"Stoneware"},
		"/quality/":              {"Data quality"},
		"/docs/api":              {"/api/entities", "/api/export/signals"},
		"/api/entity/kiln/large": {`"firings":{"value":812,"date":"2026-10-01","source":"https://example.org/book"}`, `"source":"https://example.org/log"`}, // by default sources
		"/finish/":               {"How the surface looks.", `href="/finish/gloss/"`, "Colours"},
		"/finish/gloss/":         {"Gloss", "Celadon", "Tenmoku", "2 glazes"},
		"/colours/white/":        {"Majolica", "Food-safe"},
	} {
		a := c.send(t, request{target: target, status: 200, header: []string{"Accept: text/html"}})
		text := string(a.body)
		for _, word := range want {
			suite.Contains(t, text, word, target)
		}
		for _, word := range []string{"token", "GitHub stars", "open weights", "context window", " model", "AI tool", "not ranked", "benchmark", "/api/offers", "/api/cost", "https://HOST", "/signin"} {
			if i := strings.Index(strings.ToLower(text), strings.ToLower(word)); i >= 0 {
				t.Errorf("%s says %s: …%s…", target, word, text[max(0, i-120):min(len(text), i+60)])
			}
		}
	}
	sitemap := string(c.send(t, request{target: "/sitemap.xml", status: 200}).body) // which names guides, too
	suite.Contains(t, sitemap, "/finish/gloss/<")
	suite.Contains(t, sitemap, "/colours/white/<")
}

// TestOneMoreField adds a line to kinds.yaml, names the field in a kind, and finds it everywhere: in the
// record, the mistakes that validation finds, exports, filters, orders, pages, comparison, the form, imports,
// Markdown, the tools of agents, the description of the API and the changelog. A second field is computed from
// the first: nobody can state it, and no change tells of it.
func TestOneMoreField(t *testing.T) {
	suite.InTest(t)
	content, out := t.TempDir(), t.TempDir()
	suite.Check(t, os.CopyFS(content, os.DirFS(suite.Workshop(t))))
	buildFixture(t, content, out, "2026-10-31")
	edit := func(file, from, to string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(content, file))
		suite.Require(t, err == nil && bytes.Contains(text, []byte(from)), file, "has no", from, err)
		suite.Check(t, os.WriteFile(filepath.Join(content, file), bytes.Replace(text, []byte(from), []byte(to), 1), 0o644))
	}
	edit("kinds.yaml", "fields:\n", "fields:\n  glow: {type: count, title: Glow, description: How much it glows., filter: true, sort: true}\n"+
		"  shine: {type: size, title: Shine, description: Half of it., computedFrom: glow, times: 500000000, filter: true, sort: true}\n")
	edit("kinds.yaml", "fields: [finish,", "fields: [glow, shine, finish,")
	edit("kinds.yaml", "columns: [", "columns: [glow, ")
	edit("glaze/celadon.yaml", "finish: gloss\n", "finish: gloss\nglow: -7\n")
	_, err := builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)})
	suite.Fails(t, err, "glow: -7 is below 0", "a wrong value")
	edit("glaze/celadon.yaml", "glow: -7\n", "glow: 7\n")

	c := &contract{seen: newSeen(), valid: map[response]bool{}}
	c.build = buildFixture(t, content, out, "2026-11-01")
	c.state = storagetest.SQLite(t)
	c.server, c.url = serve(t, edge.Options{Dir: out, State: c.state, LimitAnonymous: 1e6, LimitKey: 1e6}, false)
	for _, want := range []struct{ target, text string }{
		{"/api/entity/glaze/celadon", `"glow":7`},
		{"/api/entity/glaze/tenmoku", `"glow":null`},
		{"/api/entities?minGlow=7&fields=slug", `"count":1,`},
		{"/api/entities?sort=glow&fields=slug", `"data":[{"slug":"celadon"}`},
		{"/api/entities?minGlo=7", `minGlow`},
		{"/api/export/entities?fields=slug,glow&format=csv&type=glaze", "slug,glow\r\nceladon,7\r\n"},
		{"/api/changelog?field=glow", `"field":"glow","old":null,"new":7`},
		{"/api/kinds", `"name":"glow"`},
		{"/api/entity/glaze/celadon", `"shine":3500000000`},
		{"/api/entities?maxShine=3,5gb&fields=slug", `"count":1,`},
		{"/api/entities?minShine=4+GB&fields=slug", `"count":0,`},
		{"/api/entities?sort=shine&fields=slug", `"data":[{"slug":"celadon"}`},
		{"/api/changelog?field=shine", `"count":0,`},
		{"/api/export/entities?fields=slug,shine&format=csv&type=glaze", "slug,shine\r\nceladon,3500000000\r\n"},
		{"/glaze/celadon/", "<dt>Shine</dt><dd><bdi>3.5 GB</bdi>"},
		{"/api/openapi", `minGlow`},
		{"/api/entity/glaze/celadon.md", "- Glow: 7\n"},
		{"/glaze/celadon/", "<dt>Glow</dt><dd><bdi>7</bdi>"},
		{"/glazes/", `Glow`},
		{"/glazes/", `name="minGlow"`},
		{"/compare/?e=glaze/celadon&e=glaze/tenmoku", "Glow"},
		{"/submit/?e=glaze/celadon", `name="glow"`},
	} {
		status := http.StatusOK
		if strings.Contains(want.target, "minGlo=") {
			status = http.StatusBadRequest
		}
		c.send(t, request{target: want.target, status: status}).says(t, want.text)
	}
	a := c.send(t, request{target: "/submit/?e=glaze/celadon", status: 200})
	suite.Holds(t, !bytes.Contains(a.body, []byte(`name="shine"`)), "the form asks for a computed field")
	tools := c.send(t, request{verb: "POST", target: "/mcp", status: 200, header: []string{"Accept: application/json, text/event-stream"},
		body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`})
	tools.says(t, `"minGlow"`)
	suite.Equal(t, parquetType(t, c, "glow"), "INT64", "the column glow")
	rows := filepath.Join(t.TempDir(), "rows.csv")
	suite.Check(t, os.WriteFile(rows, []byte("Name,Glow\nA,5\n"), 0o644))
	guessed, err := importer.Guess(rows, content, "glaze")
	if err != nil || !strings.Contains(string(guessed.Mapping), "\n  glow: Glow\n") {
		t.Errorf("an import does not propose glow: %v\n%s", err, guessed.Mapping)
	}
}

// parquetType returns the type of a column of the glazes, in Parquet.
func parquetType(t *testing.T, c *contract, column string) string {
	t.Helper()
	a := c.send(t, request{target: "/api/export/entities?format=parquet&fields=slug," + column, status: 200})
	f := suite.Must(parquet.OpenFile(bytes.NewReader(a.body), int64(len(a.body))))(t)
	leaf, ok := f.Schema().Lookup(column)
	if !ok {
		return fmt.Sprintf("missing in %s", f.Schema())
	}
	return leaf.Node.Type().Kind().String()
}

// TestOffersOfAnyKind: what a kind with the block offers is called, and which fields it has, is for the index to say.
func TestOffersOfAnyKind(t *testing.T) {
	content, out := t.TempDir(), t.TempDir()
	suite.Write(t, content, map[string]string{
		"kinds.yaml":      "fields:\n  modality: {type: list, of: slug, filter: true}\nkinds:\n  plan: {plural: Plans, fields: [modality], blocks: [offers]}\n  seller: {plural: Sellers}\n",
		"categories.yaml": "categories:\n  - {slug: voice, title: Voice}\n",
		"providers.yaml":  "providers:\n  - {slug: acme, name: Acme, url: \"https://acme.example/\"}\n",
		"plan/small.yaml": "name: Small\ncategory: voice\ndescription: Speech for a small office.\nmodality: [speech]\n" +
			"offersRead: {date: 2026-10-30, source: https://acme.example/prices}\noffers:\n  - {provider: acme, id: small-1, input: 2, output: 8}\n",
		"seller/acme.yaml": "name: Acme\ncategory: voice\ndescription: Sells plans.\n",
	})
	buildFixture(t, content, out, "2026-11-01")
	c := &contract{valid: map[response]bool{}, seen: newSeen()}
	c.server, c.url = serve(t, edge.Options{Dir: out, State: storagetest.SQLite(t)}, false)
	for target, want := range map[string]string{
		"/api/offers?model=plan/small":       `"slug":"small"`,
		"/api/offers?modality=speech":        `"slug":"small"`,
		"/api/offers?modality=text":          `"count":0`,
		"/api/cost?model=small&input=1000":   `"cost":0.002`,
		"/api/cost?model=Small&input=1000":   `"cost":0.002`,
		"/api/cost?model=small-1&input=1000": `"cost":0.002`,
		"/api/cost?model=acme&input=1000":    `\"acme\" names no plan`,
	} {
		status := map[bool]int{true: http.StatusBadRequest, false: http.StatusOK}[strings.Contains(want, "names no plan")]
		c.send(t, request{target: target, status: status}).says(t, want)
	}
}
