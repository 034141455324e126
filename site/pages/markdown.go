package pages

import (
	"cmp"
	"strings"
	"time"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/site"
)

// Limits for an entity shown as Markdown.
const (
	markdownNear    = 5
	markdownChanges = 10 // the newest
)

// Markdown renders an entity as Markdown. base is the URL of the service, without a
// trailing slash.
func (s *Site) Markdown(o uint32, base string) ([]byte, error) {
	e := s.Build.Entity(o)
	p := s.markdownOf(e, s.AsOf, base)
	at, err := s.standing(o, e)
	if err != nil {
		return nil, err
	}
	if at != nil {
		p.Rank, p.Ranked, p.Board = at.Rank, at.Of, at.Title
	}
	similar := s.similar(e, o, markdownNear)
	p.Alternatives, p.Related = markdownSimilar(similar.Alternatives), markdownSimilar(similar.Related)
	if err := s.addChanges(p, s.changesOf(o)); err != nil {
		return nil, err
	}
	return site.Markdown(p), nil
}

func markdownSimilar(rows []similarRow) (list []site.Similar) {
	for _, w := range rows {
		list = append(list, site.Similar{Type: w.Type, Slug: w.Slug, Name: w.Name, Similarity: w.Similarity, Reasons: w.Reasons})
	}
	return list
}

// MarkdownAt renders a version of an entity, as of the end of a day, as Markdown.
func (s *Site) MarkdownAt(e *record.Entity, version int, day time.Time, base string) ([]byte, error) {
	p := s.markdownOf(e, day, base)
	p.Past = true
	if err := s.addChanges(p, s.changesUntil(version, day)); err != nil {
		return nil, err
	}
	return site.Markdown(p), nil
}

func (s *Site) markdownOf(e *record.Entity, asOf time.Time, base string) *site.Page {
	p := &site.Page{Entity: e, Category: s.categoryTitle(e.Category), Base: base, Build: s.buildID(), AsOf: asOf.UTC().Format(time.DateOnly),
		Formula: s.Formula.Version, Providers: s.Build.Providers(), Namespace: s.Build.Namespace}
	if s.Static && s.API == "" {
		p.Base, p.Files = cmp.Or(s.Base, strings.TrimSuffix(s.Root, "/")), true
	}
	x := s.Formula.Explain(e, asOf)
	if x.Reason != nil {
		p.Unranked = *x.Reason
	}
	for _, d := range x.Dimensions {
		part := site.Dimension{Name: d.Name, Score: d.Score, Weight: d.Weight}
		for _, m := range d.Measures {
			part.Measures = append(part.Measures, site.Measure{Name: m.Name, State: m.State, Score: m.Score})
		}
		p.Scores = append(p.Scores, part)
	}
	return p
}

// addChanges adds the latest of the given changes to a page.
func (s *Site) addChanges(p *site.Page, list []uint32) error {
	p.Total = len(list)
	for i := len(list) - 1; i >= max(0, len(list)-markdownChanges); i-- {
		change, err := s.Build.History().Change(int(list[i]))
		if err != nil {
			return err
		}
		p.Changes = append(p.Changes, change)
	}
	return nil
}

// buildID returns the ID of the build, with that of the overlay if there is one.
func (s *Site) buildID() string {
	if draft := s.Build.OverlayID(); draft != "" {
		return s.Build.Manifest.ID + "+" + draft
	}
	return s.Build.Manifest.ID
}

// changesOf returns the changes to a record's entity, oldest first.
func (s *Site) changesOf(o uint32) []uint32 {
	newest, ok := s.Build.History().NewestOf(o)
	if !ok {
		return nil
	}
	return s.Build.History().EntityChanges(newest)
}

// changesUntil returns the changes to a version's entity up to the end of a day.
func (s *Site) changesUntil(version int, day time.Time) (until []uint32) {
	a, end := s.Build.History(), day.AddDate(0, 0, 1)
	for _, i := range a.EntityChanges(version) {
		if a.ChangeTime(int(i)).Before(end) {
			until = append(until, i)
		}
	}
	return until
}

// reasons returns the reasons for a similarity in words.
func (s *Site) reasons(n exports.Neighbour) (list []string) {
	for _, r := range n.Reasons.List() {
		list = append(list, site.Reason(s.Build.Feature(r), s.titles))
	}
	return list
}

// entityMarkdown renders the Markdown file next to an entity's page. If there is no API,
// the file links to the other files next to it.
func (r *request) entityMarkdown() (*page, error) {
	return r.file(".md", func(o uint32) ([]byte, string, error) {
		body, err := r.Site.Markdown(o, r.API)
		return body, "text/markdown; charset=utf-8", err
	})
}
