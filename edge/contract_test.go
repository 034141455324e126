package edge_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/apikey"
	"kindex/edge/openapi"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/web"
	"kindex/exports/store"
)

// TestContract checks the server against its description and the description against the server.
// It builds and serves the content for tests, validates every response, and fails if any part of
// the description was not covered by a response.
func TestContract(t *testing.T) {
	suite.InTest(t)
	c := newContract(t)
	t.Run("table", func(t *testing.T) { testTable(t, c) })
	t.Run("every operation", func(t *testing.T) { testEveryOperation(t, c) })
	t.Run("keys", func(t *testing.T) { testKeys(t, c) })
	t.Run("leaked keys", func(t *testing.T) { testLeakedKeys(t, c) })
	t.Run("identifiers", func(t *testing.T) { testResolveBatch(t, c) })
	t.Run("audit log", func(t *testing.T) { testAuditLog(t, c) })
	t.Run("submissions", func(t *testing.T) { testSubmissions(t, c) })
	t.Run("webhooks", func(t *testing.T) { testWebhooks(t, c) })
	t.Run("callers", func(t *testing.T) { testCallers(t, c) })
	t.Run("parameter examples", func(t *testing.T) { testParameterExamples(t, c) })
	t.Run("enums", func(t *testing.T) { testEnums(t, c) })
	t.Run("searching", func(t *testing.T) { testSearching(t, c) })
	t.Run("paging", func(t *testing.T) { testPaging(t, c) })
	t.Run("ranges", func(t *testing.T) { testRanges(t, c) })
	t.Run("encodings", func(t *testing.T) { testEncodings(t, c) })
	t.Run("formats", func(t *testing.T) { testFormats(t, c) })
	t.Run("other formats", func(t *testing.T) { testBeyondJSON(t, c) })
	t.Run("description", func(t *testing.T) { testDescriptionForms(t, c) })
	t.Run("unknown addresses", func(t *testing.T) { testUnknownAddresses(t, c) })
	t.Run("busy", func(t *testing.T) { testBusy(t, c) })
	t.Run("damage", func(t *testing.T) { testDamage(t, c) })
	t.Run("coverage", func(t *testing.T) { testCoverage(t, c) })
	t.Run("examples", func(t *testing.T) { testExamples(t, c) })
}

// contract holds the description, the servers under test, and a record of what their responses
// covered.
type contract struct {
	doc        *openapi3.T
	operations map[string]*operation
	server     *edge.Server
	state      *storage.State
	url        string // address of the normal server
	closed     string // address of a server that has released its build
	spent      string // address of a server on which the caller has no requests left
	away       string // address of a server whose database is unreachable
	key        string // an account's key
	suspended  string // a key of a suspended account
	onlyRead   string // a key with the read scope
	onlyKeys   string // a key with the keys scope
	build, old string // the current build and the previous one
	oldDir     string
	seen       seen
	valid      map[response]bool
}

type operation struct {
	path   string
	method string
	item   *openapi3.PathItem
	*openapi3.Operation
}

// own reports whether the operation requires a key.
func (op *operation) own() bool { return op.Security != nil && len(*op.Security) > 0 }

// metered reports whether requests count towards the daily limit.
func (op *operation) metered() bool { return op.Responses.Status(http.StatusTooManyRequests) != nil }

func newContract(t *testing.T) *contract {
	t.Helper()
	c := &contract{operations: map[string]*operation{}, seen: newSeen(), valid: map[response]bool{}}
	defineFormats()
	c.doc = suite.Must(openapi3.NewLoader().LoadFromData(openapi.YAML))(t)
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			c.operations[op.OperationID] = &operation{path, method, item, op}
		}
	}
	out := t.TempDir()
	content := fixtureHistory(t)
	c.old = buildFixture(t, content, out, "2026-10-31")
	c.build = buildFixture(t, content, out, "2026-11-01")
	c.oldDir = filepath.Join(store.BuildsDir(out), c.old)
	const plenty = 1e6
	c.state = storagetest.SQLite(t)
	c.server, c.url = serve(t, edge.Options{Dir: out, State: c.state, LimitAnonymous: plenty, LimitKey: plenty}, false)
	_, c.closed = serve(t, edge.Options{Dir: out, State: c.state, LimitAnonymous: plenty, LimitKey: plenty}, true)
	_, c.spent = serve(t, edge.Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: 1, LimitKey: 1, Contact: "operator@example.org"}, false)
	gone := storagetest.SQLite(t)
	_, c.away = serve(t, edge.Options{Dir: out, State: gone, LimitAnonymous: plenty, LimitKey: plenty}, false)
	suite.Check(t, gone.Close())
	c.key, c.suspended = c.newKey(t, "contract", false), c.newKey(t, "suspended", true)
	c.onlyRead, c.onlyKeys = c.newKey(t, "contract", false, apikey.ScopeRead), c.newKey(t, "contract", false, apikey.ScopeKeys)
	c.exampleWebhook(t)
	c.send(t, request{target: "/api/categories", base: c.spent, status: 200})
	return c
}

func buildFixture(t *testing.T, content, out, day string) string {
	t.Helper()
	asOf := suite.Must(time.Parse(time.DateOnly, day))(t)
	r := suite.Must(builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: asOf, Keep: 5}))(t)
	return r.ID
}

// serve listens on the loopback interface. A closed server has no build, like one that is
// shutting down.
func serve(t *testing.T, o edge.Options, closed bool) (*edge.Server, string) {
	t.Helper()
	s := suite.Must(edge.New(o))(t)
	listener := httptest.NewServer(s)
	if closed {
		s.ForgetBuild()
	}
	t.Cleanup(listener.Close)
	return s, listener.URL
}

// defineFormats registers formats that the validator does not know.
func defineFormats() {
	for _, mediaType := range []string{"application/x-ndjson", "application/vnd.apache.parquet", "application/gzip"} {
		openapi3filter.RegisterBodyDecoder(mediaType, openapi3filter.PlainBodyDecoder)
	}
	for _, mediaType := range []string{"application/rss+xml", "application/atom+xml", "text/calendar", "text/markdown", "image/svg+xml"} {
		openapi3filter.RegisterBodyDecoder(mediaType, openapi3filter.PlainBodyDecoder)
	}
	for _, mediaType := range []string{"application/feed+json", "application/ld+json"} {
		openapi3filter.RegisterBodyDecoder(mediaType, openapi3filter.JSONBodyDecoder)
	}
	openapi3.DefineStringFormatValidator("date", openapi3.NewCallbackValidator(func(s string) error {
		_, err := time.Parse(time.DateOnly, s)
		return err
	}))
	openapi3.DefineStringFormatValidator("date-time", openapi3.NewCallbackValidator(func(s string) error {
		_, err := time.Parse(time.RFC3339, s)
		return err
	}))
	openapi3.DefineStringFormatValidator("uri", openapi3.NewCallbackValidator(func(s string) error {
		u, err := url.Parse(s)
		if err == nil && !u.IsAbs() {
			err = errors.New("is not an absolute address")
		}
		return err
	}))
}

// answer is a response with its body.
type answer struct {
	status int
	header http.Header
	body   []byte
	target string // for messages
}

// says reports an error if the body lacks a text, and lacks if it has one.
func (a *answer) says(t *testing.T, texts ...string) *answer {
	t.Helper()
	for _, text := range texts {
		suite.Contains(t, string(a.body), text, a.target)
	}
	return a
}

func (a *answer) lacks(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		suite.Lacks(t, string(a.body), text, a.target)
	}
}

// wantHeader reports an error if a header has another value.
func (a *answer) wantHeader(t *testing.T, name, value string) {
	t.Helper()
	suite.Equal(t, a.header.Get(name), value, a.target, name)
}

func (a *answer) decode(t *testing.T, into any) {
	t.Helper()
	suite.Check(t, json.Unmarshal(a.body, into))
}

// client does not follow redirects, and asks for compression only if the test does.
var client = &http.Client{
	Transport:     &http.Transport{DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// send sends a request and checks the response against the description.
func (c *contract) send(t *testing.T, r request) *answer {
	t.Helper()
	base := cmp.Or(r.base, c.url)
	if r.closed {
		base = c.closed
	}
	target := strings.NewReplacer("{build}", c.build, "{old}", c.old).Replace(r.target)
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	req := suite.Must(http.NewRequest(r.method(), base+target, body))(t)
	req.Header.Set("Accept-Encoding", "identity")
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		req.Header.Set("x-api-key", r.key)
	}
	for _, line := range r.header {
		name, value, _ := strings.Cut(line, ": ")
		if req.Header.Set(name, value); name == "Host" {
			req.Host = value
		}
	}
	res := suite.Must(client.Do(req))(t)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	suite.Require(t, err == nil, r.target, err)
	a := &answer{res.StatusCode, res.Header, text, target}
	suite.Require(t, a.status == r.status, r.method(), target, a.status, r.status, string(a.body))
	if r.op == "" {
		return a
	}
	op := c.operations[r.op]
	suite.Require(t, op != nil, target, "unknown operation", r.op)
	c.seen.request(op, r, req)
	if r.body != "" { // sending the request has consumed the body
		req.Body = io.NopCloser(strings.NewReader(r.body))
	}
	c.checkRequest(t, op, r, req)
	c.checkHeaders(t, op, a, target)
	c.checkBody(t, op, r, req, a)
	return a
}

func (c *contract) input(op *operation, req *http.Request) *openapi3filter.RequestValidationInput {
	return &openapi3filter.RequestValidationInput{
		Request: req, PathParams: op.pathParams(req.URL.Path), QueryParams: req.URL.Query(),
		Route:   &routers.Route{Spec: c.doc, Path: op.path, PathItem: op.item, Method: op.method, Operation: op.Operation},
		Options: &openapi3filter.Options{IncludeResponseStatus: true, SkipSettingDefaults: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}
}

// pathParams returns the parameters in the path of an address. The last one may contain slashes,
// and text may follow it.
func (op *operation) pathParams(path string) map[string]string {
	names := strings.Split(op.path, "/")
	params := map[string]string{}
	for i, value := range strings.SplitN(path, "/", len(names)) {
		if name, ok := strings.CutPrefix(names[i], "{"); ok {
			name, behind, _ := strings.Cut(name, "}")
			params[name] = strings.TrimSuffix(value, behind)
		}
	}
	return params
}

// checkRequest checks that the description allows every request that the server accepts and
// rejects every request that the server refuses, as far as a schema can express it.
func (c *contract) checkRequest(t *testing.T, op *operation, r request, req *http.Request) {
	t.Helper()
	err := openapi3filter.ValidateRequest(context.Background(), c.input(op, req))
	switch {
	case r.status < 400 && err != nil:
		t.Errorf("%s: the server accepts what the description forbids: %v", req.URL, err)
	case r.status == http.StatusBadRequest && r.fault != "" && !r.beyond && err == nil:
		t.Errorf("%s: the description allows what the server refuses", req.URL)
	case r.beyond && err != nil:
		t.Errorf("%s: the description also refuses this: %v", req.URL, err)
	}
}

// undescribed contains headers that need no description because they belong to HTTP itself or to
// CORS.
var undescribed = []string{"Date", "Content-Length", "Content-Type", "Content-Encoding", "X-Content-Type-Options"}

func (c *contract) checkHeaders(t *testing.T, op *operation, a *answer, target string) {
	t.Helper()
	response := op.Responses.Status(a.status)
	if response == nil {
		t.Errorf("%s: status %d is not described", target, a.status)
		return
	}
	c.seen.answer(op, a)
	checkHeaders(t, response.Value.Headers, a, target)
}

// checkHeaders checks that all headers sent are described and that all required headers are
// sent.
func checkHeaders(t *testing.T, described openapi3.Headers, a *answer, target string) {
	t.Helper()
	byName := map[string]*openapi3.Header{}
	for name, ref := range described {
		byName[http.CanonicalHeaderKey(name)] = ref.Value
		if ref.Value.Required && a.header.Get(name) == "" {
			t.Errorf("%s: %d lacks the header %s", target, a.status, name)
		}
	}
	for name, values := range a.header {
		if slices.Contains(undescribed, name) || strings.HasPrefix(name, "Access-Control-") || strings.HasPrefix(name, "Cross-Origin-") {
			continue
		}
		h := byName[name]
		if h == nil {
			t.Errorf("%s: %d has an undescribed header: %s", target, a.status, name)
			continue
		}
		if len(values) > 1 && name != "Vary" {
			t.Errorf("%s: %d has %d header fields %s; generated clients read one", target, a.status, len(values), name)
		}
		for _, v := range values {
			var value any = v
			if n, err := strconv.ParseFloat(v, 64); err == nil && h.Schema.Value.Type.Is("integer") {
				value = n
			}
			suite.Check(t, h.Schema.Value.VisitJSON(value))
		}
	}
}

func (c *contract) checkBody(t *testing.T, op *operation, r request, req *http.Request, a *answer) {
	t.Helper()
	if req.Method == http.MethodHead || a.status == http.StatusNotModified || a.status == http.StatusMovedPermanently || a.status == http.StatusNoContent {
		suite.Equal(t, len(a.body), 0, req.Method, req.URL, a.status, "has a body")
		return
	}
	if a.status == http.StatusPartialContent || a.header.Get("Content-Encoding") != "" {
		return // the tests that request ranges or compression check the bytes
	}
	same := response{op.OperationID, a.status, a.header.Get("Content-Type"), sha256.Sum256(a.body)}
	input := &openapi3filter.ResponseValidationInput{RequestValidationInput: c.input(op, req), Status: a.status, Header: a.header,
		Body: io.NopCloser(bytes.NewReader(a.body)), Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: c.valid[same] || r.known}}
	err := openapi3filter.ValidateResponse(context.Background(), input)
	suite.Holds(t, err == nil, req.Method, req.URL, err)
	switch {
	case a.header.Get("Content-Type") == "image/svg+xml":
		checkPicture(t, r.target, a)
	case a.status >= 400:
		c.checkProblem(t, r, req, a)
	case !req.URL.Query().Has("fields") && !c.valid[same] && !r.known:
		c.checkWhole(t, r, a)
	}
	c.valid[same] = true
}

// response identifies a response that has the same body as an earlier one, which need not be
// compared with its schema again.
type response struct {
	op        string
	status    int
	mediaType string
	sum       [sha256.Size]byte
}

// checkProblem checks what a schema cannot express: a problem's members must match each other
// and the response.
func (c *contract) checkProblem(t *testing.T, r request, req *http.Request, a *answer) {
	t.Helper()
	var p web.Problem
	a.decode(t, &p)
	c.seen.codes[p.Code] = true
	if p.Status != a.status || p.RequestID != a.header.Get("X-Request-Id") || p.Instance != req.URL.Path || p.Type != "urn:kindex:problem:"+p.Code {
		t.Errorf("%s: the problem does not match its response: %s", req.URL, a.body)
	}
	if a.status == http.StatusBadRequest && r.fault != "" && (len(p.Errors) != 1 || p.Errors[0].Field != r.fault) {
		t.Errorf("%s: the problem is not one of %s: %s", req.URL, r.fault, a.body)
	}
}

// checkWhole checks that records are complete unless the client asked for fewer fields. The
// schemas for lists allow both.
func (c *contract) checkWhole(t *testing.T, r request, a *answer) {
	t.Helper()
	name := map[string]string{"listEntities": "Entity", "searchEntities": "SearchHit", "exportEntities": "ExportedEntity"}[r.op]
	if name == "" || a.header.Get("Content-Type") != "application/json" {
		return
	}
	var records []any
	if r.op == "exportEntities" {
		a.decode(t, &records)
	} else {
		var list struct{ Data []any }
		a.decode(t, &list)
		records = list.Data
	}
	for _, record := range records {
		err := c.doc.Components.Schemas[name].Value.VisitJSON(record)
		suite.Holds(t, err == nil, r.target, err)
	}
}

// sortedIDs returns the operation IDs in alphabetical order.
func (c *contract) sortedIDs() []string { return slices.Sorted(maps.Keys(c.operations)) }

// damageOld makes a file of the previous build unreadable, as a failing disk would.
func (c *contract) damageOld(t *testing.T, file string) {
	t.Helper()
	path := filepath.Join(c.oldDir, file)
	suite.Check(t, errors.Join(os.Remove(path), os.Mkdir(path, 0o755)))
}

// testBusy starts more concurrent exports than one caller may run.
func testBusy(t *testing.T, c *contract) {
	defer c.server.HoldExports("ip:127.0.0.1")()
	a := c.send(t, request{op: "exportEntities", target: "/api/export/entities?type=tool", status: 503})
	suite.Holds(t, a.header.Get("Retry-After") != "" &&
		strings.Contains(string(a.body), `"busy"`), "Retry-After", a.header.Get("Retry-After"))
}
