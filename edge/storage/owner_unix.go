//go:build unix

package storage

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// checkPrivate rejects a database if every user of the machine can read or change its file or the
// files that SQLite keeps next to it. A database contains accounts, hashes of keys, and
// submissions.
func checkPrivate(database string) error {
	var open []string
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if i, err := os.Stat(database + end); err == nil && i.Mode().Perm()&0o007 != 0 {
			open = append(open, database+end)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return fmt.Errorf("the database %s is accessible to every user of this machine: chmod 600 %s", database, strings.Join(open, " "))
}

// chownLike gives a lock file created by root to the owner of the database, as SQLite does with
// its own files. Otherwise the edge could not open it.
func chownLike(lock, database string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	i, err := os.Stat(database)
	if err != nil {
		return err
	}
	owner := i.Sys().(*syscall.Stat_t)
	return os.Chown(lock, int(owner.Uid), int(owner.Gid))
}
