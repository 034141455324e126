package indexes

import (
	"fmt"
	"slices"

	"kindex/exports"
)

// WithEdits returns the index as it would answer with the edits of a build: b is what
// exports.Build.WithEdits made of the build of this index, titles are those of the
// categories. Every result is that of an index built from the edited content,
// but for ordinals, which are those of b.
//
// It costs as much as the edits do, whatever the size of the index. The result
// lives as long as x.
func (x *Index) WithEdits(b *exports.Build, titles map[string]string) (*Index, error) {
	switch {
	case x.overlay != nil:
		return nil, fmt.Errorf("indexes: an index with edits takes no further ones")
	case b.Manifest.ID != x.build.Manifest.ID:
		return nil, fmt.Errorf("indexes: edits of build %s for the index of build %s", b.Manifest.ID, x.build.Manifest.ID)
	}
	documents := map[uint32]*document{}
	for i, e := range b.Edited() {
		s := newSource(e, titles[e.Category])
		documents[uint32(x.records+i)] = newDocument(&s)
	}
	overlay, err := newMemSegment(documents)
	if err != nil {
		return nil, err
	}
	if deleted := b.Replaced(); deleted != nil {
		overlay.deleted = make(set, setWords(x.records+len(documents)))
		deleted.WriteDenseTo(overlay.deleted)
		overlay.numDeleted = int(deleted.GetCardinality())
	}
	return &Index{diskIndex: x.diskIndex, build: b, memSegments: append(slices.Clip(x.memSegments), overlay), overlay: overlay}, nil
}

// maxDoc is the number of ordinals, of which some may count no more.
func (x *Index) maxDoc() int {
	if x.overlay == nil {
		return x.records
	}
	return x.records + len(x.overlay.documents)
}

// numDocs is the number of records.
func (x *Index) numDocs() int {
	if x.overlay == nil {
		return x.records
	}
	return x.maxDoc() - x.overlay.numDeleted
}

// sortPosition is where a record stands among others that are as relevant.
func (x *Index) sortPosition(o uint32) float64 {
	if int(o) < x.records {
		return float64(o)
	}
	return x.build.SortPosition(o)
}

// nameLength is document.nameLength of a record.
func (x *Index) nameLength(o uint32) int {
	if int(o) < x.records {
		return int(x.nameLengths[o])
	}
	return int(x.overlay.documents[o].nameLength())
}
