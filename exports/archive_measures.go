package exports

import (
	"slices"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// versionValues returns the values of a version in a filter field. Its maintenance is that
// of the day when it was read; see maintenanceRead.
func versionValues(e *record.Entity, field string) []string {
	if field != "maintenance" {
		return e.FieldValues(field)
	}
	if m := record.MaintenanceOf(&e.Signals, record.NoDate); m.State != "" {
		return []string{m.State}
	}
	return nil
}

// newMeasures returns builders for the measures of versions, with the prices of the kept
// versions if they differ from those in the previous build.
func (p *archivePacker) newMeasures() ([]columnBuilder, error) {
	added := make([]columnBuilder, measureCount+1)
	if !p.repriced() {
		return added, nil
	}
	for i := range p.Kept {
		if p.previous.deleted(i) || !record.HasComputed(p.previous.Record(i)) {
			continue
		}
		e, err := p.previous.Entity(i)
		if err != nil {
			return nil, err
		}
		if price := p.Providers.Compute(e, "").Price.Blended; price.Known() {
			added[priceMeasure].add(uint32(i), price.Micros())
		}
	}
	return added, nil
}

// repriced reports whether kept versions can have other prices than in the previous build.
func (p *archivePacker) repriced() bool {
	return p.Kept > 0 && !slices.Equal(p.Previous.Providers(), p.Providers)
}

// addMeasures adds the measures of version i.
func (p *archivePacker) addMeasures(added []columnBuilder, e *record.Entity, i int) {
	for m, v := range measures(e, p.Providers.Compute(e, "").Price.Blended) {
		added[m].add(uint32(i), v)
	}
	if day, ok := orderedDay(record.MaintenanceOf(&e.Signals, record.NoDate).AsOf); ok {
		added[maintenanceRead].add(uint32(i), day)
	}
}

// packMeasures returns the content of the file with the measures of versions.
func (p *archivePacker) packMeasures(added []columnBuilder) []byte {
	var parts [][]byte
	for m := range added {
		previous := p.previous.measures[m]
		if m == priceMeasure && p.repriced() {
			previous = packed.Column{} // all prices were added
		}
		parts = append(parts, mergeColumn(previous, uint32(p.Kept), len(p.Versions), &added[m])...)
	}
	return packed.PackSections(parts...)
}

// mergeColumn packs a column of n items that consists of the items below kept of a previous
// column and of added ones, which follow them.
func mergeColumn(previous packed.Column, kept uint32, n int, added *columnBuilder) [][]byte {
	var all columnBuilder
	for item, v := range previous.Each {
		if item >= kept {
			break
		}
		all.add(item, v)
	}
	for i, item := range added.items {
		all.add(item, added.values[i])
	}
	newer := added.sorted() // indexes of added
	sorted := make([]uint32, 0, len(all.items))
	for i := range previous.Sorted().Len() {
		item := previous.Sorted().At(i)
		if item >= kept {
			continue
		}
		v, _ := previous.Get(item)
		for len(newer) > 0 && added.values[newer[0]] < v {
			sorted, newer = append(sorted, added.items[newer[0]]), newer[1:]
		}
		sorted = append(sorted, item)
	}
	for _, i := range newer {
		sorted = append(sorted, added.items[i])
	}
	return packed.PackColumn(n, all.items, all.values, sorted)
}
