package record

import (
	"net/url"
	"strings"
)

// NormalizeURL returns the form in which URLs are compared, so that two URLs of the
// same page are equal: without the scheme, "www.", the default port, trailing
// slashes or ".git". Case is ignored in the host, and in the path on the two code
// hosts that ignore it.
func NormalizeURL(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" {
		return strings.ToLower(s)
	}
	host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	host = strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80")
	path := strings.TrimRight(u.EscapedPath(), "/")
	path = strings.TrimRight(strings.TrimSuffix(path, ".git"), "/")
	if host == "github.com" || host == "gitlab.com" {
		path = strings.ToLower(path)
	}
	plain := host + path
	if u.RawQuery != "" {
		plain += "?" + u.RawQuery
	}
	if u.Fragment != "" {
		plain += "#" + u.EscapedFragment()
	}
	return plain
}
