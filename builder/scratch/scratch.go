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

// lockFile is the file in each folder that its program keeps locked. The operating system releases
// the lock of a program that dies.
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
		lock, err := take(dir)
		if err == nil {
			open.Store(dir, lock)
			return &Folder{dir, lock}, nil
		}
		_ = os.RemoveAll(dir)
		if !errors.Is(err, errSwept) {
			return nil, err
		}
	}
}

// errSwept means that another program removed the folder before it was locked.
var errSwept = errors.New("the folder was removed")

// take locks a folder that was just made.
func take(dir string) (*flock.Flock, error) {
	path := filepath.Join(dir, lockFile)
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	switch locked, err := lock.TryLock(); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errSwept
	case err != nil:
		return nil, err
	case !locked:
		return nil, errors.Join(errSwept, lock.Close())
	}
	held, err := lock.Stat()
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	if there, err := os.Lstat(path); err != nil || !os.SameFile(held, there) {
		return nil, errors.Join(errSwept, lock.Unlock())
	}
	return lock, nil
}

// Close removes the folder and everything in it.
func (f *Folder) Close() error {
	open.Delete(f.Path)
	// Windows does not remove an open file.
	return errors.Join(f.lock.Unlock(), os.RemoveAll(f.Path))
}

// sweep removes the folders in root whose programs have ended. A folder that cannot be removed is
// left: it may belong to somebody else, and the caller needs none of them.
func sweep(root string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) || !isOurs(dir) {
			continue
		}
		path := filepath.Join(dir, lockFile)
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			_ = os.Remove(dir) // its program was killed before it made the lock file
			continue
		}
		lock := flock.New(path, flock.SetFlag(os.O_RDWR))
		if locked, err := lock.TryLock(); err == nil && locked {
			_ = (&Folder{dir, lock}).Close()
		}
	}
}
