package depot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"regexp"

	"golang.org/x/mod/sumdb/note"

	"kindex/exports/bucket"
	"kindex/exports/buildlog"
	"kindex/exports/store"
)

// SavedSignature describes the signed statement about a build of an output folder, or returns nil
// if there is none. A publisher may sign a build after it was pulled, so the result can change. It
// returns an error if the statement is not about the build, or if its signature is wrong.
func SavedSignature(dir string, m *store.Manifest, verifiers []note.Verifier) (*buildlog.SignatureInfo, error) {
	signed, err := store.ReadStatement(dir, m.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, info, err := buildlog.DescribeSignature(signed, verifiers)
	if err == nil && (s.Build != m.ID || s.Manifest != sha256.Sum256(m.Encode())) {
		err = errors.New("it is about other files")
	}
	if err != nil {
		return nil, fmt.Errorf("the signed statement about the build %s: %w", m.ID, err)
	}
	for _, v := range verifiers {
		if !info.Verified || buildlog.KeyName(v) != info.Key {
			continue
		}
		checkpoint, _, err := lastCheckpoint(dir, v)
		if err != nil {
			return nil, err
		}
		info.SetCheckpoint(checkpoint)
	}
	return info, nil
}

// keyHash finds the hash in the name of a key.
var keyHash = regexp.MustCompile(`\+([0-9a-f]{8})$`)

// saveUnverified copies the signed statement about a build to an output folder without verifying
// it, for readers who have the publisher's key. If there is none, or it is not about the build,
// nothing is copied: without a key, a signature proves nothing.
func saveUnverified(ctx context.Context, from bucket.Reader, c *current, dir string) error {
	if c.Signature == nil || c.Signature.Position < 0 {
		return nil
	}
	hash := keyHash.FindStringSubmatch(c.Signature.Key)
	if _, err := store.ReadStatement(dir, c.Build); hash == nil || err == nil {
		return nil // the existing one may have been verified
	}
	signed, err := buildlog.ReadSigned(ctx, logReader{from, logsPrefix + hash[1] + "/"}, c.Signature.Position)
	if err != nil {
		return ctx.Err() // the build can be used without it
	}
	s, _, err := buildlog.DescribeSignature(signed, nil)
	if err != nil || s.Build != c.Build || hex.EncodeToString(s.Manifest[:]) != c.Manifest {
		return nil //nolint:nilerr // as above
	}
	return store.WriteStatement(dir, c.Build, signed)
}
