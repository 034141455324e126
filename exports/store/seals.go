package store

import (
	"errors"
	"io/fs"
	"slices"
)

// A seal proves who created a build. Seals are stored next to the builds, not in
// them, because the bytes of a build depend only on the content. builder.Key
// documents what a seal contains.

var sealsFolder = []string{"exports", "seals"}

// maxSealLen is the maximum size of a seal in bytes.
const maxSealLen = 1 << 10

// WriteSeal writes the seal of a build in an output folder.
func WriteSeal(root, id string, seal []byte) error {
	dir, err := MakeFolder(root, sealsFolder...)
	if err != nil {
		return err
	}
	defer dir.Close()
	return errors.Join(ReplaceFile(dir, id, seal), SyncDir(dir.Name()))
}

// ReadSeal reads the seal of a build. It returns fs.ErrNotExist if there is none.
func ReadSeal(root, id string) ([]byte, error) {
	dir, err := OpenFolder(root, sealsFolder...)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return readLimited(dir, id, maxSealLen)
}

// PruneSeals removes the seals of removed builds.
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
