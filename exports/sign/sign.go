// Package sign signs builds, so that anyone who downloads a build can check who published it.
//
// What is signed is a [Statement]: the SHA-256 of a build's list of files, the commit, the as-of time,
// and a counter, with which readers notice that they are shown an old build again. Signatures are
// signed notes (https://c2sp.org/signed-note) with Ed25519 keys.
package sign

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// format is the text of a statement.
const format = "kindex build v2\nbuild %s\nfiles %s\ncommit %s\nas-of %s\ncounter %d\n"

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

// text returns the statement as the text of a note. Equal statements have equal texts.
func (s *Statement) text() string {
	return fmt.Sprintf(format, s.Build, s.Files, cmp.Or(s.Commit, "none"), s.AsOf.UTC().Format(time.RFC3339), s.Counter)
}

// parse is the inverse of text. It accepts only texts that text returns.
func parse(text string) (*Statement, error) {
	var s Statement
	var asOf string
	_, err := fmt.Sscanf(text, format, &s.Build, &s.Files, &s.Commit, &asOf, &s.Counter)
	if err == nil {
		s.AsOf, err = time.Parse(time.RFC3339, asOf)
	}
	if s.Commit == "none" {
		s.Commit = ""
	}
	if err != nil || s.Counter < 1 || s.text() != text {
		return nil, errors.New(`the text is not a statement about a build: expected the lines "kindex build v2", build, files, commit, as-of, counter`)
	}
	return &s, nil
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

// Key signs builds.
type Key struct {
	Signer   note.Signer
	Verifier note.Verifier
	// Public is the text of the verifier key, which need not be kept secret.
	Public string
}

// KeyName returns the name and the hash of a key, as signatures show them.
func KeyName(key interface {
	Name() string
	KeyHash() uint32
}) string {
	return fmt.Sprintf("%s+%08x", key.Name(), key.KeyHash())
}

const maxNameLen = 200

const maxKeyLen = 4 << 10

// CreateKey creates a file with a new key, which only its owner can read. It returns an error that
// wraps fs.ErrExist if there is such a file. The name should be an address that the publisher
// controls, without a scheme, such as builds.example.org/index.
func CreateKey(path, name string) (*Key, error) {
	private, _, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return nil, err
	}
	key, err := ParseKey(private)
	if err != nil || len(name) > maxNameLen {
		return nil, fmt.Errorf("%.200q cannot be the name of a key; expected something like builds.example.org/index", name)
	}
	// A complete file is linked to the path, so that no key is lost or read in part.
	f, err := os.CreateTemp(filepath.Dir(path), ".kindex-key-*") // with mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(private + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	err = os.Link(f.Name(), path)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: %w; keys are not overwritten", path, fs.ErrExist)
	}
	return key, err
}

// LoadKey reads a file that CreateKey created. It refuses a file that all users of the machine can
// read.
func LoadKey(path string) (*Key, error) {
	text, mode, err := readKey(path)
	if err != nil {
		return nil, err
	}
	if mode.Perm()&0o007 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("the key %s is accessible to every user of this machine: create a new key if somebody may have copied it, otherwise run chmod 600 %s", path, path)
	}
	key, err := ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// readKey returns the text in a key file, without leading and trailing white space.
func readKey(path string) (string, fs.FileMode, error) {
	i, err := os.Stat(path)
	if err != nil {
		return "", 0, err
	}
	if !i.Mode().IsRegular() || i.Size() > maxKeyLen {
		return "", 0, fmt.Errorf("%s is not a key file", path)
	}
	text, err := os.ReadFile(path)
	return strings.TrimSpace(string(text)), i.Mode(), err
}

const privatePrefix = "PRIVATE+KEY+"

// ParseKey parses the text of a private key, as CreateKey writes it. Errors do not contain it.
func ParseKey(text string) (*Key, error) {
	errInvalid := errors.New("is not a key that kindex sign init created")
	signer, err := note.NewSigner(text)
	if err != nil {
		return nil, errInvalid
	}
	// PRIVATE+KEY+NAME+HASH+BASE64, where the data are the algorithm, 1 for Ed25519, and the seed.
	data, err := base64.StdEncoding.DecodeString(text[len(privatePrefix)+len(KeyName(signer))+1:])
	if err != nil || len(data) != 1+ed25519.SeedSize {
		return nil, errInvalid
	}
	public := ed25519.NewKeyFromSeed(data[1:]).Public().(ed25519.PublicKey)
	k := &Key{Signer: signer}
	if k.Public, err = note.NewEd25519VerifierKey(signer.Name(), public); err != nil {
		return nil, errInvalid
	}
	k.Verifier, err = note.NewVerifier(k.Public)
	return k, err
}

// ParseVerifier returns the verifier for a verifier key, given as its text or as the path of a
// file with it.
func ParseVerifier(keyOrFile string) (note.Verifier, error) {
	text := strings.TrimSpace(keyOrFile)
	v, err := note.NewVerifier(text)
	if err == nil {
		return v, nil
	}
	if text, _, err = readKey(keyOrFile); err != nil {
		return nil, fmt.Errorf("%q is neither a verifier key, such as kindex sign init prints, nor a file that contains one", keyOrFile)
	}
	if strings.HasPrefix(text, privatePrefix) {
		return nil, fmt.Errorf("%s contains a private key, which must stay with the publisher; expected the verifier key that kindex sign show prints", keyOrFile)
	}
	if v, err = note.NewVerifier(text); err != nil {
		return nil, fmt.Errorf("%s does not contain a verifier key, such as kindex sign init prints", keyOrFile)
	}
	return v, nil
}
