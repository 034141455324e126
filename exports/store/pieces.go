package store

import (
	"container/list"
	"sync"
)

// pieceID identifies a piece of a text file.
type pieceID struct {
	of     *text
	number int // in the file
}

// piece is a piece that was recreated for a reader of the file.
type piece struct {
	pieceID
	data []byte
}

// pieceCache holds the pieces of all readers. Readers recreate evicted pieces, so they take little
// memory, however many there are and however slowly they read.
type pieceCache struct {
	mu     sync.Mutex
	limit  int       // in bytes; exceeded by a single piece that is longer
	size   int       // of all pieces
	recent list.List // of *piece, the most recently used one at the end
	byID   map[pieceID]*list.Element
}

var pieces = &pieceCache{limit: 64 << 20, byID: map[pieceID]*list.Element{}}

// get returns a piece, or nil if it is not in the cache. The caller must not modify it.
func (c *pieceCache) get(of *text, number int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byID[pieceID{of, number}]
	if e == nil {
		return nil
	}
	c.recent.MoveToBack(e)
	return e.Value.(*piece).data
}

// add adds a piece unless it is already cached, and evicts others if there is no room for it.
func (c *pieceCache) add(of *text, number int, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := pieceID{of, number}
	if c.byID[id] != nil {
		return // another goroutine recreated it at the same time
	}
	c.byID[id] = c.recent.PushBack(&piece{id, data})
	for c.size += len(data); c.size > c.limit && c.recent.Len() > 1; {
		c.evict(c.recent.Front())
	}
}

// remove removes all pieces of a file.
func (c *pieceCache) remove(of *text) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.recent.Front(); e != nil; {
		next := e.Next()
		if e.Value.(*piece).of == of {
			c.evict(e)
		}
		e = next
	}
}

func (c *pieceCache) evict(e *list.Element) {
	p := c.recent.Remove(e).(*piece)
	delete(c.byID, p.pieceID)
	c.size -= len(p.data)
}
