package sign

import (
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

	"golang.org/x/mod/sumdb/note"
)

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

// maxNameLen limits the length of the names of keys in bytes.
const maxNameLen = 200

// maxKeyLen limits the length of key files in bytes.
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

// privatePrefix is the start of every private key.
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
