package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// The sums of all other assets, as sha256sum prints them, and the same as a signed note.
const (
	sumsFile = "SHA256SUMS"
	noteFile = "SHA256SUMS.note"
)

// sumsOf returns the sums of all files in a folder of assets but the sums themselves.
func sumsOf(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, e := range entries {
		if e.Name() == sumsFile {
			continue
		}
		h := sha256.New()
		if err := copyFrom(h, filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%x  %s\n", h.Sum(nil), e.Name())
	}
	return b.Bytes(), nil
}

// sign signs the release in a folder: it writes the public key into the install script, the sums
// again, and the signed note. A release whose files do not have their sums is refused.
func sign(dir string, stdout io.Writer) error {
	key, err := releaseKey()
	if err != nil {
		return err
	}
	want, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		return fmt.Errorf("%w; write the release first", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, noteFile)); err == nil {
		return fmt.Errorf("%s is signed already", dir)
	}
	if sums, err := sumsOf(dir); err != nil {
		return err
	} else if !bytes.Equal(sums, want) {
		return fmt.Errorf("the files in %s are not those of %s; write the release again", dir, sumsFile)
	}
	script, err := os.ReadFile(filepath.Join(dir, installFile))
	if err != nil {
		return err
	}
	text, err := setLine(string(script), "key", key.verifier)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, installFile), []byte(text), 0o755); err != nil {
		return err
	}
	sums, err := sumsOf(dir)
	if err != nil {
		return err
	}
	signed, err := note.Sign(&note.Note{Text: string(sums)}, key.signer)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, sumsFile), sums, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, noteFile), signed, 0o644); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "signed; to verify:", key.verifier)
	return nil
}

func copyFrom(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// signingKey is an Ed25519 key in the format of golang.org/x/mod/sumdb/note.
type signingKey struct {
	signer   note.Signer
	verifier string // the public key in the same format: name+hash+key
}

// releaseKey returns the key from the environment. Errors do not contain the key.
func releaseKey() (*signingKey, error) {
	text, from := os.Getenv("KINDEX_RELEASE_KEY"), "KINDEX_RELEASE_KEY"
	if path := os.Getenv("KINDEX_RELEASE_KEY_FILE"); path != "" {
		if text != "" {
			return nil, errors.New("KINDEX_RELEASE_KEY and KINDEX_RELEASE_KEY_FILE are both set; set one of them")
		}
		from = path
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("KINDEX_RELEASE_KEY_FILE: %w", err)
		}
		if !info.Mode().IsRegular() || info.Size() > 4<<10 {
			return nil, fmt.Errorf("KINDEX_RELEASE_KEY_FILE: %s is not a regular file of at most 4 KiB", path)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("KINDEX_RELEASE_KEY_FILE: %w", err)
		}
		text = string(data)
	}
	text = strings.TrimSpace(text)
	if text == "" && from == "KINDEX_RELEASE_KEY" {
		return nil, errors.New("neither KINDEX_RELEASE_KEY nor KINDEX_RELEASE_KEY_FILE is set")
	}
	return parseKey(text, from)
}

// parseKey reads PRIVATE+KEY+name+hash+base64, where the last part is the number 1, for
// Ed25519, and the seed of the key.
func parseKey(text, from string) (*signingKey, error) {
	bad := fmt.Errorf("%s must contain a signing key of golang.org/x/mod/sumdb/note: PRIVATE+KEY+name+hash+key", from)
	signer, err := note.NewSigner(text)
	if err != nil {
		return nil, bad
	}
	parts := strings.SplitN(text, "+", 5)
	raw, err := base64.StdEncoding.DecodeString(parts[4])
	if err != nil || len(raw) != 1+ed25519.SeedSize || raw[0] != 1 {
		return nil, bad
	}
	public, ok := ed25519.NewKeyFromSeed(raw[1:]).Public().(ed25519.PublicKey)
	if !ok {
		return nil, bad
	}
	verifier, err := note.NewEd25519VerifierKey(signer.Name(), public)
	if err != nil {
		return nil, bad
	}
	if !installableKey(verifier) {
		return nil, fmt.Errorf("%s: the name of the key, %q, must consist of letters, digits and . - _ /, because the install script contains it", from, signer.Name())
	}
	return &signingKey{signer, verifier}, nil
}
