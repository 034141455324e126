package exports

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

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
	// Signals are the signals of the window's growth, and Counts the number of entities of each.
	Signals []string `json:"signals"`
	Counts  []int    `json:"counts"`
}

// trendSize and growthSize are the lengths of an encoded Trend and Growth in bytes.
const trendSize, growthSize = 20, 20

func (p *archivePacker) writeTrends() error {
	heads, lists, growth := make([]trendsHead, len(p.Trends)), make([][]byte, len(p.Trends)), make([][]byte, len(p.Trends))
	for i, t := range p.Trends {
		heads[i] = trendsHead{Window: t.Window, Days: t.Days, Since: t.Since, Empty: t.Empty}
		for _, x := range t.List {
			heads[i].Needed = max(heads[i].Needed, x.Ordinal+1)
			b := binary.LittleEndian.AppendUint32(lists[i], x.Ordinal)
			b = binary.LittleEndian.AppendUint16(b, uint16(x.Score.Code()))
			b = binary.LittleEndian.AppendUint16(b, uint16(x.Previous.Code()))
			b = binary.LittleEndian.AppendUint32(b, x.Rank)
			b = binary.LittleEndian.AppendUint32(b, x.PreviousRank)
			lists[i] = binary.LittleEndian.AppendUint32(b, x.Changes)
		}
		growth[i] = heads[i].packGrowth(t.Growth)
	}
	head, err := json.Marshal(heads)
	if err != nil {
		return err
	}
	return p.w.Add(trendsFile, packed.PackSections(head, packed.PackSections(lists...), packed.PackSections(growth...)))
}

// packGrowth encodes the growth of a window, and describes it in its head.
func (h *trendsHead) packGrowth(list []Growth) (dst []byte) {
	for _, g := range list {
		if n := len(h.Signals); n == 0 || h.Signals[n-1] != g.Signal {
			h.Signals, h.Counts = append(h.Signals, g.Signal), append(h.Counts, 0)
		}
		h.Counts[len(h.Counts)-1]++
		h.Needed = max(h.Needed, g.Ordinal+1)
		dst = binary.LittleEndian.AppendUint32(dst, g.Ordinal)
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(g.Now))
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(g.Previous))
	}
	return dst
}

func (r *ArchiveReader) openTrends(s *packed.SectionReader) {
	parts := s.Open(trendsFile, 3)
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
		s.Check(trendsFile, len(list)%trendSize == 0 && int(r.windows[i].Needed) <= r.base.Len())
	}
	growth, err := packed.UnpackSections(parts[2], len(r.windows))
	s.Check(trendsFile, err == nil)
	for i, list := range growth {
		total := 0
		for _, n := range r.windows[i].Counts {
			s.Check(trendsFile, n >= 0 && n <= len(list)/growthSize)
			total += n
		}
		s.Check(trendsFile, len(list) == total*growthSize && len(r.windows[i].Signals) == len(r.windows[i].Counts))
	}
	r.trends, r.growth = lists, growth
}

// Windows returns the names of the windows that Trends accepts.
func (r *ArchiveReader) Windows() []string {
	list := make([]string, len(r.windows))
	for i, w := range r.windows {
		list[i] = w.Window
	}
	return list
}

// Growing returns the signals that have grown within a time window.
func (r *ArchiveReader) Growing(window string) []string {
	for _, w := range r.windows {
		if w.Window == window {
			return w.Signals
		}
	}
	return nil
}

// Growth returns the entities whose signal has grown within a time window, the largest gain
// first, and the day whose end is the start of the window. Entities that edits removed or
// withdrew are left out.
func (r *ArchiveReader) Growth(window, signal string) (since string, list []Growth) {
	for i, w := range r.windows {
		if w.Window != window {
			continue
		}
		b := r.growth[i]
		for j, name := range w.Signals {
			part := b[:w.Counts[j]*growthSize]
			b = b[len(part):]
			if name != signal {
				continue
			}
			for ; len(part) > 0; part = part[growthSize:] {
				if at, ok := r.build.currentOrdinal(binary.LittleEndian.Uint32(part)); ok {
					list = append(list, Growth{at, signal, math.Float64frombits(binary.LittleEndian.Uint64(part[4:])),
						math.Float64frombits(binary.LittleEndian.Uint64(part[12:]))})
				}
			}
		}
		return w.Since, list
	}
	return "", nil
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
				Ordinal:  at,
				Score:    record.ScoreFromCode(int16(binary.LittleEndian.Uint16(b[4:]))),
				Previous: record.ScoreFromCode(int16(binary.LittleEndian.Uint16(b[6:]))),
				Rank:     binary.LittleEndian.Uint32(b[8:]), PreviousRank: binary.LittleEndian.Uint32(b[12:]),
				Changes: binary.LittleEndian.Uint32(b[16:]),
			})
		}
		return w.Since, w.Empty, list
	}
	return "", true, nil
}

// GrowthWindows lists the numbers of days over which the growth of an entity's figures is given.
var GrowthWindows = []int{7, 30, 365}

// Growth is how much a count of an entity has grown.
type Growth struct {
	Ordinal       uint32
	Signal        string
	Now, Previous float64
}

// Gain returns the difference of the two values.
func (g Growth) Gain() float64 { return g.Now - g.Previous }

// Percent returns the gain in percent of the previous value, rounded to a tenth. ok is false if
// that value was 0.
func (g Growth) Percent() (percent float64, ok bool) { return percentOf(g.Gain(), g.Previous) }

// FigureGrowth is how a count changed from one reading to a later one.
type FigureGrowth struct{ Previous, Now record.Fact }

// Gain returns the difference of the two values. It is negative if the count fell.
func (g *FigureGrowth) Gain() float64 { return g.Now.Number - g.Previous.Number }

// Percent returns the gain in percent of the previous value, as in Growth.
func (g *FigureGrowth) Percent() (percent float64, ok bool) {
	return percentOf(g.Gain(), g.Previous.Number)
}

func percentOf(gain, previous float64) (percent float64, ok bool) {
	if previous <= 0 {
		return 0, false
	}
	return math.Round(1000*gain/previous) / 10, true
}

// GrowthOver returns the growth of a count over the days before asOf, given the series that
// SignalSeries returns. It compares the latest reading with the one that was valid at the start
// of the window, which is the end of the UTC day that many days before asOf.
//
// It returns nil if the growth is unknown: if there was no reading at the start of the window, or
// none since; if the count vanished in between, even if it came back; or if the two readings are
// known to lie more than twice the window apart.
func GrowthOver(points []Point[record.Fact], asOf time.Time, days int) *FigureGrowth {
	start := asOf.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days).Unix()
	for i := len(points) - 1; i >= 0; i-- {
		p := &points[i]
		switch {
		case p.Value == record.Fact{}:
			return nil
		case p.Time == 0 || p.Time >= start: // without a time, it is not committed yet
			continue
		}
		g := &FigureGrowth{Previous: p.Value, Now: points[len(points)-1].Value}
		if again := g.Now.Number != g.Previous.Number || g.Now.Date != g.Previous.Date; !again {
			return nil
		}
		if apart, ok := record.DaysApart(g.Previous.Date, g.Now.Date); ok && apart > 2*days {
			return nil
		}
		return g
	}
	return nil
}
