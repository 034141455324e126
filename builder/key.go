package builder

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kindex/exports/store"
	"kindex/indexes"
)

// Key is the builder's key, by which a builder recognizes its own builds. It is a secret that
// belongs to one machine, or to several machines that share builds. Nobody without the key can
// create a build that a later build will reuse.
type Key struct{ secret []byte }

// GenerateKey returns a new key without storing it.
func GenerateKey() *Key {
	secret := make([]byte, keySize)
	_, _ = rand.Read(secret) // never fails
	return &Key{secret}
}

// keySize is the length of a key in bytes, as recommended for HMAC-SHA256 (RFC 2104,
// section 3).
const keySize = sha256.Size

// DefaultKeyFile returns the default path of the builder's key: kindex/builder.key in the
// folder that os.UserConfigDir returns. It returns an error if there is no such folder for
// the user.
func DefaultKeyFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "kindex", "builder.key"), nil
}

// LoadKey reads the builder's key from a file. If the file is missing, LoadKey creates it with a
// new key; only its owner can read it. LoadKey rejects a file that every user of the machine can
// read. If several processes create the file at the same time, one of them succeeds, and all use
// its key.
func LoadKey(path string) (*Key, error) {
	k, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	if err := createKey(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("the builder's key cannot be created: %w", err)
	}
	return readKey(path)
}

func readKey(path string) (*Key, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the builder's key: %w", err)
	case !info.Mode().IsRegular() || info.Size() > 4<<10:
		return nil, fmt.Errorf("%s does not contain a builder's key", path)
	case readableByOthers(info):
		return nil, fmt.Errorf("the builder's key %s is accessible to every user of this machine; run: chmod 600 %s", path, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the builder's key: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		secret, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(secret) != keySize {
			break
		}
		return &Key{secret}, nil
	}
	return nil, fmt.Errorf("%s does not contain a builder's key: it must have a line with %d bytes in base64, as written by openssl rand -base64 %[2]d", path, keySize)
}

const keyHeading = "# The builder's key of kindex. It seals builds so that later ones can reuse them; keep it\n" +
	"# secret. If it is lost, kindex build --trust-previous adopts the last build.\n"

// createKey writes the file under a temporary name and links it into place, so that no process
// ever reads a partial key.
func createKey(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".builder-key-*") // the file has mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(keyHeading + base64.StdEncoding.EncodeToString(GenerateKey().secret) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}

// sealHead is the first line of a seal, with its version. Two lines follow: the code for the
// build and the code for its search index.
const sealHead = "kindex seal 1\n"

// code returns the HMAC-SHA256 of a manifest, which contains the size and SHA-256 of all
// other files. kind and id prevent one manifest's code from being used for another.
func (k *Key) code(kind, id string, manifest []byte) string {
	mac := hmac.New(sha256.New, k.secret)
	sum := sha256.Sum256(manifest)
	fmt.Fprintf(mac, "kindex seal 1\x00%s\x00%s\x00%x", kind, id, sum)
	return fmt.Sprintf("%s %x\n", kind, mac.Sum(nil))
}

// seal returns the seal for a build, based on its manifests in the output folder.
func (k *Key) seal(out, id string) ([]byte, error) {
	build, _, err := store.ManifestBytes(filepath.Join(store.BuildsDir(out), id))
	if err != nil {
		return nil, err
	}
	index, err := indexes.ManifestBytes(out, id)
	if err != nil {
		return nil, err
	}
	return []byte(sealHead + k.code("build", id, build) + k.code("index", id, index)), nil
}

// sealed reports which parts of a build are sealed with the key: the build itself, whose
// manifest is given, and its search index.
func (k *Key) sealed(out, id string, manifest []byte) (build, index bool) {
	if k == nil {
		return false, false
	}
	seal, err := store.ReadSeal(out, id)
	rest, ok := bytes.CutPrefix(seal, []byte(sealHead))
	if err != nil || !ok {
		return false, false
	}
	lines := bytes.SplitAfter(rest, []byte("\n"))
	if len(lines) != 3 || len(lines[2]) > 0 {
		return false, false
	}
	build = hmac.Equal(lines[0], []byte(k.code("build", id, manifest)))
	if data, err := indexes.ManifestBytes(out, id); err == nil {
		index = hmac.Equal(lines[1], []byte(k.code("index", id, data)))
	}
	return build, build && index
}
