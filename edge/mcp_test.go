package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"

	"kindex/builder/suite"
	"kindex/edge/web"
)

// message returns a message that calls a tool.
func message(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
}

// agentAnswer has the relevant members of a response from /mcp.
type agentAnswer struct {
	Error  *struct{ Message string }
	Result struct {
		IsError bool
		Content []struct{ Text string }
	}
}

// called is the result of a tool call.
func called(t testing.TB, a answer) agentAnswer {
	t.Helper()
	var c agentAnswer
	if err := json.Unmarshal(a.body, &c); a.status != http.StatusOK || err != nil {
		t.Fatalf("status %d, %v: %s", a.status, err, a.body)
	}
	return c
}

func (c *agentAnswer) text() string {
	if c.Error != nil {
		return c.Error.Message
	}
	if len(c.Result.Content) == 0 {
		return ""
	}
	return c.Result.Content[0].Text
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// TestAgentsRefused sends requests that are not valid protocol messages. Each is refused with a
// problem that gives the reason.
func TestAgentsRefused(t *testing.T) {
	suite.InTest(t)
	s := serveShared(t, 60)
	deep := strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000)
	for _, c := range []struct {
		name, body string
		header     []string
		status     int
		want       string
	}{
		{"nothing", "", nil, 400, "The body is empty"},
		{"half", `{"jsonrpc":"2.0",`, nil, 400, "JSON"},
		{"a batch", "[" + listTools + "]", nil, 400, "batches are not supported"},
		{"depth", deep, nil, 400, "nested more than 32 levels deep"},
		{"more than a message needs", `{"a":"` + strings.Repeat("x", 64<<10) + `"}`, nil, 413, "64 KiB"},
		{"a member twice", `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}`, nil, 400, "duplicate"},
		{"no such notification", `{"jsonrpc":"2.0","method":"system/exec","params":{}}`, nil, 400, "system/exec"},
		{"text", listTools, []string{"Content-Type", "text/plain"}, 415, "application/json"},
		{"another character set", listTools, []string{"Content-Type", "application/json; charset=utf-16"}, 415, "UTF-8"},
		{"another protocol", listTools, []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, "protocol version"},
		{"a stream to go on with", listTools, []string{"Last-Event-ID", "a_1"}, 400, "Last-Event-ID"},
		{"a page of another origin that is this machine", listTools, []string{"Host", "rebound.example"}, 403, "rebound.example"},
		{"a bad key as a token", listTools, []string{"Authorization", "Bearer kx_something"}, 401, "not an API key"},
	} {
		a := s.sendAs(t, c.body, c.header...)
		var p web.Problem
		if err := json.Unmarshal(a.body, &p); err != nil || a.status != c.status || !strings.Contains(p.Detail, c.want) ||
			a.header.Get("Content-Type") != "application/problem+json" || p.RequestID != a.header.Get("X-Request-Id") || p.RequestID == "" {
			t.Errorf("%s: status %d, want %d with %q: %s", c.name, a.status, c.status, c.want, a.body)
		}
	}
	for id, method := range map[string]string{`"a"`: "system/exec", "7": "tasks/list"} {
		s.sendAs(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":{}}`).
			want(t, 200, `"code":-32601`, `"id":`+id, method).wantHeader(t, "Content-Type", "application/json")
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
		s.ask(t, method, "/mcp").want(t, 405).wantHeader(t, "Allow", "POST, OPTIONS")
	}
	s.sendAs(t, listTools).want(t, 200, `"name":"search"`)
}

// sendAs sends a message to /mcp.
func (s *served) sendAs(t testing.TB, body string, header ...string) answer {
	t.Helper()
	return suite.Must(exchange(http.DefaultClient, http.MethodPost, s.url+"/mcp", body, append([]string{"Content-Type", "application/json"}, header...)...))(t)
}

// TestAgentsHandNothingOn: only the headers that identify the client are passed on to the API.
func TestAgentsHandNothingOn(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 2})
	var got http.Header
	var at *url.URL
	edge := s.handler
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mcp" {
			got, at = r.Header, r.URL
		}
		edge.ServeHTTP(w, r)
	})
	a := s.sendAs(t, message("similar", `{"entity":"tool/n1","limit":3}`), "If-None-Match", "*", "Range", "bytes=0-1", "Cookie", "a=b",
		"X-Http-Method-Override", "DELETE", "Accept-Encoding", "gzip", "X-Forwarded-For", "192.0.2.7", "X-Request-Id", "mine", "Mcp-Session-Id", "s")
	if c := called(t, a); c.Result.IsError || a.header.Get("X-Request-Id") != "mine" {
		t.Errorf("%s", a.body)
	}
	want := http.Header{"Accept": {"application/json"}, "X-Forwarded-For": {"192.0.2.7"}, "X-Request-Id": {"mine"}}
	suite.Equal(t, fmt.Sprint(got), fmt.Sprint(want))
	suite.Equal(t, at.String(), "/api/entity/tool/n1/similar?limit=3")
}

// TestAgentsAreCounted: a client that is not a trusted proxy cannot choose whose limit its
// requests count towards.
func TestAgentsAreCounted(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 2})
	one := message("get_entity", `{"entity":"tool/n1"}`)
	for i, refused := range []bool{false, false, true} {
		s.sendAs(t, listTools) // this does not count
		c := called(t, s.sendAs(t, one, "X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i)))
		suite.Holds(t, c.Result.IsError == refused &&
			(!refused || strings.Contains(c.text(), "limit of 2 requests has been reached")), "call", i+1, c)
	}
	s.sendAs(t, listTools, "X-Api-Key", "kx_bad").want(t, 429)
	key, _ := s.keyOf(t, "bearer")
	a := s.sendAs(t, one, "Authorization", "bearer "+key)
	suite.Holds(t, !called(t, a).Result.IsError, "a key as a token")
	s.ask(t, "GET", "/api/sdk/python").wantHeader(t, "X-RateLimit-Remaining", "0")
}

// scrape returns the metrics from the operator's listener.
func (s *served) scrape(t testing.TB) string {
	t.Helper()
	var draining atomic.Bool
	w := httptest.NewRecorder()
	s.adminHandler(&draining).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// TestAgentsAndBuilds: the MCP server describes the index in the current build.
func TestAgentsAndBuilds(t *testing.T) {
	suite.InTest(t)
	s := serveFew(t, Options{})
	begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`
	s.sendAs(t, begin).says(t, "Categories: alpha, ").lacks(t, "daily limit")
	text := "name: Another\ncategory: delta\ndescription: Something else.\n"
	suite.Check(t, os.WriteFile(filepath.Join(s.content, "tool", "another.yaml"), []byte(text), 0o644))
	s.publish(t)
	s.sendAs(t, begin).says(t, ", delta")
	s.sendAs(t, listTools).says(t, `"delta"`)
}

// slowly adds a path to the API that does not respond until the client has disconnected.
func (s *served) slowly(path string) (asked, left chan struct{}) {
	asked, left = make(chan struct{}, 1), make(chan struct{}, 1)
	s.router.GET(path, func(_ http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		asked <- struct{}{}
		<-r.Context().Done()
		left <- struct{}{}
	})
	return asked, left
}

// TestAgentsLeaving: if the client disconnects, the request to the API is cancelled, although
// the protocol library's own context is not. The same happens when the time limit for a call is
// reached.
func TestAgentsLeaving(t *testing.T) {
	suite.InTest(t)
	s := serveFew(t, Options{})
	asked, left := s.slowly("/api/slow")
	outer, leave := context.WithCancel(context.Background())
	c := &web.Call{Request: httptest.NewRequest("POST", "/mcp", nil).WithContext(outer), ID: "one"}
	get := func(ctx context.Context, path string) error {
		r, err := http.NewRequestWithContext(ctx, "GET", "http://localhost"+path, nil)
		if err != nil {
			return err
		}
		res, err := inProcess{s.Server}.RoundTrip(r)
		if err == nil {
			err = res.Body.Close()
		}
		return err
	}
	failed := make(chan error, 1)
	go func() {
		failed <- get(context.WithValue(context.Background(), web.OuterCall{}, c), "/api/slow")
	}()
	<-asked
	leave()
	<-left
	suite.Is(t, <-failed, context.Canceled, "left")
	short, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	suite.Is(t, get(short, "/api/slow"), context.DeadlineExceeded, "late")
	s.router.GET("/api/broken", func(http.ResponseWriter, *http.Request, httprouter.Params) { panic(http.ErrAbortHandler) })
	suite.Fails(t, get(context.Background(), "/api/broken"), "was cut off")
	suite.Fails(t, get(context.Background(), "/data/x"), "", "a request left the API")
}

// FuzzAgents posts arbitrary bodies to /mcp, in every version of the protocol. The edge must
// never fail, and every response must be JSON.
func FuzzAgents(f *testing.F) {
	for _, body := range []string{listTools, message("search", `{"query":"data","limit":"3"}`), message("compare", `{"entities":["tool/n1",{}]}`), message("get_entity", `[]`),
		`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"kindex://categories"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"AAAA"}}`, `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`,
		`{"jsonrpc":"2.0","id":1e99,"method":"logging/setLevel","params":{"level":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"notifications":{"toolsListChanged":true}}}`,
	} {
		for version := range versions {
			f.Add(body, uint8(version))
		}
	}
	s := serveFew(f, Options{})
	f.Fuzz(func(t *testing.T, body string, version uint8) {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if v := versions[int(version)%len(versions)]; v != "" {
			r.Header.Set("Mcp-Protocol-Version", v)
			var m struct {
				Method string
				Params struct{ Name, URI string }
			}
			_ = json.Unmarshal([]byte(body), &m) // a message that cannot be decoded has no method
			if plainName.MatchString(m.Method) {
				r.Header.Set("Mcp-Method", m.Method)
			}
			if plainName.MatchString(m.Params.Name) {
				r.Header.Set("Mcp-Name", m.Params.Name)
			}
		}
		w := httptest.NewRecorder()
		begin := time.Now()
		s.ServeHTTP(w, r)
		// A subscription is refused with a single event, because its response is an event
		// stream.
		text := w.Body.Bytes()
		if w.Header().Get("Content-Type") == "text/event-stream" {
			text = bytes.TrimPrefix(text, []byte("event: message\ndata: "))
		}
		suite.Holds(t, w.Code < 500 && (len(text) == 0 || json.Valid(text)) &&
			time.Since(begin) <= hanging, "status", w.Code, "after", time.Since(begin), w.Body)
	})
}

// versions are the protocol versions; "" stands for a client that does not send one.
var versions = []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// plainName matches the names that a client can send in a header.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)
