package pages

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"kindex/exports"
	"kindex/exports/quality"
	"kindex/exports/record"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

const qualityPath = "/quality/"

// qualityPage shows how complete, how old and how consistent the data is.
type qualityPage struct {
	AsOf           string
	Edited         bool   // there are edits that the page does not include
	File           string // path of the file with everything on the page
	Types          []typeQuality
	Sources        []quality.Source
	Stopped        []stoppedRow
	StoppedCount   int
	Contradictions []contradictionRow
	Count          int // of the contradictions
}

// typeQuality describes the entities of a type.
type typeQuality struct {
	qualityRow
	Type       string
	Facts      []factShare
	Categories []qualityRow
}

// qualityRow describes the entities of a type or of one of its categories.
type qualityRow struct {
	quality.Group
	Title, Path string
}

// RankedShare returns the share of ranked entities in percent.
func (q qualityRow) RankedShare() string { return percent(q.Ranked, q.Entities) }

// factShare is how many entities have a fact.
type factShare struct {
	Name     string
	Entities int
	Share    string
}

// stoppedRow is a value that a guard stopped, as shown.
type stoppedRow struct {
	entityName
	Name, Source, Held, Found, Reason string
}

// contradictionRow is a contradiction, as shown.
type contradictionRow struct {
	entityName
	Offer, Field, Value, Expected string
}

// entityName links to an entity. Path is "" if the build has no such entity.
type entityName struct{ Title, Path string }

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
	data, _, _ := s.Build.File(exports.QualityFile)
	var report quality.Report
	if err := json.Unmarshal(data, &report); err != nil {
		return nil, fmt.Errorf("%s: %w", exports.QualityFile, err)
	}
	d := &qualityPage{AsOf: s.AsOf.UTC().Format("2006-01-02"), Edited: s.Build.OverlayID() != "", File: "/data/" + s.Build.Manifest.ID + "/" + exports.QualityFile,
		Sources: report.Sources, StoppedCount: report.StoppedCount, Count: report.Contradictions.Count}
	for _, g := range report.Groups {
		row := qualityRow{Group: g}
		if g.Category != nil {
			row.Title, row.Path = textfmt.Name(s.categoryTitle(*g.Category)), categoryPath(*g.Category)
			last := &d.Types[len(d.Types)-1]
			last.Categories = append(last.Categories, row)
			continue
		}
		row.Title, row.Path = "All "+s.plural(g.Type), s.kindPath(g.Type)
		t := typeQuality{qualityRow: row, Type: g.Type}
		for _, f := range g.Facts {
			t.Facts = append(t.Facts, factShare{s.label(f.Fact), f.Entities, percent(f.Entities, g.Entities)})
		}
		d.Types = append(d.Types, t)
	}
	for _, x := range report.Stopped {
		d.Stopped = append(d.Stopped, stoppedRow{s.entityName(x.Entity), x.Name, x.Source, plainValue(x.Held), plainValue(x.Found), x.Reason})
	}
	for _, c := range report.Contradictions.Data {
		value, expected := plainValue(c.Value), plainValue(c.Expected)
		if c.Field == record.PriceNames[record.InputPrice] || c.Field == record.PriceNames[record.OutputPrice] {
			value, expected = "$"+value, "$"+expected
		}
		d.Contradictions = append(d.Contradictions, contradictionRow{s.entityName(c.Entity), c.Offer, s.label(c.Field), value, expected})
	}
	return d, nil
}

// entityName returns the name of an entity, or its key if there is no such entity.
func (s *Site) entityName(key string) entityName {
	typ, slug, _ := strings.Cut(key, "/")
	o, _, ok := s.Build.Find(typ, slug)
	if !ok {
		return entityName{Title: textfmt.Name(key)}
	}
	e := s.Build.Entity(o)
	return entityName{textfmt.Name(e.Name), siteurl.Entity(typ, slug)}
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
