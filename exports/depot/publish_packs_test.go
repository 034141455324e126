package depot

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"kindex/builder/suite"
)

// TestPacksToKeep publishes builds in which a third of the chunks is new, mostly the same third each
// day. A build must never need less than half of its packs, and few chunks may be written again.
// Rewriting every pack of which less than half is needed, whenever the build needs less than half of all,
// would rewrite twice as many.
func TestPacksToKeep(t *testing.T) {
	suite.InTest(t)
	const (
		chunks = 3000
		length = 4096
		hot    = chunks / 3
		days   = 60
	)
	rng := rand.New(rand.NewPCG(1, 2))
	last := uint64(0)
	fresh := func() (c localChunk) {
		last++
		binary.LittleEndian.PutUint64(c.id[:], last)
		c.length = length
		return c
	}
	build := make([]localChunk, chunks)
	for i := range build {
		build[i] = fresh()
	}
	var published *chunkMap
	rewritten := 0
	for day := range days {
		for range hot {
			i := rng.IntN(hot)
			if rng.IntN(20) == 0 {
				i = rng.IntN(chunks)
			}
			build[i] = fresh()
		}
		p := &publisher{published: published}
		for _, c := range build {
			p.chunks = append(p.chunks, localChunk{chunk: chunk{id: c.id, length: c.length}})
		}
		p.reuse()
		rewritten += assignPacks(p)
		all := int64(0)
		for _, pk := range p.packs {
			all += pk.raw
		}
		if live := int64(chunks * length); all > 2*live {
			t.Errorf("day %d: a build of %d bytes needs packs of %d bytes", day, live, all)
		}
		published = p.chunkMap()
	}
	if all := days * hot; rewritten == 0 || rewritten > all/8 {
		t.Errorf("%d chunks were written again, %d were new", rewritten, all)
	}
}

// assignPacks puts the chunks that have no place into packs, as writePacks does, and returns how many
// of them are written again.
func assignPacks(p *publisher) (again int) {
	for _, second := range []bool{false, true} {
		next := &pack{}
		for i := range p.chunks {
			c := &p.chunks[i]
			if c.old || c.again != second {
				continue
			}
			c.pack, c.offset = uint32(len(p.packs)), uint32(next.raw)
			next.raw += int64(c.length)
			if second {
				again++
			}
		}
		if next.raw > 0 {
			p.packs = append(p.packs, next)
		}
	}
	return again
}
