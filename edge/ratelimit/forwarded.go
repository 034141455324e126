package ratelimit

import (
	"net/netip"
	"slices"
	"strings"
)

// clientOfForwarded walks the elements of Forwarded from the right.
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

// splitElements splits a line of Forwarded at its commas, except those in quoted strings,
// and omits empty elements. An unterminated quote makes the rest one element, which nodeFor
// rejects: a client may have sent it to swallow what a proxy adds.
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
			i++ // what follows is quoted by it
		}
	}
	return elements
}

// nodeFor returns the node that an element of Forwarded was received from: the value of its
// single parameter "for". A malformed element has none.
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
				return "", false // a parameter comes once (RFC 7239 section 4)
			}
			node, ok = value, true
		}
		// Empty parameters are allowed, and blanks are met in the wild.
		rest = strings.TrimLeft(after, " \t")
		if rest != "" && rest[0] != ';' {
			return "", false
		}
		if rest = strings.TrimLeft(rest, "; \t"); rest == "" {
			return node, ok
		}
	}
}

// cutValue reads a value, a token or a quoted string, off the front of s. Colons and
// brackets are let pass without quotes: proxies write addresses so, and they cannot
// be taken for anything else.
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
