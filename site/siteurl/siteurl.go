// Package siteurl builds the paths of pages that several packages link to.
package siteurl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Entity returns the path of the page of an entity.
func Entity(typ, slug string) string { return "/" + typ + "/" + slug + "/" }

// Submit is the path of the page for proposing an entity, and CheckSubmission the path
// that checks its form.
const (
	Submit          = "/submit/"
	CheckSubmission = "/submit/check"
)

// maxKeyLen is the maximum length of a key in bytes: file systems allow 255 for a name.
const maxKeyLen = 120

// Key encodes a folded string as one segment of a path and the name of a folder on any file
// system: letters, digits, hyphens and dots are kept, a space becomes "_", and each other
// byte becomes "~" and two hexadecimal digits. Keys are unique, even ignoring case. A string
// that is too long is truncated, and a hash is appended. Keys cannot be decoded: to find the
// string for a key, compare it with the keys of all strings.
func Key(folded string) string {
	var b strings.Builder
	reserved := taken.MatchString(folded)
	for i, r := range folded {
		switch {
		case i == 0 && reserved, r == '.' && (i == 0 || i == len(folded)-1): // Windows drops a dot at the end
			escapeRune(&b, r)
		case r != unicode.ReplacementChar && (unicode.IsLetter(r) && onlyCase(r) || unicode.IsDigit(r)), r == '-', r == '.':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('_')
		default:
			escapeRune(&b, r)
		}
	}
	key := b.String()
	if len(key) <= maxKeyLen {
		return key
	}
	sum := sha256.Sum256([]byte(folded))
	end := maxKeyLen - 18
	for end > 0 && key[end]&0xc0 == 0x80 { // in the middle of a letter
		end--
	}
	return key[:end] + "~~" + hex.EncodeToString(sum[:8])
}

func escapeRune(b *strings.Builder, r rune) {
	for _, c := range []byte(string(r)) {
		fmt.Fprintf(b, "~%02x", c)
	}
}

// onlyCase reports whether r is the one letter that stands for all letters that differ only
// in case, such as σ for Σ, σ and ς. Most desktop file systems treat such letters as equal.
func onlyCase(r rune) bool {
	return unicode.SimpleFold(r) == r || unicode.ToLower(unicode.ToUpper(r)) == r
}

// taken matches names that a folder cannot have: the device names of Windows, with any
// extension, and index.html, the page of the parent folder.
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file
var taken = regexp.MustCompile(`^(?:(?:aux|con|nul|prn|(?:com|lpt)[0-9])(?:\.|$)|index\.html$)`)
