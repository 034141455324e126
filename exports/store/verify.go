package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// MaxManifestSize is the maximum size of a manifest in bytes, about 15,000 files. A manifest may
// come from a stranger, and decoding it takes many times as much memory.
const MaxManifestSize = 4 << 20

// Verify reads every file of a build, largest first and using all processors, and compares
// its size and SHA-256 with the manifest. It returns all problems, each as a *DamageError.
func Verify(dir string) (*Manifest, error) { return VerifyWithProgress(dir, nil) }

// VerifyWithProgress is like Verify, and calls progress after each file, concurrently, unless it is
// nil.
func VerifyWithProgress(dir string, progress func(done, total int)) (*Manifest, error) {
	r, err := OpenFiles(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	m, err := OpenManifest(r)
	if err != nil {
		return nil, err
	}
	return m, verifyFiles(r, m.Files, progress)
}

// OpenFiles opens the folder of a build or an index, which must not be a link. If
// the folder does not exist, it returns a *DamageError for the missing manifest.
// The caller must close the folder.
func OpenFiles(dir string) (*os.Root, error) {
	r, err := OpenFolder(filepath.Dir(dir), filepath.Base(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(filepath.Join(dir, ManifestFile))
	}
	return r, err
}

// ReadManifest reads the manifest of a build and checks that this program
// supports its format and that it was not altered.
func ReadManifest(dir string) (*Manifest, error) {
	r, err := OpenFiles(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return OpenManifest(r)
}

// OpenManifest is like ReadManifest, but takes an open folder.
func OpenManifest(dir *os.Root) (*Manifest, error) {
	path := filepath.Join(dir.Name(), ManifestFile)
	b, err := ReadFile(dir, ManifestFile, MaxManifestSize)
	if err != nil {
		return nil, err
	}
	m, err := ParseManifest(b, path)
	if id := filepath.Base(dir.Name()); err == nil && m.ID != id {
		return nil, &DamageError{Path: path, Problem: fmt.Sprintf("has ID %s but is in the folder of build %s", m.ID, id)}
	}
	return m, err
}

// ManifestBytes returns the manifest of a build as it is stored. It also returns a
// manifest entry for the manifest, which does not list itself. It returns
// fs.ErrNotExist if there is no such build.
func ManifestBytes(dir string) ([]byte, File, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, File{}, err
	}
	size, sum, err := Checksum(bytes.NewReader(m.Encode()))
	return m.Encode(), File{Path: ManifestFile, Size: size, SHA256: sum, MediaType: mediaType(ManifestFile), License: string(m.License)}, err
}

// VerifyFiles checks that dir contains exactly these files, unaltered, plus the
// manifest.
func VerifyFiles(dir string, files []File) error {
	r, err := OpenFiles(dir)
	if err != nil {
		return err
	}
	defer r.Close()
	return verifyFiles(r, files, nil)
}

// verifyFiles is VerifyFiles. progress is called after each file unless it is nil.
func verifyFiles(dir *os.Root, files []File, progress func(done, total int)) error {
	order := slices.Clone(files)
	slices.SortFunc(order, func(a, b File) int { return cmp.Compare(b.Size>>10, a.Size>>10) })
	problems := make([]error, len(order))
	var done atomic.Int64
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range order {
		g.Go(func() error {
			problems[i] = VerifyFile(dir, f)
			if n := int(done.Add(1)); progress != nil {
				progress(n, len(order))
			}
			return nil
		})
	}
	_ = g.Wait() // the functions store their errors in problems
	known := map[string]bool{ManifestFile: true}
	for _, f := range files {
		known[f.Path] = true
	}
	err := fs.WalkDir(dir.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !known[name] {
			problems = append(problems, &DamageError{Path: joinPath(dir, name), Problem: "is not listed in the manifest"})
		}
		return nil
	})
	return errors.Join(append(problems, err)...)
}

// VerifyFile compares the size and SHA-256 of a file in a folder opened by OpenFiles with its entry in the manifest.
func VerifyFile(dir *os.Root, want File) error {
	f, err := OpenFile(dir, want)
	if err != nil {
		return err
	}
	defer f.Close()
	_, got, err := Checksum(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Name(), err)
	}
	if got != want.SHA256 {
		return &DamageError{Path: f.Name(), Problem: fmt.Sprintf("was altered: its SHA-256 is %s, but the manifest says %s", got, want.SHA256)}
	}
	return nil
}

// OpenFile opens a file listed in a manifest; dir is the folder of the manifest. It
// returns a *DamageError if the file is missing, has a different size, or is a link or
// anything else that no builder writes. The caller must close it.
func OpenFile(dir *os.Root, want File) (*os.File, error) {
	f, info, err := OpenRegular(dir, want.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(joinPath(dir, want.Path))
	}
	if err != nil {
		return nil, err
	}
	if info.Size() != want.Size {
		err := &DamageError{Path: joinPath(dir, want.Path), Problem: fmt.Sprintf("has %d bytes, but the manifest says %d", info.Size(), want.Size)}
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadFile reads a file of at most maxLen bytes in a folder opened by OpenFiles. It
// returns the same errors as OpenFile.
func ReadFile(dir *os.Root, name string, maxLen int64) ([]byte, error) {
	b, err := readLimited(dir, name, maxLen)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(joinPath(dir, name))
	}
	return b, err
}

// Checksum reads r to its end and returns its size in bytes and its SHA-256 in hexadecimal.
func Checksum(r io.Reader) (size int64, sum string, err error) {
	h := sha256.New()
	size, err = io.Copy(h, r)
	return size, hex.EncodeToString(h.Sum(nil)), err
}

// Describe returns the manifest entry for a file under dir.
func Describe(dir, path string) (f File, err error) {
	data, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer data.Close()
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return f, err
	}
	f.Path = filepath.ToSlash(rel)
	f.MediaType = mediaType(f.Path)
	f.Size, f.SHA256, err = Checksum(data)
	return f, err
}
