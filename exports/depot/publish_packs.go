package depot

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"
)

// minLive is the minimum share of the data in a build's packs that the build needs, in percent. A reader
// without any build thus reads at most twice the size of the build.
const minLive = 50

// reuse finds chunks in packs of the published build.
func (p *publisher) reuse() {
	if p.published == nil {
		return
	}
	places := make(map[chunkID]int, len(p.published.chunks))
	for i, c := range p.published.chunks {
		places[c.id] = i
	}
	keep := p.packsToKeep(places)
	renumbered := map[uint32]uint32{}
	for i := range p.chunks {
		c := &p.chunks[i]
		at, ok := places[c.id]
		if !ok {
			continue
		}
		from := p.published.chunks[at]
		if !keep[from.pack] {
			c.again = true
			continue
		}
		number, ok := renumbered[from.pack]
		if !ok {
			number = uint32(len(p.packs))
			renumbered[from.pack] = number
			p.packs = append(p.packs, &p.published.packs[from.pack])
		}
		c.pack, c.offset, c.old = number, from.offset, true
	}
}

// packsToKeep returns which packs of the published build are used. It leaves out those of which the
// smallest share is needed, but only as many as minLive requires: their chunks are written again,
// and the longer a pack is kept, the fewer of its chunks are still needed.
func (p *publisher) packsToKeep(places map[chunkID]int) []bool {
	needed := make([]int64, len(p.published.packs))
	var live, all int64
	for _, c := range p.chunks {
		live += int64(c.length)
		if i, ok := places[c.id]; ok {
			needed[p.published.chunks[i].pack] += int64(c.length)
		} else {
			all += int64(c.length)
		}
	}
	keep := make([]bool, len(needed))
	var order []int
	for i, n := range needed {
		if keep[i] = n > 0; keep[i] {
			all += p.published.packs[i].raw
			order = append(order, i)
		}
	}
	share := func(i int) float64 { return float64(needed[i]) / float64(p.published.packs[i].raw) }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(share(i), share(j)) })
	for _, i := range order {
		if live*100 >= all*minLive {
			break
		}
		keep[i] = false
		all -= p.published.packs[i].raw - needed[i]
	}
	return keep
}

// writePacks writes the chunks that the published build does not have, and then, in packs of their
// own, which readers of that build do not need, those that are written again. Files are read again
// for this, because the chunks would not fit into memory.
func (p *publisher) writePacks(ctx context.Context) error {
	p.reuse()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(maxUploads)
	w := packWriter{publisher: p, group: g, raw: make([]byte, 0, maxPack+maxChunk)}
	for i := range p.chunks {
		if !p.chunks[i].old {
			w.total++
		}
	}
	for _, again := range []bool{false, true} {
		for i := range p.chunks {
			if c := &p.chunks[i]; c.old || c.again != again {
				continue
			}
			if err := w.add(ctx, i); err != nil {
				return cmp.Or(g.Wait(), err)
			}
		}
		w.flush(ctx)
	}
	return g.Wait()
}

// packWriter collects chunks and writes them in packs, several at the same time.
type packWriter struct {
	*publisher
	group *errgroup.Group
	raw   []byte // the chunks of the next pack
	added int    // number of chunks
	total int    // number of chunks to add
}

// add adds a chunk of the build to the next pack.
func (w *packWriter) add(ctx context.Context, i int) error {
	if len(w.raw) >= maxPack {
		w.progress.report("upload", w.added, w.total)
		w.flush(ctx)
	}
	c := &w.chunks[i]
	c.pack, c.offset = uint32(len(w.packs)), uint32(len(w.raw))
	w.raw = w.raw[:len(w.raw)+int(c.length)]
	err := w.local.readAt(c.file, w.raw[c.offset:], c.at, c.id)
	w.added++
	w.report.New += int64(c.length)
	return errors.Join(err, ctx.Err())
}

// flush writes the next pack, if there is anything in it.
func (w *packWriter) flush(ctx context.Context) {
	if len(w.raw) == 0 {
		return
	}
	next := &pack{raw: int64(len(w.raw))}
	data := slices.Clone(w.raw)
	w.packs, w.raw = append(w.packs, next), w.raw[:0]
	w.group.Go(func() error { return w.writePack(ctx, next, data) })
}

// writePack compresses and writes a pack, and sets its hash and size. A pack that is there already,
// because a publisher was killed, is kept unless it is so old that it may be about to be removed.
func (p *publisher) writePack(ctx context.Context, to *pack, raw []byte) error {
	e := encoders.Get().(*zstd.Encoder)
	data := e.EncodeAll(raw, nil)
	encoders.Put(e)
	to.sum, to.size = sha256.Sum256(data), int64(len(data))
	name := blobName(to.sum)
	info, err := p.to.Stat(ctx, name)
	if err == nil && info.Size == to.size && p.now.Sub(info.Modified) < maxPackAge {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := p.to.Write(ctx, name, data); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report.Packs++
	p.report.Uploaded += to.size
	return nil
}

// encoders compress packs. The window is as large as a pack: a build contains most texts several
// times, in files of different formats.
var encoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(maxPack),
		zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constant
	}
	return e
}}

// maxPackAge is the age up to which Publish relies on a pack that no build names. It must be well
// below MinGrace.
const maxPackAge = 10 * time.Minute
