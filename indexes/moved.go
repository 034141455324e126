package indexes

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// ordinalsFile says which record each document of a segment is that was made for
// an earlier build. Indexes whose segment was made for their own build have none:
// there the number of a document is its ordinal.
const ordinalsFile = "ordinals.bin"

// nowhere is the ordinal of a document that no record has any more, and the
// number of a record that has no document in the segment.
const nowhere = math.MaxUint32

// moved leads from the documents of an earlier build's segment to records and
// back.
type moved struct {
	ordinals []uint32 // by number
	numbers  []uint32 // by ordinal
	runs     []uint32 // by sixty-four documents: the first of as many ordinals that follow each other, nowhere if they do not
}

// newMoved reads the file of ordinals.
func newMoved(data []byte, records int) (*moved, error) {
	if len(data)%4 != 0 {
		return nil, fmt.Errorf("has %d bytes, no multiple of four", len(data))
	}
	documents := len(data) / 4
	m := &moved{ordinals: make([]uint32, documents), numbers: make([]uint32, records), runs: make([]uint32, setWords(documents))}
	for o := range m.numbers {
		m.numbers[o] = nowhere
	}
	for number := range m.ordinals {
		o := binary.LittleEndian.Uint32(data[4*number:])
		m.ordinals[number] = o
		if block := number / 64; number%64 == 0 {
			m.runs[block] = o
		} else if m.runs[block] != nowhere && o != m.runs[block]+uint32(number%64) {
			m.runs[block] = nowhere
		}
		switch {
		case o == nowhere:
		case int(o) >= records:
			return nil, fmt.Errorf("names record %d of %d", o, records)
		case m.numbers[o] != nowhere:
			return nil, fmt.Errorf("names record %d twice", o)
		default:
			m.numbers[o] = uint32(number)
		}
	}
	return m, nil
}

// elsewhere are the ordinals of the records without a document in the segment.
func (m *moved) elsewhere() (list []uint32) {
	for o, number := range m.numbers {
		if number == nowhere {
			list = append(list, uint32(o))
		}
	}
	return list
}

// lengths are those by ordinal, made of those by number and of the documents that
// are not in the segment.
func (m *moved) lengths(byNumber []byte, others map[uint32]*document) []byte {
	list := make([]byte, len(m.numbers))
	for o, number := range m.numbers {
		if number == nowhere {
			list[o] = others[uint32(o)].length()
		} else {
			list[o] = byNumber[number]
		}
	}
	return list
}

// put adds to a set the records that documents of the segment are, and tells
// whether there are any.
func (m *moved) put(to, documents set) (any bool) {
	for block, w := range documents {
		if w == 0 {
			continue
		}
		if first := m.runs[block]; first != nowhere { // as it is with most if few records have other scores
			at, by := first>>6, first&63
			to[at] |= w << by
			if high := w >> (64 - by); high != 0 {
				to[at+1] |= high
			}
			any = true
			continue
		}
		ordinals := m.ordinals[64*block:]
		for ; w != 0; w &= w - 1 {
			if o := ordinals[bits.TrailingZeros64(w)]; o != nowhere {
				to.add(o)
				any = true
			}
		}
	}
	return any
}

// gather returns an empty set for documents of the segment, of several at a time
// the one with a number. It is used until place.
func (s *session) gather(i int) set {
	if s.index.moved == nil {
		return s.set()
	}
	if s.gathered[i] == nil {
		s.gathered[i] = make(set, setWords(len(s.index.moved.ordinals)))
	}
	clear(s.gathered[i])
	return s.gathered[i]
}

// place makes a set of documents of the segment, or nil, one of records, nil
// where there are none.
func (s *session) place(documents set) set {
	m := s.index.moved
	if m == nil || documents == nil {
		return documents
	}
	records := s.set()
	if !m.put(records, documents) {
		return nil
	}
	return records
}

// number is that of a record's document in the segment, nowhere for a record that
// lies in a layer.
func (x *Index) number(o uint32) uint32 {
	switch {
	case int(o) >= x.records:
		return nowhere
	case x.moved == nil:
		return o
	}
	return x.moved.numbers[o]
}
