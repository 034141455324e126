package edge

import (
	"hash/maphash"
	"sync/atomic"
)

// goodKeys remembers recently valid keys as hashes with a seed of this process. Each slot has
// the latest key that was hashed to it, so the size is fixed whatever clients send.
type goodKeys struct {
	seed  maphash.Seed
	slots [4096]atomic.Uint64
}

func (g *goodKeys) slot(key string) (*atomic.Uint64, uint64) {
	h := maphash.String(g.seed, key)
	return &g.slots[h%uint64(len(g.slots))], h
}

func (g *goodKeys) has(key string) bool {
	slot, h := g.slot(key)
	return slot.Load() == h
}

func (g *goodKeys) add(key string) {
	if slot, h := g.slot(key); slot.Load() != h {
		slot.Store(h)
	}
}

func (g *goodKeys) remove(key string) {
	slot, h := g.slot(key)
	slot.CompareAndSwap(h, 0)
}
