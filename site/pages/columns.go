package pages

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/board"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// kindColumns are the columns of the list of a kind, in order. On a phone, only the first are shown.
func kindColumns(k *kinds.Kind) (list []string) {
	if k.Columns != nil {
		return k.Columns
	}
	for _, f := range k.Fields {
		if f.Type != kinds.Group && len(list) < 6 {
			list = append(list, f.Path)
		}
	}
	return append(list, "license")
}

// shortTitles are titles of columns that are narrower than the facts are called elsewhere.
var shortTitles = map[string]string{"contextTokens": "Context", "released": "Released", "lastRelease": "Last release", "modalities.input": "Reads", "openWeights": "Open", "license": "Licence"}

// item is an entity in a list, and what the list knows of it.
type item struct {
	*record.Entity
	ordinal uint32
	offer   *record.Offer // nil if the list is not of offers, or the entity has none
	rank    int           // 0 if the list has no ranks
	moved   boardDelta
	to, why string         // paths of the entity and of the explanation of its score
	scores  *record.Scores // on a leaderboard
	score   record.Score   // on a board
}

// cell is a value in a list.
type cell struct {
	Text string // "" if it is unknown
	Note string // in small print
	To   string // path, or "" if there is no link
	Out  string // URL of a source
	Read string // the day on which it was read, where comparisons and cards say it
	Raw  int64  // what the column is sorted by, unless it is sorted by text
	Bar  record.Score
}

// unknownCell is the Raw of a value that is unknown.
const unknownCell = -1

// column is a column of a list.
type column struct {
	Name, Title string
	Unit        string // of its numbers, or what it consists of
	Number      bool   // it is sorted by number
	Down        bool   // its order begins with the highest value
	Score       bool   // it is a score of a leaderboard
	Lesser      bool   // narrow screens leave it out
	Place       string // where a phone shows it in a card, or "" if it does not; see cardPlaces
	cell        func(*item) cell
	key         string // of view.Sort, or "" if the list sorts by the cells

	To     string // address of the list sorted by the column, or "" if it cannot be
	Sorted string // ascending, descending or "", as in aria-sort
}

// cardPlaces are the columns that a phone shows, each entity as a card of two lines: the whole of a line
// (p1, p2) or a half of one.
var cardPlaces = map[string]string{"input": "p11", "output": "p12", "contextTokens": "p2", "offerContext": "p2",
	"downloads": "p11", "stars": "p12", "maintenance": "p2", "type": "p1", "category": "p2"}

// column returns a column by its name: a price, a fact of the core, a signal or a declared field.
func (s *Site) column(name string) *column {
	c := &column{Name: name, Title: cmp.Or(shortTitles[name], s.label(name))}
	text := func(of func(*record.Entity) string) *column {
		c.cell = func(it *item) cell { return cell{Text: of(it.Entity)} }
		return c
	}
	if i := slices.Index([]string{"input", "output", "blended"}, name); i >= 0 {
		c.Title, c.Unit, c.Number = textfmt.Capitalize(name), "$/M tokens", true
		c.cell = func(it *item) cell { return priceCell(it, name) }
		return c
	}
	switch name {
	case "type":
		return text(func(e *record.Entity) string { return s.kindTitle(e.Type) })
	case "provider":
		return text(func(e *record.Entity) string { return e.Provider })
	case "category":
		c.cell = func(it *item) cell {
			return cell{Text: s.categoryTitle(it.Category), To: categoryPath(it.Category)}
		}
		return c
	case "license":
		return text(func(e *record.Entity) string { return e.License })
	case "pricingModel":
		return text(func(e *record.Entity) string { return s.label(e.PricingModel) })
	case "version":
		c.cell = func(it *item) cell { return cell{Text: it.Version, Read: it.VersionRead()} }
		return c
	case "status":
		return text(func(e *record.Entity) string { return s.label(e.Status) })
	case "url":
		return text(func(e *record.Entity) string { return textfmt.Host(e.URL) })
	case "tags", "capabilities":
		return text(func(e *record.Entity) string {
			return strings.Join(map[bool][]string{true: e.Tags, false: e.Capabilities}[name == "tags"], ", ")
		})
	case "price":
		c.Number, c.key = true, "price"
		c.cell = func(it *item) cell {
			return cell{Text: priceText(&it.Price), Raw: it.Price.Blended.Micros(), Read: priceDay(it.Entity)}
		}
		return c
	case "offers":
		c.Number, c.Down = true, true
		c.cell = func(it *item) cell { return numberCell(float64(len(it.Offers)), len(it.Offers) > 0) }
		return c
	case "retires", "replacedBy":
		c.cell = func(it *item) cell {
			switch l := it.Lifecycle; {
			case l == nil:
			case name == "retires":
				return cell{Text: textfmt.Day(l.Retires)}
			default:
				x := cell{Text: l.ReplacedBy}
				if next := s.successor(l.ReplacedBy); next != nil {
					x.To = next.To
				}
				return x
			}
			return cell{}
		}
		return c
	case "maintenance":
		c.cell = func(it *item) cell {
			return cell{Text: textfmt.Capitalize(it.Maintenance.State), Read: it.Maintenance.AsOf}
		}
		return c
	case "addedDate", "lastUpdated":
		c.Number, c.Down, c.key = true, true, name
		return text(func(e *record.Entity) string {
			return textfmt.Day(map[bool]string{true: e.AddedDate, false: e.LastUpdated}[name == "addedDate"])
		})
	case "downloads":
		c.Title, c.Unit, c.Number, c.Down = "Downloads", "a month", true, true
		c.cell = downloadsCell
		return c
	case "board":
		c.Title, c.Number = "Best rank", true
		c.cell = s.rankCell
		return c
	case "composite":
		c.Title, c.Number, c.Down, c.key = "Score", true, true, name
		c.cell = func(it *item) cell { return scoreCell(it.Scores.Composite, true) }
		return c
	case "seller":
		c.Title = "Provider"
		c.cell = func(it *item) cell { return cell{Text: s.providerName(it.offer.Provider), Note: it.offer.ID} }
		return c
	case "offerContext":
		c.Title, c.Unit, c.Number, c.Down = "Context", "tokens", true, true
		c.cell = func(it *item) cell { return numberCell(float64(it.offer.Context), it.offer.Context > 0) }
		return c
	case "read":
		c.cell = func(it *item) cell {
			return cell{Text: textfmt.Day(it.offer.Date), Out: textfmt.WebURL(it.offer.Source)}
		}
		return c
	}
	return s.declaredColumn(c)
}

// declaredColumn returns the column of a signal or a declared field.
func (s *Site) declaredColumn(c *column) *column {
	if x := s.kinds().Signal(c.Name); x != nil {
		c.Number, c.Down, c.key = true, true, view.SignalKey(c.Name)
		c.cell = func(it *item) cell {
			f, ok := it.Signals.Fact(c.Name)
			n := numberCell(f.Number, ok)
			if x.IsDay() {
				n = cell{Text: textfmt.Day(f.Day), Raw: dayRaw(f.Day)}
			}
			n.Read = f.Date
			return n
		}
		return c
	}
	f := s.kinds().Field(c.Name)
	if f == nil { // a group of fields
		between := " / "
		if s.kinds().Field(c.Name+"."+kinds.FromPart) != nil { // a range
			between = " to "
		}
		c.cell = func(it *item) cell {
			var parts []string
			for _, v := range it.Values {
				if v.Field.Group != nil && v.Field.Group.Name == c.Name {
					parts = append(parts, textfmt.Value(v.Field, v.Value))
				}
			}
			return cell{Text: strings.Join(parts, between)}
		}
		return c
	}
	if f.IsNumber() || f.Type == kinds.Date || f.Type == kinds.Month {
		c.Number, c.Down, c.key = true, true, f.Path
	}
	c.cell = func(it *item) cell {
		v := it.Values.Get(f.Path)
		n, _ := v.(float64)
		return cell{Text: textfmt.Value(f, v), Raw: int64(n)}
	}
	return c
}

func numberCell(n float64, known bool) cell {
	if !known {
		return cell{Raw: unknownCell}
	}
	return cell{Text: textfmt.Compact(n), Raw: int64(n)}
}

func dayRaw(day string) int64 {
	if day == "" {
		return unknownCell
	}
	n, _ := strconv.ParseInt((strings.ReplaceAll(day, "-", "") + "00")[:8], 10, 64)
	return n
}

// downloadsCell shows the downloads of a month: the sum over registries where it is known, else those from
// PyPI and npm.
func downloadsCell(it *item) cell {
	f, ok := it.Signals.Fact("downloads")
	if !ok {
		for _, name := range []string{"pypiDownloads", "npmDownloads"} {
			if g, known := it.Signals.Fact(name); known {
				f.Number, ok = f.Number+g.Number, true
			}
		}
	}
	return numberCell(f.Number, ok)
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
	switch name {
	case "input":
		return o.Prices[record.InputPrice]
	case "output":
		return o.Prices[record.OutputPrice]
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

// boardPlace is the best place of an entity on a board.
type boardPlace struct {
	*board.Board
	rank, of int
}

// findPlaces returns the best places of all entities on boards, of equal ones that on the first board.
func (s *Site) findPlaces() map[uint32]boardPlace {
	places := map[uint32]boardPlace{}
	for _, b := range s.ownBoards() {
		entries := s.Own.Now(b).Entries
		for i := range entries {
			o := entries[i].Ordinal
			if best, ok := places[o]; !ok || i+1 < best.rank {
				places[o] = boardPlace{b, i + 1, len(entries)}
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

// sorted returns the entities of a set in the order of a column, unknown values last.
func (s *Site) sorted(c *column, set *roaring.Bitmap, down bool, item func(uint32) item) []uint32 {
	if c.key != "" {
		list, _, _ := s.Build.Page(set, view.Sort{Key: c.key, Desc: down}, nil, 0, int(set.GetCardinality()))
		return list
	}
	type keyed struct {
		ordinal uint32
		cell
	}
	var list []keyed
	for _, o := range s.Build.InRankOrder(set) {
		it := item(o)
		x := c.cell(&it)
		x.Text = record.Fold(x.Text)
		list = append(list, keyed{o, x})
	}
	slices.SortStableFunc(list, func(a, b keyed) int {
		order := cmp.Compare(a.Raw, b.Raw)
		if !c.Number {
			order = strings.Compare(a.Text, b.Text)
		}
		if down {
			order = -order
		}
		return cmp.Or(boolOrder(a.Text == "")-boolOrder(b.Text == ""), order)
	})
	ordinals := make([]uint32, len(list))
	for i, x := range list {
		ordinals[i] = x.ordinal
	}
	return ordinals
}

// mark returns a coloured letter that stands for a maker, in the shape of a kind.
func (s *Site) mark(kind, maker string) template.HTML {
	folded := record.Fold(safetext.OneLine(maker))
	if folded == "" {
		return ""
	}
	sum := 0
	for _, c := range folded {
		sum = (sum*31 + int(c)) % 1_000_003
	}
	letter := string([]rune(strings.ToUpper(folded))[:1])
	var w rowWriter
	w.add(`<span class="mark k%d m%d" aria-hidden="true">%s</span>`, slices.Index(s.kinds().Names(), kind), sum%12, letter)
	return template.HTML(w) //nolint:gosec // rowWriter escapes
}

// path returns the path of an entity's page.
func (it *item) path() string { return siteurl.Entity(it.Type, it.Slug) }
