package store

import (
	"errors"
	"io/fs"
	"slices"
)

// Files about builds are stored next to the builds, not in them, because the bytes of a build
// depend only on the content:
//
//   - A signed statement proves who published a build to anyone who has the publisher's key. If
//     this machine has no key, it has not verified the statement. The package buildlog documents
//     it.
//   - A checkpoint describes the log of all statements that were signed with a key, as this
//     machine saw it last. There is one file for each key.
var (
	statementsFolder  = []string{"exports", "statements"}
	checkpointsFolder = []string{"exports", "checkpoints"}
)

// maxProofLen is the maximum size of such a file in bytes.
const maxProofLen = 16 << 10

// WriteStatement writes the signed statement about a build in an output folder.
func WriteStatement(root, id string, signed []byte) error {
	return writeProof(root, statementsFolder, id, signed)
}

// ReadStatement reads the signed statement about a build. It returns fs.ErrNotExist if there is
// none.
func ReadStatement(root, id string) ([]byte, error) { return readProof(root, statementsFolder, id) }

// WriteCheckpoint writes the signed checkpoint of the log of a key.
func WriteCheckpoint(root, key string, signed []byte) error {
	return writeProof(root, checkpointsFolder, key, signed)
}

// ReadCheckpoint reads the signed checkpoint of the log of a key. It returns fs.ErrNotExist if
// there is none.
func ReadCheckpoint(root, key string) ([]byte, error) { return readProof(root, checkpointsFolder, key) }

func writeProof(root string, folder []string, name string, data []byte) error {
	dir, err := MakeFolder(root, folder...)
	if err != nil {
		return err
	}
	defer dir.Close()
	return errors.Join(ReplaceFile(dir, name, data), SyncDir(dir.Name()))
}

func readProof(root string, folder []string, name string) ([]byte, error) {
	dir, err := OpenFolder(root, folder...)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return readLimited(dir, name, maxProofLen)
}

// PruneStatements removes the statements about removed builds.
func PruneStatements(root string, kept []string) error {
	return pruneProofs(root, statementsFolder, kept)
}

func pruneProofs(root string, folder, kept []string) error {
	dir, err := OpenFolder(root, folder...)
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
