// Package scratch makes temporary folders that go with the program that made them, even if it is
// killed: the next program that makes one removes what earlier ones left.
package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

const prefix = "kindex-tmp-"

// lockFile is kept locked by the program of a folder; the system releases the lock of a program that dies.
const lockFile = ".lock"

// Folder is a temporary folder that only its program uses. Its file .lock is not the caller's.
type Folder struct {
	Path string // absolute
	lock *flock.Flock
}

var sweepOnce sync.Once

// open are the folders that were not closed yet. An unreachable lock would be released.
var open sync.Map

// New makes a folder in the system's folder for temporary files. The purpose, such as git, becomes
// part of its name. The first call in a program removes the folders of programs that have ended.
func New(purpose string) (*Folder, error) {
	root, err := filepath.Abs(os.TempDir())
	if err != nil {
		return nil, err
	}
	sweepOnce.Do(func() { sweep(root) })
	for {
		dir, err := os.MkdirTemp(root, prefix+purpose+"-")
		if err != nil {
			return nil, err
		}
		f := &Folder{dir, flock.New(filepath.Join(dir, lockFile), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))}
		locked, err := f.lock.TryLock()
		if _, missing := os.Lstat(f.lock.Path()); locked && missing == nil {
			open.Store(dir, f.lock)
			return f, nil
		}
		_ = f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		// Another program has just swept the folder, before it was locked.
	}
}

// Close removes the folder and everything in it.
func (f *Folder) Close() error {
	open.Delete(f.Path)
	// Windows does not remove an open file.
	return errors.Join(f.lock.Unlock(), os.RemoveAll(f.Path))
}

// sweep removes the folders in root whose programs have ended. A folder that cannot be locked or removed is
// left: it may belong to somebody else, and the caller needs none of them.
func sweep(root string) {
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(dir, lockFile)
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			_ = os.Remove(dir) // its program was killed before it made the lock file
			continue
		}
		f := &Folder{dir, flock.New(path, flock.SetFlag(os.O_RDWR))}
		if locked, err := f.lock.TryLock(); err == nil && locked {
			_ = f.Close()
		}
	}
}
