package depot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"kindex/exports/store"
)

// local is a build in an output folder.
type local struct {
	set             *fileSet
	manifest, index []byte // as stored
	exports         *os.Root
	indexes         *os.Root

	reading *os.File // the file that readAt read last
	number  int      // its index in set.files
}

// openLocal opens a build. It reads no file but the manifests.
func openLocal(dir, id string) (*local, error) {
	l := new(local)
	if err := l.openBuild(dir, id); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// openBuild opens the folders of a build and reads its manifests. After an error, the caller
// closes l.
func (l *local) openBuild(dir, id string) (err error) {
	if l.exports, err = store.OpenFolder(dir, exportsTree, "builds", id); err != nil {
		return err
	}
	if l.indexes, err = store.OpenFolder(dir, indexesTree, "builds", id); err != nil {
		return err
	}
	if l.manifest, err = store.ReadFile(l.exports, store.ManifestFile, maxManifest); err != nil {
		return err
	}
	if l.index, err = store.ReadFile(l.indexes, store.ManifestFile, maxManifest); err != nil {
		return err
	}
	l.set, err = parseManifests(id, l.manifest, l.index)
	return err
}

// verify reads all files of the build and compares them with the manifests.
func (l *local) verify(dir, id string) error {
	var lists [2][]store.File
	for _, f := range l.set.files {
		tree, path, _ := strings.Cut(f.Path, "/")
		f.Path = path
		i := 0
		if tree == indexesTree {
			i = 1
		}
		lists[i] = append(lists[i], f)
	}
	return errors.Join(store.VerifyFiles(filepath.Join(dir, exportsTree, "builds", id), lists[0], store.ManifestFile),
		store.VerifyFiles(filepath.Join(dir, indexesTree, "builds", id), lists[1], store.ManifestFile))
}

func (l *local) close() {
	for _, dir := range []*os.Root{l.exports, l.indexes} {
		if dir != nil {
			_ = dir.Close() // nothing was written
		}
	}
	if l.reading != nil {
		_ = l.reading.Close()
	}
}

// open opens a file of the build, whose size must be that in the manifest.
func (l *local) open(f store.File) (*os.File, error) {
	tree, path, _ := strings.Cut(f.Path, "/")
	f.Path = path
	if tree == indexesTree {
		return store.OpenFile(l.indexes, f)
	}
	return store.OpenFile(l.exports, f)
}

// scan calls yield with the chunks of a file, which are valid until it returns. It returns an
// error if the file is damaged.
func (l *local) scan(f store.File, yield func(chunk []byte)) error {
	file, err := l.open(f)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	if err := eachChunk(file, sum, yield); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return &store.DamageError{Path: file.Name(), Problem: "does not have the SHA-256 in the manifest"}
	}
	return nil
}

// readAt reads a chunk at an offset of a file, given by its place in set.files.
func (l *local) readAt(number int, into []byte, at int64, want chunkID) error {
	if l.reading == nil || l.number != number {
		f, err := l.open(l.set.files[number])
		if err != nil {
			return err
		}
		if l.reading != nil {
			_ = l.reading.Close() // nothing was written
		}
		l.reading, l.number = f, number
	}
	if _, err := l.reading.ReadAt(into, at); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if idOf(into) != want {
		return &store.DamageError{Path: l.reading.Name(), Problem: "was changed while it was read"}
	}
	return nil
}

// derivations returns the files that can be made from others, by path. It makes each of them to
// see whether it gives the same bytes.
func (l *local) derivations(ctx context.Context) (map[string]*derivation, error) {
	byPath := make(map[string]store.File, len(l.set.files))
	for _, f := range l.set.files {
		byPath[f.Path] = f
	}
	possible, err := candidates(l.set.files, func(variant string) ([]int64, error) {
		f, err := l.open(byPath[variant])
		if err != nil {
			return nil, err
		}
		defer f.Close()
		lengths, err := framesOf(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		return lengths, nil
	})
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	same := map[string]*derivation{}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range l.set.files {
		d := possible[f.Path]
		if d == nil {
			continue
		}
		g.Go(func() error {
			ok, err := l.reproduces(ctx, d, byPath[d.Path], f)
			if ok {
				mu.Lock()
				defer mu.Unlock()
				same[f.Path] = d
			}
			return err
		})
	}
	return same, g.Wait()
}

// reproduces reports whether a derivation gives the bytes of a file.
func (l *local) reproduces(ctx context.Context, d *derivation, source, want store.File) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	from, err := l.open(source)
	if err != nil {
		return false, err
	}
	defer from.Close()
	sum := sha256.New()
	if err := d.write(sum, from); err != nil {
		return false, fmt.Errorf("%s as %s: %w", from.Name(), d.As, err)
	}
	return hex.EncodeToString(sum.Sum(nil)) == want.SHA256, nil
}
