package depot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"kindex/exports/bucket"
	"kindex/exports/buildlog"
	"kindex/exports/store"
)

// Signature says with which key a build was signed, and where its statement is in the key's log.
type Signature struct {
	Key      string `json:"key"`      // name and hash
	Position int64  `json:"position"` // counted from 0
	LogSize  int64  `json:"logSize"`  // when it was signed or verified
	// Checkpoint describes the whole log on one line. Everyone should see the same one for a given size.
	Checkpoint string `json:"checkpoint,omitempty"`
}

// ErrUnsigned means that a build has no signature, although it must have one.
var ErrUnsigned = errors.New("is not signed")

// ErrUnknownKey means that a build is signed with a key that the reader does not accept. The
// message ends with the key.
var ErrUnknownKey = errors.New("is signed with the key")

// RollbackError means that a log is shorter than it was before, although logs only grow.
type RollbackError struct{ Seen, Now buildlog.Checkpoint }

// Error implements error.
func (e *RollbackError) Error() string {
	return fmt.Sprintf("the log of builds is shorter than before: the bucket returns old objects, or a backup was restored\nprevious checkpoint: %s\ncurrent checkpoint:  %s", e.Seen, e.Now)
}

// Is reports whether the target is ErrOlder: a rolled-back log is a kind of older build.
func (e *RollbackError) Is(target error) bool { return target == ErrOlder }

// keyID returns what identifies a key in the names of objects and files: its hash as 8 hexadecimal
// digits.
func keyID(v note.Verifier) string { return fmt.Sprintf("%08x", v.KeyHash()) }

// logPrefix returns the folder of a key's log in a bucket.
func logPrefix(v note.Verifier) string { return logsPrefix + keyID(v) + "/" }

// logReader reads a log in a bucket.
type logReader struct {
	bucket.Reader
	prefix string
}

// Read implements buildlog.Reader.
func (l logReader) Read(ctx context.Context, name string, limit int64) ([]byte, string, error) {
	return l.Reader.Read(ctx, l.prefix+name, limit, "")
}

// String returns the address of the log.
func (l logReader) String() string {
	return l.Reader.String() + "/" + strings.TrimSuffix(l.prefix, "/")
}

// logStorage also writes the log.
type logStorage struct {
	logReader
	to bucket.Bucket
}

func (l logStorage) Write(ctx context.Context, name string, data []byte) error {
	return l.to.Write(ctx, l.prefix+name, data)
}

func (l logStorage) Replace(ctx context.Context, name string, data []byte, tag string) error {
	return l.to.Replace(ctx, l.prefix+name, data, tag)
}

func openLog(to bucket.Bucket, v note.Verifier) logStorage {
	return logStorage{logReader{to, logPrefix(v)}, to}
}

// readLog returns the checkpoint of a log, which must continue the last one saved in an output folder,
// and saves it there. It returns the zero Checkpoint if there has never been a log.
func readLog(ctx context.Context, log logReader, v note.Verifier, dir string, allowOlder bool) (buildlog.Checkpoint, error) {
	seen, file, err := lastCheckpoint(dir, v)
	if err != nil {
		return buildlog.Checkpoint{}, err
	}
	now, signed, _, err := buildlog.ReadCheckpoint(ctx, log, v)
	if errors.Is(err, fs.ErrNotExist) && seen.Size == 0 {
		return buildlog.Checkpoint{}, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return now, fmt.Errorf("%s: the log of builds is missing, although it existed before; each key has one log, in one bucket\nprevious checkpoint: %s", log, seen)
	}
	if err != nil {
		return now, fmt.Errorf("%s: %w", log, err)
	}
	err = buildlog.CheckConsistency(ctx, log, seen, now)
	if now.Size < seen.Size && (err == nil || errors.Is(err, fs.ErrNotExist)) { // a log that was replaced has lost its last tiles
		if err = nil; !allowOlder {
			err = &RollbackError{Seen: seen, Now: now}
		}
	}
	var fork *buildlog.ForkError
	switch {
	case errors.As(err, &fork):
		return now, fmt.Errorf("%s: %w\nAsk the publisher about it. If the log was replaced on purpose, remove %s to trust the new one", log, err, file)
	case err != nil:
		return now, fmt.Errorf("%s: %w", log, err)
	case now.Size <= seen.Size:
		return now, nil
	}
	return now, store.WriteCheckpoint(dir, keyID(v), signed)
}

// lastCheckpoint returns the last checkpoint saved in an output folder, or zero if there is none, and
// the name of its file.
func lastCheckpoint(dir string, v note.Verifier) (seen buildlog.Checkpoint, file string, err error) {
	file = filepath.Join(dir, exportsTree, "checkpoints", keyID(v))
	signed, err := store.ReadCheckpoint(dir, keyID(v))
	if errors.Is(err, fs.ErrNotExist) {
		return seen, file, nil
	}
	if err == nil {
		seen, err = buildlog.OpenCheckpoint(signed, v)
	}
	if err != nil {
		err = fmt.Errorf("the last saved checkpoint cannot be used: %s: %w; remove this file to trust the log as it is now", file, err)
	}
	return seen, file, err
}

// acceptedFile is the name of the file with the last statement that was accepted. It is next to the last
// checkpoint, so it does not depend on what else is in the folder, or on its damage.
func acceptedFile(v note.Verifier) string { return keyID(v) + ".accepted" }

// lastAccepted returns the last statement that was accepted into an output folder, or nil if there is none
// or if there is no saved checkpoint, without which the log is trusted as it is.
func lastAccepted(dir string, v note.Verifier) (*buildlog.Statement, error) {
	seen, file, err := lastCheckpoint(dir, v)
	if err != nil || seen.Size == 0 {
		return nil, err
	}
	in, err := store.MakeFolder(dir, exportsTree, "checkpoints")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	signed, err := store.ReadFile(in, acceptedFile(v), maxCurrent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var s *buildlog.Statement
	if err == nil {
		s, err = buildlog.OpenStatement(signed, v)
	}
	if err != nil {
		err = fmt.Errorf("the last accepted statement cannot be used: %w; remove %s to accept any build in the log", err, filepath.Join(filepath.Dir(file), acceptedFile(v)))
	}
	return s, err
}

// saveAccepted records that a statement was accepted.
func saveAccepted(dir string, v note.Verifier, signed []byte) error {
	to, err := store.MakeFolder(dir, exportsTree, "checkpoints")
	if err != nil {
		return err
	}
	defer to.Close()
	return store.ReplaceFile(to, acceptedFile(v), signed)
}

// verifiedStatement is a statement about a build whose signature was verified.
type verifiedStatement struct {
	statement *buildlog.Statement
	signed    []byte
	signature Signature
}

// verifyStatement verifies that what is published was signed with one of the keys, that the statement is in
// the key's log, and that it is not older than the one about the local build. The statement still
// has to be compared with the build; see checkManifest.
func verifyStatement(ctx context.Context, from bucket.Reader, c *current, localID string, o PullOptions) (*verifiedStatement, error) {
	if c.Signature == nil {
		return nil, fmt.Errorf("the build %s of %s %w, but must be signed with %s", c.Build, from, ErrUnsigned, keyNames(o.Verifiers))
	}
	var v note.Verifier
	for _, known := range o.Verifiers {
		if buildlog.KeyName(known) == c.Signature.Key {
			v = known
		}
	}
	if v == nil {
		return nil, fmt.Errorf("the build %s of %s %w %.300q, not with %s", c.Build, from, ErrUnknownKey, c.Signature.Key, keyNames(o.Verifiers))
	}
	log := logReader{from, logPrefix(v)}
	accepted, err := lastAccepted(o.Dir, v)
	if err != nil {
		return nil, err
	}
	checkpoint, err := readLog(ctx, log, v, o.Dir, o.AllowOlder)
	if err != nil {
		return nil, err
	}
	s, signed, err := buildlog.ReadStatement(ctx, log, v, c.Signature.Position)
	if err == nil && (s.Build != c.Build || hex.EncodeToString(s.Manifest[:]) != c.Manifest || hex.EncodeToString(s.Index[:]) != c.Index) {
		err = fmt.Errorf("the statement at position %d is about the build %s with other files, so %s was not signed", s.Position, s.Build, c.Build)
		if s.Build != c.Build {
			err = fmt.Errorf("the statement at position %d is about the build %s, so %s was not signed", s.Position, s.Build, c.Build)
		}
	}
	if err == nil {
		err = buildlog.CheckIncluded(ctx, log, checkpoint, s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", log, err)
	}
	if local := savedStatement(o.Dir, localID, v); local != nil && local.Position > s.Position && !o.AllowOlder {
		return nil, fmt.Errorf("the build %s at position %d of the log %w, %s at position %d", c.Build, s.Position, ErrOlder, localID, local.Position)
	}
	if accepted != nil && accepted.Position > s.Position && !o.AllowOlder {
		return nil, fmt.Errorf("the build %s at position %d of the log %w, %s at position %d", c.Build, s.Position, ErrOlder, accepted.Build, accepted.Position)
	}
	if !o.anyBuild {
		if err := saveAccepted(o.Dir, v, signed); err != nil {
			return nil, err
		}
	}
	return &verifiedStatement{s, signed, Signature{buildlog.KeyName(v), s.Position, checkpoint.Size, checkpoint.String()}}, nil
}

func keyNames(list []note.Verifier) string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = buildlog.KeyName(v)
	}
	return strings.Join(names, " or ")
}

// savedStatement returns the statement about a build in an output folder, or nil if there is none
// that was signed with the key.
func savedStatement(dir, id string, v note.Verifier) *buildlog.Statement {
	if id == "" {
		return nil
	}
	signed, err := store.ReadStatement(dir, id)
	if err != nil {
		return nil
	}
	s, err := buildlog.OpenStatement(signed, v)
	if err != nil {
		return nil
	}
	return s
}

// statementOf returns the statement about a build with these manifests, without origin and
// position.
func statementOf(manifest, index []byte, m *store.Manifest) (*buildlog.Statement, error) {
	asOf, err := time.Parse(time.RFC3339, m.AsOf)
	if err != nil {
		return nil, fmt.Errorf("the build %s has the as-of time %q: %w", m.ID, m.AsOf, err)
	}
	return &buildlog.Statement{Build: m.ID, Manifest: sha256.Sum256(manifest), Size: int64(len(manifest)), Index: sha256.Sum256(index),
		Commit: string(m.Commit), AsOf: asOf}, nil
}

// checkManifest compares the statement with the manifest, whose hash it contains. A nil
// verifiedStatement matches every build.
func (p *verifiedStatement) checkManifest(data []byte, m *store.Manifest) error {
	if p == nil {
		return nil
	}
	want, err := statementOf(data, nil, m)
	if err != nil {
		return err
	}
	s := p.statement
	if s.Size != want.Size || s.Commit != want.Commit || !s.AsOf.Equal(want.AsOf) {
		return fmt.Errorf("the signed statement about the build %s contradicts its manifest: %d bytes, commit %q, as of %s, but the manifest has %d bytes, commit %q, as of %s; report this to the publisher",
			s.Build, s.Size, s.Commit, s.AsOf.Format(time.RFC3339), want.Size, want.Commit, want.AsOf.Format(time.RFC3339))
	}
	return nil
}

// save writes the statement next to the build, unless it is already there. A nil verifiedStatement has
// none.
func (p *verifiedStatement) save(dir, id string) error {
	if p == nil {
		return nil
	}
	if saved, err := store.ReadStatement(dir, id); err == nil && string(saved) == string(p.signed) {
		return nil
	}
	return store.WriteStatement(dir, id, p.signed)
}
