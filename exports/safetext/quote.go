package safetext

import (
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Quote returns a string in double quotes and escapes the characters that a
// terminal interprets or hides.
func Quote(s string) string { return Escape(strconv.Quote(s)) }

// Printable returns a string unchanged if a terminal shows all of it. Otherwise it
// quotes the string.
func Printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) && !Contains(s) {
		return s
	}
	return Quote(s)
}

// Address returns an address for a message, quoted: without user information, query and fragment,
// each of which can be a secret. A text that is no address is cut the same way.
func Address(s string) string {
	rest := ""
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s, rest = s[:i], s[i:i+1]+"…"
	}
	scheme := ""
	if i := strings.Index(s, "://"); i >= 0 {
		scheme, s = s[:i+3], s[i+3:]
	}
	// A password can contain slashes and more than one @.
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = "…" + s[i:]
	}
	return Quote(scheme + s + rest)
}

// credentials match user information, and the values of parameters that are named after secrets.
var credentials = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*:/{1,2})[^\s"'/?#]+@|([?&][^=&\s"']*(?i:token|key|secret|sig|pass|credential)[^=&\s"']*=)[^&\s"'#]+`)
})

// WithoutCredentials returns a message in which the addresses that it repeats have lost their credentials: people
// also paste addresses where none is expected.
func WithoutCredentials(message string) string {
	return credentials().ReplaceAllStringFunc(message, func(found string) string {
		m := credentials().FindStringSubmatch(found)
		switch {
		case m[2] != "":
			return m[2] + "…"
		case strings.HasSuffix(found, ":xxxxx@"): // it was left out before
			return found
		}
		return m[1] + "…@"
	})
}

// Loopback reports whether a host name or IP address is always this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}
