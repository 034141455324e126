package ratelimit

import (
	"net/netip"
	"slices"
	"strings"
)

// clientOfForwarded walks the elements of Forwarded from the right, like clientOf.
func clientOfForwarded(proxy netip.Addr, lines []string, trusted []netip.Prefix) netip.Addr {
	var room [8]string
	for _, line := range slices.Backward(lines) {
		for _, element := range slices.Backward(splitElements(room[:0], line)) {
			node, ok := nodeFor(element)
			if !ok {
				return proxy
			}
			addr, ok := parseHop(node)
			if !ok {
				return proxy
			}
			if !contains(trusted, addr) {
				return addr
			}
			proxy = addr
		}
	}
	return proxy
}

// splitElements splits a line of Forwarded at its commas, except those in quoted strings, and
// omits empty elements. After an unterminated quote, the rest of the line is one element,
// which nodeFor rejects: a client may have sent the quote to swallow what a proxy adds.
func splitElements(elements []string, line string) []string {
	quoted, start := false, 0
	for i := 0; i <= len(line); i++ {
		switch {
		case i == len(line) || line[i] == ',' && !quoted:
			if e := strings.Trim(line[start:i], " \t"); e != "" {
				elements = append(elements, e)
			}
			start = i + 1
		case line[i] == '"':
			quoted = !quoted
		case line[i] == '\\' && quoted:
			i++ // the next character is escaped
		}
	}
	return elements
}

// nodeFor returns the node from which the request was received, according to an element of
// Forwarded: the value of its only "for" parameter. A malformed element has no node.
func nodeFor(element string) (node string, ok bool) {
	for rest := element; ; {
		name, after, found := strings.Cut(rest, "=")
		if !found || !isToken(name) {
			return "", false
		}
		value, after, valid := cutValue(after)
		if !valid {
			return "", false
		}
		if strings.EqualFold(name, "for") {
			if ok {
				return "", false // each parameter may occur only once (RFC 7239 section 4)
			}
			node, ok = value, true
		}
		// Empty parameters are allowed, and some proxies add spaces.
		rest = strings.TrimLeft(after, " \t")
		if rest != "" && rest[0] != ';' {
			return "", false
		}
		if rest = strings.TrimLeft(rest, "; \t"); rest == "" {
			return node, ok
		}
	}
}

// cutValue cuts a value, which is a token or a quoted string, off the front of s. Colons and
// brackets are also accepted without quotes, because proxies write addresses like that, and
// they are unambiguous.
func cutValue(s string) (value, rest string, ok bool) {
	if quoted, is := strings.CutPrefix(s, `"`); is {
		return cutQuoted(quoted)
	}
	end := 0
	for end < len(s) && (tokenByte(s[end]) || strings.IndexByte(":[]", s[end]) >= 0) {
		end++
	}
	return s[:end], s[end:], end > 0
}

// cutQuoted reads the rest of a quoted string (RFC 9110 section 5.6.4).
func cutQuoted(s string) (value, rest string, ok bool) {
	var unescaped []byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' && unescaped == nil:
			return s[:i], s[i+1:], true
		case c == '"':
			return string(unescaped), s[i+1:], true
		case c == '\\' && i+1 < len(s):
			if unescaped == nil {
				unescaped = append(make([]byte, 0, len(s)), s[:i]...)
			}
			i++
			unescaped = append(unescaped, s[i])
		case unescaped != nil:
			unescaped = append(unescaped, c)
		}
	}
	return "", "", false
}

func isToken(s string) bool {
	for i := range len(s) {
		if !tokenByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// tokenByte reports whether c is a token character (RFC 9110 section 5.6.2).
func tokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}
