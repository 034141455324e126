package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Staging is a build that is being written to a temporary folder next to its final location,
// so that an unfinished build never has the name of a build. Its methods may be called
// concurrently, but each FileWriter belongs to one goroutine.
type Staging struct {
	builds *os.Root // the folder of all builds
	name   string   // the temporary folder's name
	dir    *os.Root // the temporary folder

	mu    sync.Mutex
	files []File
}

// BuildsDir returns the folder in an output folder that contains the builds.
func BuildsDir(root string) string { return filepath.Join(root, "exports", "builds") }

// NewStaging starts a build in root, the output folder.
func NewStaging(root string) (*Staging, error) {
	builds, err := MakeFolder(root, buildsFolder...)
	if err != nil {
		return nil, err
	}
	w := &Staging{builds: builds}
	if w.name, err = TemporaryDir(builds); err == nil {
		w.dir, err = openSubfolder(builds, w.name)
	}
	if err != nil {
		return nil, errors.Join(err, builds.Close())
	}
	return w, nil
}

// FileWriter writes one file of a build and computes its checksum. The file
// becomes part of the build when it is closed.
type FileWriter struct {
	w    *Staging
	name string
	f    *os.File
	buf  *bufio.Writer
	sum  hash.Hash
	size int64
}

// Create creates a file.
func (w *Staging) Create(name string) (*FileWriter, error) {
	if !ValidPath(name) {
		return nil, fmt.Errorf("%q is not a valid file name for a build", name)
	}
	path := filepath.FromSlash(name)
	if err := w.dir.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := w.dir.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &FileWriter{w: w, name: name, f: f, buf: bufio.NewWriterSize(f, 1<<16), sum: sha256.New()}, nil
}

// Write implements io.Writer.
func (f *FileWriter) Write(b []byte) (int, error) {
	f.sum.Write(b)
	f.size += int64(len(b))
	return f.buf.Write(b)
}

// Close completes the file and adds it to the build.
func (f *FileWriter) Close() error {
	if err := errors.Join(f.buf.Flush(), f.f.Close()); err != nil {
		return err
	}
	base, encoding := f.name, ""
	if plain, ok := strings.CutSuffix(f.name, GzipExtension); ok {
		base, encoding = plain, "gzip"
	}
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	f.w.files = append(f.w.files, File{
		Path: f.name, Size: f.size, SHA256: hex.EncodeToString(f.sum.Sum(nil)),
		MediaType: mediaType(base), Encoding: encoding,
	})
	return nil
}

// Add writes a file with the given content.
func (w *Staging) Add(name string, data []byte) error {
	f, err := w.Create(name)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.f.Close())
	}
	return f.Close()
}

// Finalize adds the files, their licences and the ID to the manifest and writes it.
// The build is then complete but not yet in place.
func (w *Staging) Finalize(m *Manifest, license func(path string) string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	m.Files = w.files
	for i := range m.Files {
		m.Files[i].License = license(m.Files[i].Path)
	}
	m.Finalize()
	return w.dir.WriteFile(ManifestFile, m.Encode(), 0o644)
}

// Install syncs all files and moves the build to its final location. If the same
// build is already there and intact, Install keeps it.
func (w *Staging) Install(m *Manifest) error {
	if same, err := w.isInstalled(m); err != nil || same {
		return errors.Join(err, w.Discard())
	}
	if err := SyncTree(w.dir.Name()); err != nil {
		return err
	}
	if err := w.builds.RemoveAll(m.ID); err != nil {
		return fmt.Errorf("remove the damaged build with the same ID: %w", err)
	}
	if err := w.builds.Rename(w.name, m.ID); err != nil {
		return err
	}
	return errors.Join(SyncDir(w.builds.Name()), w.close())
}

// isInstalled reports whether the same build is already at the final location: the manifest
// must be equal and the files unaltered.
func (w *Staging) isInstalled(m *Manifest) (bool, error) {
	dir, err := openSubfolder(w.builds, m.ID)
	var damage *LinkError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.As(err, &damage):
		return false, err
	case err != nil:
		return false, nil // whatever is at the final location is replaced
	}
	defer dir.Close()
	there, err := dir.ReadFile(ManifestFile)
	return err == nil && bytes.Equal(there, m.Encode()) && VerifyFiles(dir.Name(), m.Files) == nil, nil
}

// Discard removes the temporary folder. It may be called after Install.
func (w *Staging) Discard() error {
	if w.dir == nil {
		return nil
	}
	return errors.Join(w.builds.RemoveAll(w.name), w.close())
}

func (w *Staging) close() error {
	err := errors.Join(w.dir.Close(), w.builds.Close())
	w.dir = nil
	return err
}
