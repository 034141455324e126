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
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"
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

	packs *packCache
	trees map[string]*tree // by exportsTree and indexesTree
	here  []place          // by chunk: where a local build has it
	base  *local
	files map[string]store.File
}

// place is where a local build has a chunk.
type place struct {
	file int32 // place in local.set.files plus 1; 0 if it has not
	at   int64
}

// tree is the temporary folder for a build's files in exports or indexes.
type tree struct {
	builds *os.Root
	name   string
	dir    *os.Root
}

func newAssembly(from *countingReader, dir, id string, set *fileSet, m *chunkMap) (*assembly, error) {
	a := &assembly{from: from, dir: dir, id: id, set: set, m: m, trees: map[string]*tree{}, here: make([]place, len(m.chunks)),
		files: make(map[string]store.File, len(set.files))}
	for _, f := range set.files {
		a.files[f.Path] = f
	}
	if err := a.makeFolders(from); err != nil {
		a.discard()
		return nil, err
	}
	return a, nil
}

// makeFolders makes the temporary folders. After an error, the caller discards a.
func (a *assembly) makeFolders(from *countingReader) (err error) {
	for _, name := range []string{exportsTree, indexesTree} {
		t := &tree{}
		a.trees[name] = t
		if err := store.RemoveLeftovers(a.dir, name, "builds"); err != nil {
			return err
		}
		if t.builds, err = store.MakeFolder(a.dir, name, "builds"); err != nil {
			return err
		}
		if t.name, err = store.TemporaryDir(t.builds); err != nil {
			return err
		}
		if t.dir, err = t.builds.OpenRoot(t.name); err != nil {
			return err
		}
	}
	a.packs, err = newPackCache(from, a.dir, a.m.packs)
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

// run writes all files. base is a local build with which the new one may share chunks, or nil.
func (a *assembly) run(ctx context.Context, base *local) error {
	if base != nil {
		a.base = base
		if err := a.findLocal(ctx); err != nil {
			return err
		}
	}
	needed := make([]bool, len(a.m.packs))
	for i, c := range a.m.chunks {
		if a.here[i].file == 0 {
			needed[c.pack] = true
		}
	}
	if err := a.packs.download(ctx, needed); err != nil {
		return err
	}
	for _, f := range a.m.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.write(f); err != nil {
			return err
		}
	}
	return nil
}

// findLocal finds chunks in the local build. A file that is damaged is left out.
func (a *assembly) findLocal(ctx context.Context) error {
	wanted := make(map[chunkID]int, len(a.m.chunks))
	for i, c := range a.m.chunks {
		wanted[c.id] = i
	}
	derived := map[string]bool{}
	for _, f := range a.m.files {
		derived[f.path] = f.from != nil
	}
	for number, f := range a.base.set.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if derived[f.Path] {
			continue // it has the same texts as the file from which it was made, or shares nothing
		}
		at := int64(0)
		var found []int
		err := a.base.scan(f, func(c []byte) {
			if i, ok := wanted[idOf(c)]; ok && a.here[i].file == 0 {
				a.here[i] = place{int32(number) + 1, at}
				found = append(found, i)
			}
			at += int64(len(c))
		})
		if err != nil {
			for _, i := range found {
				a.here[i] = place{}
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
		err = a.copyChunks(w, f.chunks)
	}
	if err = errors.Join(err, w.w.Flush(), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if w.left == 0 && hex.EncodeToString(w.sum.Sum(nil)) == want.SHA256 {
		return nil
	}
	if f.from != nil {
		return fmt.Errorf("%s cannot be made from %s here: this program compresses differently from version %s of the builder; use the kindex that published the build",
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
	name, rel, _ := strings.Cut(d.Path, "/")
	source, err := a.trees[name].dir.Open(rel)
	if err != nil {
		return err
	}
	defer source.Close()
	err = d.write(w, source)
	if errors.Is(err, errTooLong) {
		return nil // the caller sees that it is not what it should be
	}
	return err
}

func (a *assembly) copyChunks(w io.Writer, chunks []uint32) error {
	buf := make([]byte, maxChunk)
	for _, i := range chunks {
		c := a.m.chunks[i]
		data := buf[:c.length]
		if p := a.here[i]; p.file > 0 {
			if err := a.base.readAt(int(p.file)-1, data, p.at, c.id); err != nil {
				return err
			}
			a.packs.from.report.Local += int64(c.length)
		} else {
			raw, err := a.packs.get(c.pack)
			if err != nil {
				return err
			}
			data = raw[c.offset : c.offset+c.length]
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return nil
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
		if err := t.builds.RemoveAll(a.id); err != nil { // damaged, or with another index
			return err
		}
		if err := t.builds.Rename(t.name, a.id); err != nil {
			return err
		}
		t.name = ""
		if err := store.SyncDir(t.builds.Name()); err != nil {
			return err
		}
	}
	return removePacks(a.dir)
}

// packCache has the packs that a build needs: all as files, some in memory.
type packCache struct {
	from  *countingReader
	dir   *os.Root
	packs []pack
	raw   map[uint32][]byte
	order []uint32 // those in raw, the oldest first
	dec   *zstd.Decoder
}

// inMemory is the number of packs that are kept in memory.
const inMemory = 6

// downloads is the number of packs that are read at the same time.
const downloads = 4

func newPackCache(from *countingReader, dir string, packs []pack) (*packCache, error) {
	dec, err := newDecoder(maxPack + maxChunk)
	if err != nil {
		return nil, err
	}
	folder, err := packFolder(dir)
	if err != nil {
		dec.Close()
		return nil, err
	}
	return &packCache{from: from, dir: folder, packs: packs, raw: map[uint32][]byte{}, dec: dec}, nil
}

func (p *packCache) close() {
	p.dec.Close()
	_ = p.dir.Close() // what was written is verified again before it is used
}

// download reads packs that are not there yet.
func (p *packCache) download(ctx context.Context, needed []bool) error {
	type result struct{ size int64 }
	results := make(chan result, len(needed))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(downloads)
	for i, pk := range p.packs {
		if !needed[i] {
			continue
		}
		g.Go(func() error {
			file := hex.EncodeToString(pk.sum[:])
			if data, err := store.ReadFile(p.dir, file, pk.size); err == nil && sha256.Sum256(data) == pk.sum {
				return nil // from an interrupted pull
			}
			data, err := readChecked(ctx, p.from.Reader, blobName(pk.sum), file, pk.size)
			if err != nil {
				return err
			}
			results <- result{int64(len(data))}
			return store.ReplaceFile(p.dir, file, data)
		})
	}
	err := g.Wait()
	close(results)
	for r := range results {
		p.from.report.Packs++
		p.from.report.Downloaded += r.size
	}
	return err
}

// get returns an uncompressed pack, which is valid until the next call.
func (p *packCache) get(number uint32) ([]byte, error) {
	if raw, ok := p.raw[number]; ok {
		return raw, nil
	}
	pk := p.packs[number]
	file := hex.EncodeToString(pk.sum[:])
	data, err := store.ReadFile(p.dir, file, pk.size)
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(data) != pk.sum {
		return nil, &store.DamageError{Path: path.Join(p.dir.Name(), file), Problem: "was changed while it was read"}
	}
	var buf []byte
	if len(p.order) == inMemory { // use the memory of the oldest
		buf = p.raw[p.order[0]][:0]
		delete(p.raw, p.order[0])
		p.order = p.order[1:]
	}
	raw, err := p.dec.DecodeAll(data, buf)
	if err != nil || int64(len(raw)) != pk.raw {
		return nil, &DamageError{Name: p.from.String() + "/" + blobName(pk.sum)}
	}
	p.raw[number] = raw
	p.order = append(p.order, number)
	return raw, nil
}
