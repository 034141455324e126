package edge_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"kindex/builder/suite"
	"kindex/edge/openapi"
	"kindex/exports/kinds"
)

// endpoint is an operation in the description, or an address that the description does not
// contain.
type endpoint struct {
	OperationID string
	Method      string
	Path        string // with parameters as {name}
	params      []*openapi3.Parameter
	body        []any // example bodies, or nil if there are none
	contentType string
	cookie      bool // sent with a session cookie
	absent      bool // does not exist, or is not accessible to strangers
}

// endpoints returns the operations in the description, followed by the pages.
func endpoints(t *testing.T) []*endpoint {
	t.Helper()
	doc := suite.Must(openapi3.NewLoader().LoadFromData(openapi.YAML))(t)
	var list []*endpoint
	for _, known := range openapi.Operations(kinds.Default()) {
		item := doc.Paths.Value(known.Path)
		op := item.GetOperation(known.Method)
		o := &endpoint{OperationID: op.OperationID, Method: known.Method, Path: known.Path}
		for _, p := range slices.Concat(item.Parameters, op.Parameters) {
			o.params = append(o.params, p.Value)
		}
		if op.RequestBody != nil {
			content := op.RequestBody.Value.Content.Get("application/json")
			suite.Require(t, content != nil, op.OperationID, "does not take JSON")
			o.contentType = "application/json"
			for _, name := range slices.Sorted(maps.Keys(content.Examples)) {
				o.body = append(o.body, content.Examples[name].Value.Value)
			}
			if op.OperationID == "createWebhook" { // the example contains a host name, which tests do not look up
				o.body = []any{map[string]any{"url": "https://127.0.0.1:9/", "events": []any{"entity.created"}}}
			}
			if content.Example != nil {
				o.body = append(o.body, content.Example)
			}
		}
		list = append(list, o)
	}
	return append(list, undescribedEndpoints()...)
}

// undescribedEndpoints returns what is not in the description: pages, forms and the MCP
// endpoint.
func undescribedEndpoints() []*endpoint {
	get := func(name, path string) *endpoint {
		return &endpoint{OperationID: name, Method: http.MethodGet, Path: path}
	}
	post := func(name, path, contentType string, body any) *endpoint {
		return &endpoint{OperationID: name, Method: http.MethodPost, Path: path, body: []any{body}, contentType: contentType}
	}
	const form = "application/x-www-form-urlencoded"
	list := []*endpoint{
		get("home", "/"), get("search page", "/search/?q={q}"), get("changes page", "/changes/"), get("changes of an event", "/changes/event-{event}/page-{n}/"),
		get("month", "/changes/2026-1{n}/"),
		get("category", "/categories/{category}/"),
		get("providers", "/providers/all/letter-{letter}/page-{n}/"), get("provider", "/providers/{key}/"), get("tag", "/tags/{tag}/"), get("capability", "/capabilities/{capability}/"),
		get("entity page", "/{type}/{slug}/"), get("entity at a day", "/{type}/{slug}/at-{day}/"), get("entity history", "/{type}/{slug}/history/page-{n}/"),
		get("board page", "/leaderboards/{category}/"), get("board at a day", "/leaderboards/{category}/type-{type}/by-{sort}/at-{day}/page-{n}/"),
		get("trending page", "/trending/window-{window}/type-{type}/"), get("comparison", "/compare/?e={type}/{slug}&e={type}/{slug}&e={q}"),
		get("picture", "/og/{type}/{slug}.png"), get("sitemap", "/sitemap.xml"), get("guide", "/docs/{key}/"), get("data page", "/data/"),
		get("robots", "/robots.txt"), get("llms", "/llms.txt"), get("entity record", "/{type}/{slug}/entity.json"), get("entity feed", "/{type}/{slug}/feed.xml"),
		get("api docs", "/docs/api"), get("security contact", "/.well-known/security.txt"), get("nothing", "/{junk}/{junk}"), get("nothing below api", "/api/{junk}"),
		get("form", "/submit/"), get("sign-in", "/signin?next={junk}"), get("callback", "/signin/github/callback?code={junk}&state={junk}"),
		get("panel", "/developer/"), get("panel of webhooks", "/developer/webhooks/"), get("panel of a webhook", "/developer/webhooks/{hook}/"),
		get("panel of submissions", "/developer/submissions/"),
		post("check the form", "/submit/", form, "type=tool&name=Thing&slug=&provider=Maker&description=Finds+things&category=nlp&url=https%3A%2F%2Fexample.org%2F&tags=a%2C+b"),
		post("create a key", "/developer/keys/", form, "token={token}&once={junk}&name=mine&scopes=read"),
		post("create a webhook", "/developer/webhooks/", form, "token={token}&once={junk}&url=https%3A%2F%2F127.0.0.1%3A9%2F{junk}&events=entity.created"),
		post("start to sign in", "/signin/github", form, "next=%2F"),
	}
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"search","arguments":{"query":"data","limit":3}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"compare","arguments":{"entities":["tool/pytorch","model/o3"]}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_entity","arguments":{"type":"tool","slug":"pytorch"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"kindex://categories"}}`,
	} {
		var body any
		if err := json.Unmarshal([]byte(message), &body); err != nil {
			panic(err) // the messages above are valid JSON
		}
		list = append(list, post("mcp", "/mcp", "application/json", body))
	}
	for _, o := range list {
		o.cookie = strings.HasPrefix(o.Path, "/developer/")
		o.absent = o.Method == http.MethodGet && (strings.Contains(o.Path, "{junk}") || strings.Contains(o.Path, "{n}") || o.Path == "/{type}/{slug}/entity.json")
	}
	return list
}

// raw is a request in the form in which it is sent.
type raw struct {
	op      *endpoint
	method  string
	target  string
	headers [][2]string
	body    []byte
	plain   bool // no part of it was mutated
}

// text returns the request in HTTP/1.1 syntax.
func (q *raw) text(host string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", q.method, q.target, host)
	for _, h := range q.headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	if q.body != nil || q.method == http.MethodPost {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(q.body))
	}
	b.WriteString("\r\n")
	b.Write(q.body)
	return []byte(b.String())
}

// next returns a sender's i-th request: at first example requests, so that all senders together send four for
// each operation, then mutations.
func (s *sender) next(i int) *raw {
	at := i*workers + s.stream // later streams go on with mutations
	examples := at < 4*len(s.fuzz.ops) && s.stream < workers
	plain := examples || s.rng.IntN(12) == 0
	op := s.fuzz.ops[at%len(s.fuzz.ops)]
	if !examples {
		op = s.fuzz.ops[s.rng.IntN(len(s.fuzz.ops))]
	}
	q := &raw{op: op, method: op.Method, plain: plain}
	s.address(q)
	if op.body != nil {
		s.makeBody(q)
	}
	s.makeHeaders(q)
	if !plain && s.rng.IntN(25) == 0 {
		q.method = pick(s.rng, []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "X"})
	}
	if !plain && q.method == http.MethodGet && s.rng.IntN(12) == 0 {
		q.method = http.MethodHead
	}
	return q
}

// address fills in the path parameters and appends the query.
func (s *sender) address(q *raw) {
	path := q.op.Path
	for strings.Contains(path, "{") {
		before, rest, _ := strings.Cut(path, "{")
		name, after, _ := strings.Cut(rest, "}")
		path = before + s.part(q, name) + after
	}
	var query []string
	for _, p := range q.op.params {
		if p.In != openapi3.ParameterInQuery || !p.Required && s.rng.IntN(3) > 0 {
			continue
		}
		for range 1 + s.rng.IntN(2)*s.few(q) {
			query = append(query, p.Name+"="+url.QueryEscape(s.value(q, p)))
		}
	}
	if !q.plain && s.rng.IntN(15) == 0 {
		query = append(query, url.QueryEscape(s.nasty())+"="+url.QueryEscape(s.nasty()))
	}
	if !q.plain && s.rng.IntN(30) == 0 {
		query = append(query, pick(s.rng, []string{"%", "%zz", "a=%u0041", ";a=b", "&&&", "=", "a[]=1", "q=%ff"}))
	}
	q.target = path
	if len(query) > 0 {
		q.target += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + strings.Join(query, "&")
	}
	if len(q.target) > 20_000 { // the server reads at most 32 KiB of headers
		q.target = q.target[:20_000]
	}
}

// few returns how many more times a parameter is sent: usually at most twice.
func (s *sender) few(q *raw) int {
	switch {
	case q.plain:
		return 0
	case s.rng.IntN(50) == 0:
		return 300
	}
	return s.rng.IntN(3)
}

// part returns an escaped path segment.
func (s *sender) part(q *raw, name string) string {
	if !q.plain && s.rng.IntN(8) == 0 {
		return url.PathEscape(s.nasty())
	}
	if name == "token" {
		return s.fuzz.token
	}
	for _, p := range q.op.params {
		if p.Name == name && p.In == openapi3.ParameterInPath {
			return url.PathEscape(s.value(q, p))
		}
	}
	if known := s.fuzz.recall(name); len(known) > 0 {
		return url.PathEscape(pick(s.rng, known))
	}
	if known := samples[name]; len(known) > 0 {
		return url.PathEscape(pick(s.rng, known))
	}
	return url.PathEscape(s.nasty())
}

// value returns a value for a parameter: an example, a value seen in a response, a value that
// matches its schema, or a hostile value.
func (s *sender) value(q *raw, p *openapi3.Parameter) string {
	if !q.plain && s.rng.IntN(4) == 0 {
		return s.nasty()
	}
	kind := p.Name
	if p.Name == "id" {
		kind, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(q.op.Path, "/api/"), "developer/"), "/")
	}
	if known := s.fuzz.recall(kind); len(known) > 0 && s.rng.IntN(3) > 0 {
		return pick(s.rng, known)
	}
	if known := samples[p.Name]; len(known) > 0 && s.rng.IntN(3) > 0 && p.Schema.Value.Enum == nil {
		return pick(s.rng, known)
	}
	if p.Schema != nil && len(p.Schema.Value.Enum) > 0 && s.rng.IntN(2) == 0 {
		return fmt.Sprint(pick(s.rng, p.Schema.Value.Enum))
	}
	if p.Example != nil {
		if list, ok := p.Example.([]any); ok && len(list) > 0 {
			return fmt.Sprint(pick(s.rng, list))
		}
		return fmt.Sprint(p.Example)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Examples)) {
		return fmt.Sprint(p.Examples[name].Value.Value)
	}
	return "1"
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }
