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

// noDoc is the ordinal of a document that no record has any more, and the
// number of a record that has no document in the segment.
const noDoc = math.MaxUint32

// ordinalMap leads from the documents of an earlier build's segment to records and
// back.
type ordinalMap struct {
	ordinals []uint32 // by number
	docNums  []uint32 // by ordinal
	runs     []uint32 // by sixty-four documents: the first of as many ordinals that follow each other, noDoc if they do not
}

// newOrdinalMap reads the file of ordinals.
func newOrdinalMap(data []byte, records int) (*ordinalMap, error) {
	if len(data)%4 != 0 {
		return nil, fmt.Errorf("has %d bytes, no multiple of four", len(data))
	}
	documents := len(data) / 4
	m := &ordinalMap{ordinals: make([]uint32, documents), docNums: make([]uint32, records), runs: make([]uint32, setWords(documents))}
	for o := range m.docNums {
		m.docNums[o] = noDoc
	}
	for docNum := range m.ordinals {
		o := binary.LittleEndian.Uint32(data[4*docNum:])
		m.ordinals[docNum] = o
		if block := docNum / 64; docNum%64 == 0 {
			m.runs[block] = o
		} else if m.runs[block] != noDoc && o != m.runs[block]+uint32(docNum%64) {
			m.runs[block] = noDoc
		}
		switch {
		case o == noDoc:
		case int(o) >= records:
			return nil, fmt.Errorf("names record %d of %d", o, records)
		case m.docNums[o] != noDoc:
			return nil, fmt.Errorf("names record %d twice", o)
		default:
			m.docNums[o] = uint32(docNum)
		}
	}
	return m, nil
}

// unmapped are the ordinals of the records without a document in the segment.
func (m *ordinalMap) unmapped() (list []uint32) {
	for o, docNum := range m.docNums {
		if docNum == noDoc {
			list = append(list, uint32(o))
		}
	}
	return list
}

// nameLengths are those by ordinal, made of those by number and of the documents that
// are not in the segment.
func (m *ordinalMap) nameLengths(byDocNum []byte, changed map[uint32]*document) []byte {
	list := make([]byte, len(m.docNums))
	for o, docNum := range m.docNums {
		if docNum == noDoc {
			list[o] = changed[uint32(o)].nameLength()
		} else {
			list[o] = byDocNum[docNum]
		}
	}
	return list
}

// addMapped adds to a set the records that documents of the segment are, and tells
// whether there are any.
func (m *ordinalMap) addMapped(to, documents set) (any bool) {
	for block, w := range documents {
		if w == 0 {
			continue
		}
		if first := m.runs[block]; first != noDoc { // as it is with most if few records have other scores
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
			if o := ordinals[bits.TrailingZeros64(w)]; o != noDoc {
				to.add(o)
				any = true
			}
		}
	}
	return any
}

// newDocSet returns an empty set for documents of the segment, of several at a time
// the one with a number. It is used until place.
func (s *session) newDocSet(i int) set {
	if s.index.ordinalMap == nil {
		return s.set()
	}
	if s.docSets[i] == nil {
		s.docSets[i] = make(set, setWords(len(s.index.ordinalMap.ordinals)))
	}
	clear(s.docSets[i])
	return s.docSets[i]
}

// toRecords makes a set of documents of the segment, or nil, one of records, nil
// where there are none.
func (s *session) toRecords(documents set) set {
	m := s.index.ordinalMap
	if m == nil || documents == nil {
		return documents
	}
	records := s.set()
	if !m.addMapped(records, documents) {
		return nil
	}
	return records
}

// docNum is that of a record's document in the segment, noDoc for a record that
// lies in a segment in memory.
func (x *Index) docNum(o uint32) uint32 {
	switch {
	case int(o) >= x.records:
		return noDoc
	case x.ordinalMap == nil:
		return o
	}
	return x.ordinalMap.docNums[o]
}
