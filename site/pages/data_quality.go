package pages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"kindex/exports"
	"kindex/exports/kinds"
	"kindex/exports/quality"
	"kindex/exports/record"
	"kindex/site/textfmt"
)

const qualityPath = "/quality/"

// qualityPage shows how complete, how old and how consistent the data is.
type qualityPage struct {
	quality.Report
	*Site
	AsOf   string
	Edited bool   // there are edits that the page does not include
	File   string // path of the file with everything on the page
}

// Title returns the title of a group.
func (d *qualityPage) Title(g quality.Group) string {
	if g.Category == nil {
		return "All " + d.plural(g.Type)
	}
	return textfmt.Name(d.categoryTitle(*g.Category))
}

// Path returns the path of the list of a group.
func (d *qualityPage) Path(g quality.Group) string {
	if g.Category == nil {
		return d.kindPath(g.Type)
	}
	return categoryPath(*g.Category)
}

// Categories returns the groups of a type's categories.
func (d *qualityPage) Categories(typ string) []quality.Group {
	return slices.DeleteFunc(slices.Clone(d.Groups), func(g quality.Group) bool { return g.Category == nil || g.Type != typ })
}

// HasOffers reports whether any kind has offers.
func (d *qualityPage) HasOffers() bool { return d.kinds().HasBlock(kinds.Offers) }

// Price returns a value of an offer: a price in dollars, or a number of tokens.
func (d *qualityPage) Price(field string, v any) string {
	if field == record.PriceNames[record.InputPrice] || field == record.PriceNames[record.OutputPrice] {
		return "$" + plainValue(v)
	}
	return plainValue(v)
}

// percent returns a share as a whole percentage; only none is 0%, and only all is 100%.
func percent(part, all int) string {
	switch {
	case all == 0 || part == 0:
		return "0%"
	case part == all:
		return "100%"
	}
	return strconv.Itoa(min(max((200*part+all)/(2*all), 1), 99)) + "%"
}

func (r *request) dataQuality() (*page, error) {
	d, err := r.quality()
	if err != nil {
		return nil, err
	}
	return &page{Template: "quality", Title: "Data quality", Data: d, Section: "/data/",
		Description: "How complete, how old and how consistent the data of this index is, and when its sources were last read."}, nil
}

// readQuality returns what the page shows. It decodes hundreds of records, so it is called once for each
// build.
func (s *Site) readQuality() (*qualityPage, error) {
	var report quality.Report
	data, err := s.Build.ReadFile(exports.QualityFile)
	if err == nil {
		err = json.Unmarshal(data, &report)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", exports.QualityFile, err)
	}
	return &qualityPage{report, s, s.AsOf.UTC().Format(time.DateOnly), s.Build.OverlayID() != "", "/data/" + s.Build.Manifest.ID + "/" + exports.QualityFile}, nil
}

// Entity returns a link to an entity by its key. It leads nowhere if the build has no such entity.
func (d *qualityPage) Entity(key string) link {
	if to := d.successor(key); to != nil {
		return *to
	}
	return link{Name: textfmt.Name(key)}
}

// plainValue returns a number, a text or nothing as text.
func plainValue(v any) string {
	switch v := v.(type) {
	case float64:
		if v == float64(int64(v)) {
			return textfmt.Count(int(v))
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return textfmt.Name(v)
	case nil:
		return "nothing"
	}
	return fmt.Sprint(v)
}
