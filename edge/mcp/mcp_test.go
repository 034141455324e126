package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/where"
)

// fake is an API with responses that the test defines.
type fake func(ctx context.Context, path string, query url.Values) (int, http.Header, string, error)

// RoundTrip implements http.RoundTripper.
func (f fake) RoundTrip(r *http.Request) (*http.Response, error) {
	status, header, body, err := f(r.Context(), r.URL.Path, r.URL.Query())
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func asJSON(body string) (int, http.Header, string, error) {
	return http.StatusOK, http.Header{"Content-Type": {"application/json"}}, body, nil
}

// connect connects an MCP client to a server over an API.
func connect(t testing.TB, api http.RoundTripper, o Options) *sdk.ClientSession {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	s := New(NewLocalClient(api), o)
	ss := suite.Must(s.sdk.Connect(t.Context(), there, nil))(t)
	cs := suite.Must(sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil))(t)
	t.Cleanup(func() {
		_ = cs.Close()
		_ = ss.Close()
	})
	return cs
}

// use calls a tool and returns the text of the result or of the protocol error.
func use(t testing.TB, cs *sdk.ClientSession, tool string, arguments any) (text string, wrong bool) {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err.Error(), true
	}
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

// TestErrorsAreReported: whatever the API does, the model reads what happened and what to do
// next, but nothing internal.
func TestErrorsAreReported(t *testing.T) {
	for name, c := range map[string]struct {
		api  fake
		want string
	}{
		"panic": {func(context.Context, string, url.Values) (int, http.Header, string, error) { panic("secret") }, "Internal error"},
		"silence": {func(ctx context.Context, _ string, _ url.Values) (int, http.Header, string, error) {
			<-ctx.Done()
			return 0, nil, "", ctx.Err()
		}, "did not respond in time"},
		"no way there": {func(context.Context, string, url.Values) (int, http.Header, string, error) {
			return 0, nil, "", errors.New("connection refused")
		}, "The index cannot be reached: no response from http://localhost: connection refused."},
		"a proxy's page": {func(context.Context, string, url.Values) (int, http.Header, string, error) {
			return 502, http.Header{"Content-Type": {"text/html"}, "Retry-After": {"90"}}, "<h1>Bad Gateway</h1>", nil
		}, "The index returned 502 Bad Gateway. Try again after 1m30s."},
		"another service": {func(context.Context, string, url.Values) (int, http.Header, string, error) {
			return 200, http.Header{"Content-Type": {"text/html"}}, "<h1>Welcome</h1>", nil
		}, "not in a format that this program understands"},
		"other JSON": {func(context.Context, string, url.Values) (int, http.Header, string, error) { return asJSON(`[1]`) }, "not in a format that this program understands"},
		"a limit": {func(context.Context, string, url.Values) (int, http.Header, string, error) {
			return 429, http.Header{"Content-Type": {"application/problem+json"}, "Retry-After": {"3600"}}, `{"detail":"The limit of 20 requests has been reached; it resets at 2026-11-22T00:00:00Z.","code":"rate-limited"}`, nil
		}, "The limit of 20 requests has been reached; it resets at 2026-11-22T00:00:00Z. Do not try again for 1h0m0s."},
	} {
		t.Run(name, func(t *testing.T) {
			within := 3 * time.Minute
			if name == "silence" {
				within = 50 * time.Millisecond
			}
			text, wrong := use(t, connect(t, c.api, Options{CallTime: within}), "search", map[string]any{"query": "x"})
			suite.Holds(t, wrong && strings.Contains(text, c.want) && !strings.Contains(text, "secret") &&
				!strings.Contains(text, "<h1>"), wrong, text)
		})
	}
}

// TestRecordsAreNotText: complete records, which are many times longer than a result without them,
// are only in the structured content.
func TestRecordsAreNotText(t *testing.T) {
	const record = `{"type":"tool","slug":"x","name":"X","description":"Does x.","links":{"paper":"https://example.org/obey-me"},"signals":{}}`
	api := fake(func(_ context.Context, path string, _ url.Values) (int, http.Header, string, error) {
		if path == "/api/entity/tool/x" {
			return asJSON(record)
		}
		return asJSON(`{"data":[` + record + `],"count":1}`)
	})
	for tool, arguments := range map[string]map[string]any{
		"get_entity": {"entity": "tool/x", "view": "full"},
		"search":     {"query": "x", "full": true},
	} {
		r, err := connect(t, api, Options{}).CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		suite.Require(t, err == nil && !r.IsError, tool, err, r)
		structured, err := json.Marshal(r.StructuredContent)
		text := r.Content[0].(*sdk.TextContent).Text
		suite.Holds(t, err == nil && !strings.Contains(text, "obey-me") && strings.Contains(string(structured), "obey-me"), tool, err, text, structured)
	}
}

// TestUnknownCategory: if no category has a similar name, the error lists the existing
// categories or names the tool that does.
func TestUnknownCategory(t *testing.T) {
	api := fake(func(context.Context, string, url.Values) (int, http.Header, string, error) {
		return 400, http.Header{"Content-Type": {"application/problem+json"}}, `{"detail":"category: \"zzz\" is not a known value","code":"invalid-parameter","errors":[{"field":"category","message":"\"zzz\" is not a known value"}],"suggestion":null}`, nil
	})
	for want, known := range map[string][]string{"Expected one of: nlp, speech.": {"nlp", "speech"}, "To list them, call leaderboard": nil} {
		text, wrong := use(t, connect(t, api, Options{Categories: known}), "search", map[string]any{"query": "x", "category": "zzz"})
		suite.Holds(t, wrong && strings.Contains(text, `category: "zzz" is not a known value. `+want), text)
	}
}

// TestSearchFilters: search takes every filter of the API, under its name, and passes its value on
// unchanged.
func TestSearchFilters(t *testing.T) {
	given := map[string]any{"query": "x", "type": "model", "category": "nlp", "provider": "A, B", "tag": "a,b", "capability": "vision", "license": "MIT",
		"pricingModel": "usage-based", "status": "deprecated", "maintenance": "dormant", "family": "gpt", "modality": "text,image", "outputModality": "text", "openWeights": false,
		"minContext": 200_000, "minParameters": 1_000_000, "maxParameters": 2_000_000, "maxPrice": 0.000001, "minScore": 12.5, "signal": "stars>=1000", "retiresBefore": "2027-01-01", "addedSince": "2026-01-01", "updatedSince": "2026-01-02"}
	var asked url.Values
	cs := connect(t, fake(func(_ context.Context, _ string, q url.Values) (int, http.Header, string, error) {
		asked = q
		return asJSON(`{"data":[],"count":0}`)
	}), Options{})
	if text, wrong := use(t, cs, "search", given); wrong {
		t.Fatal(text)
	}
	for _, name := range where.Filters(kinds.Default()) {
		want := fmt.Sprint(given[name])
		if name == "maxPrice" {
			want = "0.000001"
		}
		suite.Equal(t, asked.Get(name), want, name, "=")
	}
	for name, value := range map[string]any{"minContext": 0.5, "limit": 51, "openWeights": "perhaps", "maintenance": "dead"} {
		if text, wrong := use(t, cs, "search", map[string]any{"query": "x", name: value}); !wrong || !strings.Contains(text, name) {
			t.Errorf("%s = %v: %s", name, value, text)
		}
	}
}

// TestManyFaults: if there are thousands of unknown arguments, only the first ones are listed.
func TestManyFaults(t *testing.T) {
	given := map[string]any{}
	for i := range 1000 {
		given[fmt.Sprintf("limit%03d", i)] = i
	}
	text, wrong := use(t, connect(t, fake(nil), Options{}), "search", given)
	suite.Holds(t, wrong && strings.Count(text, "\n- ") == maxFaults &&
		strings.Contains(text, `"limit008"; did you mean limit?`), text)
}

// TestMovedEntity: the former slug of an entity leads to the entity, but only on the same
// service.
func TestMovedEntity(t *testing.T) {
	asked := []string{}
	to := "/api/entity/tool/new"
	api := fake(func(_ context.Context, path string, _ url.Values) (int, http.Header, string, error) {
		asked = append(asked, path)
		if path == "/api/entity/tool/old" {
			return 301, http.Header{"Location": {to}}, "", nil
		}
		return asJSON(`{"type":"tool","slug":"new","name":"New","status":"active","scores":{}}`)
	})
	cs := connect(t, api, Options{})
	text, wrong := use(t, cs, "get_entity", map[string]any{"entity": "tool/old"})
	if wrong || !strings.Contains(text, `"id":"tool/new"`) || !strings.Contains(text, `"note":"tool/old is now called tool/new."`) || fmt.Sprint(asked) != "[/api/entity/tool/old /api/entity/tool/new]" {
		t.Errorf("%v %s %v", wrong, text, asked)
	}
	for _, to = range []string{"/api/developer/api-keys", "https://evil.example/x", "/api/entity/../developer", "/api/entity/tool/old", "%zz"} {
		asked = nil
		if text, wrong := use(t, cs, "get_entity", map[string]any{"entity": "tool/old"}); !wrong || len(asked) != 1 {
			t.Errorf("%s: %v %s %v", to, wrong, text, asked)
		}
	}
}

// TestClient: errors do not contain the key, and name the service that does not respond.
func TestClient(t *testing.T) {
	var got []http.Header
	var answer http.HandlerFunc
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header)
		answer(w, r)
	}))
	defer server.Close()
	c := suite.Must(NewClient(server.URL+"/", "kx_key"))(t)
	answer = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, server.URL+"/elsewhere", http.StatusFound)
	}
	r, err := c.get(t.Context(), "/api/search", url.Values{"q": {"a b&c"}})
	suite.Holds(t, err == nil && r.status == 302 && r.header.Get("Location") != "" && len(got) == 1 &&
		got[0].Get("X-Api-Key") == "kx_key" && got[0].Get("Accept") == "application/json", r, err, got)
	suite.Fails(t, c.Check(t.Context()), "redirects to "+server.URL+"/elsewhere")
	for want, answer2 := range map[string]http.HandlerFunc{
		"is not a kindex service": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"openapi":"3.0.3","paths":{"/pets":{}}}`)
		},
		"404 Not Found": http.NotFound,
		"larger than":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, maxAnswer+1)) },
		"was cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "five!")
		},
	} {
		answer = answer2
		if err := c.Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), server.URL) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	for _, address := range []string{"", "index.example.org", "ftp://index.example.org", "http://", "https://a@b.example", "https://b.example/?x=1", "http://b.example:x"} {
		suite.Fails(t, suite.Err(NewClient(address, "")), "https://index.example.org", address)
	}
}

// TestClear: arguments are taken as they are meant: numbers and lists as text, a single item for a list,
// and nothing at all for a missing one.
func TestClear(t *testing.T) {
	var asked []string
	cs := connect(t, fake(func(_ context.Context, path string, q url.Values) (int, http.Header, string, error) {
		asked = append(asked, path+"?"+q.Encode())
		if strings.HasPrefix(path, "/api/entity/") {
			return asJSON(`{"type":"tool","slug":"a","scores":{}}`)
		}
		return asJSON(`{"data":[],"count":0}`)
	}), Options{})
	for _, c := range []struct {
		tool, arguments string
		want            []string
	}{
		{"compare", `{"entities":"[\"tool/pandas\",\"tool/polars\"]"}`, []string{"/api/entity/tool/pandas?", "/api/entity/tool/polars?"}},
		{"compare", `{"entities":["provider/openai","programming-language/go"]}`, []string{"/api/entity/provider/openai?", "/api/entity/programming-language/go?"}},
		{"search", `{"query":"pandas","tag":"[\"csv\",\"excel\"]"}`, []string{"/api/search?limit=10&q=pandas&tag=csv%2Cexcel"}},
		{"search", `{"query":"pandas","tag":"csv"}`, []string{"/api/search?limit=10&q=pandas&tag=csv"}},
		{"search", `{"query":"pandas","limit":"1","type":null}`, []string{"/api/search?limit=1&q=pandas"}},
		{"search", `{"query":"123","type":"[\"model\"]","license":""}`, []string{"/api/search?limit=10&q=123&type=model"}},
		{"search", `{"query":"x","openWeights":"true","minContext":"200000"}`, []string{"/api/search?limit=10&minContext=200000&openWeights=true&q=x"}},
		{"leaderboard", `null`, []string{"/api/leaderboard/all?limit=10"}},
		{"cost", `{"model":"gpt-5","input":1e6}`, []string{"/api/cost?input=1000000&model=gpt-5"}},
		{"prices", `{"model":"gpt-5","maxInput":"0.0000005"}`, []string{"/api/offers?limit=10&maxInput=0.0000005&model=gpt-5"}},
	} {
		asked = nil
		if text, wrong := use(t, cs, c.tool, json.RawMessage(c.arguments)); wrong || !slices.Equal(asked, c.want) {
			t.Errorf("%s %s: %q, %s", c.tool, c.arguments, asked, text)
		}
	}
}

// TestExposed: Exposed is true if a key would cross a network unencrypted.
func TestExposed(t *testing.T) {
	for address, want := range map[string]bool{"http://index.example.org": true, "http://192.0.2.1:8080": true, "https://index.example.org": false,
		"http://127.0.0.1:8080": false, "http://[::1]": false, "http://localhost:1": false, "http://localhost.example": true} {
		c := suite.Must(NewClient(address, ""))(t)
		suite.Equal(t, c.Exposed(), want, address)
	}
}

// FuzzArguments passes arbitrary arguments to the tools. The tools must request only addresses
// in the API, and the length of their results must be limited.
func FuzzArguments(f *testing.F) {
	for _, arguments := range []string{`{}`, `null`, `[]`, `{"query":"x","limit":1e400}`, `{"entity":"tool/a/../../b"}`, `{"entities":["tool/a","tool/b"],"x":{}}`,
		`{"category":"../x?y#z","limit":"5"}`, `{"since":"2026-01-01","type":null,"full":"yes"}`, `{"query":"` + strings.Repeat("é", 300) + `"}`, `{"limit":{"a":[]}}`} {
		f.Add(arguments)
	}
	api := fake(func(_ context.Context, path string, query url.Values) (int, http.Header, string, error) {
		rest, ok := strings.CutPrefix(path, "/api/")
		if u, err := url.Parse((&url.URL{Path: path, RawQuery: query.Encode()}).String()); !ok || err != nil || u.Path != path || len(path) > 1000 {
			panic(fmt.Sprintf("asked for %q %v", path, query))
		}
		for part := range strings.SplitSeq(rest, "/") {
			if part == "" || part == "." || part == ".." {
				panic(fmt.Sprintf("asked for %q", path))
			}
		}
		return asJSON(`{"type":"tool","slug":"a","data":[],"count":0,"scores":{}}`)
	})
	cs := connect(f, api, Options{})
	tools := suite.Must(cs.ListTools(f.Context(), nil))(f)
	f.Fuzz(func(t *testing.T, arguments string) {
		if !json.Valid([]byte(arguments)) {
			return
		}
		for _, tool := range tools.Tools {
			if text, _ := use(t, cs, tool.Name, json.RawMessage(arguments)); len(text) > 5000 || text == "" {
				t.Errorf("%s: %d bytes", tool.Name, len(text))
			}
		}
	})
}
