package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
)

// BlobName returns the object name of a blob with the given bytes, in an object format (sha1 or
// sha256): the hash of a header followed by the bytes.
func BlobName(data []byte, format string) string {
	h := sha1.New()
	if format == "sha256" {
		h = sha256.New()
	}
	h.Write([]byte("blob " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data) // never fails
	return hex.EncodeToString(h.Sum(nil))
}

// cleanMessage puts a message on one line and replaces terminal control characters, because
// messages from git may contain names from a repository and messages from servers.
func cleanMessage(message string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(message, "\ufffd"))
	return strings.Join(strings.Fields(clean), " ")
}
