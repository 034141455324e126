package exports

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// idGrammar is what a build's id looks like; anything else never becomes part
// of a path.
var idGrammar = regexp.MustCompile(`^[0-9]{8}-[0-9a-f]{16}$`)

// ValidID tells whether s has the form of a build id.
func ValidID(s string) bool { return idGrammar.MatchString(s) }

func currentPath(root string) string { return filepath.Join(root, "exports", "current") }

// ErrNoBuild tells that an output folder has no published build yet.
var ErrNoBuild = errors.New("no build is published there yet; make one with: kindex build --content content --out")

// Current returns the id of the published build.
func Current(root string) (string, error) {
	b, err := os.ReadFile(currentPath(root))
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%s: %w %s", currentPath(root), ErrNoBuild, root)
	}
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(b))
	if !ValidID(id) {
		return "", &DamageError{Path: currentPath(root), Problem: fmt.Sprintf("holds %.40q, which is no build id", id)}
	}
	return id, nil
}

// Publish makes id the current build: readers see the old one or this one,
// never something between, also after a power cut.
func Publish(root, id string) error {
	dir := filepath.Dir(currentPath(root))
	tmp, err := os.CreateTemp(dir, temporaryPrefix)
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(id + "\n")
	if err := errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), currentPath(root)); err != nil {
		return err
	}
	return SyncDir(dir)
}

// Builds lists the ids of the builds in a folder, oldest first. A folder that
// is not there holds none.
func Builds(builds string) ([]string, error) {
	entries, err := os.ReadDir(builds)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	type build struct {
		id string
		at time.Time
	}
	var found []build
	for _, e := range entries {
		if !ValidID(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // removed meanwhile
		}
		found = append(found, build{e.Name(), info.ModTime()})
	}
	slices.SortFunc(found, func(a, b build) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
	ids := make([]string, len(found))
	for i, b := range found {
		ids[i] = b.id
	}
	return ids, nil
}

// Prune removes the oldest builds of a folder until keep are left. The current
// one is never removed.
func Prune(builds, current string, keep int) (removed []string, err error) {
	ids, err := Builds(builds)
	if err != nil {
		return nil, err
	}
	excess := len(ids) - keep
	for _, id := range ids {
		if excess <= 0 {
			break
		}
		if id == current {
			continue
		}
		// Renaming first keeps a half-removed build from looking like one.
		gone := filepath.Join(builds, temporaryPrefix+id)
		if err := os.Rename(filepath.Join(builds, id), gone); err != nil {
			return removed, err
		}
		if err := os.RemoveAll(gone); err != nil {
			return removed, err
		}
		removed = append(removed, id)
		excess--
	}
	return removed, nil
}

// LockFile is the file in a folder by which builders take turns there.
const LockFile = ".kindex-build.lock"

// Lock is held by the one builder that may write below an output folder.
type Lock struct {
	lock *flock.Flock
}

// BusyError tells that another builder is at work in the output folder.
type BusyError struct {
	Root  string
	Owner string // what the other builder wrote about itself
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s: another build is running (%s)", e.Root, e.Owner)
}

// AcquireLock takes the lock of an output folder. Where somebody else has it,
// waiting is called once with what is known of them, and AcquireLock waits for
// them until ctx ends; with a nil waiting it returns a *BusyError at once. The
// operating system drops the lock of a builder that dies.
func AcquireLock(ctx context.Context, root string, waiting func(*BusyError)) (*Lock, error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(root, LockFile)
	l := flock.New(path)
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		owner, _ := os.ReadFile(path)
		busy := &BusyError{Root: root, Owner: strings.TrimSpace(string(owner))}
		if busy.Owner == "" {
			busy.Owner = "it has not said which"
		}
		if waiting == nil {
			return nil, busy
		}
		waiting(busy)
		if _, err := l.TryLockContext(ctx, 50*time.Millisecond); err != nil {
			return nil, fmt.Errorf("wait for the other build: %w", err)
		}
	}
	// What the file says is for people. On a full disk it cannot be written, and
	// the builder that would clean up must not be kept out by that.
	owner := fmt.Sprintf("process %d, since %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	_ = os.WriteFile(path, []byte(owner), 0o644)
	return &Lock{lock: l}, nil
}

// Release gives the lock back.
func (l *Lock) Release() error {
	_ = os.Truncate(l.lock.Path(), 0) // the owner's name is a courtesy
	return l.lock.Unlock()
}
