// Package buildlog signs builds and keeps a public log of them, so that anyone who downloads a
// build can check that its publisher made it, and that everybody else was shown the same builds.
//
// What is signed is a [Statement]: the hashes of a build's manifest and of its search index's
// manifest, which contain the hashes of all files. Signatures are signed notes (https://c2sp.org/signed-note) with Ed25519 keys. The
// statements are also the entries of a transparency log in the tiled format
// (https://c2sp.org/tlog-tiles), which consists of static files:
//
//	checkpoint             size and root hash of the log, signed
//	tile/…                 hashes of the tree
//	tile/entries/…         the entries
//	claims/<position>      the signed statement at a position; see [Append]
//
// A log belongs to one key. Only its checkpoint ever changes.
package buildlog

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// header is the first line of a statement.
const header = "kindex build v1"

// maxNoteLen limits the length of signed notes in bytes. Statements and checkpoints of one
// signature take less than a kilobyte.
const maxNoteLen = 16 << 10

// Statement says which build was published.
type Statement struct {
	Origin   string    // the name of the publisher's key
	Build    string    // the build's ID
	Manifest [32]byte  // SHA-256 of manifest.json
	Size     int64     // size of manifest.json in bytes
	Index    [32]byte  // SHA-256 of the manifest of the search index
	Commit   string    // commit of the content; "" outside git
	AsOf     time.Time // the time for which scores were calculated, in whole seconds
	Position int64     // position in the log, counted from 0
}

// The lines of a statement after the header, in order. Compiling the expression takes milliseconds,
// which commands that read no statement do not need to spend when they start.
var statementLines = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^` + header + `
origin ([^\s+]{1,200})
build ([A-Za-z0-9-]{1,100})
manifest ([0-9a-f]{64}) (0|[1-9][0-9]{0,17})
index ([0-9a-f]{64})
commit (none|[0-9a-f]{40}|[0-9a-f]{64})
as-of ([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)
position (0|[1-9][0-9]{0,17})
$`)
})

// Text returns the statement as the text of a note. Equal statements have equal texts.
func (s *Statement) Text() string {
	commit := s.Commit
	if commit == "" {
		commit = "none"
	}
	return fmt.Sprintf("%s\norigin %s\nbuild %s\nmanifest %x %d\nindex %x\ncommit %s\nas-of %s\nposition %d\n",
		header, s.Origin, s.Build, s.Manifest, s.Size, s.Index, commit, s.AsOf.UTC().Format(time.RFC3339), s.Position)
}

// ParseStatement is the inverse of Text. It accepts only texts that Text returns.
func ParseStatement(text string) (*Statement, error) {
	m := statementLines().FindStringSubmatch(text)
	if m == nil {
		return nil, errors.New("the text is not a statement about a build: expected the lines \"" + header +
			"\", origin, build, manifest, index, commit, as-of and position")
	}
	s := &Statement{Origin: m[1], Build: m[2], Commit: m[6]}
	if s.Commit == "none" {
		s.Commit = ""
	}
	var errs [5]error
	_, errs[0] = hex.Decode(s.Manifest[:], []byte(m[3]))
	s.Size, errs[1] = strconv.ParseInt(m[4], 10, 64)
	_, errs[2] = hex.Decode(s.Index[:], []byte(m[5]))
	s.AsOf, errs[3] = time.Parse(time.RFC3339, m[7])
	s.Position, errs[4] = strconv.ParseInt(m[8], 10, 64)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("statement about the build %s: %w", s.Build, err)
	}
	return s, nil
}

// Sign returns the statement as a signed note. The statement's origin must be the signer's name.
func (s *Statement) Sign(signer note.Signer) ([]byte, error) {
	if s.Origin != signer.Name() {
		return nil, fmt.Errorf("the statement's origin is %s, but the key's name is %s", s.Origin, signer.Name())
	}
	text := s.Text()
	if _, err := ParseStatement(text); err != nil {
		return nil, fmt.Errorf("the build %q cannot be signed: %w", s.Build, err)
	}
	return note.Sign(&note.Note{Text: text}, signer)
}

// OpenStatement returns the statement in a signed note. It returns an error unless the signature
// was made with the verifier's key.
func OpenStatement(signed []byte, verifier note.Verifier) (*Statement, error) {
	text, err := open(signed, verifier)
	if err != nil {
		return nil, err
	}
	s, err := ParseStatement(text)
	if err == nil && s.Origin != verifier.Name() {
		err = fmt.Errorf("the statement is about a build by %s, not by %s", s.Origin, verifier.Name())
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// open returns the text of a note that was signed with the verifier's key.
func open(signed []byte, verifier note.Verifier) (text string, err error) {
	if len(signed) > maxNoteLen {
		return "", fmt.Errorf("the note has %d bytes; at most %d are allowed", len(signed), maxNoteLen)
	}
	n, err := note.Open(signed, note.VerifierList(verifier))
	var unverified *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case errors.As(err, &unverified):
		return "", fmt.Errorf("signed by %s, not with the key %s", signers(unverified.Note), KeyName(verifier))
	case errors.As(err, &invalid):
		return "", fmt.Errorf("the signature of %s does not match the text, which was altered or signed with another key", invalid.Name)
	case err != nil:
		return "", fmt.Errorf("not a signed note: %w", err)
	}
	return n.Text, nil
}

// signers lists the keys whose signatures a note has, without knowing whether they are genuine.
func signers(n *note.Note) string {
	var names []string
	for _, s := range n.UnverifiedSigs {
		names = append(names, fmt.Sprintf("%s+%08x", s.Name, s.Hash))
	}
	return strings.Join(names, ", ")
}
