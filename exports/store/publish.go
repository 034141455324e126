package store

import (
	"errors"
	"fmt"
	"io/fs"
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
	if err == nil {
		defer dir.Close()
		err = checkFolder(dir, "builds")
	}
	var b []byte
	if err == nil {
		b, err = readLimited(dir, "current", 64)
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
	return listBuilds(dir)
}

func listBuilds(dir *os.Root) ([]string, error) {
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return nil, err
	}
	type build struct {
		id string
		at time.Time
	}
	var found []build
	for _, e := range entries {
		if !ValidID(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // removed in the meantime
		}
		found = append(found, build{e.Name(), info.ModTime()})
	}
	slices.SortFunc(found, func(a, b build) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
	ids := make([]string, len(found))
	for i, b := range found {
		ids[i] = b.id
	}
	return ids, nil
}

// Prune removes the oldest builds in an output folder until keep builds are left.
// It never removes the current build.
func Prune(root, current string, keep int) (removed []string, err error) {
	builds, err := OpenFolder(root, buildsFolder...)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer builds.Close()
	ids, err := listBuilds(builds)
	if err != nil {
		return nil, err
	}
	excess := len(ids) - keep
	for _, id := range ids {
		if excess <= 0 {
			break
		}
		if id == current {
			continue
		}
		// Rename the build first, so that a partly removed build does not look like a build.
		tempName := temporaryPrefix + id
		if err := builds.Rename(id, tempName); err != nil {
			return removed, err
		}
		if err := builds.RemoveAll(tempName); err != nil {
			return removed, err
		}
		removed = append(removed, id)
		excess--
	}
	return removed, nil
}
