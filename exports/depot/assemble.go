package depot

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"kindex/exports/bucket"
	"kindex/exports/store"
)

// assembly puts the files of a build together in temporary folders next to their final places.
type assembly struct {
	from bucket.Reader
	dir  string
	id   string
	set  *fileSet
	m    *chunkMap
	todo []mapped // the files to write, each after the one that it is recreated from

	reads    sync.Mutex // protects packs and base
	packs    *packCache
	trees    map[string]*tree // by exportsTree and indexesTree
	local    []location       // by chunk: where base has it
	base     *local           // nil if there is none
	files    map[string]store.File
	progress Progress
}

// location is where a local build has a chunk.
type location struct {
	file   int32 // index in local.set.files plus 1; 0 if the build lacks the chunk
	offset int64
}

// tree is the temporary folder for a build's files in exports or indexes.
type tree struct {
	builds *os.Root
	name   string
	dir    *os.Root
}

// newAssembly prepares to write all files of a build to an output folder. The caller must discard
// it.
func newAssembly(from *countingReader, dir, id string, set *fileSet, m *chunkMap) (*assembly, error) {
	return openAssembly(from, dir, id, set, m, map[string][]string{exportsTree: {exportsTree, "builds"}, indexesTree: {indexesTree, "builds"}})
}

// newPart is like newAssembly, but prepares to write only some files, and those that they are
// recreated from, to a temporary folder in a folder of dir.
func newPart(from *countingReader, dir, folder, id string, set *fileSet, m *chunkMap, wanted map[string]bool) (*assembly, error) {
	a, err := openAssembly(from, dir, id, set, m, map[string][]string{exportsTree: {folder}})
	if err != nil {
		return nil, err
	}
	needed := maps.Clone(wanted)
	for _, f := range slices.Backward(m.files) {
		if needed[f.path] && f.from != nil {
			needed[f.from.Path] = true
		}
	}
	a.todo = slices.DeleteFunc(slices.Clone(m.files), func(f mapped) bool { return !needed[f.path] })
	return a, nil
}

// openAssembly creates a temporary folder in each of the given folders of dir.
func openAssembly(from *countingReader, dir, id string, set *fileSet, m *chunkMap, folders map[string][]string) (a *assembly, err error) {
	a = &assembly{from: from, dir: dir, id: id, set: set, m: m, todo: m.files, trees: map[string]*tree{}, local: make([]location, len(m.chunks)),
		files: make(map[string]store.File, len(set.files))}
	for _, f := range set.files {
		a.files[f.Path] = f
	}
	for name, elements := range folders {
		t := &tree{}
		a.trees[name] = t
		if err = t.open(dir, elements); err != nil {
			a.discard()
			return nil, err
		}
	}
	if a.packs, err = newPackCache(from, dir, m.packs); err != nil {
		a.discard()
		return nil, err
	}
	return a, nil
}

// open creates the temporary folder. After an error, the caller discards the assembly.
func (t *tree) open(dir string, elements []string) (err error) {
	if err := store.RemoveLeftovers(dir, elements...); err != nil {
		return err
	}
	if t.builds, err = store.MakeFolder(dir, elements...); err != nil {
		return err
	}
	if t.name, err = store.TemporaryDir(t.builds); err != nil {
		return err
	}
	t.dir, err = t.builds.OpenRoot(t.name)
	return err
}

// discard removes the temporary folders. It may be called after install.
func (a *assembly) discard() {
	for _, t := range a.trees {
		if t.dir != nil {
			_ = t.dir.Close() // nothing there is needed
		}
		if t.name != "" {
			_ = t.builds.RemoveAll(t.name) // the next pull removes what is left
		}
		if t.builds != nil {
			_ = t.builds.Close()
		}
	}
	if a.packs != nil {
		a.packs.close()
	}
}

// run writes the files. base is a local build with which the new one may share chunks, or nil.
// room is called with the number of bytes that will be written, unless it is nil.
func (a *assembly) run(ctx context.Context, base *local, room func(bytes int64) error) error {
	if base != nil {
		a.base = base
		if err := a.findLocal(ctx); err != nil {
			return err
		}
	}
	needed, size := a.space()
	if room != nil {
		if err := room(size); err != nil {
			return err
		}
	}
	if err := a.packs.download(ctx, needed, a.progress); err != nil {
		return err
	}
	return a.writeAll(ctx)
}

// writeAll writes the files. Without a local build, nothing is served yet, so files are derived from
// others on all processors as soon as these are written. Otherwise, one file is written after the
// other, which leaves the other processors to requests.
func (a *assembly) writeAll(outer context.Context) error {
	limit := 1
	if a.base == nil {
		limit += min(runtime.GOMAXPROCS(0), maxDerivers)
	}
	g, ctx := errgroup.WithContext(outer)
	g.SetLimit(limit)
	written := make(map[string]chan struct{}, len(a.todo))
	for _, f := range a.todo {
		written[f.path] = make(chan struct{})
	}
	var done atomic.Int64
	write := func(f mapped) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.write(f); err != nil {
			return err
		}
		a.progress.report("write", int(done.Add(1)), len(a.todo))
		close(written[f.path])
		return nil
	}
	g.Go(func() error {
		for _, f := range a.todo {
			if f.from != nil {
				continue
			}
			if err := write(f); err != nil {
				return err
			}
		}
		return nil
	})
	for _, f := range a.todo {
		if f.from == nil {
			continue
		}
		g.Go(func() error {
			select {
			case <-written[f.from.Path]: // by a goroutine that was started before this one
				return write(f)
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}
	return g.Wait()
}

// maxDerivers limits how many files are derived at the same time. Each takes up to maxPiece bytes of
// memory, and usually much less.
const maxDerivers = 8

// space returns which packs are needed, and the bytes that they and the files take on the disk.
func (a *assembly) space() (needed []bool, size int64) {
	needed = make([]bool, len(a.m.packs))
	for _, f := range a.todo {
		size += a.files[f.path].Size
		for _, i := range f.chunks {
			if a.local[i].file == 0 {
				needed[a.m.chunks[i].pack] = true
			}
		}
	}
	for i, p := range a.m.packs {
		if needed[i] {
			size += p.size
		}
	}
	return needed, size
}

// findLocal finds chunks in the local build. A file that is damaged is left out.
func (a *assembly) findLocal(ctx context.Context) error {
	wanted := make(map[chunkID]int, len(a.m.chunks))
	for i, c := range a.m.chunks {
		wanted[c.id] = i
	}
	skip, part := map[string]bool{}, len(a.todo) < len(a.m.files)
	for _, f := range a.m.files {
		skip[f.path] = f.from != nil || part
	}
	for _, f := range a.todo {
		skip[f.path] = f.from != nil
	}
	for number, f := range a.base.set.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if skip[f.Path] {
			continue // it has the same texts as a file that is read, or shares nothing
		}
		at := int64(0)
		var found []int
		err := a.base.scan(f, func(c []byte) {
			if i, ok := wanted[idOf(c)]; ok && a.local[i].file == 0 {
				a.local[i] = location{int32(number) + 1, at}
				found = append(found, i)
			}
			at += int64(len(c))
		})
		if err != nil {
			for _, i := range found {
				a.local[i] = location{}
			}
		}
	}
	return nil
}

// write writes one file and verifies it.
func (a *assembly) write(f mapped) (err error) {
	want := a.files[f.path]
	name, rel, _ := strings.Cut(f.path, "/")
	root := a.trees[name].dir
	if err := root.MkdirAll(path.Dir(rel), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(rel, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	w := &verifyingWriter{w: bufio.NewWriterSize(file, 1<<18), sum: sha256.New(), left: want.Size}
	if f.from != nil {
		err = a.derive(w, f.from)
	} else {
		_, err = io.Copy(w, &chunkReader{a: a, chunks: f.chunks})
	}
	if err = errors.Join(err, w.w.Flush(), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if w.left == 0 && hex.EncodeToString(w.sum.Sum(nil)) == want.SHA256 {
		return nil
	}
	if f.from != nil {
		return fmt.Errorf("%s cannot be recreated from %s: this program compresses data differently than version %s of the builder; use the version of kindex that published the build",
			f.path, f.from.Path, a.set.manifest.Builder)
	}
	return &DamageError{Name: a.from.String() + ": " + f.path + " of build " + a.id}
}

// verifyingWriter hashes what is written, and refuses more than it should be.
type verifyingWriter struct {
	w    *bufio.Writer
	sum  hash.Hash
	left int64
}

var errTooLong = errors.New("is longer than the manifest says")

// Write implements io.Writer.
func (w *verifyingWriter) Write(b []byte) (int, error) {
	if w.left -= int64(len(b)); w.left < 0 {
		return 0, errTooLong
	}
	w.sum.Write(b)
	return w.w.Write(b)
}

func (a *assembly) derive(w io.Writer, d *derivation) error {
	source, err := a.source(d.Path)
	if err != nil {
		return err
	}
	defer source.Close()
	err = d.write(w, source)
	if errors.Is(err, errTooLong) {
		return nil // the caller checks the result
	}
	return err
}

// source opens a file that another one is recreated from.
func (a *assembly) source(path string) (io.ReadCloser, error) {
	name, rel, _ := strings.Cut(path, "/")
	return a.trees[name].dir.Open(rel)
}

// install writes the manifests, syncs everything and moves the folders to their final places: the
// index first, since every build in place must have one.
func (a *assembly) install(manifest, index []byte) error {
	for _, t := range []struct {
		*tree
		manifest []byte
	}{{a.trees[indexesTree], index}, {a.trees[exportsTree], manifest}} {
		if err := store.ReplaceFile(t.dir, store.ManifestFile, t.manifest); err != nil {
			return err
		}
		if err := store.SyncTree(t.dir.Name()); err != nil {
			return err
		}
		if err := t.replace(a.id); err != nil {
			return err
		}
	}
	return removePacks(a.dir)
}

// replace moves the folder to its final place. The folder that is already there, which is damaged or
// has another index, is first moved away, so that the place is empty only for a moment.
func (t *tree) replace(id string) error {
	old, err := store.TemporaryDir(t.builds)
	if err != nil {
		return err
	}
	defer func() { _ = t.builds.RemoveAll(old) }() // the next pull removes what is left
	if err := t.builds.Rename(id, path.Join(old, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := t.builds.Rename(t.name, id); err != nil {
		return err
	}
	t.name = ""
	return store.SyncDir(t.builds.Name())
}
