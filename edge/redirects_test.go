package edge

import (
	"net/url"
	"strings"
	"testing"
)

// TestRedirectsStayHere requests addresses that contain another host in disguise. Every redirect
// must stay on this service, and no header may contain a line break.
func TestRedirectsStayHere(t *testing.T) {
	s := serveFew(t, Options{URL: "https://index.example.org"})
	for _, host := range []string{"evil.example", "evil.example/", "evil.example/%2e%2e", "evil.example%2f", "evil.example%0d%0aX-Evil:%201"} {
		for _, path := range []string{"//" + host, "/%2f" + host, "/%5c" + host, "/%5c%5c" + host, "///" + host, "/.//" + host, "/tool//" + host, "/tool/..//" + host,
			"/" + host, "/tool/n1//" + host, "/docs/api//" + host, "/submit//" + host, "/submit/check//" + host, "/leaderboard//" + host, "/search?q=//" + host,
			"/compare?e=//" + host, "/developer//" + host, "/signin?next=//" + host, "/data//" + host, "/api//" + host, "/api/entity/tool//" + host,
			"/badge/tool/%2f" + host, "/sitemap.xml//" + host, "/.well-known//" + host} {
			all := s.rawAll(t, "GET "+path+" HTTP/1.1\r\nHost: index.example.org\r\nConnection: close\r\n\r\n")
			if !strings.HasPrefix(all, "HTTP/1.1 ") {
				t.Fatalf("%s: %q", path, all)
			}
			head, _, _ := strings.Cut(all, "\r\n\r\n")
			for line := range strings.SplitSeq(head, "\r\n") {
				name, value, _ := strings.Cut(line, ": ")
				if strings.EqualFold(name, "X-Evil") {
					t.Errorf("%s: the response has the header %s", path, line)
				}
				if !strings.EqualFold(name, "Location") {
					continue
				}
				u, err := url.Parse(strings.ReplaceAll(value, `\`, "/"))
				if err != nil || u.Host != "" && u.Host != "index.example.org" || u.Scheme != "" && u.Scheme != "https" {
					t.Errorf("%s redirects to %s", path, value)
				}
			}
		}
	}
}
