package gitlog

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"kindex/builder/content/schema"
	"kindex/builder/plural"
)

// TrackedSecrets returns the files that must stay secret, but are in the checked-out commit of the repository
// that contains a folder: databases with accounts, and keys. They are recognized by the names that kindex gives
// them, and by the names, without folders, that a user gave to others. The result is relative to the root of the
// repository and empty outside a repository or without git.
func TrackedSecrets(ctx context.Context, dir string, names ...string) (found []string, err error) {
	err = at(ctx, dir, "", func(r *repository) error {
		list, err := entries(ctx, r.Repository, "-r", "-l", r.head)
		for _, e := range list {
			if isSecret(e, names) {
				found = append(found, e.path)
			}
		}
		return err
	})
	return found, err
}

// maxKey is the size in bytes of the largest key file. Other programs have larger files whose
// names end in .key.
const maxKey = 4096

// isSecret reports whether a file has the name of a key, of the state, such as kindex.db, of a backup of it,
// such as kindex-backup.db, one of names, or of a file that SQLite or a backup put beside these.
func isSecret(e entry, names []string) bool {
	name := path.Base(e.path)
	beside := func(rest string) bool { return rest == "" || strings.ContainsAny(rest[:1], "-.") }
	_, rest, isDatabase := strings.Cut(name, ".db")
	return strings.HasSuffix(name, ".key") && e.size >= 0 && e.size <= maxKey ||
		strings.HasPrefix(name, "kindex") && isDatabase && beside(rest) ||
		slices.ContainsFunc(names, func(of string) bool {
			rest, ok := strings.CutPrefix(name, of)
			return ok && beside(rest)
		})
}

// SparseError is the error for a sparse checkout that leaves out files of the content.
type SparseError struct {
	Dir   string
	Files []string // relative to the root of the repository
}

// Error names some of the files and says how to check them out.
func (e *SparseError) Error() string {
	named, rest := e.Files, ""
	if more := len(named) - 3; more > 0 {
		named, rest = named[:3], fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s: a sparse checkout leaves out %s of the content: %s%s; check them out: git sparse-checkout disable, or git sparse-checkout add with their folder",
		e.Dir, plural.Count(len(e.Files), "file", "files"), strings.Join(named, ", "), rest)
}

// CheckSparse returns a *SparseError if a sparse checkout leaves out files of a content folder: to a
// build, they would look deleted.
func CheckSparse(ctx context.Context, dir string) error {
	return at(ctx, dir, "", func(r *repository) error {
		left, err := r.LeftOut(ctx)
		if err != nil {
			return err
		}
		missing := slices.DeleteFunc(left, func(name string) bool {
			below, ok := strings.CutPrefix(name, r.Prefix)
			isEntity := strings.Count(below, "/") == 1 && strings.HasSuffix(below, ".yaml") // of any kind: kinds.yaml may be left out, too
			return !ok || !isEntity && !schema.IsRootFile(below)
		})
		if len(missing) > 0 {
			return &SparseError{dir, missing}
		}
		return nil
	})
}

// Tracked reports whether the checked-out commit contains files in any of the given folders.
// It returns false outside a repository or if git is not installed. A missing folder contains
// no files.
func Tracked(ctx context.Context, dirs ...string) (bool, error) {
	for _, dir := range dirs {
		tracked := false
		err := at(ctx, dir, "", func(r *repository) error {
			list, err := entries(ctx, r.Repository, r.head, "--", r.Prefix)
			tracked = len(list) > 0
			return err
		})
		if err != nil || tracked {
			return tracked, err
		}
	}
	return false, nil
}
