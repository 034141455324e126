package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/time/rate"

	"kindex/exports/mirror"
	"kindex/exports/store"
)

// OldBuilds reads files of builds that are no longer current. It is safe for concurrent use.
type OldBuilds struct {
	root  string
	keys  []note.Verifier
	files *mirror.Files // builds that are not in the folder any more; nil if there is no bucket
	log   *slog.Logger
	// reports limits messages about files that cannot be fetched: anyone can request any file.
	reports rate.Sometimes

	mu        sync.Mutex
	manifests map[string]*store.Manifest
	verified  map[string]bool // files already verified against their manifest
	reading   usage
}

// NewOldBuilds returns the old builds of an output folder and, if files is not nil, those in a
// bucket. If there are keys, builds that are not signed with one of them are treated as missing.
func NewOldBuilds(root string, keys []note.Verifier, files *mirror.Files, log *slog.Logger) *OldBuilds {
	return &OldBuilds{root: root, keys: keys, files: files, log: log, reports: rate.Sometimes{First: 5, Interval: 10 * time.Second}}
}

// InUse reports whether a file of a build is open.
func (o *OldBuilds) InUse(id string) bool { return o.reading.has(id) }

// NeedsFetch reports whether the files of a build would have to be fetched from the bucket.
func (o *OldBuilds) NeedsFetch(id string) bool {
	_, err := o.manifest(id)
	return o.files != nil && errors.Is(o.orNotExist(id, err), fs.ErrNotExist)
}

// NeedsLookUp reports whether it must be looked up first what the bucket has of a build that needs to be
// fetched.
func (o *OldBuilds) NeedsLookUp(id string) bool { return !o.files.Knows(id) }

// Open opens a file in a build. Clients cache its bytes for a year, so they are verified
// against the manifest before they are first sent. The builder may delete the build at any
// time; an open file can still be read to its end. If the file is not in the folder any more, it is
// fetched from the bucket, which can take long. It returns fs.ErrNotExist if there is no such
// build or file.
func (o *OldBuilds) Open(ctx context.Context, id, path string) (io.ReadSeekCloser, *store.Manifest, store.File, error) {
	file, m, f, err := o.openLocal(id, path)
	if err == nil {
		o.reading.add(id, 1)
		return &trackedFile{File: file, closed: sync.OnceFunc(func() { o.reading.add(id, -1) })}, m, f, nil
	}
	if o.files == nil || m != nil || !errors.Is(err, fs.ErrNotExist) {
		return nil, m, f, err
	}
	fetched, m, f, err := o.files.Open(ctx, id, path)
	if err != nil {
		return nil, m, f, o.fetchError(id, path, err)
	}
	return fetched, m, f, nil
}

// FetchError means that a file could not be fetched from the bucket, although it may be there.
type FetchError struct{ Err error }

// Error implements error.
func (e *FetchError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Err }

// fetchError returns the error for a file that could not be fetched, and logs it unless the file
// does not exist or the client has gone away.
func (o *OldBuilds) fetchError(id, path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fs.ErrNotExist
	}
	if !errors.Is(err, context.Canceled) {
		o.reports.Do(func() {
			o.log.Warn("a file of an old build cannot be fetched from the bucket", "build", id, "file", path, "error", err)
		})
	}
	return &FetchError{err}
}

// ManifestBytes returns the manifest of a build as it is stored, and an entry for it.
func (o *OldBuilds) ManifestBytes(ctx context.Context, id string) ([]byte, *store.Manifest, store.File, error) {
	data, f, err := store.ManifestBytes(filepath.Join(store.BuildsDir(o.root), id))
	if err == nil {
		var m *store.Manifest
		if m, err = o.manifest(id); err == nil {
			return data, m, f, nil
		}
	}
	if o.files == nil || !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, f, err
	}
	m, data, err := o.files.Manifest(ctx, id)
	if err != nil {
		return nil, nil, store.File{}, o.fetchError(id, store.ManifestFile, err)
	}
	return data, m, store.ManifestEntry(m, data), nil
}

// trackedFile reports when it is closed.
type trackedFile struct {
	*os.File
	closed func()
}

// Close implements io.Closer.
func (t *trackedFile) Close() error {
	t.closed()
	return t.File.Close()
}

// usage counts who uses builds.
type usage struct {
	mu     sync.Mutex
	counts map[string]int
}

func (u *usage) add(id string, n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.counts == nil {
		u.counts = map[string]int{}
	}
	if u.counts[id] += n; u.counts[id] == 0 {
		delete(u.counts, id)
	}
}

func (u *usage) has(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.counts[id] > 0
}

// openLocal opens a file in the output folder. The manifest is nil if the build is not there.
func (o *OldBuilds) openLocal(id, path string) (*os.File, *store.Manifest, store.File, error) {
	m, err := o.manifest(id)
	if err != nil {
		return nil, nil, store.File{}, err
	}
	f, ok := m.File(path)
	if !ok {
		return nil, m, f, fs.ErrNotExist
	}
	dir := filepath.Join(store.BuildsDir(o.root), id)
	full := filepath.Join(dir, filepath.FromSlash(f.Path))
	files, err := store.OpenFiles(dir)
	if err != nil {
		return nil, o.manifestUnlessDeleted(id, m), f, o.orNotExist(id, err)
	}
	defer files.Close()
	content, err := store.OpenFile(files, f)
	if err != nil {
		return nil, o.manifestUnlessDeleted(id, m), f, o.orNotExist(id, err)
	}
	o.mu.Lock()
	verified := o.verified[full]
	o.mu.Unlock()
	if verified {
		return content, m, f, nil
	}
	if err := store.VerifyFile(dir, f); err != nil {
		return nil, o.manifestUnlessDeleted(id, m), f, errors.Join(o.orNotExist(id, err), content.Close())
	}
	o.mu.Lock()
	o.verified[full] = true
	o.mu.Unlock()
	return content, m, f, nil
}

// maxManifests is the maximum number of cached manifests.
const maxManifests = 32

// manifest returns the manifest of a build in the output folder. A build that is not signed, although
// it must be, does not exist.
func (o *OldBuilds) manifest(id string) (*store.Manifest, error) {
	if !store.ValidID(id) {
		return nil, fs.ErrNotExist
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if m := o.manifests[id]; m != nil {
		return m, nil
	}
	m, err := store.ReadManifest(filepath.Join(store.BuildsDir(o.root), id))
	if err != nil {
		return nil, o.orNotExist(id, err)
	}
	if err := mirror.CheckSaved(o.root, id, o.keys); err != nil {
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	if o.manifests == nil || len(o.manifests) >= maxManifests {
		o.manifests, o.verified = map[string]*store.Manifest{}, map[string]bool{}
	}
	o.manifests[id] = m
	return m, nil
}

// manifestUnlessDeleted returns the manifest, or nil if the build was deleted.
func (o *OldBuilds) manifestUnlessDeleted(id string, m *store.Manifest) *store.Manifest {
	if errors.Is(o.orNotExist(id, nil), fs.ErrNotExist) {
		return nil
	}
	return m
}

// orNotExist replaces an error with fs.ErrNotExist if the builder has deleted the build,
// because a deletion during a read looks like damage.
func (o *OldBuilds) orNotExist(id string, err error) error {
	if _, statErr := os.Stat(filepath.Join(store.BuildsDir(o.root), id, store.ManifestFile)); errors.Is(statErr, fs.ErrNotExist) {
		return fs.ErrNotExist
	}
	return err
}
