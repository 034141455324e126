package store

import (
	"container/list"
	"sync"
)

// piece is the piece of a text file that was made last for one reader of the file.
type piece struct {
	number int // in the file
	data   []byte
	place  *list.Element // in pieceCache.used; nil if data was evicted
}

// pieceCache holds the pieces of all readers. A reader whose piece was evicted makes it again, so
// readers take little memory, however many there are and however slowly they read.
type pieceCache struct {
	mu    sync.Mutex
	limit int       // in bytes; exceeded by a single piece that is longer
	size  int       // of all pieces
	used  list.List // of *piece, the one that was used last at the end
}

var pieces = &pieceCache{limit: 64 << 20}

// read copies data of a piece. It reports whether the piece was still there.
func (c *pieceCache) read(p *piece, dst []byte, off int64) (n int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p == nil || p.place == nil {
		return 0, false
	}
	c.used.MoveToBack(p.place)
	return copy(dst, p.data[off:]), true
}

// add adds a piece, and evicts others if there is no room for it.
func (c *pieceCache) add(p *piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.place = c.used.PushBack(p)
	for c.size += len(p.data); c.size > c.limit && c.used.Len() > 1; {
		c.drop(c.used.Front().Value.(*piece))
	}
}

// remove removes a piece. It returns its memory, unless the piece was evicted before.
func (c *pieceCache) remove(p *piece) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p == nil || p.place == nil {
		return nil
	}
	data := p.data
	c.drop(p)
	return data
}

func (c *pieceCache) drop(p *piece) {
	c.used.Remove(p.place)
	c.size -= len(p.data)
	p.data, p.place = nil, nil
}
