package indexes

import (
	"fmt"
	"slices"

	"kindex/exports"
)

// With returns the index as it would answer with the edits of a build: b is what
// exports.Build.With made of the build of this index, titles are those of the
// categories. Every result is that of an index built from the edited content,
// but for ordinals, which are those of b.
//
// It costs as much as the edits do, whatever the size of the index. The result
// lives as long as x.
func (x *Index) With(b *exports.Build, titles map[string]string) (*Index, error) {
	switch {
	case x.draft != nil:
		return nil, fmt.Errorf("indexes: an index with edits takes no further ones")
	case b.Manifest.ID != x.build.Manifest.ID:
		return nil, fmt.Errorf("indexes: edits of build %s for the index of build %s", b.Manifest.ID, x.build.Manifest.ID)
	}
	documents := map[uint32]*document{}
	for i, e := range b.Edited() {
		s := newSource(e, titles[e.Category])
		documents[uint32(x.records+i)] = newDocument(&s)
	}
	draft, err := newLayer(documents)
	if err != nil {
		return nil, err
	}
	if dead := b.Dead(); dead != nil {
		draft.dead = make(set, setWords(x.records+len(documents)))
		dead.WriteDenseTo(draft.dead)
		draft.gone = int(dead.GetCardinality())
	}
	return &Index{stored: x.stored, build: b, layers: append(slices.Clip(x.layers), draft), draft: draft}, nil
}

// size is the number of ordinals, of which some may count no more.
func (x *Index) size() int {
	if x.draft == nil {
		return x.records
	}
	return x.records + len(x.draft.documents)
}

// living is the number of records.
func (x *Index) living() int {
	if x.draft == nil {
		return x.records
	}
	return x.size() - x.draft.gone
}

// standing is where a record stands among others that are as relevant.
func (x *Index) standing(o uint32) float64 {
	if int(o) < x.records {
		return float64(o)
	}
	return x.build.SortPosition(o)
}

// length is document.length of a record.
func (x *Index) length(o uint32) int {
	if int(o) < x.records {
		return int(x.lengths[o])
	}
	return int(x.draft.documents[o].length())
}
