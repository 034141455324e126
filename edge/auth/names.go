package auth

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxName leaves room for a suffix that makes equal names unique: account names can have up
// to 64 characters.
const maxName = 40

// accountName derives an account name from a login at a provider. The name contains only
// lower-case ASCII letters, digits and hyphens, so that names cannot be confused with each
// other or with markup, options or paths.
func accountName(login string) string {
	if local, _, ok := strings.Cut(login, "@"); ok && local != "" {
		login = local // do not expose email addresses
	}
	var b strings.Builder
	for _, r := range strings.ToLower(norm.NFKD.String(login)) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case r >= 0x300 && r <= 0x36f: // a combining accent on the previous letter
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxName {
			break
		}
	}
	if name := strings.Trim(b.String(), "-"); name != "" {
		return name
	}
	return "user"
}

// maxLogin is the maximum length of a provider's login name, in bytes; longer ones are cut
// off.
const maxLogin = 200

// plainLogin returns a provider's login name without control characters and invisible
// characters.
func plainLogin(login string) string {
	login = strings.Map(func(r rune) rune {
		if r != ' ' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(login, ""))
	return strings.TrimSpace(strings.ToValidUTF8(login[:min(len(login), maxLogin)], ""))
}
