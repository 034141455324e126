package indexes

import (
	"fmt"
	"math"
	"math/bits"

	"kindex/exports/packed"
)

// ordinalsFile maps the documents in a segment that was built for an earlier build
// to records and back, in two sections. If the segment was built for the same build as the
// index, there is no such file: the number of a document is then its ordinal.
const ordinalsFile = "ordinals.bin"

// noDoc stands for the ordinal of a document that no longer has a record, and for the
// document number of a record that has no document in the segment.
const noDoc = math.MaxUint32

// ordinalMap maps the documents in an earlier build's segment to records and back.
type ordinalMap struct {
	ordinals packed.Uint32s // by number
	docNums  packed.Uint32s // by ordinal
	runs     []uint32       // per 64 documents: the first ordinal if all are consecutive, else noDoc
	unmapped []uint32       // the ordinals of the records without a document in the segment
}

// packOrdinals returns ordinalsFile, given the ordinals by document number and the number of
// records.
func packOrdinals(ordinals []uint32, records int) []byte {
	docNums := make([]uint32, records)
	for o := range docNums {
		docNums[o] = noDoc
	}
	for docNum, o := range ordinals {
		if o != noDoc {
			docNums[o] = uint32(docNum)
		}
	}
	return packed.PackSections(packed.PackUint32s(ordinals), packed.PackUint32s(docNums))
}

// newOrdinalMap opens ordinalsFile. It reads all of it once, to check that both directions agree.
func newOrdinalMap(data []byte, records int) (*ordinalMap, error) {
	parts, err := packed.UnpackSections(data, 2)
	if err != nil {
		return nil, err
	}
	m := &ordinalMap{ordinals: parts[0], docNums: parts[1], runs: make([]uint32, setWords(len(parts[0])/4))}
	if len(parts[0])%4 != 0 || len(parts[1]) != 4*records {
		return nil, fmt.Errorf("has sections of %d and %d bytes; for %d records, the first must be a multiple of 4, and the second %d", len(parts[0]), len(parts[1]), records, 4*records)
	}
	mapped := 0
	for docNum := range m.ordinals.Len() {
		o := m.ordinals.At(docNum)
		if block := docNum / 64; docNum%64 == 0 {
			m.runs[block] = o
		} else if m.runs[block] != noDoc && o != m.runs[block]+uint32(docNum%64) {
			m.runs[block] = noDoc
		}
		if o == noDoc {
			continue
		}
		if int(o) >= records {
			return nil, fmt.Errorf("maps document %d to record %d, but there are only %d records", docNum, o, records)
		}
		if m.docNums.At(int(o)) != uint32(docNum) {
			return nil, fmt.Errorf("maps document %d to record %d, but not back", docNum, o)
		}
		mapped++
	}
	if mapped == records {
		return m, nil
	}
	for o := range records {
		if m.docNums.At(o) == noDoc {
			m.unmapped = append(m.unmapped, uint32(o))
		}
	}
	if mapped+len(m.unmapped) != records {
		return nil, fmt.Errorf("maps %d documents to records, but %d records to documents", mapped, records-len(m.unmapped))
	}
	return m, nil
}

// nameLengths returns the lengths of names by ordinal, given the lengths by document number
// and the documents outside the segment.
func (m *ordinalMap) nameLengths(byDocNum []byte, changed map[uint32]*document) []byte {
	list := make([]byte, m.docNums.Len())
	for o := range list {
		if docNum := m.docNums.At(o); docNum != noDoc {
			list[o] = byDocNum[docNum]
		} else {
			list[o] = changed[uint32(o)].nameLength()
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
		for ; w != 0; w &= w - 1 {
			if o := m.ordinals.At(64*block + bits.TrailingZeros64(w)); o != noDoc {
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
		s.docSets[i] = make(set, setWords(s.index.ordinalMap.ordinals.Len()))
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
	return x.ordinalMap.docNums.At(int(o))
}
