package indexes

import (
	"bytes"
	"maps"
	"slices"

	"github.com/blevesearch/vellum"
)

// layer is documents that are kept in memory over those of the segment, or over
// another layer: what has changed since the segment was made, and what edits
// change.
type layer struct {
	documents map[uint32]*document // by ordinal
	terms     [fieldCount]layerTerms
	dead      set // ordinals of what lies below that count no more, nil for none
	gone      int // how many these are
}

// layerTerms are the terms that the documents have in a field.
type layerTerms struct {
	fst   *vellum.FST // leads to places in of; nil where there are none
	of    [][]uint32
	words *lazyVocabulary // of the transducer
}

// layerRegistry is how many states are remembered while a transducer of a layer
// is made. There are few terms, and remembering none but the last would do.
const layerRegistry = 512

func newLayer(documents map[uint32]*document) (*layer, error) {
	l := &layer{documents: documents}
	var having [fieldCount]map[string][]uint32
	for f := range having {
		having[f] = map[string][]uint32{}
	}
	known := map[string]*vocable{}
	for _, o := range slices.Sorted(maps.Keys(documents)) {
		var terms fieldTerms
		documents[o].terms(&terms, func(_ int, word string) *vocable {
			if known[word] == nil {
				known[word] = newVocable(word)
			}
			return known[word]
		})
		for f, list := range terms {
			for _, term := range list {
				having[f][term] = append(having[f][term], o)
			}
		}
	}
	for f := range having {
		if err := l.terms[f].fill(having[f]); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (t *layerTerms) fill(having map[string][]uint32) error {
	if len(having) == 0 {
		t.words = newLazyVocabulary(nil, never)
		return nil
	}
	var data bytes.Buffer
	b, err := vellum.New(&data, &vellum.BuilderOpts{Encoder: 1, RegistryTableSize: layerRegistry, RegistryMRUSize: 1})
	if err != nil {
		return err
	}
	for _, term := range slices.Sorted(maps.Keys(having)) {
		if err := b.Insert([]byte(term), uint64(len(t.of))); err != nil {
			return err
		}
		t.of = append(t.of, having[term])
	}
	if err := b.Close(); err != nil {
		return err
	}
	t.fst, err = vellum.Load(data.Bytes())
	t.words = newLazyVocabulary(t.fst, never)
	return err
}

// never is what stops a vocabulary that is made in a moment.
func never() bool { return false }

func (t *layerTerms) text(term string) ([]uint32, error) {
	if t.fst == nil {
		return nil, nil
	}
	i, ok, err := t.fst.Get([]byte(term))
	if err != nil || !ok {
		return nil, err
	}
	return t.of[i], nil
}

func (t *layerTerms) prefix(s *session, prefix string) (ordinals []uint32, err error) {
	err = s.matching(t.fst, prefix, func(i uint64) error {
		ordinals = append(ordinals, t.of[i]...)
		return nil
	})
	return ordinals, err
}

func (t *layerTerms) near(w *pattern) (ordinals [maxEdits + 1][]uint32, err error) {
	words, err := t.words.get()
	if err != nil {
		return ordinals, err
	}
	err = words.near(w, func(i uint64, edits int) error {
		ordinals[edits] = append(ordinals[edits], t.of[i]...)
		return nil
	})
	return ordinals, err
}

// join makes a set of records one of what the layer lies over as well: without
// those that count no more, and with some of its own; nil where there are none.
func (s *session) join(found set, l *layer, own []uint32) set {
	if found != nil && l.dead != nil {
		if found.andNot(l.dead); len(own) == 0 && found.empty() {
			return nil
		}
	}
	if found == nil && len(own) > 0 {
		found = s.set()
	}
	for _, o := range own {
		found.add(o)
	}
	return found
}

// document returns that of a record which lies in a layer, nil for one of the
// segment.
func (x *Index) document(o uint32) *document {
	for _, l := range x.layers {
		if d := l.documents[o]; d != nil {
			return d
		}
	}
	return nil
}
