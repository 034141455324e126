package gitlog

import (
	"context"
	"path"
	"strings"
)

// TrackedSecrets returns the files that must stay secret, but are in the checked-out commit of the repository
// that contains a folder: databases with accounts, and keys. They are recognized by the names that kindex gives
// them. The result is relative to the root of the repository and empty outside a repository or without git.
func TrackedSecrets(ctx context.Context, dir string) (found []string, err error) {
	err = at(ctx, dir, "", func(r *repository) error {
		list, err := entries(ctx, r.Repository, "-r", "-l", r.head)
		for _, e := range list {
			if isSecret(e) {
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
// such as kindex-backup.db, or of a file that SQLite or a backup put beside these.
func isSecret(e entry) bool {
	name := path.Base(e.path)
	_, beside, isDatabase := strings.Cut(name, ".db")
	return strings.HasSuffix(name, ".key") && e.size >= 0 && e.size <= maxKey ||
		strings.HasPrefix(name, "kindex") && isDatabase && (beside == "" || strings.ContainsAny(beside[:1], "-."))
}
