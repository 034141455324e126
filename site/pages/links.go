package pages

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"kindex/exports"
)

// providerPath is the page of a provider, tagPath that of a tag.
func providerPath(provider string) string {
	return "/providers/" + slugKey(exports.Fold(provider)) + "/"
}
func tagPath(tag string) string { return "/tags/" + slugKey(exports.Fold(tag)) + "/" }

// longestKey is how many bytes a key may have: a file system takes 255 for a name.
const longestKey = 120

// slugKey makes a folded text one part of a path, and the name of a folder: letters,
// digits, hyphens and dots stay, a space becomes "_", each byte of all else "~" and two
// hexadecimal digits. Two texts never have the same key. A text that is too long is
// cut, and its hash tells it from others: who looks for the text of a key makes the
// keys of all texts.
func slugKey(folded string) string {
	var b strings.Builder
	for i, r := range folded {
		switch {
		case r != unicode.ReplacementChar && (unicode.IsLetter(r) || unicode.IsDigit(r)), r == '-', r == '.' && i > 0:
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('_')
		default:
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "~%02x", c)
			}
		}
	}
	key := b.String()
	if len(key) <= longestKey {
		return key
	}
	sum := sha256.Sum256([]byte(folded))
	end := longestKey - 18
	for end > 0 && key[end]&0xc0 == 0x80 { // within a letter
		end--
	}
	return key[:end] + "~~" + hex.EncodeToString(sum[:8])
}
