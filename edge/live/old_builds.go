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

	mu     sync.Mutex
	builds map[string]*oldBuild
}

// oldBuild is a build with an accepted signature.
type oldBuild struct {
	*store.Manifest
	verified map[string]bool // the files that match the manifest
}

// NewOldBuilds returns the old builds of an output folder. If there are keys, builds that are not
// signed with one of them are treated as missing.
func NewOldBuilds(root string, keys []note.Verifier) *OldBuilds {
	return &OldBuilds{root: root, keys: keys, builds: map[string]*oldBuild{}}
}

// Open opens a file in a build, which can be its manifest. Clients cache its bytes for a year, so they
// are verified against the manifest before they are first sent. The builder may delete the build at any
// time; an open file can still be read to its end. It returns fs.ErrNotExist if there is no such
// build or file.
func (o *OldBuilds) Open(id, path string) (content io.ReadSeeker, m *store.Manifest, f store.File, err error) {
	if !store.ValidID(id) {
		return nil, nil, f, fs.ErrNotExist
	}
	dir := filepath.Join(store.BuildsDir(o.root), id)
	content, m, f, err = o.open(dir, id, path)
	// The builder may have deleted the build, which looks like damage.
	if _, gone := os.Stat(filepath.Join(dir, store.ManifestFile)); err != nil && errors.Is(gone, fs.ErrNotExist) {
		err = fs.ErrNotExist
	}
	return content, m, f, err
}

func (o *OldBuilds) open(dir, id, path string) (content io.ReadSeeker, m *store.Manifest, f store.File, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b, err := o.build(dir, id)
	if err != nil {
		return nil, nil, f, err
	}
	if path == store.ManifestFile {
		data, f, err := store.ManifestBytes(dir)
		return bytes.NewReader(data), b.Manifest, f, err
	}
	f, ok := b.File(path)
	if !ok {
		return nil, nil, f, fs.ErrNotExist
	}
	files, err := store.OpenFiles(dir)
	if err != nil {
		return nil, nil, f, err
	}
	defer files.Close()
	if !b.verified[path] {
		if err := store.VerifyFile(files, f); err != nil {
			return nil, nil, f, err
		}
		b.verified[path] = true
	}
	content, err = store.OpenFile(files, f)
	return content, b.Manifest, f, err
}

const maxBuilds = 32

// build returns a build in the output folder. One that is not signed, although it must be, does not exist.
func (o *OldBuilds) build(dir, id string) (*oldBuild, error) {
	if b := o.builds[id]; b != nil {
		return b, nil
	}
	m, err := store.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if err := mirror.CheckSaved(o.root, id, o.keys); err != nil {
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	if len(o.builds) >= maxBuilds {
		clear(o.builds)
	}
	o.builds[id] = &oldBuild{m, map[string]bool{}}
	return o.builds[id], nil
}
