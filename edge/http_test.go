package edge

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
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
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", encoding, err)
	}
	return out
}

// TestPreferredEncoding checks which content coding a client gets, whatever Accept-Encoding says.
func TestPreferredEncoding(t *testing.T) {
	s := serve(t, 60)
	for accept, want := range map[string]string{
		"": "", "gzip": "gzip", "GZIP": "gzip", "x-gzip": "gzip", "gzip, br, zstd": "zstd", "br;q=1, zstd;q=0.5": "zstd", "br": "",
		"*": "", "gzip, *": "gzip", "*, zstd;q=0.1": "zstd", "identity;q=0, *": "gzip", "identity;q=0, gzip;q=0, *": "", "*;q=0": "", "gzip;q=0": "", "identity": "", "identity;q=1, gzip;q=0.5": "",
		"deflate": "", "zstd;q=0, *": "", "gzip;q=x": "gzip", ";;,": "", "zstd ; q=0.1": "zstd",
	} {
		if a := s.ask(t, "GET", "/api/entities", "Accept-Encoding", accept); a.status != 200 || a.header.Get("Content-Encoding") != want {
			t.Errorf("%q: %d, encoded as %q, want %q", accept, a.status, a.header.Get("Content-Encoding"), want)
		}
	}
}

func TestCORS(t *testing.T) {
	s := serveFew(t, Options{URL: "https://index.example.org"})
	a := s.ask(t, "GET", "/api/entities", "Origin", "https://anywhere.example")
	if a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%v", a.header)
	}
	for _, h := range []string{"ETag", "Link", "Retry-After", "X-RateLimit-Remaining", "X-Build", "Repr-Digest", "Content-Range"} {
		if !strings.Contains(a.header.Get("Access-Control-Expose-Headers"), h) {
			t.Errorf("%s is not exposed: %s", h, a.header.Get("Access-Control-Expose-Headers"))
		}
	}
	for _, path := range []string{"/api/feed", "/api/openapi", "/api/export/entities?format=csv", "/api/export/entities?format=jsonl&type=tool", "/api/entity/tool/n3?at=2026-11-01"} {
		if a := s.ask(t, "GET", path, "Origin", "https://anywhere.example"); a.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %v", path, a.header)
		}
	}
	a = s.ask(t, "OPTIONS", "/api/entities", "Origin", "https://a.example", "Access-Control-Request-Method", "GET")
	for _, h := range []string{"x-api-key", "Content-Type", "Idempotency-Key", "If-None-Match", "Range", "If-Range", "X-Request-Id"} {
		if a.status != 204 || !strings.Contains(a.header.Get("Access-Control-Allow-Headers"), h) {
			t.Errorf("preflight for %s: %d %v", h, a.status, a.header)
		}
	}
	if strings.Contains(a.header.Get("Access-Control-Allow-Methods"), "PATCH") {
		t.Error("PATCH was allowed")
	}
	// A response that a shared cache has stored for one origin must be valid for all others.
	a = s.ask(t, "GET", "/data/"+s.buildID()+"/entities.csv")
	if a.header.Get("Access-Control-Allow-Origin") != "*" || strings.Contains(strings.Join(a.header.Values("Vary"), ","), "Origin") {
		t.Errorf("without an origin: %v", a.header)
	}
}

func TestProblems(t *testing.T) {
	s := serve(t, 12)
	const none = "none" // no suggestion
	for _, c := range []struct {
		method, path string
		status       int
		code, near   string
	}{
		{"GET", "/api/entitys", 404, "not-found", "/api/entities"},
		{"GET", "/api/entities/", 404, "not-found", "/api/entities"},
		{"GET", "/api", 404, "not-found", ""},
		{"GET", "/nowhere", 404, "not-found", ""},
		{"PUT", "/api/entities", 405, "method-not-allowed", ""},
		{"DELETE", "/api/search?q=x", 405, "method-not-allowed", ""},
		{"POST", "/", 405, "method-not-allowed", ""},
		{"PUT", "/tool/n1/", 405, "method-not-allowed", ""},
		{"DELETE", "/tool/nowhere/", 404, "not-found", ""},
		{"GET", "/api/entities?limt=5", 400, "unknown-parameter", "limit"},
		{"GET", "/api/entities?limit=5000", 400, "invalid-parameter", "1000"},
		{"GET", "/api/entities?sort=nmae", 400, "invalid-parameter", "name"},
		{"GET", "/api/entities?category=alhpa", 400, "invalid-parameter", "alpha"},
		{"GET", "/api/search", 400, "invalid-parameter", ""},
		{"GET", "/api/changelog?evnt=entity.created", 400, "unknown-parameter", "event"},
		{"GET", "/api/changelog?event=entity.create", 400, "invalid-parameter", "entity.created"},
		{"GET", "/api/changelog?field=signals.star", 400, "invalid-parameter", "signals.stars"},
		{"GET", "/api/changelog?category=bta", 400, "invalid-parameter", "beta"},
		{"GET", "/api/entity/tool/n1/changelog?at=2026-11-01", 400, "unknown-parameter", ""},
		{"GET", "/api/entity/tool/n1?at=2027-01-01", 400, "invalid-parameter", "2026-11-01"},
		{"GET", "/api/entities?at=2026-10-31", 404, "no-history", "2026-11-01"},
		{"GET", "/api/leaderboard/all?at=2026-10-31", 404, "no-history", "2026-11-01"},
		{"GET", "/api/export/leaderboard?at=2026-10-31", 404, "no-history", "2026-11-01"},
		{"GET", "/api/trending?window=14d", 400, "invalid-parameter", ""},
		{"GET", "/api/feed?format=rs", 400, "invalid-parameter", "rss"},
		{"GET", "/api/feed?page=2", 400, "invalid-parameter", "1"},
		{"GET", "/api/feed?entity=tool/nmuber3", 400, "invalid-parameter", ""},
		{"GET", "/api/feed?entity=TOOL/n3", 400, "invalid-parameter", "tool/n3"},
		{"GET", "/api/feed?entity=tools/n3", 400, "invalid-parameter", "tool/n3"},
		{"GET", "/api/feed?entity=tool/N3", 400, "invalid-parameter", "tool/n3"},
		{"GET", "/api/feed?entity=zebra/n3", 400, "invalid-parameter", none},
		{"GET", "/api/changelog?since=2026-10-10T14:00:00+02:00", 400, "invalid-parameter", "2026-10-10T12:00:00Z"}, // the plus sign is a space
		{"GET", "/api/calendar?entty=tool/n1", 400, "unknown-parameter", "entity"},
		{"GET", "/api/calendar?category=alpa", 400, "invalid-parameter", "alpha"},
		{"GET", "/api/calendar?entity=tool/n1" + strings.Repeat("&entity=tool/n1", 50), 400, "invalid-parameter", ""},
		{"GET", "/api/export/changelog?until=2026-10-31", 400, "unknown-parameter", ""},
		{"GET", "/api/entity/tools/n1", 404, "unknown-entity", "tool"},
		{"GET", "/api/entity/tool/nmuber3", 404, "unknown-entity", ""},
		{"GET", "/api/leaderboard/bta", 404, "unknown-category", "beta"},
		{"GET", "/api/export/entities?format=cvs", 400, "invalid-parameter", "csv"},
		{"GET", "/data/20260101-0000000000000000/entities.json", 404, "unknown-build", ""},
		{"GET", "/data/../../etc/passwd", 404, "", ""},
	} {
		a := s.ask(t, c.method, c.path, "X-Request-Id", "abc-123")
		var p web.Problem
		if err := json.Unmarshal(a.body, &p); err != nil {
			t.Errorf("%s %s: %v: %s", c.method, c.path, err, a.body)
			continue
		}
		near := ""
		if p.Suggestion != nil {
			near = *p.Suggestion
		}
		if a.status != c.status || p.Status != c.status || c.code != "" && p.Code != c.code || c.near != "" && near != strings.TrimPrefix(c.near, none) {
			t.Errorf("%s %s: %d %s %q, want %d %s %q", c.method, c.path, a.status, p.Code, near, c.status, c.code, c.near)
		}
		if p.RequestID != "abc-123" || a.header.Get("X-Request-Id") != "abc-123" || a.header.Get("Content-Type") != "application/problem+json" ||
			p.Detail == "" || p.Title == "" || p.Instance == "" || p.Errors == nil {
			t.Errorf("%s %s: incomplete: %s", c.method, c.path, a.body)
		}
		if head := s.ask(t, "HEAD", c.path); c.method == "GET" && (head.status != a.status || len(head.body) > 0) {
			t.Errorf("HEAD %s: %d and %d bytes", c.path, head.status, len(head.body))
		}
		if a.status == 405 && !strings.Contains(a.header.Get("Allow"), "GET") {
			t.Errorf("%s: Allow is %q", c.path, a.header.Get("Allow"))
		}
	}
}

func TestRequestIDIsNeverTakenOverUnchecked(t *testing.T) {
	s := serve(t, 5)
	for _, id := range []string{"a b", "x\"y", strings.Repeat("a", 65), "<script>", "é"} {
		if got := s.ask(t, "GET", "/api/categories", "X-Request-Id", id).header.Get("X-Request-Id"); got == id || len(got) != 24 {
			t.Errorf("%q became %q", id, got)
		}
	}
}

// TestPanicTellsNothing: the response after a panic or an internal error does not reveal the
// cause. The test adds handlers that fail.
func TestPanicTellsNothing(t *testing.T) {
	s := serve(t, 5)
	var log bytes.Buffer
	s.shared.Log = slog.New(slog.NewTextHandler(&log, nil))
	s.router.GET("/panic", s.handle("/panic", unmetered, nil, func(*web.Call) (*web.Reply, error) { panic("the secret cause") }))
	s.router.GET("/error", s.handle("/error", unmetered, nil, func(*web.Call) (*web.Reply, error) { return nil, errors.New("the secret cause") }))
	for _, path := range []string{"/panic", "/error"} {
		log.Reset()
		a := s.ask(t, "GET", path)
		if a.status != 500 || strings.Contains(string(a.body), "secret") || !strings.Contains(string(a.body), `"code":"internal"`) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
		if !strings.Contains(log.String(), "the secret cause") || !strings.Contains(log.String(), a.header.Get("X-Request-Id")) {
			t.Errorf("%s: the log lacks the cause or the id: %s", path, log.String())
		}
	}
}

// TestBrokenStreamIsNotAWholeAnswer: if a failure occurs after the status line was sent, the
// body must not look complete.
func TestBrokenStreamIsNotAWholeAnswer(t *testing.T) {
	s := serve(t, 5)
	s.router.GET("/broken", s.handle("/broken", unmetered, nil, func(*web.Call) (*web.Reply, error) {
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

func TestMovedEntity(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 5)
	writeFile(t, s.content, "tool/renamed.yaml", "name: Renamed\nformerly: [old-name]\ncategory: alpha\ndescription: It had another name.\n")
	writeFile(t, s.content, "tool/gone.yaml", "name: Gone\nstatus: withdrawn\ncategory: alpha\ndescription: It is no longer to be had.\n")
	s.publish(t)
	for path, want := range map[string]string{
		"/api/entity/tool/old-name":                 "/api/entity/tool/renamed",
		"/api/entity/tool/old-name/similar?limit=3": "/api/entity/tool/renamed/similar?limit=3",
	} {
		if a := s.ask(t, "GET", path); a.status != 301 || a.header.Get("Location") != want {
			t.Errorf("%s: %d %s", path, a.status, a.header.Get("Location"))
		}
	}
	if a := s.ask(t, "GET", "/api/entity/tool/gone"); a.status != 200 {
		t.Errorf("withdrawn entity at its own address: %d", a.status)
	}
	for _, path := range []string{"/api/entities?limit=100", "/api/search?q=gone", "/api/export/entities", "/api/leaderboard/all?limit=100", "/api/suggest?q=gone"} {
		if bytes.Contains(s.ask(t, "GET", path).body, []byte(`"slug":"gone"`)) {
			t.Errorf("%s shows a withdrawn entity", path)
		}
	}
	for _, path := range []string{"/api/entities?status=withdrawn", "/api/search?q=gone&status=withdrawn", "/api/export/entities?status=withdrawn&format=jsonl"} {
		if !bytes.Contains(s.ask(t, "GET", path).body, []byte(`"slug":"gone"`)) {
			t.Errorf("%s hides the requested withdrawn entity", path)
		}
	}
}

// TestSearchPagesJoinUp reads all hits page by page, by cursor and by offset.
func TestSearchPagesJoinUp(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 60)
	type hits struct {
		Data []struct {
			Type, Slug string
			Relevance  float64
			Highlights map[string]string
		}
		Count      int
		NextCursor *string
	}
	read := func(path string) (h hits) {
		a := s.ask(t, "GET", path)
		if err := json.Unmarshal(a.body, &h); err != nil || a.status != 200 {
			t.Fatalf("%s: %d %s", path, a.status, a.body)
		}
		return h
	}
	var byCursor, byOffset []string
	path := "/api/search?q=heaps+data&limit=7"
	for page := path; ; {
		h := read(page)
		for _, e := range h.Data {
			byCursor = append(byCursor, e.Type+"/"+e.Slug)
			if !strings.Contains(e.Highlights["description"], "<mark>heaps</mark>") {
				t.Fatalf("no highlight: %v", e.Highlights)
			}
		}
		if h.NextCursor == nil {
			break
		}
		page = path + "&cursor=" + *h.NextCursor
	}
	count := read(path).Count
	for off := 0; off < count; off += 7 {
		for _, e := range read(fmt.Sprintf("%s&offset=%d", path, off)).Data {
			byOffset = append(byOffset, e.Type+"/"+e.Slug)
		}
	}
	if len(byCursor) != count || strings.Join(byCursor, " ") != strings.Join(byOffset, " ") || count != 90 {
		t.Errorf("count %d, by cursor %d, by offset %d", count, len(byCursor), len(byOffset))
	}
}

// TestListsOnSeveralLines sends header fields that a client or a proxy has split into several
// lines.
func TestListsOnSeveralLines(t *testing.T) {
	s := serve(t, 30)
	ask := func(name string, values ...string) *http.Response {
		r := httptest.NewRequest("GET", "/api/entities", nil)
		r.Header[name] = values
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Result()
	}
	tag := ask("Accept-Encoding", "identity").Header.Get("ETag")
	if r := ask("If-None-Match", `"other"`, tag); r.StatusCode != http.StatusNotModified {
		t.Errorf("If-None-Match on two lines: %d", r.StatusCode)
	}
	if r := ask("Accept-Encoding", "identity;q=0.5", "gzip"); r.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("Accept-Encoding on two lines: %q", r.Header.Get("Content-Encoding"))
	}
}
