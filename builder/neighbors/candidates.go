package neighbors

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"
)

// scratch is the working memory of one worker.
type scratch struct {
	limits
	cells      []cell   // by entity
	touched    []uint32 // has room for one more than the number of entities
	candidates []candidate
	leaders    []heapItem // the candidates that share the most of the features that were read; a heap once full
	batch      []uint32
	probes     []probe
	groups     []probeGroup // the probes in groups, largest weights first
	promising  []heapItem   // the candidates whose signatures promise enough; keys are negated, so that the most promising is at the top of the heap
}

// cell keeps an entity's most frequently used values together in memory.
type cell struct {
	partial uint32  // sum of the squared weights that are known to be shared
	inverse float32 // inverse of the norm; 0 if the entity is hidden, so that it promises nothing
}

const (
	batchLen      = 64  // the number of candidates whose signatures are read at the same time
	promisingLen  = 128 // once there are this many promising candidates, some are compared
	compareAtOnce = 16  // how many of them are then compared, so that most others no longer promise enough
)

func (v *vectors) scratch(l limits) *scratch {
	s := &scratch{limits: l, cells: make([]cell, len(v.inverse)), touched: make([]uint32, len(v.inverse)+1), batch: make([]uint32, 0, batchLen)}
	for j, x := range v.inverse {
		if !v.hidden[j] {
			s.cells[j].inverse = x
		}
	}
	return s
}

// candidate is an entity that may be a neighbour.
type candidate struct {
	entity  uint32
	partial uint32 // the part of the dot product that is known so far
	inverse float32
}

// promise returns an upper bound on the similarity, multiplied by the norm of the entity whose neighbours
// are searched. rest is an upper bound on the unknown part of the dot product.
func (c *candidate) promise(rest uint32) float32 { return float32(c.partial+rest) * c.inverse }

// heapItem is a candidate in a heap, which has the smallest key at the top.
type heapItem struct {
	key   float32
	place uint32 // in scratch.candidates
}

// siftDown restores the order of a heap after the key at i has become larger.
func siftDown(h []heapItem, i int) {
	for {
		down := 2*i + 1
		if down+1 < len(h) && h[down+1].key < h[down].key {
			down++
		}
		if down >= len(h) || h[i].key <= h[down].key {
			return
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}

// heapify makes a heap of h.
func heapify(h []heapItem) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		siftDown(h, i)
	}
}

// addLeader adds a candidate to the leaders; its key is the promise without the unknown part. If the leaders are
// full, the candidate replaces the one with the smallest key, which must be smaller than its own. addLeader returns
// the value that the key of the next leader must exceed.
func (s *scratch) addLeader(c heapItem) (least float32) {
	switch first := s.limits.first; {
	case len(s.leaders) == first:
		s.leaders[0] = c
		siftDown(s.leaders, 0)
	case len(s.leaders) < first-1:
		s.leaders = append(s.leaders, c)
		return 0
	default:
		s.leaders = append(s.leaders, c)
		heapify(s.leaders)
	}
	return s.leaders[0].key
}

// gather reads as many of an entity's features as the budget allows, those with the highest yield first. It
// lists the entities that share these features as candidates, and returns the features that it has not read.
func (v *vectors) gather(i uint32, s *scratch) (unread []uint32) {
	s.candidates, s.leaders = s.candidates[:0], s.leaders[:0]
	has := v.has.of(i)
	reach := s.reach(has, v.df)
	least := float32(0)
	for _, j := range v.touch(has[:reach], s) {
		cell := &s.cells[j]
		c := candidate{j, cell.partial, cell.inverse}
		cell.partial = 0
		if j == i {
			continue
		}
		if known := c.promise(0); known > least {
			least = s.addLeader(heapItem{known, uint32(len(s.candidates))})
		}
		s.candidates = append(s.candidates, c)
	}
	return has[reach:]
}

// touch adds the squared weight of each given feature to the cells of all entities that have the
// feature. It returns these entities.
func (v *vectors) touch(features []uint32, s *scratch) []uint32 {
	touched := 0
	cells, list := s.cells, s.touched // local copies: in this hot loop, they would be reloaded after each write through s
	for _, id := range features {
		square := v.square[id]
		if square == 0 {
			continue
		}
		for _, j := range v.inverted.of(id) {
			// Avoid a branch, because it would be unpredictable: always write j, but keep it
			// only if it was not touched before.
			c := &cells[j]
			list[touched] = j
			touched += int((uint64(c.partial) - 1) >> 63)
			c.partial += square
		}
	}
	return list[:touched]
}

// signature is a set of features, each hashed to one of its bits. It bounds what two entities share much
// more tightly than the sum of all features that have not been read.
type signature [4]uint64

// signatureBits is the number of bits in a signature.
const signatureBits = 64 * len(signature{})

// probe is a set of features with the same weight to look for in one word of signatures.
type probe struct {
	word   uint8
	square uint32
	bits   uint64
}

// probeGroup is a group of probes that are looked for together: checking after each one whether the others can
// matter would take longer.
type probeGroup struct {
	probes [4]probe
	rest   uint32 // the sum of the squared weights in all later groups
}

// setProbes sets the features to look for.
func (s *scratch) setProbes(v *vectors, features []uint32) {
	list := s.probes[:0]
	for _, id := range features {
		word, bit, square := v.bit[id]/64, uint64(1)<<(v.bit[id]%64), v.square[id]
		at := slices.IndexFunc(list, func(p probe) bool { return p.word == word && p.square == square && p.bits&bit == 0 })
		if at < 0 {
			at = len(list)
			list = append(list, probe{word: word, square: square})
		}
		list[at].bits |= bit
	}
	slices.SortFunc(list, func(a, b probe) int { return cmp.Compare(b.square, a.square) })
	s.probes, s.groups = list, s.groups[:0]
	for part := range slices.Chunk(list, len(probeGroup{}.probes)) {
		s.groups = append(s.groups, probeGroup{})
		copy(s.groups[len(s.groups)-1].probes[:], part)
	}
	rest := uint32(0)
	for i := len(s.groups) - 1; i >= 0; i-- {
		s.groups[i].rest = rest
		for _, p := range s.groups[i].probes {
			rest += p.square * uint32(bits.OnesCount64(p.bits))
		}
	}
}

// promise returns what a candidate promises, given its signature. If that is less than least, the result may be a
// looser bound, which is also less than least.
func (s *scratch) promise(c *candidate, own *signature, least float32) float32 {
	shared, most := uint32(0), c.promise(0)
	for i := range s.groups {
		group := &s.groups[i]
		for k := range group.probes {
			p := &group.probes[k]
			shared += p.square * uint32(bits.OnesCount64(own[p.word%uint8(len(own))]&p.bits))
		}
		if most = c.promise(shared + group.rest); most < least {
			break
		}
	}
	return most
}

// readSignatures adds the candidates of a batch to the promising ones if their signatures promise at least the
// given minimum. A batch lists places in candidates.
func (s *scratch) readSignatures(v *vectors, batch []uint32, least float32) {
	// The places in memory are random. Reading all signatures first lets the processor overlap the cache misses.
	read := uint64(0)
	for _, place := range batch {
		read += v.signatures[s.candidates[place].entity][0]
	}
	runtime.KeepAlive(read) // otherwise, the compiler could remove the reads
	for _, place := range batch {
		c := &s.candidates[place]
		if bound := s.promise(c, &v.signatures[c.entity], least); bound >= least {
			s.promising = append(s.promising, heapItem{-bound, place})
		}
	}
}

// comparePromising compares at most limit promising candidates, the most promising first. It then keeps only those
// that were not compared and still promise enough.
func (s *scratch) comparePromising(n *nearest, limit int) {
	h := s.promising
	for heapify(h); limit > 0 && len(h) > 0 && -h[0].key >= n.least; siftDown(h, 0) {
		n.compare(&s.candidates[h[0].place])
		h[0] = h[len(h)-1]
		h = h[:len(h)-1]
		limit--
	}
	s.promising = slices.DeleteFunc(h, func(c heapItem) bool { return -c.key < n.least })
}
