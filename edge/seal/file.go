package seal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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
