package history

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/klauspost/compress/s2"
)

// lines are the lines of a changelog. It repeats the texts of the records, so that it would take as much memory
// as they do: blocks of lines are compressed. Its methods may be called concurrently.
type lines struct {
	blocks [][]byte
	last   atomic.Pointer[block] // the one that was read last, because changes are mostly read in order
}

// block is a block of lines, as it is compressed.
type block struct {
	number int
	lines  [][]byte
}

// blockLines is the number of lines in a block: few, because those of an entity are far apart.
const blockLines = 32

func packLines(list [][]byte) *lines {
	l := new(lines)
	for part := range slices.Chunk(list, blockLines) {
		l.blocks = append(l.blocks, bytes.Clone(s2.Encode(nil, bytes.Join(part, []byte{'\n'}))))
	}
	return l
}

// line returns line i. It must not be changed.
func (l *lines) line(i int) []byte {
	number := i / blockLines
	b := l.last.Load()
	if b == nil || b.number != number {
		data, err := s2.Decode(nil, l.blocks[number])
		if err != nil {
			panic(err) // cannot happen: packLines wrote it
		}
		b = &block{number, bytes.Split(data, []byte{'\n'})}
		l.last.Store(b)
	}
	return b.lines[i%blockLines]
}
