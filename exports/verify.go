package exports

import (
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

	"golang.org/x/sync/errgroup"
)

// Verify reads every file of a build, the largest first and on all processors,
// and compares size and SHA-256 with the manifest. All problems are reported,
// each a *DamageError.
func Verify(dir string) (*Manifest, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	return m, VerifyFiles(dir, m.Files, ManifestFile)
}

// ReadManifest reads the manifest of a build and checks that this program
// understands it and that it was not altered.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &DamageError{Path: path, Problem: "is missing"}
	}
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(b, path)
	if err == nil && m.ID != filepath.Base(dir) {
		return nil, &DamageError{Path: path, Problem: fmt.Sprintf("says id %s, but lies in the folder of %s", m.ID, filepath.Base(dir))}
	}
	return m, err
}

// ManifestBytes returns the manifest of a build as it is written, and an entry
// for it: the manifest does not name itself. It is an fs.ErrNotExist where there
// is no such build.
func ManifestBytes(dir string) ([]byte, File, error) {
	b, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		return nil, File{}, err
	}
	m, err := parseManifest(b, dir)
	if err != nil {
		return nil, File{}, err
	}
	sum := sha256.Sum256(b)
	return b, File{Path: ManifestFile, Size: int64(len(b)), SHA256: hex.EncodeToString(sum[:]),
		MediaType: mediaType(ManifestFile), License: string(m.License)}, nil
}

// VerifyFiles checks that dir holds exactly these files, unaltered, and the
// manifest beside them.
func VerifyFiles(dir string, files []File, manifest string) error {
	order := slices.Clone(files)
	slices.SortFunc(order, func(a, b File) int { return int(b.Size>>10) - int(a.Size>>10) })
	problems := make([]error, len(order))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range order {
		g.Go(func() error {
			problems[i] = VerifyFile(filepath.Join(dir, filepath.FromSlash(f.Path)), f)
			return nil
		})
	}
	_ = g.Wait() // the functions above never fail; they record
	known := map[string]bool{manifest: true}
	for _, f := range files {
		known[f.Path] = true
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err == nil && !known[filepath.ToSlash(rel)] {
			problems = append(problems, &DamageError{Path: path, Problem: "is not named in the manifest"})
		}
		return err
	})
	return errors.Join(append(problems, err)...)
}

// VerifyFile compares size and SHA-256 of one file with its entry in a manifest.
func VerifyFile(path string, want File) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return &DamageError{Path: path, Problem: "is missing"}
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != want.Size {
		return &DamageError{Path: path, Problem: fmt.Sprintf("has %d bytes, the manifest says %d", info.Size(), want.Size)}
	}
	sum := sha256.New()
	if _, err := io.CopyBuffer(onlyWriter{sum}, onlyReader{f}, make([]byte, 1<<18)); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want.SHA256 {
		return &DamageError{Path: path, Problem: fmt.Sprintf("was altered: SHA-256 is %s, the manifest says %s", got, want.SHA256)}
	}
	return nil
}

// onlyReader and onlyWriter hide the shortcuts of io.Copy, which would use a
// smaller buffer.
type onlyReader struct{ io.Reader }
type onlyWriter struct{ io.Writer }

// Describe returns the entry of a file below dir for a manifest.
func Describe(dir, path string) (File, error) {
	data, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer data.Close()
	sum := sha256.New()
	size, err := io.CopyBuffer(onlyWriter{sum}, onlyReader{data}, make([]byte, 1<<18))
	if err != nil {
		return File{}, err
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return File{}, err
	}
	name := filepath.ToSlash(rel)
	return File{Path: name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil)), MediaType: mediaType(name)}, nil
}
