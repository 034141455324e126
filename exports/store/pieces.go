package store

import (
	"container/list"
	"sync"
)

// piece is a piece of a text file that was made for a reader of the file.
type piece struct {
	of     *text
	number int // in the file
	data   []byte
}

// pieceCache holds the pieces of all readers. Readers make evicted pieces again, so they take little
// memory, however many there are and however slowly they read.
type pieceCache struct {
	mu     sync.Mutex
	limit  int       // in bytes; exceeded by a single piece that is longer
	size   int       // of all pieces
	recent list.List // of *piece, the one that was used last at the end
	places map[place]*list.Element
}

// place identifies a piece.
type place struct {
	of     *text
	number int
}

var pieces = &pieceCache{limit: 64 << 20, places: map[place]*list.Element{}}

// get returns a piece, or nil if it must be made. The caller must not modify it.
func (c *pieceCache) get(of *text, number int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.places[place{of, number}]
	if e == nil {
		return nil
	}
	c.recent.MoveToBack(e)
	return e.Value.(*piece).data
}

// add adds a piece, unless it is there, and evicts others if there is no room for it.
func (c *pieceCache) add(of *text, number int, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places[place{of, number}] != nil {
		return // another goroutine has made it at the same time
	}
	c.places[place{of, number}] = c.recent.PushBack(&piece{of, number, data})
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
	delete(c.places, place{p.of, p.number})
	c.size -= len(p.data)
}
