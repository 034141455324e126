package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
)

// BlobName returns the name of a blob with these bytes, by the hash that a format
// (sha1 or sha256) stands for: that of a header and of them.
func BlobName(data []byte, format string) string {
	h := sha1.New()
	if format == "sha256" {
		h = sha256.New()
	}
	h.Write([]byte("blob " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data) // never fails
	return hex.EncodeToString(h.Sum(nil))
}

// cleanMessage puts a message on one line and replaces what could control a terminal: git
// repeats names from a repository, and servers send messages of their own.
func cleanMessage(message string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(message, "\ufffd"))
	return strings.Join(strings.Fields(clean), " ")
}
