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

// LockFile is the name of the lock file in an output folder.
const LockFile = ".kindex-build.lock"

// Lock is the lock of an output folder. Only the builder that holds it may write to the
// folder.
type Lock struct {
	lock      *flock.Flock
	ownerFile *os.File // the locked file
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

// checkLockFile rejects a file that kindex cannot have created: a link, which
// could lead to any other file, or a pipe, which would block.
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
	return fmt.Errorf("%s is not a kindex lock file (a regular file without other hard links that contains one line about the running build): remove it", path)
}

// ownerPattern matches the note that builders write, which a full disk may have
// truncated.
var ownerPattern = regexp.MustCompile(`^(process [0-9]+, since [0-9TZ:-]*\n?)?$`)

// maxOwnerLen exceeds the length of any note, in bytes.
const maxOwnerLen = 200

// writeOwner writes a note into the locked file that tells people which process holds the
// lock. Write errors are ignored, because a full disk must not stop a builder that would free
// up space.
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

// Release releases the lock.
func (l *Lock) Release() error {
	_ = l.ownerFile.Truncate(0) // the note is only informative
	return errors.Join(l.ownerFile.Close(), l.lock.Unlock())
}
