package edge

import (
	"strconv"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/builder/score"
	"kindex/exports"
	"kindex/site"
)

const (
	markdownType   = "text/markdown; charset=utf-8"
	markdownSuffix = ".md"

	pageSimilar = 5  // similar entities on a page
	pageChanges = 10 // changes on a page
)

// cutSuffix takes an extension off the slug of the path and returns it, "" where the
// slug has none: slugs have no dots.
func (c *call) cutSuffix(suffix string) string {
	for i := range c.path {
		if p := &c.path[i]; p.Key == "slug" {
			bare, found := strings.CutSuffix(p.Value, suffix)
			if !found {
				return ""
			}
			p.Value = bare
			return suffix
		}
	}
	return ""
}

// prefersMarkdown tells whether Accept likes Markdown better than JSON (RFC 9110
// section 12.5.1). What it likes the same is JSON.
func prefersMarkdown(accept []string) bool {
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == jsonType) {
		return false // as most requests
	}
	var markdown, json quality
	for _, line := range accept {
		markdown.read(line, "text/markdown", "text/*")
		json.read(line, jsonType, "application/*")
	}
	return markdown.q > json.q
}

// quality is how much a media type is liked, by the most specific range that names
// it.
type quality struct {
	q        float64
	specific int
}

func (best *quality) read(accept, exact, kind string) {
	for part := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(part, ";")
		specific := 0
		switch strings.ToLower(strings.TrimSpace(name)) {
		case exact:
			specific = 3
		case kind:
			specific = 2
		case "*/*":
			specific = 1
		}
		if specific > best.specific {
			*best = quality{weight(params), specific}
		}
	}
}

// weight reads the parameter q among those of a media range, 1 where there is none
// that can be read.
func weight(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if !strings.EqualFold(name, "q") {
			continue
		}
		if q, err := strconv.ParseFloat(value, 64); err == nil && q >= 0 && q <= 1 {
			return q
		}
	}
	return 1
}

// page answers with an entity in Markdown.
func (c *call) page(o uint32) (*reply, error) {
	v := c.view
	e, err := v.build.Entity(o)
	if err != nil {
		return nil, err
	}
	ranked, err := v.ranked()
	if err != nil {
		return nil, err
	}
	p := c.newPage(e, v.asOf)
	p.Rank, p.Ranked = v.rankOf(o, ranked), int(ranked.GetCardinality())
	near := v.build.Similar(o)
	for _, n := range near[:min(pageSimilar, len(near))] {
		typ, slug := v.build.Key(n.Ordinal)
		other, err := v.build.Entity(n.Ordinal)
		if err != nil {
			return nil, err
		}
		s := site.Similar{Type: typ, Slug: slug, Name: other.Name, Similarity: n.Similarity}
		for _, r := range n.Reasons.List() {
			s.Reasons = append(s.Reasons, v.reason(v.build.Feature(r)))
		}
		p.Similar = append(p.Similar, s)
	}
	if newest, ok := v.newest(o); ok {
		if err := c.addChanges(p, v.build.Archive().EntityChanges(newest)); err != nil {
			return nil, err
		}
	}
	return &reply{mediaType: markdownType, body: site.Markdown(p)}, nil
}

// pastPage answers with an entity as it stood at a version, scored as of a day.
func (c *call) pastPage(e *exports.Entity, version int, asOf time.Time) (*reply, error) {
	p := c.newPage(e, asOf)
	p.Past = true
	a, end := c.view.build.Archive(), asOf.AddDate(0, 0, 1)
	var until []uint32
	for _, i := range a.EntityChanges(a.Newest(version)) {
		if a.ChangeTime(int(i)).Before(end) {
			until = append(until, i)
		}
	}
	if err := c.addChanges(p, until); err != nil {
		return nil, err
	}
	return &reply{mediaType: markdownType, body: site.Markdown(p)}, nil
}

func (c *call) newPage(e *exports.Entity, asOf time.Time) *site.Page {
	v := c.view
	p := &site.Page{Entity: e, Category: v.titles[e.Category], Base: c.base(), Build: v.id(), AsOf: asOf.UTC().Format(time.DateOnly),
		Formula: v.formula.Version}
	if p.Category == "" {
		p.Category = e.Category
	}
	x := v.formula.Explain(e, asOf)
	if x.Reason != nil {
		p.Unranked = *x.Reason
	}
	for _, d := range x.Dimensions {
		p.Scores = append(p.Scores, dimension(d))
	}
	return p
}

func dimension(d score.Part) site.Dimension {
	s := site.Dimension{Name: d.Name, Score: d.Score, Weight: d.Weight}
	for _, m := range d.Measures {
		s.Measures = append(s.Measures, site.Measure{Name: m.Name, State: m.State, Score: m.Score})
	}
	return s
}

// addChanges puts the newest of some changes on a page.
func (c *call) addChanges(p *site.Page, list []uint32) error {
	places, _ := newestFirst(roaring.BitmapOf(list...), 0, pageChanges)
	p.Total = len(list)
	for _, i := range places {
		change, err := c.view.build.Archive().Change(i)
		if err != nil {
			return err
		}
		p.Changes = append(p.Changes, change)
	}
	return nil
}
