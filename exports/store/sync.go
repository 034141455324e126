package store

import (
	"io/fs"
	"os"
	"path/filepath"
)

// SyncTree syncs every file and folder under dir to disk.
func SyncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syncPath(path)
	})
}

// SyncDir syncs the entries of a folder to disk.
func SyncDir(dir string) error { return syncPath(dir) }

// fsync syncs an open file or folder to disk. Tests replace it to see what is
// synced.
var fsync = (*os.File).Sync

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = fsync(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
