package pages

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"kindex/exports/board"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// Limits of an entity's page.
const (
	entityNear    = 5  // of alternatives, and as many of related entities
	entityTopics  = 40 // of tags, and as many of capabilities
	entityResults = 100
	entityChanges = 20 // per page
	entityLatest  = 1  // changes that the entity's page does not fold
)

// entityPage is an entity, now or as of the end of a day.
type entityPage struct {
	*record.Entity
	Day                   string          // the as-of day of an earlier version, or "" for the current version
	AsOf                  string          // the day of the scores
	Now                   string          // path of the entity's current page, or "" if the entity was deleted
	Then                  string          // the entity's slug on that day, if it was different
	Standing              *board.Standing // on its own board; nil for earlier versions and if it is on none
	Maker                 string          // path of the provider's page, or "" if there is none
	Card                  []fact          // what people first ask of its kind
	Crumbs                []link
	Main                  []link // its links
	Notices               []notice
	Facts                 []fact
	Names                 []link // in registries and at providers, with identifiers as notes
	Tags                  []link
	Skills                []link // capabilities
	Market                *offerTable
	Prices                *priceHistory
	Signals               []figure
	Curves                []curve  // signals over time
	Results               []figure // of benchmarks
	Omitted               int      // results that are not shown
	Score                 *scoreExplanation
	Boards                []entityBoard // that it is on; none for earlier versions
	Course                *scoreHistory // nil for earlier versions
	History               *changeList
	Alternatives, Related []similarRow

	Relations []group[link] // to other entities; none for earlier versions
	Measured  *resultList   // of a benchmark; nil for earlier versions
	Use       *embedCode
	Source    source
}

// Scored reports whether entities of its kind have scores.
func (d *entityPage) Scored() bool { return len(d.Score.Parts) > 0 }

// SameJob reports whether its alternatives share more with it than their category.
func (d *entityPage) SameJob() bool {
	return slices.ContainsFunc(d.Alternatives, func(r similarRow) bool { return r.Job })
}

// standingWords returns a rank in words, such as "rank 3 of 42 in Models for coding".
func standingWords(at *board.Standing) string {
	return fmt.Sprintf("rank %d of %d in %s", at.Rank, at.Of, textfmt.Name(at.Title))
}

func (r *request) entity() (*page, error) {
	typ, slug := r.args["type"], r.args["slug"]
	if day := r.choices["at"]; day != "" {
		return r.entityAt(typ, slug, day)
	}
	o, former, ok := r.Build.Find(typ, slug)
	if !ok || former {
		return r.missingEntity(typ, slug)
	}
	d, err := r.present(o)
	if err != nil {
		return nil, err
	}
	d.Boards = r.entityBoards(o, d.Entity)
	moments, err := r.Build.Moments(o, entityVersions)
	if err != nil {
		return nil, err
	}
	d.Prices, d.Curves = r.priceHistory(moments, d.AsOf), r.curves(d, moments, r.AsOf)
	if d.Scored() {
		ranks, err := r.Own.RankHistory(o)
		if err != nil {
			return nil, err
		}
		d.Course = r.scoreHistory(d, ranks)
	}
	d.Use = r.embedCode(d)
	return &page{Template: "entity", Title: d.Name, Description: d.Description, Data: d, Scripts: []string{"entity.js"},
		Feed: entityFeed + typ + "/" + slug, Picture: r.picturePath(typ, slug)}, nil
}

// present returns what a page says of an entity, but for its figures and scores over time.
func (r *request) present(o uint32) (d *entityPage, err error) {
	d = &entityPage{Entity: r.Build.Entity(o), AsOf: r.AsOf.UTC().Format(time.DateOnly), Now: r.path(o)}
	r.describe(d, r.AsOf)
	d.Alternatives, d.Related = r.similar(d.Entity, o, entityNear)
	d.Relations = r.relations(o)
	d.Measured = r.resultsOf(o)
	if d.Standing, err = r.Own.Standing(o, d.Entity); err != nil {
		return nil, err
	}
	if d.Standing != nil {
		d.Standing.Title = cmp.Or(d.Standing.Title, r.categoryTitle(d.Category))
	}
	d.History = r.history(d.Now, r.changesOf(o))
	return d, nil
}

// maxMain is the number of facts on the main card.
const maxMain = 5

// mainFacts returns the known facts of the card of an entity's kind.
func (s *Site) mainFacts(e *record.Entity) []fact {
	k := s.kinds().Kind(e.Type)
	names := k.Card
	if names == nil {
		names = kindColumns(k)
	}
	list := s.facts(e, names, true)
	return list[:min(maxMain, len(list))]
}

func (s *Site) path(o uint32) string { return siteurl.Entity(s.Build.Key(o)) }

// describe fills in everything that depends only on the record.
func (r *request) describe(d *entityPage, asOf time.Time) {
	e := d.Entity
	d.Crumbs = []link{{Name: textfmt.Capitalize(r.plural(e.Type)), To: r.kindPath(e.Type)}}
	if r.titles[e.Category] != "" {
		d.Crumbs = append(d.Crumbs, link{Name: textfmt.Name(r.categoryTitle(e.Category)), To: categoryPath(e.Category)})
	}
	d.Score = r.explain(e.Type, r.Formula.Explain(e, asOf))
	d.Card = r.mainFacts(e)
	var ended *link
	d.Main, ended = r.addresses(e)
	d.Notices = r.notices(d, ended, asOf)
	d.Facts = r.facts(e, r.factNames(e.Type), false)
	d.Names = each(e.IDs, func(id record.ID) link {
		if n := r.Build.Namespace(id.Namespace); n != nil {
			return link{n.Title, textfmt.WebURL(n.Address(id.Value)), id.Value}
		}
		return link{Name: id.Namespace, Note: id.Value}
	})
	d.Market = r.offers(e, d.AsOf, d.Day == "")
	d.Maker = r.valueLinks(byProvider, []string{e.Provider})[0].To
	d.Tags, d.Skills = r.valueLinks(byTag, e.Tags), r.valueLinks(byCapability, e.Capabilities)
	d.Tags, d.Skills = d.Tags[:min(entityTopics, len(d.Tags))], d.Skills[:min(entityTopics, len(d.Skills))]
	d.Signals, d.Results = r.figures(e)
	d.Omitted = len(e.Signals.Benchmarks) - len(d.Results)
	d.Source = r.sourceOf(e)
}

// entityAt renders an entity as of the end of a day. A static site has no such pages.
func (r *request) entityAt(typ, slug, day string) (*page, error) {
	a := r.Build.History()
	asOf, err := time.Parse(time.DateOnly, day)
	if err != nil || r.Static {
		return r.notFound(), nil //nolint:nilerr // an invalid day has no page
	}
	current := r.currentEntity(typ, slug)
	if first, last := a.FirstDay(), a.LastDay(); first == "" {
		return r.missing("This index has no history yet", "", current...), nil
	} else if day < first || day > last {
		return r.missing("No data for "+textfmt.Day(day), "The index has data "+daysBetween(first, last)+".", current...), nil
	}
	v, standing := a.At(typ, slug, day)
	switch {
	case standing == history.Unknown && current == nil:
		return r.missingEntity(typ, slug)
	case standing == history.Unknown:
		return r.missing("No history yet", "The file has not been committed.", current...), nil
	case standing == history.NotYet:
		return r.missing("Not in the index on "+textfmt.Day(day), "It was added on "+textfmt.Day(time.Unix(a.Version(v).Time, 0).UTC().Format(time.DateOnly))+".", current...), nil
	case standing == history.Gone:
		return r.tombstone(a.Version(v), a.EntityChanges(v))
	}
	authored, err := a.Entity(v)
	if err != nil {
		return nil, err
	}
	e, err := a.EntityAt(v, day, r.Formula.Scores(authored, asOf))
	if err != nil {
		return nil, err
	}
	d := r.past(e, v, asOf)
	if e.Slug != slug {
		d.Then = e.Slug
	}
	moments, err := a.Moments(v, entityVersions)
	if err != nil {
		return nil, err
	}
	d.Prices, d.Curves = r.priceHistory(moments, d.AsOf), r.curves(d, moments, asOf)
	return &page{Template: "entity", Title: textfmt.Name(e.Name) + " on " + textfmt.Day(day), Description: e.Description, Data: d, NoIndex: true, Canonical: d.Now}, nil
}

// daysBetween says for which days something is known.
func daysBetween(first, last string) string {
	if first == last {
		return "only for " + textfmt.Day(last)
	}
	return "from " + textfmt.Day(first) + " to " + textfmt.Day(last)
}

// past returns what a page says of a version of an entity as of the end of a day, but for its figures over time.
func (r *request) past(e *record.Entity, v int, asOf time.Time) *entityPage {
	a, day := r.Build.History(), asOf.Format(time.DateOnly)
	d := &entityPage{Entity: e, Day: day, AsOf: day}
	if now := a.Version(a.Newest(v)); !now.Deleted {
		if o, _, ok := r.Build.Find(now.Type, now.Slug); ok {
			d.Now = r.path(o)
		}
	}
	r.describe(d, asOf)
	d.History = r.history("", slices.DeleteFunc(slices.Clone(a.EntityChanges(v)), func(i uint32) bool { return !a.ChangeTime(int(i)).Before(asOf.AddDate(0, 0, 1)) }))
	return d
}
