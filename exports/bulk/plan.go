package bulk

import (
	"crypto/sha256"

	"kindex/exports/packed"
	"kindex/exports/store"
)

// plan is a table with its shards and row groups, and which of them the previous build has.
type plan struct {
	*Table
	previous *shards
	bounds   []int               // as shardBounds returns them
	inputs   [][sha256.Size]byte // by shard: hash of its Inputs; nil if unknown
	earlier  []int               // by shard: the same shard of the previous build, or -1
	groups   []group
}

// group is a row group of the Parquet file.
type group struct {
	shards  int
	earlier int // the same row group of the previous build, or -1
}

// plan finds the shards and row groups that need not be encoded again. previous may be nil.
func (t *Table) plan(previous *shards) *plan {
	p := &plan{Table: t, previous: previous, bounds: shardBounds(t.Keys)}
	n := len(p.bounds) - 1
	p.earlier = make([]int, n)
	if t.Inputs != nil {
		p.inputs = make([][sha256.Size]byte, n)
	}
	first := 0
	for k := range n {
		p.earlier[k] = p.sameShard(k)
		if to := p.bounds[k+1]; to == len(t.Keys) && to > 0 || to > 0 && isGroupEnd(t.Keys[to-1]) {
			g := group{k + 1 - first, -1}
			if i, ok := previous.group(p.earlier[first : k+1]); ok {
				g.earlier = i
			}
			p.groups, first = append(p.groups, g), k+1
		}
	}
	return p
}

// sameShard returns the shard of the previous build that has the same bytes as shard k in every format, or
// -1 if that is not known.
func (p *plan) sameShard(k int) int {
	if p.inputs == nil {
		// The last shard may end, here or in the previous build, because there are no more items.
		if p.previous != nil && k+2 < len(p.bounds) && k+1 < p.previous.n && p.bounds[k+1] <= p.Kept {
			return k
		}
		return -1
	}
	h := sha256.New()
	buf := []byte{0}
	if k == 0 { // headers and brackets are at the start and the end of files
		buf[0] = 1
	}
	if k+2 == len(p.bounds) {
		buf[0] |= 2
	}
	for i := p.bounds[k]; i < p.bounds[k+1]; i++ {
		h.Write(buf)
		buf = p.Inputs(buf[:0], i)
	}
	h.Write(buf)
	h.Sum(p.inputs[k][:0])
	if p.previous == nil {
		return -1
	}
	if at, ok := p.previous.byInputs[p.inputs[k]]; ok {
		return at
	}
	return -1
}

// copiedSize returns the length of the JSONL file's pieces that are copied.
func (p *plan) copiedSize() (size int64) {
	for _, at := range p.earlier {
		if at >= 0 {
			size += int64(packed.Uint64At(p.previous.sections[store.ShardLengths+linesFormat], at))
		}
	}
	return size
}

// needsRows returns, for each shard, whether its rows are written to the Parquet file.
func (p *plan) needsRows() []bool {
	needed := make([]bool, 0, len(p.earlier))
	for _, g := range p.groups {
		for range g.shards {
			needed = append(needed, g.earlier < 0)
		}
	}
	return append(needed, make([]bool, len(p.earlier)-len(needed))...) // an empty shard is in no row group
}
