package builder

import (
	"time"

	"kindex/exports/board"
	"kindex/exports/record"
)

// TopLength is the number of entities in the top of a board.
const TopLength = 10

// Shift states how the top of a board changes if one weight of its formula moves by a fifth.
type Shift struct {
	Weight  string   `json:"weight"` // a dimension, or a dimension and a measure
	Factor  float64  `json:"factor"`
	Enters  []string `json:"enters"` // keys of entities in the new top that were not in the old one
	Leaves  []string `json:"leaves"`
	Largest *Move    `json:"largestMove"` // of an entity in either top, nil if none moves
}

// Move is the move of an entity on a board.
type Move struct {
	Entity string `json:"entity"` // its key
	From   int    `json:"from"`   // its rank
	To     int    `json:"to"`
}

// Sensitivity returns how the top of the board changes if each weight of its formula moves by
// a fifth, and nil for a board without entries. The scores are calculated as of the time of the
// ranking.
func (b *RankedBoard) Sensitivity(asOf time.Time) ([]Shift, error) {
	if len(b.Entries) == 0 {
		return nil, nil
	}
	var list []Shift
	for _, v := range b.Variants() {
		ranked, err := rankBoards([]*board.Board{v.Board}, len(b.Entities), asOf, func(i int) (*record.Entity, error) { return b.Entities[i], nil })
		if err != nil {
			return nil, err
		}
		list = append(list, b.shift(&ranked[0], v))
	}
	return list, nil
}

// shift compares the top of the board with that of a variant.
func (b *RankedBoard) shift(other *RankedBoard, v board.Variant) Shift {
	s := Shift{Weight: v.Weight, Factor: v.Factor, Enters: []string{}, Leaves: []string{}}
	before, after := b.rankOf(), other.rankOf()
	top := map[uint32]bool{}
	for _, r := range []*RankedBoard{b, other} {
		for _, e := range r.Entries[:min(TopLength, len(r.Entries))] {
			if top[e.Ordinal] {
				continue
			}
			top[e.Ordinal] = true
			from, to, entity := before[e.Ordinal], after[e.Ordinal], b.Entities[e.Ordinal].Key()
			switch {
			case to == 0 || to > TopLength:
				s.Leaves = append(s.Leaves, entity)
			case from == 0 || from > TopLength:
				s.Enters = append(s.Enters, entity)
			}
			if m := (Move{entity, from, to}); from > 0 && to > 0 && m.distance() > 0 && (s.Largest == nil || m.distance() > s.Largest.distance()) {
				s.Largest = &m
			}
		}
	}
	return s
}

func (m *Move) distance() int { return max(m.From-m.To, m.To-m.From) }

// rankOf returns the ranks on the board by ordinal.
func (b *RankedBoard) rankOf() map[uint32]int {
	ranks := make(map[uint32]int, len(b.Entries))
	for i, e := range b.Entries {
		ranks[e.Ordinal] = i + 1
	}
	return ranks
}
