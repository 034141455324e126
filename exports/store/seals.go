package store

import (
	"errors"
	"io/fs"
	"slices"
)

// A seal says who has placed a build. It is no part of the build, whose bytes follow
// from the content alone, and lies beside the builds. What is in it is the
// builder's: see builder.Key.

var sealsFolder = []string{"exports", "seals"}

// maxSealLen is how large a seal may be, in bytes.
const maxSealLen = 1 << 10

// WriteSeal writes the seal of a build of an output folder.
func WriteSeal(root, id string, seal []byte) error {
	dir, err := MakeFolder(root, sealsFolder...)
	if err != nil {
		return err
	}
	defer dir.Close()
	return errors.Join(replaceFile(dir, id, seal), SyncDir(dir.Name()))
}

// ReadSeal reads the seal of a build. It is an fs.ErrNotExist where it has none.
func ReadSeal(root, id string) ([]byte, error) {
	dir, err := OpenFolder(root, sealsFolder...)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return readLimited(dir, id, maxSealLen)
}

// PruneSeals removes the seals of builds that are gone.
func PruneSeals(root string, kept []string) error {
	dir, err := OpenFolder(root, sealsFolder...)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := fs.ReadDir(dir.FS(), ".")
	for _, e := range entries {
		if ValidID(e.Name()) && !slices.Contains(kept, e.Name()) {
			err = errors.Join(err, dir.Remove(e.Name()))
		}
	}
	return err
}
