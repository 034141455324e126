package auth

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxName leaves room for what tells equal names apart: account names have up to
// 64 characters.
const maxName = 40

// accountName makes a name for an account of what somebody is called elsewhere:
// lower-case letters of ASCII, digits and hyphens, so that no two names look alike
// and none can be taken for markup, an option or a path.
func accountName(login string) string {
	if local, _, ok := strings.Cut(login, "@"); ok && local != "" {
		login = local // an e-mail address is nobody's business
	}
	var b strings.Builder
	for _, r := range strings.ToLower(norm.NFKD.String(login)) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case r >= 0x300 && r <= 0x36f: // an accent of the letter before
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

// maxLogin is how many bytes of a name are kept as its provider told it.
const maxLogin = 200

// plainLogin is a name as its provider told it, without what no page, database or
// terminal should meet: control characters, and those that cannot be seen.
func plainLogin(login string) string {
	login = strings.Map(func(r rune) rune {
		if r != ' ' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(login, ""))
	for len(login) > maxLogin {
		_, n := utf8.DecodeLastRuneInString(login)
		login = login[:len(login)-n]
	}
	return strings.TrimSpace(login)
}
