// Package sign signs builds, so that anyone who downloads a build can check who published it.
//
// What is signed is a [Statement]: the SHA-256 of a build's list of files, the commit, the as-of time,
// and a counter, with which readers notice that they are shown an old build again. Signatures are
// signed notes (https://c2sp.org/signed-note) with Ed25519 keys.
package sign

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// header is the first line of a statement.
const header = "kindex build v2"

// MaxLen is the maximum length of a signed statement in bytes.
const MaxLen = 16 << 10

// Statement says which build was published.
type Statement struct {
	Build  string    // the build's ID
	Files  string    // SHA-256 of the list of its files, in hexadecimal
	Commit string    // commit of the content; "" outside git
	AsOf   time.Time // the time for which scores were calculated, in whole seconds
	// Counter is larger than in every statement that was signed with the key before.
	Counter int64
}

// lines are the names of the lines of a statement after the header.
var lines = []string{"build", "files", "commit", "as-of", "counter"}

// text returns the statement as the text of a note. Equal statements have equal texts.
func (s *Statement) text() string {
	commit := s.Commit
	if commit == "" {
		commit = "none"
	}
	values := []string{s.Build, s.Files, commit, s.AsOf.UTC().Format(time.RFC3339), strconv.FormatInt(s.Counter, 10)}
	var b strings.Builder
	b.WriteString(header + "\n")
	for i, name := range lines {
		b.WriteString(name + " " + values[i] + "\n")
	}
	return b.String()
}

// parse is the inverse of text. It accepts only texts that text returns.
func parse(text string) (*Statement, error) {
	errInvalid := errors.New("the text is not a statement about a build: expected the lines \"" + header + "\", " + strings.Join(lines, ", "))
	parts := strings.Split(text, "\n")
	if len(parts) != len(lines)+2 {
		return nil, errInvalid
	}
	values := make([]string, len(lines))
	for i, name := range lines {
		values[i] = strings.TrimPrefix(parts[i+1], name+" ")
	}
	asOf, err := time.Parse(time.RFC3339, values[3])
	counter, err2 := strconv.ParseInt(values[4], 10, 64)
	s := &Statement{Build: values[0], Files: values[1], Commit: values[2], AsOf: asOf, Counter: counter}
	if s.Commit == "none" {
		s.Commit = ""
	}
	if errors.Join(err, err2) != nil || s.Counter < 1 || s.text() != text {
		return nil, errInvalid
	}
	return s, nil
}

// Sign returns the statement as a signed note.
func (s *Statement) Sign(k *Key) ([]byte, error) {
	if _, err := parse(s.text()); err != nil {
		return nil, fmt.Errorf("the build %q cannot be signed: %w", s.Build, err)
	}
	return note.Sign(&note.Note{Text: s.text()}, k.Signer)
}

// Signature describes a signed statement, for those who want to know who published a build.
type Signature struct {
	Key string `json:"key"` // name and hash
	// Verified reports whether the signature was verified. If not, anyone could have written the
	// statement.
	Verified  bool   `json:"verified"`
	Counter   int64  `json:"counter"`
	Statement string `json:"statement"` // the signed note
}

// Open returns the statement in a signed note and describes its signature, which is verified if one of
// the verifiers has its key. It returns an error if the note does not contain a statement, or if the
// signature of a verifier's key is wrong.
func Open(signed []byte, verifiers []note.Verifier) (*Statement, *Signature, error) {
	if len(signed) > MaxLen {
		return nil, nil, fmt.Errorf("the note has %d bytes; at most %d are allowed", len(signed), MaxLen)
	}
	n, err := note.Open(signed, note.VerifierList(verifiers...))
	var unverified *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case errors.As(err, &unverified):
		n = unverified.Note
	case errors.As(err, &invalid):
		return nil, nil, fmt.Errorf("the signature of %s does not match the text, which was altered or signed with another key", invalid.Name)
	case err != nil:
		return nil, nil, fmt.Errorf("not a signed note: %w", err)
	}
	s, err := parse(n.Text)
	if err != nil {
		return nil, nil, err
	}
	signatures := append(n.Sigs, n.UnverifiedSigs...) // at least one, and the verified ones first
	return s, &Signature{Key: fmt.Sprintf("%s+%08x", signatures[0].Name, signatures[0].Hash), Verified: unverified == nil,
		Counter: s.Counter, Statement: string(signed)}, nil
}
