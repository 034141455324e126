package edge

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// TestAttackWriteBeyondTheLimit sends writes with If-None-Match. Whether a 304 is the right
// response would only be known after the write had been performed.
func TestAttackWriteBeyondTheLimit(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		st := open()
		s := serveFew(t, Options{State: st, LimitKey: 1})
		key, id := s.keyOf(t, "account")
		s.expect(t, 200, 0, "authenticated", "GET", "/api/categories", "x-api-key", key)
		const tag = `"x"`
		if a := s.send(t, "POST", "/api/developer/api-keys", key, `{"name":"one too many"}`, "If-None-Match", tag); a.status != 429 {
			t.Errorf("creating a key: %d %s", a.status, a.body)
		}
		s.expect(t, 429, 0, "authenticated", "DELETE", "/api/developer/api-keys?id="+id, "x-api-key", key, "If-None-Match", tag)
		list, err := st.AllKeys(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 1 || !list[0].RevokedAt.IsZero() {
			t.Errorf("a refused write was carried out: %+v", list)
		}
	})
}

// TestOptionsCountUnlessPreflight: an OPTIONS request without the headers of a preflight counts
// like any other request, and its response has the same headers.
func TestOptionsCountUnlessPreflight(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 3})
	const tier = "anonymous"
	a := s.expect(t, 204, 2, tier, "OPTIONS", "/api/entities")
	if got := a.header.Get("Allow"); got != "GET, HEAD, OPTIONS" {
		t.Errorf("Allow: %s", got)
	}
	s.expect(t, 204, 1, tier, "OPTIONS", "/api/webhooks?x=1")
	s.expect(t, 404, 0, tier, "OPTIONS", "/api/nothing")
	s.expect(t, 429, 0, tier, "OPTIONS", "/api/entities")
	if a := s.ask(t, "OPTIONS", "/"); a.status != 204 || a.header.Get("X-RateLimit-Limit") != "" {
		t.Errorf("/: %d, limit %q", a.status, a.header.Get("X-RateLimit-Limit"))
	}
}

// TestFreeAddresses: requests to free addresses do not count, whatever the method and the
// outcome.
func TestFreeAddresses(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 3})
	for range 2 {
		s.expect(t, 405, 3, "anonymous", "POST", "/api/openapi")
		s.expect(t, 204, 3, "anonymous", "OPTIONS", "/api/openapi")
		s.expect(t, 400, 3, "anonymous", "GET", "/api/openapi?x=1")
		s.expect(t, 404, 3, "anonymous", "GET", "/api/sdk/nothing")
	}
	s.expect(t, 404, 2, "anonymous", "GET", "/api/openapis")
	s.expect(t, 404, 1, "anonymous", "GET", "/api/sdks")
}

// TestContactIsDescribed: the contact address in the 429 response is also in the description.
func TestContactIsDescribed(t *testing.T) {
	suite.InTest(t)
	s := serveFew(t, Options{Contact: "ops@example.org"})
	for _, target := range []string{"/api/openapi", "/api/openapi?format=yaml"} {
		if a := s.ask(t, "GET", target); !strings.Contains(string(a.body), "ops@example.org") {
			t.Errorf("%s does not name the contact", target)
		}
	}
}

// TestHeadersOfAnUnknownCount: if the request count for a key cannot be read, the headers still
// identify the key's tier.
func TestHeadersOfAnUnknownCount(t *testing.T) {
	c := newClock("2026-11-21T12:00:00Z")
	st := storagetest.OpenAt(t, t.TempDir()+"/kindex.db", c.now)
	s := serveFew(t, Options{State: st, LimitKey: 100, Now: c.now})
	key, _ := s.keyOf(t, "account")
	s.expect(t, 200, 99, "authenticated", "GET", "/api/categories", "x-api-key", key)
	if err := storagetest.Exec(st.String(), "DROP TABLE counters"); err != nil {
		t.Fatal(err)
	}
	c.advance(24 * time.Hour)
	a := s.expect(t, 503, 0, "authenticated", "GET", "/api/categories", "x-api-key", key)
	for name, want := range map[string]string{"X-RateLimit-Limit": "100", "Retry-After": "5", "RateLimit-Policy": `"day";q=100;w=86400`,
		"X-RateLimit-Reset": strconv.FormatInt(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC).Unix(), 10)} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
