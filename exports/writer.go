package exports

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Writer assembles one build in a temporary folder beside its final place, so
// that nothing unfinished ever carries a build's name. Its methods may be
// called from several goroutines; each file is for one.
type Writer struct {
	root    string // the output folder
	dir     string // the temporary folder
	earlier *Build // that what is the same is taken from, nil for none

	mu    sync.Mutex
	files []File
}

// temporaryPrefix marks folders that hold an unfinished build. A builder that
// holds the lock removes those that a killed one left.
const temporaryPrefix = ".tmp-"

// BuildsDir is where the builds of an output folder lie.
func BuildsDir(root string) string { return filepath.Join(root, "exports", "builds") }

// NewWriter starts a build below root, the output folder.
func NewWriter(root string) (*Writer, error) {
	builds := BuildsDir(root)
	if err := os.MkdirAll(builds, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(builds, temporaryPrefix)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, err
	}
	return &Writer{root: root, dir: dir}, nil
}

// Upon lets the writer take from an earlier build what it would otherwise compress
// to the same bytes. The build must have passed Verify and be made by the same
// version of the builder; it must stay open until the files are written. Upon is
// called before anything is written, if at all.
func (w *Writer) Upon(earlier *Build) { w.earlier = earlier }

// FileWriter writes one file of a build and keeps its checksum. The caller
// must Close it, and only then does the file count as part of the build.
type FileWriter struct {
	w    *Writer
	name string
	f    *os.File
	buf  *bufio.Writer
	sum  hash.Hash
	size int64
}

// Create starts the file with this name.
func (w *Writer) Create(name string) (*FileWriter, error) {
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &FileWriter{w: w, name: name, f: f, buf: bufio.NewWriterSize(f, 1<<18), sum: sha256.New()}, nil
}

// Write implements io.Writer.
func (f *FileWriter) Write(b []byte) (int, error) {
	f.sum.Write(b)
	f.size += int64(len(b))
	return f.buf.Write(b)
}

// Close completes the file and enters it into the build.
func (f *FileWriter) Close() error {
	if err := errors.Join(f.buf.Flush(), f.f.Close()); err != nil {
		return err
	}
	base, encoding := splitEncoding(f.name)
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	f.w.files = append(f.w.files, File{
		Path: f.name, Size: f.size, SHA256: hex.EncodeToString(f.sum.Sum(nil)),
		MediaType: mediaType(base), Encoding: encoding,
	})
	return nil
}

// Add writes a whole file.
func (w *Writer) Add(name string, data []byte) error {
	f, err := w.Create(name)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.f.Close())
	}
	return f.Close()
}

// Files returns the files written so far, for licences to be stated in.
func (w *Writer) Files() []File {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]File(nil), w.files...)
}

// Seal gives the manifest its files and id and writes it. After Seal the build
// is complete but not yet in place.
func (w *Writer) Seal(m *Manifest, license func(path string) string) error {
	m.Files = w.Files()
	for i := range m.Files {
		m.Files[i].License = license(m.Files[i].Path)
	}
	m.seal()
	return os.WriteFile(filepath.Join(w.dir, ManifestFile), m.encode(), 0o644)
}

// Place makes everything durable and moves the build to its final name. Where
// an intact build of that name exists already, that one stays.
func (w *Writer) Place(m *Manifest) error {
	final := filepath.Join(BuildsDir(w.root), m.ID)
	if _, err := Verify(final); err == nil {
		return w.Discard()
	}
	if err := SyncTree(w.dir); err != nil {
		return err
	}
	if err := os.RemoveAll(final); err != nil {
		return fmt.Errorf("remove the damaged build of the same name: %w", err)
	}
	if err := os.Rename(w.dir, final); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(final))
}

// Discard removes what was written. It is safe to call after Place.
func (w *Writer) Discard() error { return os.RemoveAll(w.dir) }

// RemoveLeftovers deletes what killed builders left in one of the folders that
// they write to. The caller holds the lock of the output folder.
func RemoveLeftovers(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), temporaryPrefix) {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// TemporaryDir makes a folder in builds that RemoveLeftovers would remove.
func TemporaryDir(builds string) (string, error) {
	if err := os.MkdirAll(builds, 0o755); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(builds, temporaryPrefix)
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}
