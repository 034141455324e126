package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// LockFile is the name of the lock file in an output folder.
const LockFile = ".kindex-build.lock"

// Lock is the lock of an output folder. Only the builder that holds it may write to the
// folder.
type Lock struct {
	lock *flock.Flock
	file *os.File // the same file, for the note
}

// BusyError reports that another builder is working in the output folder.
type BusyError struct {
	Root  string
	Owner string // the note in the lock file
}

// Error implements error.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s: another build is running (%s)", e.Root, e.Owner)
}

// ownerPattern matches the note that builders write, which a full disk may have truncated.
var ownerPattern = regexp.MustCompile(`^(process [0-9]+, since [0-9TZ:-]*\n?)?$`)

const maxOwnerLen = 200

// AcquireLock takes the lock of an output folder. If another builder has it,
// AcquireLock calls waiting once and then waits for the lock until ctx is done. If
// waiting is nil, it returns a *BusyError at once. The operating system releases
// the lock of a builder that dies. If the lock file was not written by kindex,
// AcquireLock returns an error and leaves the file unchanged.
func AcquireLock(ctx context.Context, root string, waiting func(*BusyError)) (*Lock, error) {
	dir, err := MakeFolder(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	path := filepath.Join(root, LockFile)
	f, owner, err := openLockFile(dir, path)
	if err != nil {
		return nil, err
	}
	lock := &Lock{flock.New(path, flock.SetFlag(os.O_RDWR)), f}
	ok, err := lock.lock.TryLock()
	if err == nil && !ok {
		busy := &BusyError{Root: root, Owner: cmp.Or(strings.TrimSpace(owner), "unknown process")}
		if waiting == nil {
			return nil, errors.Join(busy, f.Close())
		}
		waiting(busy)
		if _, err = lock.lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
			err = fmt.Errorf("wait for the other build: %w", err)
		}
	} else if err != nil {
		err = fmt.Errorf("lock %s: %w", path, err)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	// The note tells people which process holds the lock. A full disk must not stop a builder that would free up space.
	_ = f.Truncate(0)
	_, _ = f.WriteAt(fmt.Appendf(nil, "process %d, since %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339)), 0)
	return lock, nil
}

// openLockFile opens or creates the lock file, and reads the note in it. It rejects a file that kindex cannot have
// created: a link, which could lead to any other file, a pipe, which would block, or one with other content.
func openLockFile(dir *os.Root, path string) (f *os.File, owner string, err error) {
	foreign := fmt.Errorf("%s is not a kindex lock file (a regular file that contains one line about the running build): remove it", path)
	info, err := dir.Lstat(LockFile)
	if err == nil && !info.Mode().IsRegular() {
		return nil, "", foreign
	}
	if f, err = dir.OpenFile(LockFile, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return nil, "", err
	}
	note, err := io.ReadAll(io.LimitReader(f, maxOwnerLen))
	if err == nil && !ownerPattern.Match(note) {
		err = foreign
	}
	if err != nil {
		return nil, "", errors.Join(err, f.Close())
	}
	return f, string(note), nil
}

// Release releases the lock.
func (l *Lock) Release() error {
	_ = l.file.Truncate(0) // the note is only informative
	return errors.Join(l.file.Close(), l.lock.Unlock())
}
