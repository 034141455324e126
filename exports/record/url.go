package record

import (
	"net/url"
	"strings"
)

// NormalizeURL is the form in which addresses are compared, so that two of the same
// page are equal: without scheme, "www.", the port that goes without saying,
// slashes at the end and ".git". Case is no difference in the host, nor in the
// path on the two code hosts that ignore it there.
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
