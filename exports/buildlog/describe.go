package buildlog

import (
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"
)

// SignatureInfo describes the signed statement about a build, for those who want to know who
// published it.
type SignatureInfo struct {
	Key string `json:"key"` // name and hash
	// Verified reports whether the signature was verified with a key that the operator
	// configured. If not, anyone could have written the statement.
	Verified bool   `json:"verified"`
	Origin   string `json:"origin"`   // of the log
	Position int64  `json:"position"` // in the log, counted from 0
	// LogSize and Checkpoint describe the log as it was when the operator's machine last saw it.
	// They are nil unless they were verified.
	LogSize    *int64  `json:"logSize"`
	Checkpoint *string `json:"checkpoint"` // on one line
	Statement  string  `json:"statement"`  // the signed note
}

// DescribeSignature returns the statement in a signed note and describes its signature. The
// signature is verified if one of the verifiers has its key. DescribeSignature returns an error if
// the note does not contain a statement, or if the signature is wrong.
func DescribeSignature(signed []byte, verifiers []note.Verifier) (*Statement, *SignatureInfo, error) {
	if len(signed) > maxNoteLen {
		return nil, nil, fmt.Errorf("the note has %d bytes; at most %d are allowed", len(signed), maxNoteLen)
	}
	n, err := note.Open(signed, note.VerifierList(verifiers...))
	var unverified *note.UnverifiedNoteError
	switch {
	case errors.As(err, &unverified):
		n = unverified.Note
	case err != nil:
		return nil, nil, err
	}
	s, err := ParseStatement(n.Text)
	if err != nil {
		return nil, nil, err
	}
	info := &SignatureInfo{Origin: s.Origin, Position: s.Position, Statement: string(signed), Verified: unverified == nil}
	signatures := n.Sigs
	if !info.Verified {
		signatures = n.UnverifiedSigs
	}
	for _, signature := range signatures {
		if signature.Name == s.Origin {
			info.Key = fmt.Sprintf("%s+%08x", signature.Name, signature.Hash)
			return s, info, nil
		}
	}
	return nil, nil, fmt.Errorf("the statement is about a build by %s, but is not signed by %s", s.Origin, s.Origin)
}

// SetCheckpoint adds the verified checkpoint of the log, unless it is older than the statement.
func (i *SignatureInfo) SetCheckpoint(c Checkpoint) {
	if i.Verified && c.Size > i.Position {
		size, text := c.Size, c.String()
		i.LogSize, i.Checkpoint = &size, &text
	}
}
