package edge

import (
	"bytes"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestModifiedSince sends requests like clients that store times but no ETags: curl -z, wget -N
// and simple feed readers. An unchanged response is not sent again, but the request counts
// towards the limit.
func TestModifiedSince(t *testing.T) {
	suite.InTest(t)
	const limit = 1000
	s := serveFew(t, Options{LimitAnonymous: limit, LimitKey: limit})
	left := limit
	ask := func(status int, method, path string, header ...string) answer {
		t.Helper()
		left--
		return s.expect(t, status, left, "anonymous", method, path, header...)
	}
	for _, path := range []string{"/api/entities", "/api/entity/tool/n3", "/api/feed",
		"/api/export/entities?format=csv", "/api/export/entities?format=jsonl&type=tool"} {
		whole := ask(200, "GET", path)
		modified := whole.header.Get("Last-Modified")
		at, err := http.ParseTime(modified)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for _, since := range []string{modified, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), at.Format(time.RFC850), at.Format(time.ANSIC)} {
			if a := ask(304, "GET", path, "If-Modified-Since", since); len(a.body) != 0 || a.header.Get("Etag") != whole.header.Get("Etag") {
				t.Errorf("%s since %s: %d bytes, tag %s", path, since, len(a.body), a.header.Get("Etag"))
			}
		}
		ask(304, "HEAD", path, "If-Modified-Since", modified)
		for _, other := range []time.Duration{-time.Second, time.Second} {
			ask(200, "GET", path, "If-Modified-Since", at.Add(other).Format(http.TimeFormat))
		}
		ask(200, "GET", path, "If-Modified-Since", "yesterday")
		// An entity tag takes precedence over a time (RFC 9110 section 13.1.3).
		ask(200, "GET", path, "If-Modified-Since", modified, "If-None-Match", `"other"`)
	}
	// Pages and the description also change when the program does, and the manifest when a
	// signature arrives, so the build's time does not apply to them.
	future := time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat)
	for _, path := range []string{"/", "/tool/n3/", "/api/openapi", "/robots.txt", "/llms.txt", "/badge/tool/n3.svg", "/api/export/manifest"} {
		s.ask(t, "GET", path, "If-Modified-Since", future).want(t, 200)
	}
	file := "/data/" + s.buildID() + "/manifest.json"
	a := s.ask(t, "GET", file)
	b := s.ask(t, "GET", file, "If-Modified-Since", a.header.Get("Last-Modified"))
	suite.Holds(t, a.status == 200 && b.status == 304 && len(b.body) == 0, file, a.status, "then", b.status)
}

// TestWhereProgramsLook requests well-known addresses that programs try although no page links
// to them.
func TestWhereProgramsLook(t *testing.T) {
	suite.InTest(t)
	s := serveShared(t, 60)
	icon := s.ask(t, "GET", "/favicon.ico")
	suite.Require(t, icon.status == 200 && len(icon.body) >= 22 &&
		bytes.Equal(icon.body[:6], []byte{0, 0, 1, 0, 1, 0}), "/favicon.ico", icon.status, len(icon.body), "bytes")
	img, err := png.Decode(bytes.NewReader(icon.body[22:]))
	suite.Holds(t, err == nil && img.Bounds().Dx() == int(icon.body[6]) &&
		img.Bounds().Dy() == int(icon.body[7]), "/favicon.ico", err)
	for _, format := range []string{"json", "yaml"} {
		a := s.ask(t, "GET", "/openapi."+format)
		there := s.ask(t, "GET", a.header.Get("Location"))
		if a.status != 301 || there.status != 200 || !strings.HasSuffix(there.header.Get("Content-Type"), format) {
			t.Errorf("/openapi.%s: %d to %s: %d, %s", format, a.status, a.header.Get("Location"), there.status, there.header.Get("Content-Type"))
		}
	}
}

// TestModifiedSinceOfOneDay publishes two builds with the same Last-Modified. That time then
// identifies neither of them, and the time of a download identifies only what was served at that
// time.
func TestModifiedSinceOfOneDay(t *testing.T) {
	s := serveFew(t, Options{})
	const path = "/api/entities"
	get := func(since string) answer {
		t.Helper()
		a := s.ask(t, "GET", path, "If-Modified-Since", since)
		suite.Require(t, a.status == 200 || a.status == 304, a.status)
		return a
	}
	first := get("")
	given := first.header.Get("Last-Modified")
	get(given).want(t, 304)
	downloaded := time.Now().UTC().Format(http.TimeFormat)
	writeContent(t, s.content, 5, 1)
	buildInto(t, s.content, s.out, 1)
	suite.Check(t, s.Reload())
	second := get("")
	if second.header.Get("Last-Modified") != given || second.header.Get("Etag") == first.header.Get("Etag") {
		t.Fatalf("the second build has time %s and tag %s", second.header.Get("Last-Modified"), second.header.Get("Etag"))
	}
	for _, since := range []string{given, downloaded} { // of both builds, and of a download of the first
		get(since).want(t, 200)
	}
	later := time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)
	get(later).want(t, 304)
}

// TestKeyInTheWrongHeader sends keys as bearer tokens until the limit of the IP address has been
// reached. The response must still say why the key was refused.
func TestKeyInTheWrongHeader(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 2, LimitKey: 100})
	key, _ := s.keyOf(t, "account")
	for _, status := range []int{401, 401, 429, 429} {
		s.expect(t, status, -1, "anonymous", "GET", "/api/entities", "Authorization", "Bearer "+key).says(t, "x-api-key").
			lacks(t, key)
	}
	s.expect(t, 200, 99, "authenticated", "GET", "/api/entities", "x-api-key", key)
	s.expect(t, 429, 0, "anonymous", "GET", "/api/entities").lacks(t, "refused")
}
