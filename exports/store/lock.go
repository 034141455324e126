package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// LockFile is the file in a folder by which builders take turns there.
const LockFile = ".kindex-build.lock"

// Lock is held by the one builder that may write below an output folder.
type Lock struct {
	lock      *flock.Flock
	ownerFile *os.File // the locked file, nil where it cannot be written
}

// BusyError tells that another builder is at work in the output folder.
type BusyError struct {
	Root  string
	Owner string // what the other builder wrote about itself
}

// Error implements error.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s: another build is running (%s)", e.Root, e.Owner)
}

// AcquireLock takes the lock of an output folder. Where somebody else has it,
// waiting is called once with what is known of them, and AcquireLock waits for
// them until ctx ends; with a nil waiting it returns a *BusyError at once. The
// operating system drops the lock of a builder that dies. Where the lock file is
// not one that kindex wrote, it is an error, and the file stays as it is.
func AcquireLock(ctx context.Context, root string, waiting func(*BusyError)) (*Lock, error) {
	dir, err := MakeFolder(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	path := filepath.Join(root, LockFile)
	if err := checkLockFile(dir, path); err != nil {
		return nil, err
	}
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		busy := &BusyError{Root: root, Owner: lockOwner(dir)}
		if busy.Owner == "" {
			busy.Owner = "unknown process"
		}
		if waiting == nil {
			return nil, busy
		}
		waiting(busy)
		if _, err := l.TryLockContext(ctx, 50*time.Millisecond); err != nil {
			return nil, fmt.Errorf("wait for the other build: %w", err)
		}
	}
	lock := &Lock{lock: l}
	if err := lock.writeOwner(dir, path); err != nil {
		return nil, errors.Join(err, l.Unlock())
	}
	return lock, nil
}

// checkLockFile refuses to open what kindex cannot have created: a link, which
// leads to a file of somebody else, or a pipe, which would block.
func checkLockFile(dir *os.Root, path string) error {
	info, err := dir.Lstat(LockFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular() || linkCount(info) > 1:
		return errForeignLock(path)
	}
	return nil
}

func errForeignLock(path string) error {
	return fmt.Errorf("%s is not a lock file of kindex, which is a regular file with one name and one line about the running build: remove it", path)
}

// ownerPattern is what builders write into the file. A full disk may have cut it off.
var ownerPattern = regexp.MustCompile(`^(process [0-9]+, since [0-9TZ:-]*\n?)?$`)

// maxOwnerLen is more than the length of any note.
const maxOwnerLen = 200

// writeOwner writes into the locked file who holds it, for people. On a full disk that
// fails, and the builder that would clean up must not be kept out by that.
func (l *Lock) writeOwner(dir *os.Root, path string) error {
	locked, err := l.lock.Stat()
	if err != nil {
		return err
	}
	f, err := dir.OpenFile(LockFile, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	info, err := f.Stat()
	if err != nil || !os.SameFile(info, locked) || !info.Mode().IsRegular() || linkCount(info) > 1 || !ownerPattern.MatchString(readOwnerNote(f)) {
		return errors.Join(err, errForeignLock(path), f.Close())
	}
	owner := fmt.Sprintf("process %d, since %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	_ = f.Truncate(0)
	_, _ = f.WriteAt([]byte(owner), 0)
	l.ownerFile = f
	return nil
}

func lockOwner(dir *os.Root) string {
	f, err := dir.Open(LockFile)
	if err != nil {
		return ""
	}
	defer f.Close()
	if note := readOwnerNote(f); ownerPattern.MatchString(note) {
		return strings.TrimSpace(note)
	}
	return ""
}

func readOwnerNote(f *os.File) string {
	b, err := io.ReadAll(io.LimitReader(f, maxOwnerLen))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// Release gives the lock back.
func (l *Lock) Release() error {
	_ = l.ownerFile.Truncate(0) // the owner's name is a courtesy
	return errors.Join(l.ownerFile.Close(), l.lock.Unlock())
}
