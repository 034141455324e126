package mirror

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"kindex/exports/sign"
	"kindex/exports/store"
)

// ErrOlder means that a build is older than one that was accepted before: somebody has published an old
// build again, or answers with old objects.
var ErrOlder = errors.New("is older than the last accepted build")

// ErrUnsigned means that a build has no signature, although it must have one.
var ErrUnsigned = errors.New("is not signed")

// ErrUnknownKey means that a build is signed with a key that the reader does not accept. The message
// ends with the key.
var ErrUnknownKey = errors.New("is signed with the key")

// acceptedName is the file in a folder that remembers what was accepted there. It does not depend on
// which builds the folder has, or in which state they are.
const acceptedName = ".kindex-accepted"

type accepted struct {
	Build    string           `json:"build"`
	Modified time.Time        `json:"modified"` // of its content
	Keys     map[string]count `json:"keys"`     // by name and hash
}

// count is the counter of a statement and the list that it is about.
type count struct {
	Counter int64  `json:"counter"`
	Files   string `json:"files"`
}

// readAccepted returns what was accepted last in a folder, or the zero value if there is nothing.
func readAccepted(dir string) (a accepted, err error) {
	folder, err := store.MakeFolder(dir)
	if err != nil {
		return a, err
	}
	defer folder.Close()
	data, err := folder.ReadFile(acceptedName)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if err != nil {
		return a, fmt.Errorf("cannot tell which build was accepted last: %w; remove %s to accept the published one", err, filepath.Join(dir, acceptedName))
	}
	return a, nil
}

// write remembers that a build was accepted, or signed; s may be nil.
func (a accepted) write(dir, key string, s *sign.Statement) error {
	if s != nil {
		if a.Keys == nil {
			a.Keys = map[string]count{}
		}
		a.Keys[key] = count{s.Counter, s.Files}
	}
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	folder, err := store.MakeFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	return errors.Join(store.ReplaceFile(folder, acceptedName, append(data, '\n')), store.SyncDir(dir))
}

// checkCounter returns an error if a statement is older than the last one that was accepted with the
// same key, or contradicts it.
func (a accepted) checkCounter(s *sign.Statement, key string) error {
	last := a.Keys[key]
	switch {
	case s.Counter < last.Counter:
		return fmt.Errorf("the build %s, number %d that was signed with %s, %w, %s, number %d", s.Build, s.Counter, key, ErrOlder, a.Build, last.Counter)
	case s.Counter == last.Counter && s.Files != last.Files:
		return fmt.Errorf("the build %s, number %d that was signed with %s, %w: there was another one with this number, so ask the publisher about it", s.Build, s.Counter, key, ErrOlder)
	}
	return nil
}

// checkTime returns an error if a build is older than the last one that was accepted.
func (a accepted) checkTime(m *store.Manifest) error {
	if m.LastModified().Before(a.Modified) {
		return fmt.Errorf("the build %s of %s %w, %s of %s", m.ID, m.LastModified().Format(time.RFC3339), ErrOlder, a.Build, a.Modified.Format(time.RFC3339))
	}
	return nil
}

// openStatement opens the signed statement about the build with a list of files, which must be signed
// with one of the keys unless there are none. where names the place of the build in errors, such as
// "in out".
func openStatement(signed []byte, build, files, where string, keys []note.Verifier) (*sign.Statement, *sign.Signature, error) {
	names := make([]string, len(keys))
	for i, v := range keys {
		names[i] = sign.KeyName(v)
	}
	expected := strings.Join(names, " or ")
	if len(signed) == 0 && len(keys) > 0 {
		return nil, nil, fmt.Errorf("the build %s %s %w, but must be signed with %s", build, where, ErrUnsigned, expected)
	}
	s, signature, err := sign.Open(signed, keys)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("the signature of the build %s %s: %w", build, where, err)
	case len(keys) > 0 && !signature.Verified:
		return nil, nil, fmt.Errorf("the build %s %s %w %.300q, not with %s", build, where, ErrUnknownKey, signature.Key, expected)
	case s.Build != build:
		return nil, nil, fmt.Errorf("the signature of the build %s %s is about the build %.100q, so %s was not signed", build, where, s.Build, build)
	case s.Files != files:
		return nil, nil, fmt.Errorf("the signature of the build %s %s is about other files, so it was not signed", build, where)
	}
	return s, signature, nil
}

// checkManifest compares a statement, which may be nil, with the manifest of the build.
func checkManifest(s *sign.Statement, m *store.Manifest) error {
	if s == nil || s.Commit == string(m.Commit) && s.AsOf.UTC().Format(time.RFC3339) == m.AsOf {
		return nil
	}
	return fmt.Errorf("the signed statement about the build %s contradicts its manifest: commit %q, as of %s, but the manifest has commit %q, as of %s; report this to the publisher",
		m.ID, s.Commit, s.AsOf.Format(time.RFC3339), string(m.Commit), m.AsOf)
}

// SavedSignature describes the signed statement about a build of an output folder, or returns nil if
// there is none and there are no keys. A publisher may sign a build after it was pulled, so the result
// can change. If there are keys, it returns an error that wraps ErrUnsigned if there is no statement, and
// ErrUnknownKey if it was signed with another key.
func SavedSignature(dir, id string, keys []note.Verifier) (*sign.Signature, error) {
	signed, err := store.ReadStatement(dir, id)
	if errors.Is(err, fs.ErrNotExist) && len(keys) == 0 {
		return nil, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	list, err := storedList(dir, id)
	if err != nil {
		return nil, err
	}
	_, signature, err := openStatement(signed, id, sumOf(list), "in "+dir, keys)
	return signature, err
}

// CheckSaved returns nil if a build of an output folder is signed with one of the keys, or if there are no
// keys. Its errors are those of SavedSignature.
func CheckSaved(dir, id string, keys []note.Verifier) (err error) {
	if len(keys) > 0 {
		_, err = SavedSignature(dir, id, keys)
	}
	return err
}
