package store

import (
	"io/fs"
	"os"
	"path/filepath"
)

// SyncTree makes every file and folder below dir durable.
func SyncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syncPath(path)
	})
}

// SyncDir makes the names in a folder durable.
func SyncDir(dir string) error { return syncPath(dir) }

// fsync makes an open file or folder durable. Tests replace it to see what is synced.
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
