// Package seal encrypts stored secrets that must be readable again, such as those of
// webhooks, with a key that the operator keeps outside the database. A copy of the database
// alone does not reveal the data.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// KeySize is the length of a key in bytes: AES-256.
const KeySize = 32

// ErrDamaged is returned for sealed text that no key can open because it was altered, or was
// sealed for a different purpose or row.
var ErrDamaged = errors.New("the sealed text is damaged or belongs to another record")

// UnknownKeyError means that the key with which data was sealed is missing.
type UnknownKeyError struct{ ID string }

func (e *UnknownKeyError) Error() string {
	return "it was sealed with the operator's key " + e.ID + ", which is not one of the given keys"
}

// Keys are the operator's keys. The first key is used to seal, and any of the keys can open, so
// that a new key can be added in front of the old keys. Keys are never shown in messages or
// logs. They are safe for concurrent use.
type Keys struct{ list []key }

type key struct {
	id   string // identifies the key without revealing it
	aead cipher.AEAD
}

// String implements fmt.Stringer, and hides the keys.
func (k *Keys) String() string { return fmt.Sprintf("operator's keys %s", strings.Join(k.IDs(), ", ")) }

// GoString implements fmt.GoStringer, and hides the keys.
func (k *Keys) GoString() string { return k.String() }

// IDs returns the ids of the keys, starting with the sealing key.
func (k *Keys) IDs() []string {
	ids := make([]string, len(k.list))
	for i, one := range k.list {
		ids[i] = one.id
	}
	return ids
}

// Generate returns a new key in the format of a key file.
func Generate() string {
	b := make([]byte, KeySize)
	rand.Read(b)
	return base64.StdEncoding.EncodeToString(b)
}

// Parse parses keys in base64, each of 32 bytes, separated by white space or commas. A #
// starts a comment. Errors contain the line number, but not the content of the line.
func Parse(text string) (*Keys, error) {
	keys := &Keys{}
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\r' }) {
			one, err := parseKey(word)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			if slices.Contains(keys.IDs(), one.id) {
				return nil, fmt.Errorf("line %d: duplicate key %s", n+1, one.id)
			}
			keys.list = append(keys.list, one)
		}
	}
	if len(keys.list) == 0 {
		return nil, errors.New("no key found; a key is 32 random bytes in base64, for example from openssl rand -base64 32")
	}
	return keys, nil
}

func parseKey(word string) (key, error) {
	raw, err := base64.StdEncoding.DecodeString(word)
	if err != nil {
		raw, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(word, "="))
	}
	if err != nil || len(raw) != KeySize {
		return key{}, fmt.Errorf("invalid key: a key is %d random bytes in base64 (44 characters)", KeySize)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return key{}, err
	}
	// The nonce is random: 96 bits are enough for 2³² secrets per key (NIST SP 800-38D,
	// section 8.3), and an account has at most ten.
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return key{}, err
	}
	sum := sha256.Sum256(append([]byte("kindex operator's key\x00"), raw...))
	return key{hex.EncodeToString(sum[:4]), aead}, nil
}

// form is the prefix of all sealed text. It identifies the format: AES-256-GCM, preceded by the
// random nonce.
const form = "s1"

var encoding = base64.RawURLEncoding.Strict() // strict: only one encoding of the same bytes is valid

// Seal encrypts a secret. The result can be opened only for the same purpose and row, so that
// a secret cannot be moved within the database.
func (k *Keys) Seal(secret []byte, purpose, row string) string {
	with := k.list[0]
	return form + "." + with.id + "." + encoding.EncodeToString(with.aead.Seal(nil, nil, secret, bound(purpose, row))) //nolint:gosec // the AEAD generates the nonce
}

// Open decrypts sealed text. The error is a *UnknownKeyError or ErrDamaged.
func (k *Keys) Open(sealed, purpose, row string) ([]byte, error) {
	id, text, err := split(sealed)
	if err != nil {
		return nil, err
	}
	i := slices.Index(k.IDs(), id)
	if i < 0 {
		return nil, &UnknownKeyError{id}
	}
	secret, err := k.list[i].aead.Open(nil, nil, text, bound(purpose, row))
	if err != nil {
		return nil, ErrDamaged
	}
	return secret, nil
}

// Current reports whether sealed text was sealed with the current sealing key.
func (k *Keys) Current(sealed string) bool {
	id, _, err := split(sealed)
	return err == nil && id == k.list[0].id
}

func split(sealed string) (id string, text []byte, err error) {
	parts := strings.Split(sealed, ".")
	if len(parts) != 3 || parts[0] != form {
		return "", nil, ErrDamaged
	}
	if text, err = encoding.DecodeString(parts[2]); err != nil {
		err = ErrDamaged
	}
	return parts[1], text, err
}

// bound returns the additional data that binds sealed text to a purpose and a row. No purpose
// contains a zero byte.
func bound(purpose, row string) []byte { return []byte(purpose + "\x00" + row) }

// Load reads a key file. It rejects a file that every user of the machine can read.
func Load(path string) (*Keys, error) {
	switch i, err := os.Stat(path); {
	case err != nil:
		return nil, fmt.Errorf("the operator's key: %w", err)
	case i.Mode().Perm()&0o007 != 0:
		return nil, fmt.Errorf("the operator's key %s is accessible to every user of this machine: chmod 600 %s", path, path)
	case i.Size() > 64<<10 || !i.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a key file", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the operator's key: %w", err)
	}
	keys, err := Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("the operator's key %s: %w", path, err)
	}
	return keys, nil
}

// LoadOrMake reads a key file, and creates one with a new key, readable only by its owner, if it
// does not exist: of several processes, one succeeds, and all use its key. The key is on disk
// when LoadOrMake returns, because data sealed with a lost key is lost.
func LoadOrMake(path string) (keys *Keys, made bool, err error) {
	keys, err = Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return keys, false, err
	}
	err = makeFile(path)
	if made = err == nil; !made && !errors.Is(err, fs.ErrExist) {
		return nil, false, fmt.Errorf("creating the operator's key: %w", err)
	}
	keys, err = Load(path)
	return keys, made, err
}

const heading = "# The operator's key for kindex. It decrypts the secrets in the database: keep a copy\n# apart from the database backups, and keep it secret.\n"

// makeFile writes the file under a temporary name and then links it, so that a partial key is
// never read.
func makeFile(path string) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".kindex-key-*") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(heading + Generate() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
