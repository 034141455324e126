package edge

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"kindex/builder/suite"
	"kindex/edge/web"
)

func decode(t *testing.T, encoding string, body []byte) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(body)
	var err error
	switch encoding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	suite.Check(t, err)
	out, err := io.ReadAll(r)
	suite.Require(t, err == nil, encoding, err)
	return out
}

// TestPreferredEncoding checks which content coding a client gets, whatever Accept-Encoding says.
func TestPreferredEncoding(t *testing.T) {
	s := serveShared(t, 60)
	for accept, want := range map[string]string{
		"": "", "gzip": "gzip", "GZIP": "gzip", "x-gzip": "gzip", "gzip, br, zstd": "zstd", "br;q=1, zstd;q=0.5": "zstd", "br": "",
		"*": "", "gzip, *": "gzip", "*, zstd;q=0.1": "zstd", "identity;q=0, *": "gzip", "identity;q=0, gzip;q=0, *": "", "*;q=0": "", "gzip;q=0": "", "identity": "", "identity;q=1, gzip;q=0.5": "",
		"deflate": "", "zstd;q=0, *": "", "gzip;q=x": "gzip", ";;,": "", "zstd ; q=0.1": "zstd",
	} {
		s.ask(t, "GET", "/api/entities", "Accept-Encoding", accept).want(t, 200).wantHeader(t, "Content-Encoding", want)
	}
}

func TestCORS(t *testing.T) {
	s := serveFew(t, Options{URL: "https://index.example.org"})
	a := s.ask(t, "GET", "/api/entities", "Origin", "https://anywhere.example").
		wantHeader(t, "Access-Control-Allow-Origin", "*").wantHeader(t, "Access-Control-Allow-Credentials", "")
	suite.ContainsAll(t, a.header.Get("Access-Control-Expose-Headers"), "ETag", "Link", "Retry-After",
		"X-RateLimit-Remaining", "X-Build", "Repr-Digest", "Content-Range")
	for _, path := range []string{"/api/feed", "/api/export/entities?format=csv", "/api/export/entities?format=jsonl&type=tool", "/api/entity/tool/n3?at=2026-11-01"} {
		s.ask(t, "GET", path, "Origin", "https://anywhere.example").wantHeader(t, "Access-Control-Allow-Origin", "*")
	}
	a = s.ask(t, "OPTIONS", "/api/entities", "Origin", "https://a.example", "Access-Control-Request-Method", "GET")
	for _, h := range []string{"x-api-key", "Content-Type", "Idempotency-Key", "If-None-Match", "Range", "If-Range", "X-Request-Id"} {
		suite.Equal(t, a.status, 204, "preflight for", h, a.header)
		suite.Contains(t, a.header.Get("Access-Control-Allow-Headers"), h, "preflight for", a.status)
	}
	// Agents in pages need the headers of their protocol.
	mcp := s.ask(t, "OPTIONS", agentPath, "Origin", "https://a.example", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "mcp-protocol-version")
	suite.Holds(t, mcp.status == 204 && mcp.header.Get("Access-Control-Allow-Origin") == "*" &&
		strings.Contains(strings.ToLower(mcp.header.Get("Access-Control-Allow-Headers")), "mcp-protocol-version"), "preflight for agents", mcp.status, mcp.header)
	suite.Lacks(t, a.header.Get("Access-Control-Allow-Methods"), "PATCH", "PATCH was allowed")
	// A response that a shared cache has stored for one origin must be valid for all others.
	a = s.ask(t, "GET", "/data/"+s.buildID()+"/entities.csv")
	suite.Equal(t, a.header.Get("Access-Control-Allow-Origin"), "*", "without an origin")
	suite.Lacks(t, strings.Join(a.header.Values("Vary"), ","), "Origin", "without an origin")
}

// TestProblems checks what errors suggest. The contract checks that they are complete.
func TestProblems(t *testing.T) {
	s := serveShared(t, 60)
	for _, c := range []struct {
		path   string
		status int
		code   string
		near   string // what is suggested
	}{
		{"/api/entitys", 404, "not-found", "/api/entities"},
		{"/api/entities/", 404, "not-found", "/api/entities"},
		{"/api/entities?limt=5", 400, "unknown-parameter", "limit"},
		{"/api/search?q=%ff", 400, "invalid-parameter", ""},
		{"/api/search?%ff=1", 400, "invalid-parameter", ""},
		{"/api/entities?limit=5000", 400, "invalid-parameter", "1000"},
		{"/api/entities?category=alhpa", 400, "invalid-parameter", "alpha"},
		{"/api/changelog?field=signals.star", 400, "invalid-parameter", "signals.stars"},
		{"/api/entity/tool/n1?at=2027-01-01", 400, "invalid-parameter", "2026-11-01"},
		{"/api/entities?at=2026-10-31", 404, "no-history", "2026-11-01"},
		{"/api/feed?page=2000", 400, "invalid-parameter", "1"},
		{"/api/feed?entity=TOOL/n3", 400, "invalid-parameter", "tool/n3"},
		{"/api/feed?entity=zebra/n3", 400, "invalid-parameter", ""},
		{"/api/changelog?since=2026-10-10T14:00:00+02:00", 400, "invalid-parameter", "2026-10-10T12:00:00Z"}, // the plus sign is a space
		{"/api/entity/tools/n1", 404, "unknown-entity", "tool"},
		{"/api/leaderboard/bta", 404, "unknown-category", "beta"},
		{"/api/export/entities?format=cvs", 400, "invalid-parameter", "csv"},
	} {
		a := s.ask(t, "GET", c.path, "X-Request-Id", "abc-123").want(t, c.status, `"code":"`+c.code+`"`, `"requestId":"abc-123"`)
		var p struct{ Suggestion string }
		unpack(t, a.body, &p)
		suite.Equal(t, p.Suggestion, c.near, c.path)
	}
	s.ask(t, "GET", "/api/calendar?entity=tool/n1"+strings.Repeat("&entity=tool/n1", 50)).want(t, 400)
	s.ask(t, "GET", "/data/../../etc/passwd").want(t, 404)
	for path, method := range map[string]string{"/": "POST", "/tool/n1/": "DELETE"} {
		a := s.ask(t, method, path).want(t, 405)
		suite.Contains(t, a.header.Get("Allow"), "GET", path)
	}
}

// TestPanicTellsNothing: the response after a panic or an internal error does not reveal the
// cause. The test adds handlers that fail.
func TestPanicTellsNothing(t *testing.T) {
	s := serve(t, 5)
	var log bytes.Buffer
	s.shared.Log = slog.New(slog.NewTextHandler(&log, nil))
	s.router.GET("/panic", s.handle("/panic", web.Unmetered, nil, func(*web.Call) (*web.Reply, error) { panic("the secret cause") }))
	s.router.GET("/error", s.handle("/error", web.Unmetered, nil, func(*web.Call) (*web.Reply, error) { return nil, errors.New("the secret cause") }))
	for _, path := range []string{"/panic", "/error"} {
		log.Reset()
		a := s.ask(t, "GET", path).want(t, 500, `"code":"internal"`).lacks(t, "secret")
		suite.Contains(t, log.String(), "the secret cause", path)
		suite.Contains(t, log.String(), a.header.Get("X-Request-Id"), path)
	}
}

// TestBrokenStreamIsNotAWholeAnswer: if a failure occurs after the status line was sent, the
// body must not look complete.
func TestBrokenStreamIsNotAWholeAnswer(t *testing.T) {
	s := serve(t, 5)
	s.router.GET("/broken", s.handle("/broken", web.Unmetered, nil, func(*web.Call) (*web.Reply, error) {
		return &web.Reply{MediaType: "text/csv", Stream: func(w io.Writer) error {
			if _, err := w.Write(bytes.Repeat([]byte("row\r\n"), 100_000)); err != nil {
				return err
			}
			return errors.New("the disk is gone")
		}}, nil
	}))
	for _, enc := range []string{"identity", "gzip", "zstd"} {
		if a, err := exchange(http.DefaultClient, "GET", s.url+"/broken", "", "Accept-Encoding", enc); err == nil {
			t.Errorf("%s: the broken response looks complete: %d bytes", enc, len(a.body))
		}
	}
}

// TestWithdrawnEntity: lists, search and exports leave a withdrawn entity out unless it is asked for.
func TestWithdrawnEntity(t *testing.T) {
	suite.InTest(t)
	s := readHistory(t)
	for _, path := range []string{"/api/entities?limit=100&", "/api/search?q=Tool+4&limit=100&", "/api/export/entities?", "/api/leaderboard/all?limit=100&", "/api/suggest?q=tool+4&"} {
		suite.Lacks(t, string(s.ask(t, "GET", path).body), `"slug":"n4"`, path, "shows a withdrawn entity")
		if strings.Contains(path, "leaderboard") || strings.Contains(path, "suggest") {
			continue // they never show one
		}
		if !bytes.Contains(s.ask(t, "GET", path+"status=withdrawn").body, []byte(`"slug":"n4"`)) {
			t.Errorf("%s hides the requested withdrawn entity", path)
		}
	}
}

// TestListsOnSeveralLines sends header fields that a client or a proxy has split into several
// lines.
func TestListsOnSeveralLines(t *testing.T) {
	s := serveShared(t, 60)
	ask := func(name string, values ...string) *http.Response {
		r := httptest.NewRequest("GET", "/api/entities", nil)
		r.Header[name] = values
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Result()
	}
	tag := ask("Accept-Encoding", "identity").Header.Get("ETag")
	suite.Equal(t, ask("If-None-Match", `"other"`, tag).StatusCode, http.StatusNotModified, "If-None-Match on two lines")
	if r := ask("Accept-Encoding", "identity;q=0.5", "gzip"); r.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("Accept-Encoding on two lines: %q", r.Header.Get("Content-Encoding"))
	}
}

// FuzzReadMembers checks that the short cut for flat objects accepts nothing that the strict
// check refuses: with a nested member, which rules the short cut out, the object is accepted too.
func FuzzReadMembers(f *testing.F) {
	for _, s := range []string{
		`{"ids":["a","b\\\"c",1,null,[[]]]}`, `{"a":1,"a":2}`, `{"a/":1,"a\/":2}`, `{"a":{"b":1,"b":2}}`, `{"a":"\ud800"}`, `{"a":"\u0000"}`,
		`{"a":":{[","b\":":2}`, "{\"a\":\"\xff\"}", `{"a":"�"}`, `{} {}`, `null`, `[]`, `{"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		members, err := web.ReadMembers(body)
		if err != nil || len(members) == 0 || members["nested member"] != nil {
			return
		}
		nested := bytes.Replace(body, []byte("{"), []byte(`{"nested member":{},`), 1)
		suite.Equal(t, len(suite.Must(web.ReadMembers(nested))(t)), len(members)+1, body, "is accepted", nested)
	})
}
