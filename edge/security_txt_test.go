package edge

import (
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestSecurityText reads the contact address for vulnerability reports (RFC 9116), which does
// not count towards the limit. If there is none, the response is a 404.
func TestSecurityText(t *testing.T) {
	suite.InTest(t)
	for contact, want := range map[string]string{
		"security@example.org": "mailto:security@example.org", "mailto:security@example.org": "mailto:security@example.org",
		"https://example.org/contact?a=b": "https://example.org/contact?a=b", "tel:+1-201-555-0123": "tel:+1-201-555-0123",
		"a?b&c@example.org": "mailto:a%3Fb&c@example.org",
		"":                  "", "ask in room 5": "", "http://example.org/contact": "", "javascript:alert(1)": "", "https://example.org/\nContact: https://evil.example": "",
		"Eve <eve@example.org>": "",
	} {
		s := serveFew(t, Options{Contact: contact, LimitAnonymous: 1, URL: "https://index.example.org/sub"})
		a := s.ask(t, "GET", "/.well-known/security.txt")
		if want == "" {
			a.want(t, 404)
			continue
		}
		fields := map[string]string{}
		for line := range strings.Lines(string(a.body)) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			fields[name] = value
		}
		expires, err := time.Parse(time.RFC3339, fields["Expires"])
		if a.status != 200 || a.header.Get("Content-Type") != "text/plain; charset=utf-8" || a.header.Get("X-Ratelimit-Limit") != "" || len(fields) != 4 ||
			fields["Contact"] != want || fields["Canonical"] != "https://index.example.org/.well-known/security.txt" ||
			err != nil || time.Until(expires) < 100*24*time.Hour || time.Until(expires) > 365*24*time.Hour {
			t.Errorf("%q: %d %v\n%s", contact, a.status, a.header, a.body)
		}
		s.ask(t, "GET", "/.well-known/security.txt", "If-None-Match", a.header.Get("Etag")).want(t, 304)
		s.hosted(t, "GET", "evil.example", "/.well-known/security.txt", "").lacks(t, "evil")
	}
	s := serveFew(t, Options{Contact: "security@example.org"})
	s.ask(t, "GET", "/.well-known/security.txt").want(t, 200).lacks(t, "Canonical")
}
