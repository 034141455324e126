package indexes

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// ordinalsFile maps the documents in a segment that was built for an earlier build
// to records. If the segment was built for the same build as the index, there is no
// such file: the number of a document is then its ordinal.
const ordinalsFile = "ordinals.bin"

// noDoc stands for the ordinal of a document that no longer has a record, and for the
// document number of a record that has no document in the segment.
const noDoc = math.MaxUint32

// ordinalMap maps the documents in an earlier build's segment to records and back.
type ordinalMap struct {
	ordinals []uint32 // by number
	docNums  []uint32 // by ordinal
	runs     []uint32 // per 64 documents: the first ordinal if all are consecutive, else noDoc
}

// newOrdinalMap decodes ordinalsFile.
func newOrdinalMap(data []byte, records int) (*ordinalMap, error) {
	if len(data)%4 != 0 {
		return nil, fmt.Errorf("has %d bytes, which is not a multiple of four", len(data))
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
			return nil, fmt.Errorf("lists record %d, but there are only %d records", o, records)
		case m.docNums[o] != noDoc:
			return nil, fmt.Errorf("lists record %d twice", o)
		default:
			m.docNums[o] = uint32(docNum)
		}
	}
	return m, nil
}

// unmapped returns the ordinals of the records without a document in the segment.
func (m *ordinalMap) unmapped() (list []uint32) {
	for o, docNum := range m.docNums {
		if docNum == noDoc {
			list = append(list, uint32(o))
		}
	}
	return list
}

// nameLengths returns the lengths of names by ordinal, given the lengths by document number
// and the documents outside the segment.
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

// addMapped adds the records of documents in the segment to a set and reports
// whether there are any.
func (m *ordinalMap) addMapped(to, documents set) (any bool) {
	for block, w := range documents {
		if w == 0 {
			continue
		}
		if first := m.runs[block]; first != noDoc { // true for most blocks if few scores have changed
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

// newDocSet returns an empty set of documents in the segment. i distinguishes sets
// that are in use at the same time. The set is valid until it is passed to
// toRecords.
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

// toRecords converts a set of documents in the segment to a set of records.
// documents may be nil. The result is nil if it would be empty.
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

// docNum returns the number of a record's document in the segment on disk, or noDoc
// if the document is in an in-memory segment.
func (x *Index) docNum(o uint32) uint32 {
	switch {
	case int(o) >= x.records:
		return noDoc
	case x.ordinalMap == nil:
		return o
	}
	return x.ordinalMap.docNums[o]
}
