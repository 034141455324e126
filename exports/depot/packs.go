package depot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path"
	"path/filepath"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"kindex/exports/store"
)

// packCache holds the packs that a build needs: all as files, some in memory.
type packCache struct {
	from  *countingReader
	dir   *os.Root
	packs []pack
	raw   map[uint32][]byte
	order []uint32 // those in raw, oldest first
	dec   *zstd.Decoder
}

// maxPacksInMemory is the number of packs that are kept in memory.
const maxPacksInMemory = 6

// maxDownloads is the number of packs that are read at the same time.
const maxDownloads = 4

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
func (p *packCache) download(ctx context.Context, needed []bool, progress Progress) error {
	type result struct{ size int64 }
	total := 0
	for _, n := range needed {
		if n {
			total++
		}
	}
	var done atomic.Int64
	results := make(chan result, len(needed))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(maxDownloads)
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
			progress.report("download", int(done.Add(1)), total)
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
	if len(p.order) == maxPacksInMemory { // use the memory of the oldest
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

// chunkReader reads chunks one after the other. Several readers of an assembly may be used
// concurrently.
type chunkReader struct {
	a      *assembly
	chunks []uint32
	buf    []byte
	rest   []byte // of the chunk that was read last, in buf
}

// Read implements io.Reader.
func (r *chunkReader) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		if len(r.chunks) == 0 {
			return 0, io.EOF
		}
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// next reads a chunk.
func (r *chunkReader) next() error {
	if r.buf == nil {
		r.buf = make([]byte, maxChunk)
	}
	c, at := r.a.m.chunks[r.chunks[0]], r.a.local[r.chunks[0]]
	r.chunks, r.rest = r.chunks[1:], r.buf[:c.length]
	r.a.reads.Lock()
	defer r.a.reads.Unlock()
	if at.file > 0 {
		r.a.packs.from.report.Local += int64(c.length)
		return r.a.base.readAt(int(at.file)-1, r.rest, at.offset, c.id)
	}
	raw, err := r.a.packs.get(c.pack)
	if err == nil {
		copy(r.rest, raw[c.offset:])
	}
	return err
}

// packsDir is the folder in an output folder with the packs of an unfinished pull.
const packsDir = ".kindex-packs"

// packFolder opens it.
func packFolder(dir string) (*os.Root, error) { return store.MakeFolder(dir, packsDir) }

// removePacks removes the packs of a pull that has ended.
func removePacks(dir string) error { return os.RemoveAll(filepath.Join(dir, packsDir)) }
