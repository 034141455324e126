package live

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"kindex/exports/store"
)

// OldBuilds caches the manifests of builds that are no longer current.
type OldBuilds struct {
	Root string

	mu        sync.Mutex
	manifests map[string]*store.Manifest
	verified  map[string]bool // files already verified against their manifest
}

// Open opens a file in a build. Clients cache its bytes for a year, so they are verified
// against the manifest before they are first sent. The builder may delete the build at any
// time; an open file can still be read to its end.
func (o *OldBuilds) Open(id, path string) (*os.File, store.File, error) {
	m, err := o.Manifest(id)
	if err != nil {
		return nil, store.File{}, errors.Join(fs.ErrNotExist, err)
	}
	f, ok := m.File(path)
	if !ok {
		return nil, f, fs.ErrNotExist
	}
	dir := filepath.Join(store.BuildsDir(o.Root), id)
	full := filepath.Join(dir, filepath.FromSlash(f.Path))
	files, err := store.OpenFiles(dir)
	if err != nil {
		return nil, f, o.orNotExist(id, err)
	}
	defer files.Close()
	content, err := store.OpenFile(files, f)
	if err != nil {
		return nil, f, o.orNotExist(id, err)
	}
	o.mu.Lock()
	verified := o.verified[full]
	o.mu.Unlock()
	if verified {
		return content, f, nil
	}
	if err := store.VerifyFile(dir, f); err != nil {
		return nil, f, errors.Join(o.orNotExist(id, err), content.Close())
	}
	o.mu.Lock()
	o.verified[full] = true
	o.mu.Unlock()
	return content, f, nil
}

// maxManifests is the maximum number of cached manifests.
const maxManifests = 32

func (o *OldBuilds) Manifest(id string) (*store.Manifest, error) {
	if !store.ValidID(id) {
		return nil, fs.ErrNotExist
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if m := o.manifests[id]; m != nil {
		return m, nil
	}
	m, err := store.ReadManifest(filepath.Join(store.BuildsDir(o.Root), id))
	if err != nil {
		return nil, o.orNotExist(id, err)
	}
	if o.manifests == nil || len(o.manifests) >= maxManifests {
		o.manifests, o.verified = map[string]*store.Manifest{}, map[string]bool{}
	}
	o.manifests[id] = m
	return m, nil
}

// orNotExist replaces an error with fs.ErrNotExist if the builder has deleted the build,
// because a deletion during a read looks like damage.
func (o *OldBuilds) orNotExist(id string, err error) error {
	if _, gone := os.Stat(filepath.Join(store.BuildsDir(o.Root), id, store.ManifestFile)); errors.Is(gone, fs.ErrNotExist) {
		return fs.ErrNotExist
	}
	return err
}
