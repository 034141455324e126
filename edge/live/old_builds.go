package live

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/mod/sumdb/note"

	"kindex/exports/mirror"
	"kindex/exports/store"
)

// OldBuilds reads files of builds that are no longer current. It is safe for concurrent use.
type OldBuilds struct {
	root string
	keys []note.Verifier

	mu        sync.Mutex
	manifests map[string]*store.Manifest
	verified  map[string]bool // files already verified against their manifest
}

// NewOldBuilds returns the old builds of an output folder. If there are keys, builds that are not
// signed with one of them are treated as missing.
func NewOldBuilds(root string, keys []note.Verifier) *OldBuilds {
	return &OldBuilds{root: root, keys: keys}
}

// Open opens a file in a build, which can be its manifest. Clients cache its bytes for a year, so they
// are verified against the manifest before they are first sent. The builder may delete the build at any
// time; an open file can still be read to its end. It returns fs.ErrNotExist if there is no such
// build or file.
func (o *OldBuilds) Open(id, path string) (content io.ReadSeeker, m *store.Manifest, f store.File, err error) {
	if m, err = o.manifest(id); err != nil {
		return nil, nil, f, err
	}
	dir := filepath.Join(store.BuildsDir(o.root), id)
	if path == store.ManifestFile {
		data, f, err := store.ManifestBytes(dir)
		return bytes.NewReader(data), m, f, o.orNotExist(id, err)
	}
	f, ok := m.File(path)
	if !ok {
		return nil, nil, f, fs.ErrNotExist
	}
	content, err = o.openVerified(dir, f)
	return content, m, f, o.orNotExist(id, err)
}

// openVerified opens a file in the folder of a build, after it has been verified once.
func (o *OldBuilds) openVerified(dir string, f store.File) (*os.File, error) {
	files, err := store.OpenFiles(dir)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	content, err := store.OpenFile(files, f)
	if err != nil {
		return nil, err
	}
	full := filepath.Join(dir, filepath.FromSlash(f.Path))
	o.mu.Lock()
	verified := o.verified[full]
	o.mu.Unlock()
	if verified {
		return content, nil
	}
	if err := store.VerifyFile(dir, f); err != nil {
		return nil, errors.Join(err, content.Close())
	}
	o.mu.Lock()
	o.verified[full] = true
	o.mu.Unlock()
	return content, nil
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

// orNotExist replaces an error with fs.ErrNotExist if the builder has deleted the build,
// because a deletion during a read looks like damage.
func (o *OldBuilds) orNotExist(id string, err error) error {
	if err == nil {
		return nil
	}
	if _, statErr := os.Stat(filepath.Join(store.BuildsDir(o.root), id, store.ManifestFile)); errors.Is(statErr, fs.ErrNotExist) {
		return fs.ErrNotExist
	}
	return err
}
