package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"kindex/exports/sign"
)

// The sums of all other assets, as sha256sum prints them, the same as a signed note, and the
// install script.
const (
	sumsFile    = "SHA256SUMS"
	noteFile    = "SHA256SUMS.note"
	installFile = "install.sh"
)

//go:embed install.sh
var installText string

// installScript writes the install script of this release: with its version and where its files
// will be. The public key is added when the release is signed.
func (r *release) installScript() error {
	text, err := setLine(installText, "version", r.version)
	if err == nil {
		text, err = setLine(text, "url", r.url)
	}
	return errors.Join(err, r.create(installFile, []byte(text), 0o755))
}

// setLine sets a variable of the install script that is still empty. The value must not contain
// single quotes.
func setLine(text, name, value string) (string, error) {
	line := "\n" + name + "=''\n"
	if strings.Count(text, line) != 1 {
		return "", fmt.Errorf("%s must have one line %s=''", installFile, name)
	}
	return strings.Replace(text, line, "\n"+name+"='"+value+"'\n", 1), nil
}

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
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return b.Bytes(), nil
}

// signRelease signs the release in a folder: it writes the public key into the install script, the
// sums again, and the signed note. A release whose files do not have their sums is refused.
func signRelease(dir string, stdout io.Writer) error {
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
	text, err := setLine(string(script), "key", key.Public)
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
	signed, err := note.Sign(&note.Note{Text: string(sums)}, key.Signer)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, "signed; to verify:", key.Public)
	return errors.Join(os.WriteFile(filepath.Join(dir, sumsFile), sums, 0o644), os.WriteFile(filepath.Join(dir, noteFile), signed, 0o644))
}

// publicKeys matches the keys that the install script can contain.
var publicKeys = regexp.MustCompile(`^[-A-Za-z0-9._/]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+$`)

// releaseKey returns the key from the environment. Errors do not contain the key.
func releaseKey() (key *sign.Key, err error) {
	const variable = "KINDEX_RELEASE_KEY"
	text, path := strings.TrimSpace(os.Getenv(variable)), os.Getenv(variable+"_FILE")
	switch {
	case text != "" && path != "":
		return nil, errors.New("KINDEX_RELEASE_KEY and KINDEX_RELEASE_KEY_FILE are both set; set one of them")
	case text != "":
		key, err = sign.ParseKey(text)
	case path != "":
		key, err = sign.LoadKey(path)
	default:
		return nil, errors.New("neither KINDEX_RELEASE_KEY nor KINDEX_RELEASE_KEY_FILE is set")
	}
	if err == nil && !publicKeys.MatchString(key.Public) {
		err = fmt.Errorf("the name of the key, %q, must consist of letters, digits and . - _ /, because the install script contains it", key.Signer.Name())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return key, nil
}
