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
	return normalize(u)
}

// NormalizeParsed returns NormalizeURL of a URL that is already parsed, with a host. In most
// cases it does not parse the URL again.
func NormalizeParsed(u *url.URL) string {
	if !isPlainHost(u.Host) || u.RawQuery != "" || u.Fragment != "" {
		return NormalizeURL(u.String()) // parsing it again can change it
	}
	return normalize(u)
}

// isPlainHost reports whether a host is a name in lower case, without a port.
func isPlainHost(host string) bool {
	return host != "" && !strings.ContainsFunc(host, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '-'
	})
}

func normalize(u *url.URL) string {
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
