package exports

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"kindex/exports/jsonenc"
	"kindex/exports/packed"
	"kindex/exports/record"
	"kindex/exports/table"
)

// writeChanges writes the changelog and changes.bin.
func (p *archivePacker) writeChanges() error {
	previous, kept, n := &p.previous.log, p.KeptChanges, len(p.Changes)
	lengths := make([]int, n-kept)
	if err := p.writeChangelog(lengths); err != nil {
		return err
	}
	times := append(make([]byte, 0, 8*n), previous.times[:8*kept]...)
	offsets := append(make([]byte, 0, 8*(n+1)), previous.offsets[:8*(kept+1)]...)
	postings := packed.PostingsBuilder{}
	for i := kept; i < n; i++ {
		offsets = binary.LittleEndian.AppendUint64(offsets, packed.Uint64At(offsets, i)+uint64(lengths[i-kept])+1)
		c := &p.Changes[i]
		times = binary.LittleEndian.AppendUint64(times, uint64(c.Time))
		addChangePostings(postings, c, i)
	}
	versions := extendColumn(previous.versions, kept, n, func(i int) int32 { return p.Changes[i].Version })
	ids, idIndexes, err := p.packIDs()
	if err != nil {
		return err
	}
	lists, err := postings.Pack(previous.postings, kept, previous.n)
	if err != nil {
		return err
	}
	return p.w.Add(changesFile, packed.PackSections(append([][]byte{times, versions, offsets, ids, idIndexes}, lists...)...))
}

// addChangePostings adds a change to the inverted lists that are used to find it.
func addChangePostings(p packed.PostingsBuilder, c *ChangeEntry, i int) {
	p.Add(byType, c.Type, i)
	p.Add(byEvent, c.Event, i)
	if c.Category != "" {
		p.Add(byCategory, c.Category, i)
	}
	for _, f := range c.Fields {
		p.Add(byField, f, i)
		if group := record.FieldGroup(f); group != "" {
			p.Add(byField, group, i)
		}
	}
}

// packIDs packs the sorted IDs of all changes and the index of each change.
func (p *archivePacker) packIDs() (ids, indexes []byte, err error) {
	type entry struct {
		id    [idSize]byte
		place uint32
	}
	previous := &p.previous.log
	list := make([]entry, 0, len(p.Changes))
	for i := range previous.n {
		if place := previous.idIndexes.At(i); int(place) < p.KeptChanges {
			list = append(list, entry{[idSize]byte(previous.ids[idSize*i:]), place})
		}
	}
	for i := p.KeptChanges; i < len(p.Changes); i++ {
		raw, ok := parseChangeID(p.Changes[i].ID)
		if !ok {
			return nil, nil, fmt.Errorf("archive: %q is not a change ID", p.Changes[i].ID)
		}
		list = append(list, entry{[idSize]byte(raw), uint32(i)})
	}
	slices.SortFunc(list, func(a, b entry) int { return bytes.Compare(a.id[:], b.id[:]) })
	for i, e := range list {
		if i > 0 && e.id == list[i-1].id {
			return nil, nil, fmt.Errorf("archive: changes %d and %d have the same ID %x", list[i-1].place, e.place, e.id)
		}
		ids = append(ids, e.id[:]...)
		indexes = binary.LittleEndian.AppendUint32(indexes, e.place)
	}
	return ids, indexes, nil
}

// writeChangelog writes the changelog in every format, with compressed variants. It stores the length of
// the line of each change that is not kept, without its line ending, in lengths.
func (p *archivePacker) writeChangelog(lengths []int) error {
	return p.w.WriteTable(&Table{Base: ChangelogFile, Columns: table.ChangeColumns, Items: len(p.Changes), Cells: rowOfChange,
		JSON: func(dst []byte, i int) ([]byte, error) {
			if i < p.KeptChanges {
				return append(dst, p.previous.ChangeLine(i)...), nil
			}
			before := len(dst)
			dst, err := p.Line(dst, i)
			lengths[i-p.KeptChanges] = len(dst) - before
			return dst, err
		}})
}

// rowOfChange extracts the cells of the ChangeColumns from a line that AppendJSON
// wrote, without decoding nested values.
func rowOfChange(line []byte) table.Row {
	text := func(value []byte) table.Cell { return table.Cell{Text: jsonenc.Text(value)} }
	row := make(table.Row, len(table.ChangeColumns))
	set := func(name string, c table.Cell) {
		if i, ok := changeColumn[name]; ok {
			row[i] = c
		}
	}
	for name, value := range jsonenc.Members(line) {
		switch name := string(name); name {
		case "entity":
			for name, value := range jsonenc.Members(value) {
				set(string(name), text(value))
			}
		case "changes":
			set(name, table.Cell{Text: string(value)})
		case "pullRequest":
			n, err := strconv.Atoi(string(value))
			set(name, table.Cell{Number: float64(n), Known: err == nil})
		default:
			set(name, text(value))
		}
	}
	return row
}

// changeColumn maps the names of the ChangeColumns to their positions.
var changeColumn = func() map[string]int {
	positions := make(map[string]int, len(table.ChangeColumns))
	for i, c := range table.ChangeColumns {
		positions[c.Name] = i
	}
	return positions
}()
