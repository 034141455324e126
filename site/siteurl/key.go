package siteurl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// maxKeyLen is how many bytes a key may have: a file system takes 255 for a name.
const maxKeyLen = 120

// Key makes a folded text one part of a path, and the name of a folder on any file
// system: letters, digits, hyphens and dots stay, a space becomes "_", each byte of all
// else "~" and two hexadecimal digits. Two texts never have the same key, nor two that
// differ in case alone. A text that is too long is cut, and its hash tells it from
// others: who looks for the text of a key makes the keys of all texts.
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
	for end > 0 && key[end]&0xc0 == 0x80 { // within a letter
		end--
	}
	return key[:end] + "~~" + hex.EncodeToString(sum[:8])
}

func escapeRune(b *strings.Builder, r rune) {
	for _, c := range []byte(string(r)) {
		fmt.Fprintf(b, "~%02x", c)
	}
}

// onlyCase tells of one among the letters that differ in case alone, such as σ among Σ,
// σ and ς: most file systems of desktops take them for the same.
func onlyCase(r rune) bool {
	return unicode.SimpleFold(r) == r || unicode.ToLower(unicode.ToUpper(r)) == r
}

// taken are the names that no folder of a key can have: those that Windows keeps for
// devices, in any folder and whatever follows behind a dot, and that of the file which
// is the page of the folder above.
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file
var taken = regexp.MustCompile(`^(?:(?:aux|con|nul|prn|(?:com|lpt)[0-9])(?:\.|$)|index\.html$)`)
