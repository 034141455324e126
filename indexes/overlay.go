package indexes

import (
	"fmt"
	"slices"

	"kindex/exports"
)

// WithEdits returns the index with edits applied on top. b must be the result of
// calling exports.Build.WithEdits on the index's build, and titles maps category
// slugs to titles. Every result is the same as with an index built from the edited
// content, except that it contains the ordinals of b.
//
// The cost depends on the number of edits, not on the size of the index. The result
// is valid until x is closed.
func (x *Index) WithEdits(b *exports.Build, titles map[string]string) (*Index, error) {
	switch {
	case x.overlay != nil:
		return nil, fmt.Errorf("indexes: the index already has edits")
	case b.Manifest.ID != x.build.Manifest.ID:
		return nil, fmt.Errorf("indexes: the edits are for build %s, but the index is for build %s", b.Manifest.ID, x.build.Manifest.ID)
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

// maxDoc returns the number of ordinals, including those of deleted records.
func (x *Index) maxDoc() int {
	if x.overlay == nil {
		return x.records
	}
	return x.records + len(x.overlay.documents)
}

// numDocs returns the number of records.
func (x *Index) numDocs() int {
	if x.overlay == nil {
		return x.records
	}
	return x.maxDoc() - x.overlay.numDeleted
}

// sortPosition returns a number that determines the order of equally relevant
// records.
func (x *Index) sortPosition(o uint32) float64 {
	return x.build.SortPosition(o)
}

// nameLength returns the result of document.nameLength for a record.
func (x *Index) nameLength(o uint32) int {
	if int(o) < x.records {
		return int(x.nameLengths[o])
	}
	return int(x.overlay.documents[o].nameLength())
}
