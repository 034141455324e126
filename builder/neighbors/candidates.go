package neighbors

import "runtime"

// scratch is the working memory of one worker.
type scratch struct {
	limits
	cells      []cell   // by entity
	touched    []uint32 // has room for one more than the number of entities
	candidates []candidate
	leaders    []leader // the candidates with the largest known, as a heap with the smallest at the top
	batch      []candidate
	probes     []probe
}

// cell keeps an entity's most frequently used values together in memory.
type cell struct {
	partial uint32  // sum of the squared weights that are known to be shared
	inverse float32 // inverse of the norm; 0 if the entity is hidden, so that it promises nothing
}

// batchLen is the number of candidates whose signatures are read at the same time.
const batchLen = 64

func (v *vectors) scratch(l limits) *scratch {
	s := &scratch{limits: l, cells: make([]cell, len(v.inverse)), touched: make([]uint32, len(v.inverse)+1), batch: make([]candidate, 0, batchLen)}
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

// leader is one of the candidates that are compared first.
type leader struct {
	place int     // in scratch.candidates
	known float32 // the promise without the unknown part
}

// lead adds a candidate to the leaders. If they are full, it replaces the last one, which the candidate must
// exceed. It returns the value of known that the next leader must exceed.
func (s *scratch) lead(c leader) (least float32) {
	if len(s.leaders) < s.limits.first {
		s.leaders = append(s.leaders, c)
		for i := len(s.leaders) - 1; i > 0; {
			up := (i - 1) / 2
			if s.leaders[up].known <= s.leaders[i].known {
				break
			}
			s.leaders[i], s.leaders[up] = s.leaders[up], s.leaders[i]
			i = up
		}
	} else {
		s.leaders[0] = c
		for i := 0; ; {
			down := 2*i + 1
			if down+1 < len(s.leaders) && s.leaders[down+1].known < s.leaders[down].known {
				down++
			}
			if down >= len(s.leaders) || s.leaders[i].known <= s.leaders[down].known {
				break
			}
			s.leaders[i], s.leaders[down] = s.leaders[down], s.leaders[i]
			i = down
		}
	}
	if len(s.leaders) < s.limits.first {
		return 0
	}
	return s.leaders[0].known
}

// gather reads as many of an entity's features as the budget allows, rarest first. It lists the
// entities that share these features as candidates, and returns the features that it has not read,
// which are the most frequent ones.
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
			least = s.lead(leader{len(s.candidates), known})
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

// probe is a feature to look for in signatures.
type probe struct {
	word, bit uint8
	square    uint32
}

// setProbes sets the features to look for.
func (s *scratch) setProbes(v *vectors, features []uint32) {
	s.probes = s.probes[:0]
	for _, id := range features {
		s.probes = append(s.probes, probe{v.bit[id] / 64, v.bit[id] % 64, v.square[id]})
	}
}

// compareBatch compares the candidates whose signatures promise enough. rest is the sum of the squared weights
// of all features that have not been read.
func (s *scratch) compareBatch(n *nearest, batch []candidate, rest uint32) {
	// The places in memory are random. Reading all signatures first lets the processor overlap the cache misses.
	read := uint64(0)
	for k := range batch {
		read += n.signatures[batch[k].entity][0]
	}
	runtime.KeepAlive(read) // or the compiler would leave out those reads
	for k := range batch {
		c := &batch[k]
		if c.promise(rest) < n.least {
			continue
		}
		own, shared := &n.signatures[c.entity], uint32(0)
		for _, p := range s.probes {
			shared += p.square & -uint32(own[p.word%uint8(len(own))]>>(p.bit%64)&1) // without a branch, because it would be unpredictable
		}
		if c.promise(shared) >= n.least {
			n.compare(c)
		}
	}
}
