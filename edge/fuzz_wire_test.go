package edge_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// sender is a client that sends one request after another. It is for use by one goroutine.
type sender struct {
	fuzz   *fuzz
	stream int // the number of the sender
	rng    *rand.Rand
	conn   net.Conn
	in     *bufio.Reader
}

func newSender(f *fuzz, seed, stream uint64) *sender {
	return &sender{fuzz: f, stream: int(stream), rng: rand.New(rand.NewPCG(seed, stream))}
}

func (s *sender) close() {
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
}

// hanging is how long a request may take before it is considered stuck.
const hanging = 3 * time.Minute

// once sends one request. It returns a description of what is wrong with the response, or "" if
// nothing is wrong.
func (s *sender) once(i int) string {
	q := s.next(i)
	text := q.text(s.fuzz.address)
	problem := func(format string, args ...any) string {
		return fmt.Sprintf("%s\n%.2000q", fmt.Sprintf(format, args...), text)
	}
	if s.conn == nil {
		c, err := net.DialTimeout("tcp", s.fuzz.address, hanging)
		if err != nil {
			return problem("no connection: %v", err)
		}
		s.conn, s.in = c, bufio.NewReader(c)
	}
	if err := s.conn.SetDeadline(time.Now().Add(hanging)); err != nil {
		return problem("%v", err)
	}
	s.fuzz.sent.Add(1)
	// A server that refuses a body closes the connection while the body is still being sent. The
	// response can be read anyway.
	_, sendErr := s.conn.Write(text)
	res, err := http.ReadResponse(s.in, &http.Request{Method: strings.ToUpper(q.method)})
	if err != nil {
		s.close()
		if sendErr != nil {
			return "" // the connection was reset before the response could be read
		}
		return problem("no answer: %v", err)
	}
	body, err := io.ReadAll(res.Body)
	if res.Close || err != nil || sendErr != nil {
		s.close()
	}
	if err != nil && sendErr == nil {
		return problem("the answer breaks off: %v", err)
	}
	s.fuzz.note(q.op.OperationID, res.StatusCode)
	if isBusy(res, body) {
		s.fuzz.busy.Add(1)
	}
	s.fuzz.learn(res, body)
	if wrong := check(q, res, body); wrong != "" {
		return problem("%s: %d: %s\n%.500q", q.op.OperationID, res.StatusCode, wrong, body)
	}
	return ""
}

// check returns the common rule that the response breaks, or "" if it breaks none.
func check(q *raw, res *http.Response, body []byte) string {
	h := res.Header
	switch {
	case isBusy(res, body): // the workers share an account, which has a limit on concurrent requests
	case res.StatusCode >= 500:
		return "a server error"
	case h.Get("X-Injected") != "":
		return "a header that came out of a value"
	case h.Get("X-Request-Id") == "" || q.method == http.MethodOptions:
		// net/http refused the request, or this is a preflight or a redirect by the router.
		return ""
	}
	path, _, _ := strings.Cut(q.target, "?")
	if !strings.HasPrefix(path, "/api/") {
		return ""
	}
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if h.Get(name) == "" {
			return "no " + name
		}
	}
	if res.StatusCode < 400 || q.method == http.MethodHead || strings.HasPrefix(h.Get("Content-Type"), "text/markdown") {
		return ""
	}
	var p struct {
		Type, Title, Detail, Code, RequestID string
		Status                               int
	}
	if h.Get("Content-Encoding") != "" {
		return ""
	}
	if err := json.Unmarshal(body, &p); err != nil || !strings.HasPrefix(h.Get("Content-Type"), "application/problem+json") {
		return "an error that is no problem document"
	}
	if p.Status != res.StatusCode || p.Code == "" || p.Title == "" || p.RequestID != h.Get("X-Request-Id") {
		return "a problem document without what it needs"
	}
	if len(body) > 64<<10 {
		return "an error of more than 64 KiB"
	}
	return ""
}

// isBusy reports whether the edge refused the request as busy, with Retry-After.
func isBusy(res *http.Response, body []byte) bool {
	return res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") != "" &&
		(bytes.Contains(body, []byte(`"code":"busy"`)) || res.Request.Method == http.MethodHead)
}

// makeHeaders sets the request's credentials and other headers.
func (s *sender) makeHeaders(q *raw) {
	add := func(name, value string) { q.headers = append(q.headers, [2]string{name, clean(value)}) }
	r := s.rng
	if q.op.contentType != "" {
		if q.plain || r.IntN(15) > 0 {
			add("Content-Type", q.op.contentType)
		} else {
			add("Content-Type", pick(r, []string{"", "text/plain", "application/json; charset=utf-16", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "APPLICATION/JSON", s.nasty()}))
		}
	}
	if q.op.cookie {
		add("Cookie", s.fuzz.cookie)
		add("Origin", s.fuzz.edge.URL)
	}
	if strings.HasPrefix(q.op.Path, "/signin") || strings.HasPrefix(q.op.Path, "/submit") {
		add("Origin", s.fuzz.edge.URL)
	}
	if q.op.Path == "/mcp" {
		add("Accept", "application/json, text/event-stream")
	}
	switch n := r.IntN(40); {
	case q.plain || n < 28:
		add("x-api-key", s.fuzz.key)
	case n < 30:
		add("x-api-key", s.fuzz.spent)
	case n == 30:
		add("x-api-key", s.flip(s.fuzz.key))
	case n == 31:
		add("Authorization", "Bearer "+s.fuzz.key)
	case n == 32:
		add("x-api-key", s.fuzz.key)
		add("x-api-key", s.nasty())
	}
	if q.plain {
		return
	}
	for _, h := range further {
		if r.IntN(14) > 0 {
			continue
		}
		value := pick(r, h.values)
		switch {
		case value == "{etag}":
			if known := s.fuzz.recall("etag"); len(known) > 0 {
				value = pick(r, known)
			}
		case value == "{nasty}":
			value = s.nasty()
		}
		add(h.name, value)
	}
}

// clean removes characters that would end the header: net/http refuses these requests, so they
// would not test the edge.
func clean(value string) string {
	value = strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' || c == 0x7f {
			return -1
		}
		return c
	}, strings.ToValidUTF8(value, "\xff"))
	return value[:min(len(value), 4000)]
}

// further contains optional request headers and their values.
var further = []struct {
	name   string
	values []string
}{
	{"Accept-Encoding", []string{"gzip", "br", "zstd", "*", "identity;q=0", "gzip;q=0, *;q=0", "gzip, br, zstd", "{nasty}"}},
	{"Accept", []string{"*/*", "application/yaml", "text/markdown", "text/html;q=0.1, application/json", "application/json;q=0", "{nasty}"}},
	{"If-None-Match", []string{"*", "{etag}", `"x"`, `W/"x"`, "{etag}, {etag}", "{nasty}"}},
	{"If-Match", []string{"*", "{etag}", `"x"`, "{nasty}"}},
	{"If-Modified-Since", []string{"Sun, 01 Nov 2026 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "{nasty}"}},
	{"If-Unmodified-Since", []string{"Thu, 01 Jan 1970 00:00:00 GMT"}},
	{"If-Range", []string{"{etag}", `"x"`, "Sun, 01 Nov 2026 00:00:00 GMT"}},
	{"Range", []string{"bytes=0-9", "bytes=-1", "bytes=5-", "bytes=9-0", "bytes=0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14,16-16,18-18,20-20,22-22",
		"bytes=0-18446744073709551615", "items=0-5", "bytes=", "bytes=" + strings.Repeat("0-,", 500), "{nasty}"}},
	{"X-Forwarded-For", []string{"192.0.2.1", "2001:db8::1", "192.0.2.1, 192.0.2.2, 127.0.0.1", "unknown", "{nasty}"}},
	{"Forwarded", []string{"for=192.0.2.1", `for="[2001:db8::1]:80"`, "for=_x;proto=https", "{nasty}"}},
	{"Origin", []string{"https://evil.example", "null", "http://localhost:3000", "{nasty}"}},
	{"Access-Control-Request-Method", []string{"GET", "DELETE", "{nasty}"}},
	{"Idempotency-Key", []string{"a", "b", "c", "{nasty}"}},
	{"X-Request-Id", []string{"mine", "a b", "{nasty}"}},
	{"Referer", []string{"https://evil.example/", "{nasty}"}},
	{"Cookie", []string{"kindex=1", "{nasty}"}},
	{"Cache-Control", []string{"no-cache", "only-if-cached"}},
	{"Mcp-Protocol-Version", []string{"2025-06-18", "1999-01-01", "{nasty}"}},
	{"Mcp-Session-Id", []string{"x", "{nasty}"}},
	{"X-HTTP-Method-Override", []string{"DELETE"}},
	{"Content-Encoding", []string{"gzip", "{nasty}"}},
	{"User-Agent", []string{"{nasty}"}},
	{"Accept-Language", []string{"de", "{nasty}"}},
	{"Upgrade", []string{"websocket", "h2c"}},
}

var (
	idText     = regexp.MustCompile(`"id":\s?"((key|sub|wh|dlv)_[0-9a-z]+)"`)
	hookPath   = regexp.MustCompile(`/developer/webhooks/(wh_[0-9a-z]+)/`)
	cursorText = regexp.MustCompile(`"nextCursor":\s?"([^"]+)"`)
)

// maxLearned is the maximum number of values remembered for each kind.
const maxLearned = 64

// learn remembers values from a response for later requests.
func (f *fuzz) learn(res *http.Response, body []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	keep := func(kind, value string) {
		list := f.learned[kind]
		if value == "" || value == f.keyID || slices.Contains(list, value) {
			return
		}
		if len(list) >= maxLearned {
			list = list[1:]
		}
		f.learned[kind] = append(slices.Clone(list), value)
	}
	keep("etag", res.Header.Get("Etag"))
	keep("build", res.Header.Get("X-Build"))
	if len(body) > 1<<16 {
		body = body[:1<<16]
	}
	for _, m := range cursorText.FindAllSubmatch(body, 1) {
		keep("cursor", string(m[1]))
	}
	for _, m := range hookPath.FindAllSubmatch(body, 4) {
		keep("hook", string(m[1]))
	}
	for _, m := range idText.FindAllSubmatch(body, -1) {
		switch string(m[2]) {
		case "sub":
			keep("submissions", string(m[1]))
		case "wh":
			keep("webhooks", string(m[1]))
			keep("webhook", string(m[1]))
		case "dlv":
			keep("delivery", string(m[1]))
		case "key":
			keep("api-keys", string(m[1]))
		}
	}
}

// recall returns the values of a kind seen in responses so far. The caller must not modify the
// list.
func (f *fuzz) recall(kind string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.learned[kind]
}
