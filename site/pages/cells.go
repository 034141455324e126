package pages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/board"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/site/textfmt"
)

// cell is a value, as lists, comparisons, cards and facts show it.
type cell struct {
	Text   string   // "" if it is unknown
	Full   string   // what facts say instead, where there is room for more, or ""
	Note   string   // in small print
	Said   string   // what the value means, among facts
	To     string   // path, or "" if there is no link
	Links  []link   // its values, if they have pages
	Out    string   // external URL, or "" if there is none
	Date   string   // Text in ISO 8601 if it is a date
	Read   string   // the day on which it was read, where comparisons and facts say it
	Figure bool     // it was read on some day, even if that is unknown
	List   []string // Text as a list, in a comparison
	Best   bool     // it is the best in a comparison
	Raw    int64    // what the column is sorted by, unless it is sorted by text
	Bar    record.Score
}

// unknownCell is the Raw of a value that is unknown.
const unknownCell = -1

// columnsOf returns the names of the columns of a declared field: of its parts, unless they are one value or range.
func columnsOf(f *kinds.Field) []string {
	if f.Type != kinds.Group || f.Dated {
		return []string{f.Name}
	}
	return each(f.Parts, func(part *kinds.Field) string { return part.Path })
}

// fieldCell shows the value of a declared field.
func (s *Site) fieldCell(f *kinds.Field, it *item) cell {
	v := it.Values.Get(f.Path)
	n, _ := v.(float64)
	c := cell{Text: textfmt.Value(f, v), Raw: int64(n)}
	c.Full = withUnit(c.Text, f.UnitShown())
	switch text, _ := v.(string); {
	case f.Words() == kinds.Reference:
		var names []string
		for _, key := range f.Texts(v) {
			l := s.reference(key)
			c.Links, names = append(c.Links, l), append(names, l.Name)
		}
		c.Text = textfmt.Name(strings.Join(names, ", "))
	case f.Type == kinds.URL:
		c.Out = textfmt.WebURL(text)
	case f.IsDay():
		c.Date = textfmt.ISODay(text)
	}
	return c
}

// withUnit returns a known number with its unit, or "" if there is none.
func withUnit(text, unit string) string {
	if text == "" || unit == "" {
		return ""
	}
	return text + " " + unit
}

// groupCell shows the parts of a declared group: a dated value, a range, or one after the other.
func (s *Site) groupCell(g *kinds.Field, it *item) cell {
	if g.Dated {
		c := s.fieldCell(g.Parts[0], it)
		c.Read, c.Out, c.Figure = it.Values.Text(g.Path+".date"), textfmt.WebURL(it.Values.Text(g.Path+".source")), true
		return c
	}
	var parts []string
	for _, part := range g.Parts {
		if x := s.fieldCell(part, it); x.Text != "" && g.Type == kinds.Range {
			parts = append(parts, x.Text)
		} else if x.Text != "" {
			parts = append(parts, cmp.Or(x.Full, x.Text))
		}
	}
	if g.Type != kinds.Range {
		return cell{Text: strings.Join(parts, " / ")}
	}
	c := s.fieldCell(g.Parts[0], it)
	switch parts = slices.Compact(parts); {
	case len(parts) == 1 && c.Text == "":
		c = cell{Text: "up to " + parts[0], Raw: unknownCell}
	case len(parts) == 1 && it.Values.Get(g.Parts[1].Path) == nil:
		c.Text = "from " + parts[0]
	default:
		c.Text = strings.Join(parts, " to ")
	}
	c.Full = withUnit(c.Text, g.Parts[0].UnitShown())
	return c
}

// signalCell shows a signal or, where it is unknown, the sum of others.
func signalCell(x *kinds.Signal, it *item, sum []string) cell {
	f, ok := it.Signals.Fact(x.Name)
	c := dayCell(f.Day)
	if !x.IsDay() {
		for _, name := range sum {
			if g, known := it.Signals.Fact(name); known && f.Name == "" {
				f.Number, ok = f.Number+g.Number, true
			}
		}
		if c = numberCell(f.Number, ok); ok {
			c.Full = strings.TrimSpace(textfmt.Count(f.Number) + " " + x.Unit)
		}
	}
	c.Read, c.Figure = f.Date, true
	return c
}

// summed returns the signals whose sum the formula of a kind counts instead of a signal.
func (s *Site) summed(typ, signal string) []string {
	if s.Formula.Types[typ] == nil {
		return nil
	}
	for _, d := range s.Formula.Types[typ].Dimensions {
		for i := range d.Measures {
			if d.Measures[i].Signal == signal && d.Measures[i].Sum != nil {
				return d.Measures[i].Sum
			}
		}
	}
	return nil
}

func categoryCell(s *Site, it *item) cell {
	c := cell{Text: s.categoryTitle(it.Category)}
	if s.titles[it.Category] != "" {
		c.To = categoryPath(it.Category)
	}
	return c
}

// versionCell shows the version, and among facts the day of its release.
func versionCell(_ *Site, it *item) cell {
	latest, _ := it.Signals.Fact("lastRelease")
	c := cell{Text: it.Version, Read: latest.Date, Figure: true}
	if day := textfmt.Day(it.Release().Day); day != "" && c.Text != "" {
		c.Full = c.Text + ", released " + day
	}
	return c
}

func lifecycleOf(e *record.Entity) *record.Lifecycle { return cmp.Or(e.Lifecycle, &record.Lifecycle{}) }

func successorCell(s *Site, it *item) cell {
	next := s.reference(lifecycleOf(it.Entity).ReplacedBy)
	return cell{Text: next.Name, To: next.To}
}

func numberCell(n float64, known bool) cell {
	if !known {
		return cell{Raw: unknownCell}
	}
	return cell{Text: textfmt.Compact(n), Raw: int64(n)}
}

func dayCell(day string) cell {
	if day == "" {
		return cell{Raw: unknownCell}
	}
	n, _ := strconv.ParseInt((strings.ReplaceAll(day, "-", "") + "00")[:8], 10, 64)
	return cell{Text: textfmt.Day(day), Date: textfmt.ISODay(day), Raw: n}
}

func scoreCell(x record.Score, bar bool) cell {
	if !x.Known() {
		return cell{Raw: unknownCell}
	}
	c := cell{Text: x.String(), Raw: int64(x.Tenths())}
	if bar {
		c.Bar = x
	}
	return c
}

// offerPrice returns a price of an offer by the name of its column.
func offerPrice(o *record.Offer, name string) record.Price {
	if i := slices.Index(record.PriceNames[:], name); i >= 0 {
		return o.Prices[i]
	}
	return pricing.Blend(o.Prices[record.InputPrice], o.Prices[record.OutputPrice])
}

func priceCell(it *item, name string) cell {
	if it.offer == nil || !offerPrice(it.offer, name).Known() {
		return cell{Raw: unknownCell}
	}
	p := offerPrice(it.offer, name)
	if p.Micros() == 0 {
		return cell{Text: "free"}
	}
	return cell{Text: textfmt.Price(p), Raw: p.Micros()}
}

// summaryCell shows the price of a model, and whose price it is: it follows from the offers of its maker, or from all
// that are not deprecated. It was read on the earliest day on which one of them was.
func summaryCell(s *Site, it *item) cell {
	c, n := cell{Raw: it.Price.Blended.Micros(), Figure: true}, 0
	if p := (record.Prices{record.InputPrice: it.Price.Input, record.OutputPrice: it.Price.Output}); p.Known() {
		c.Text = describePrices(&p)
	}
	for i := range it.Offers {
		o := &it.Offers[i]
		if o.Provider != it.Price.Provider && (it.Price.Provider != "" || o.Deprecated) {
			continue
		}
		if n++; n == 1 {
			c.Said = "per million tokens, at " + textfmt.Name(s.providerName(o.Provider))
		} else if it.Price.Provider == "" {
			c.Said = "per million tokens, median of " + textfmt.Plural(n, "offer", "offers")
		}
		if o.Date != "" && (c.Read == "" || o.Date < c.Read) {
			c.Read = o.Date
		}
	}
	return c
}

// boardPlace is the best place of an entity on a board.
type boardPlace struct {
	*board.Board
	rank int
}

// findPlaces returns the best places of all entities on boards, of equal ones that on the first board.
func (s *Site) findPlaces() map[uint32]boardPlace {
	places := map[uint32]boardPlace{}
	for _, b := range s.Own.Published() {
		for i, entry := range s.Own.Now(b).Entries {
			if best, ok := places[entry.Ordinal]; !ok || i+1 < best.rank {
				places[entry.Ordinal] = boardPlace{b, i + 1}
			}
		}
	}
	return places
}

// rankCell shows the best rank of an entity with the name of the board.
func (s *Site) rankCell(it *item) cell {
	p, ok := s.places()[it.ordinal]
	if !ok {
		return cell{Raw: unknownCell}
	}
	return cell{Text: "#" + textfmt.Count(p.rank), Note: p.Title, To: boardPath(p.Slug), Raw: int64(p.rank)}
}
