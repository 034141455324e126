//go:build unix

package state

import (
	"os"
	"syscall"
)

// likeDatabase gives a lock that root has made to whom the database belongs, as
// SQLite does with its own files: the edge could not open it otherwise.
func likeDatabase(lock, database string) error {
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
