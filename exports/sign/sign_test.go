package sign_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"kindex/builder/suite"
	"kindex/exports/sign"
)

func newKey(t *testing.T, name string) (k *sign.Key, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "key")
	k = suite.Must(sign.CreateKey(file, name))(t)
	return k, file
}

func statement() *sign.Statement {
	return &sign.Statement{Build: "20261101-0123456789abcdef", Files: strings.Repeat("a", 64), Commit: strings.Repeat("b", 40),
		AsOf: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Counter: 7}
}

// TestSign signs a statement, opens it with and without the key, and alters each of its bytes.
func TestSign(t *testing.T) {
	k, _ := newKey(t, "builds.example.org/index")
	stranger, _ := newKey(t, "builds.example.org/index")
	s := statement()
	signed := suite.Must(s.Sign(k))(t)
	const text = "kindex build v2\nbuild 20261101-0123456789abcdef\nfiles "
	if !strings.HasPrefix(string(signed), text) || !strings.Contains(string(signed), "\nas-of 2026-11-01T00:00:00Z\ncounter 7\n\n— builds.example.org/index ") {
		t.Errorf("%s", signed)
	}
	for _, c := range []struct {
		keys     []note.Verifier
		verified bool
	}{{nil, false}, {[]note.Verifier{stranger.Verifier}, false}, {[]note.Verifier{stranger.Verifier, k.Verifier}, true}} {
		got, signature, err := sign.Open(signed, c.keys)
		if err != nil || *got != *s || signature.Verified != c.verified || signature.Key != sign.KeyName(k.Verifier) || signature.Counter != 7 || signature.Statement != string(signed) {
			t.Errorf("%+v %+v %v", got, signature, err)
		}
	}
	for i := range signed {
		altered := append([]byte{}, signed...)
		altered[i] ^= 1
		if got, signature, err := sign.Open(altered, []note.Verifier{k.Verifier}); err == nil && signature.Verified && *got != *s {
			t.Errorf("byte %d was altered: %+v %+v", i, got, signature)
		}
	}
}

// TestOtherTexts signs what is no statement.
func TestOtherTexts(t *testing.T) {
	k, _ := newKey(t, "example.org")
	signed := suite.Must(statement().Sign(k))(t)
	text, _, _ := strings.Cut(string(signed), "\n\n")
	text += "\n"
	for _, other := range []string{"hello\n", text + "more\n", strings.Replace(text, "v2", "v1", 1), strings.Replace(text, "counter 7", "counter 07", 1),
		strings.Replace(text, "counter 7", "counter 0", 1), strings.Replace(text, "counter 7", "counter 99999999999999999999", 1),
		strings.Replace(text, "as-of 2026", "as-of 2026 ", 1), strings.Replace(text, "\nfiles", "\nFiles", 1)} {
		signed := suite.Must(note.Sign(&note.Note{Text: other}, k.Signer))(t)
		if s, _, err := sign.Open(signed, []note.Verifier{k.Verifier}); err == nil || !strings.Contains(err.Error(), "not a statement about a build") {
			t.Errorf("%q: %+v %v", other, s, err)
		}
	}
	for _, long := range [][]byte{[]byte("x"), make([]byte, sign.MaxLen+1)} {
		if _, _, err := sign.Open(long, nil); err == nil {
			t.Error("opened what is not signed")
		}
	}
	bad := statement()
	bad.Build = "two\nlines"
	if _, err := bad.Sign(k); err == nil {
		t.Error("signed a statement that nobody can read")
	}
}

// TestKeys creates, loads and refuses keys. TestScripts/sign checks the messages.
func TestKeys(t *testing.T) {
	k, file := newKey(t, "example.org")
	if _, err := sign.CreateKey(file, "example.org"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a key was overwritten: %v", err)
	}
	loaded, err := sign.LoadKey(file)
	if err != nil || loaded.Public != k.Public {
		t.Errorf("%+v %v", loaded, err)
	}
	if v, err := sign.ParseVerifier(k.Public); err != nil || sign.KeyName(v) != sign.KeyName(k.Verifier) {
		t.Error(err)
	}
	private := suite.Must(os.ReadFile(file))(t)
	if _, err := sign.ParseVerifier(file); err == nil || strings.Contains(err.Error(), strings.TrimSpace(string(private))) {
		t.Errorf("a private key was used to verify, or shown: %v", err)
	}
	suite.Check(t, os.Chmod(file, 0o644))
	if _, err := sign.LoadKey(file); err == nil {
		t.Error("loaded a key that everybody can read")
	}
}
