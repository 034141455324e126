package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// idPattern matches build IDs. No other string is ever used as part of a path.
var idPattern = regexp.MustCompile(`^[0-9]{8}-[0-9a-f]{16}$`)

// ValidID reports whether s has the form of a build ID.
func ValidID(s string) bool { return idPattern.MatchString(s) }

func currentPath(root string) string { return filepath.Join(root, "exports", "current") }

// ErrNoBuild reports that an output folder has no published build. The message ends with an
// option that takes the output folder, so the caller must append the folder.
var ErrNoBuild = errors.New("no build is published yet; create one with: kindex build --content content --out")

// Current returns the ID of the published build.
func Current(root string) (string, error) {
	dir, err := OpenFolder(root, "exports")
	var b []byte
	if err == nil {
		defer dir.Close()
		var builds *os.Root // must not be a link either
		if builds, err = openSubfolder(dir, "builds"); err == nil {
			err = builds.Close()
		}
		if err == nil || errors.Is(err, os.ErrNotExist) {
			b, err = readLimited(dir, "current", 64)
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%s: %w %s", currentPath(root), ErrNoBuild, root)
	}
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(b))
	if !ValidID(id) {
		return "", &DamageError{Path: currentPath(root), Problem: fmt.Sprintf("contains %.40q, which is not a build ID", id)}
	}
	return id, nil
}

// Publish atomically makes id the current build, even across a power failure.
func Publish(root, id string) error {
	dir, err := MakeFolder(root, "exports")
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := ReplaceFile(dir, "current", []byte(id+"\n")); err != nil {
		return err
	}
	return SyncDir(dir.Name())
}

// Builds returns the IDs of the builds in a folder, oldest first. The list is empty
// if the folder does not exist. root and names have the same meaning as in
// OpenFolder.
func Builds(root string, names ...string) ([]string, error) {
	dir, err := OpenFolder(root, names...)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := fs.ReadDir(dir.FS(), ".")
	at := map[string]time.Time{} // by ID
	for _, e := range entries {
		if info, failed := e.Info(); failed == nil && ValidID(e.Name()) { // or it was removed in the meantime
			at[e.Name()] = info.ModTime()
		}
	}
	return slices.SortedFunc(maps.Keys(at), func(a, b string) int { return cmp.Or(at[a].Compare(at[b]), strings.Compare(a, b)) }), err
}

// Prune removes the oldest builds in an output folder until keep builds are left. It never removes a build
// that is in use, such as the current one. See also Remove.
func Prune(root string, keep int, inUse func(id string) bool) (removed []string, err error) {
	ids, err := Builds(root, buildsFolder...)
	excess := len(ids) - keep
	for _, id := range ids {
		if len(removed) < excess && !inUse(id) {
			removed = append(removed, id)
		}
	}
	return removed, errors.Join(err, Remove(root, removed...))
}

// Remove removes builds from an output folder, and then indexes and statements that belong to no build.
func Remove(root string, ids ...string) error {
	if err := removeFrom(root, buildsFolder, func(id string) bool { return slices.Contains(ids, id) }); err != nil {
		return err
	}
	kept, err := Builds(root, buildsFolder...)
	if err != nil {
		return err
	}
	ownerless := func(id string) bool { return !slices.Contains(kept, id) }
	return errors.Join(removeFrom(root, indexesFolder, ownerless), removeFrom(root, statementsFolder, ownerless))
}

// removeFrom removes what is named like a build from a folder. It renames it first, so that what is partly
// removed does not look complete.
func removeFrom(root string, folder []string, unwanted func(id string) bool) error {
	return eachIn(root, folder, func(dir *os.Root, e fs.DirEntry) error {
		id := e.Name()
		if !ValidID(id) || !unwanted(id) {
			return nil
		}
		if err := dir.Rename(id, temporaryPrefix+id); err != nil {
			return err
		}
		return dir.RemoveAll(temporaryPrefix + id)
	})
}

// A signed statement proves who published a build to anyone who has the publisher's key. If this machine
// has no key, it has not verified the statement. The package sign documents it. Statements are stored next
// to the builds, not in them, because the bytes of a build depend only on the content.
var statementsFolder = []string{"exports", "statements"}

const maxStatementLen = 16 << 10

// WriteStatement writes the signed statement about a build in an output folder.
func WriteStatement(root, id string, signed []byte) error {
	dir, err := MakeFolder(root, statementsFolder...)
	if err != nil {
		return err
	}
	defer dir.Close()
	return errors.Join(ReplaceFile(dir, id, signed), SyncDir(dir.Name()))
}

// ReadStatement reads the signed statement about a build. It returns fs.ErrNotExist if there is
// none.
func ReadStatement(root, id string) ([]byte, error) {
	dir, err := OpenFolder(root, statementsFolder...)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return readLimited(dir, id, maxStatementLen)
}
