package exports

import (
	"encoding/binary"
	"encoding/json"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// trendsHead describes one time window.
type trendsHead struct {
	Window string `json:"window"`
	Days   int    `json:"days"`
	Since  string `json:"since"`
	Empty  bool   `json:"empty"`
	Needed uint32 `json:"needed"` // minimum number of ordinals in the build
}

// trendSize is the length of an encoded Trend in bytes.
const trendSize = 16

func (p *archivePacker) writeTrends() error {
	heads, lists := make([]trendsHead, len(p.Trends)), make([][]byte, len(p.Trends))
	for i, t := range p.Trends {
		heads[i] = trendsHead{t.Window, t.Days, t.Since, t.Empty, 0}
		for _, x := range t.List {
			heads[i].Needed = max(heads[i].Needed, x.Ordinal+1)
			b := binary.LittleEndian.AppendUint32(lists[i], x.Ordinal)
			b = binary.LittleEndian.AppendUint16(b, uint16(x.Gain))
			b = binary.LittleEndian.AppendUint16(b, uint16(x.Previous.Code()))
			b = binary.LittleEndian.AppendUint32(b, x.PreviousRank)
			lists[i] = binary.LittleEndian.AppendUint32(b, x.Changes)
		}
	}
	head, err := json.Marshal(heads)
	if err != nil {
		return err
	}
	return p.w.Add(trendsFile, packed.PackSections(head, packed.PackSections(lists...)))
}

func (r *ArchiveReader) openTrends(s *packed.SectionReader) {
	parts := s.Open(trendsFile, 2)
	if s.Err() != nil {
		return
	}
	if err := json.Unmarshal(parts[0], &r.windows); err != nil {
		s.Fail(trendsFile, err)
		return
	}
	lists, err := packed.UnpackSections(parts[1], len(r.windows))
	s.Check(trendsFile, err == nil)
	for i, list := range lists {
		s.Check(trendsFile, len(list)%trendSize == 0 && int(r.windows[i].Needed) <= r.base.n)
	}
	r.trends = lists
}

// Windows returns the names of the windows that Trends accepts.
func (r *ArchiveReader) Windows() []string {
	list := make([]string, len(r.windows))
	for i, w := range r.windows {
		list[i] = w.Window
	}
	return list
}

// Trends returns the movement of entities within a time window, and the day whose end is the
// start of the window. empty is set if the index was still empty on that day or if the window
// is unknown. Entities that edits removed or withdrew are left out.
func (r *ArchiveReader) Trends(window string) (since string, empty bool, list []Trend) {
	for i, w := range r.windows {
		if w.Window != window {
			continue
		}
		list = make([]Trend, 0, len(r.trends[i])/trendSize)
		for b := r.trends[i]; len(b) > 0; b = b[trendSize:] {
			at, ok := r.build.currentOrdinal(binary.LittleEndian.Uint32(b))
			if !ok {
				continue
			}
			list = append(list, Trend{
				Ordinal: at, Gain: int16(binary.LittleEndian.Uint16(b[4:])),
				Previous:     record.ScoreFromCode(int16(binary.LittleEndian.Uint16(b[6:]))),
				PreviousRank: binary.LittleEndian.Uint32(b[8:]), Changes: binary.LittleEndian.Uint32(b[12:]),
			})
		}
		return w.Since, w.Empty, list
	}
	return "", true, nil
}
