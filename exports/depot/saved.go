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
	_, info, err := readSaved(dir, m, verifiers)
	if err != nil || info == nil {
		return nil, err
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

// readSaved reads the statement about a build, and describes its signature. Both are nil if there is
// none.
func readSaved(dir string, m *store.Manifest, verifiers []note.Verifier) (*buildlog.Statement, *buildlog.SignatureInfo, error) {
	signed, err := store.ReadStatement(dir, m.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	s, info, err := buildlog.DescribeSignature(signed, verifiers)
	if err == nil && (s.Build != m.ID || s.Manifest != sha256.Sum256(m.Encode())) {
		err = errors.New("it is about other files")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the signed statement about the build %s: %w", m.ID, err)
	}
	return s, info, nil
}

// CheckSaved returns nil if a build of an output folder is signed with one of the verifiers' keys, or
// if there are no verifiers. The signed statement must be in the folder, and must be about the
// manifests of the build and of its index. Its log is not read. The error wraps ErrUnsigned if there
// is no statement, and ErrUnknownKey if it was signed with another key.
func CheckSaved(dir string, m *store.Manifest, verifiers []note.Verifier) error {
	if len(verifiers) == 0 {
		return nil
	}
	s, info, err := readSaved(dir, m, verifiers)
	switch {
	case err != nil:
		return err
	case info == nil:
		return fmt.Errorf("the build %s in %s %w, but must be signed with %s", m.ID, dir, ErrUnsigned, keyNames(verifiers))
	case !info.Verified:
		return fmt.Errorf("the build %s in %s %w %.300q, not with %s", m.ID, dir, ErrUnknownKey, info.Key, keyNames(verifiers))
	}
	l, err := openLocal(dir, m.ID)
	if err != nil {
		return err
	}
	defer l.close()
	if sha256.Sum256(l.index) != s.Index {
		return fmt.Errorf("the signed statement about the build %s is about another search index", m.ID)
	}
	return nil
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
