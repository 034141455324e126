package exports

import (
	"cmp"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// FilterFields are the fields by which records can be filtered and counted, named
// like the API's parameters.
var FilterFields = []string{
	"capability", "category", "family", "license", "maintenance", "modality", "openWeights",
	"outputModality", "pricingModel", "provider", "status", "tag", "type",
}

// WriteLookups writes the files that the edge maps into memory, except for what WriteNeighbours
// writes. The entities must be in the order of CompareRank: an entity's ordinal is its index.
func (w *Writer) WriteLookups(entities []*record.Entity) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	g.Go(func() error { return w.writeRecords(entities) })
	g.Go(func() error { return w.writeOrders(entities) })
	g.Go(func() error { return w.writeValues(entities) })
	return g.Wait()
}

// writeOrders writes the files used to find and sort records.
func (w *Writer) writeOrders(entities []*record.Entity) error {
	keys, rank := packKeys(entities)
	columns, err := packColumns(entities, rank)
	if err != nil {
		return err
	}
	return errors.Join(w.Add(keysFile, keys), w.Add(columnsFile, columns.pack()), w.Add(ordersFile, columns.packOrders()),
		w.Add(measuresFile, packMeasures(entities, rank)), w.Add(daysFile, packDays(entities)), w.writeOffers(entities, rank))
}

// writeOffers writes the offers of the listed records, which precede the withdrawn ones.
func (w *Writer) writeOffers(entities []*record.Entity, rank []uint32) error {
	listed := 0
	for listed < len(entities) && entities[listed].Status != record.Withdrawn {
		listed++
	}
	data, err := packOffers(listed, func(o uint32) int64 { return int64(rank[o]) },
		func(o uint32) (*record.Entity, error) { return entities[o], nil })
	if err != nil {
		return err
	}
	return w.Add(offersFile, data)
}

// writeValues writes the files used to filter and count records.
func (w *Writer) writeValues(entities []*record.Entity) error {
	values, bitmaps, facets, err := packValues(entities)
	if err != nil {
		return err
	}
	return errors.Join(w.Add(valuesFile, values), w.Add(bitmapsFile, bitmaps), w.Add(facetsFile, facets))
}

// WriteNeighbours writes the neighbours of all entities, in the order of their ordinals. The
// reasons are indexes into features.
func (w *Writer) WriteNeighbours(neighbours []PackedNeighbours, features []Feature) error {
	names := make([]string, len(features))
	for i, f := range features {
		names[i] = f.Kind + "\x00" + f.Value
	}
	f, err := w.Create(similarFile)
	if err != nil {
		return err
	}
	if err := errors.Join(writeNeighbours(f, neighbours), f.Close()); err != nil {
		return err
	}
	return w.Add(featuresFile, packed.PackStrings(names))
}

func (w *Writer) writeRecords(entities []*record.Entity) error {
	f, err := w.Create(recordsFile)
	if err != nil {
		return err
	}
	offsets := make([]byte, 8, 8*(len(entities)+1))
	var buf []byte
	for _, e := range entities {
		buf = e.AppendJSON(buf[:0])
		if _, err := f.Write(buf); err != nil {
			return errors.Join(err, f.Close())
		}
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(f.Size()))
	}
	if err := f.Close(); err != nil {
		return err
	}
	return w.Add(offsetsFile, offsets)
}

// packKeys builds the table that maps a type and a slug, which may be an earlier
// one, to an ordinal. It also returns the table index of each ordinal's current
// key.
func packKeys(entities []*record.Entity) (file []byte, rank []uint32) {
	type entry struct {
		key    string
		target uint32 // ordinal<<1, +1 for an earlier slug
	}
	var list []entry
	taken := make(map[string]bool, len(entities))
	for i, e := range entities {
		key := e.Type + "\x00" + e.Slug
		taken[key] = true
		list = append(list, entry{key, uint32(i) << 1})
	}
	for i, e := range entities {
		for _, old := range e.Formerly {
			if key := e.Type + "\x00" + old; !taken[key] {
				taken[key] = true
				list = append(list, entry{key, uint32(i)<<1 | 1})
			}
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	keys, targets := make([]string, len(list)), make([]uint32, len(list))
	rank = make([]uint32, len(entities))
	for i, en := range list {
		keys[i], targets[i] = en.key, en.target
		if en.target&1 == 0 {
			rank[en.target>>1] = uint32(i)
		}
	}
	return packed.PackSections(packed.PackStrings(keys), packed.PackUint32s(targets), packed.PackUint32s(rank)), rank
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
