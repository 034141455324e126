package gitlog

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kindex/builder/git"
)

// TrackedSecrets returns the files of a service that must stay secret, but are in the checked-out
// commit of the repository that contains a folder: databases with accounts, and keys. They are
// recognized by the names that kindex gives them, and files are the paths of others. The result is
// relative to the root of the repository and empty outside a repository or without git.
func TrackedSecrets(ctx context.Context, dir string, files ...string) (found []string, err error) {
	err = at(ctx, dir, "", func(r *repository) error {
		list, err := entries(ctx, r.Repository, "-r", "-l", r.head)
		if err != nil {
			return err
		}
		named, err := withinRepository(ctx, dir, files)
		if err != nil {
			return err
		}
		for _, e := range list {
			if isSecret(e) || slices.ContainsFunc(named, func(of string) bool { return e.path == of || isSideFile(e.path, of) }) {
				found = append(found, e.path)
			}
		}
		return nil
	})
	return found, err
}

// maxKey is the size in bytes of the largest key file. Other programs have larger files whose
// names end in .key.
const maxKey = 4096

// isSecret reports whether a file has a name that kindex, or its documentation, gives to secret
// files.
func isSecret(e entry) bool {
	return strings.HasSuffix(e.path, ".key") && e.size >= 0 && e.size <= maxKey || isDatabase(path.Base(e.path))
}

// isDatabase reports whether a file has the name of the state, such as kindex.db, of a backup of it, such
// as kindex-backup.db, or of a file beside these.
func isDatabase(name string) bool {
	at := strings.LastIndex(name, ".db")
	return at >= 0 && strings.HasPrefix(name, "kindex") && (name[at:] == ".db" || isSideFile(name, name[:at+len(".db")]))
}

// isSideFile reports whether SQLite, or a backup, put a file beside a database.
func isSideFile(name, database string) bool {
	rest, ok := strings.CutPrefix(name, database)
	return ok && (strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "."))
}

// withinRepository returns the paths of files relative to the root of the repository. Files
// outside it are left out.
func withinRepository(ctx context.Context, dir string, files []string) (paths []string, err error) {
	top, err := git.Top(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		folder, err := filepath.EvalSymlinks(filepath.Dir(abs))
		if err != nil {
			continue // the folder does not exist, so nothing in it is tracked
		}
		if rel, err := filepath.Rel(top, filepath.Join(folder, filepath.Base(abs))); err == nil && filepath.IsLocal(rel) {
			paths = append(paths, filepath.ToSlash(rel))
		}
	}
	return paths, nil
}
