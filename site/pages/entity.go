package pages

import (
	"time"

	"kindex/exports"
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
	Day     string      // the as-of day of an earlier version, or "" for the current version
	AsOf    string      // the day of the scores
	Now     string      // path of the entity's current page, or "" if the entity was deleted
	Then    string      // the entity's slug on that day, if it was different
	Rank    int         // 0 if the entity has none
	Of      int         // the number of ranked entities
	Moved   *rankChange // nil for earlier versions and if not ranked
	Crumbs  []link
	Main    []link // its links
	Notices []notice
	Facts   []fact
	Names   []idLink // in registries and at providers
	Tags    []link
	Skills  []link // capabilities
	Market  *offerTable
	Prices  *priceHistory
	Signals []figure
	Curves  []curve  // signals over time
	Results []figure // of benchmarks
	Omitted int      // results that are not shown
	Score   *scoreExplanation
	Boards  []entityBoard // that it is on; none for earlier versions
	Course  *scoreHistory // nil for earlier versions
	History *history
	similarLists
	Use    *embedCode
	Source source
}

// Maker returns the path of the provider's page, or "" if there is none.
func (d *entityPage) Maker() string {
	for _, f := range d.Facts {
		if f.Name == "Provider" {
			return f.To
		}
	}
	return ""
}

// rankChange is the movement of an entity on the overall leaderboard.
type rankChange struct {
	Since    string // the day with which the rank is compared
	Previous int    // 0 if the entity was not ranked
	By       int    // number of places climbed; negative if the entity has fallen
}

// Fallen returns the number of places by which the entity has fallen.
func (m *rankChange) Fallen() int { return -m.By }

func (r *request) entity() (*page, error) {
	typ, slug := r.arg("type"), r.arg("slug")
	if day := r.choice("at"); day != "" {
		return r.entityAt(typ, slug, day)
	}
	o, former, ok := r.Build.Find(typ, slug)
	switch {
	case ok && former:
		return &page{location: r.path(o)}, nil
	case !ok:
		return r.missingEntity(typ, slug)
	}
	e, err := r.Build.Entity(o)
	if err != nil {
		return nil, err
	}
	d := &entityPage{Entity: e, AsOf: r.AsOf.UTC().Format(time.DateOnly), Now: r.path(o)}
	r.describe(d, r.AsOf)
	moments, err := r.Build.Moments(o, entityVersions)
	if err != nil {
		return nil, err
	}
	r.fillSeries(d, moments, r.AsOf)
	if err := r.fillRank(d, o); err != nil {
		return nil, err
	}
	if d.Boards, err = r.entityBoards(o, e); err != nil {
		return nil, err
	}
	if d.similarLists, err = r.similar(e, o, entityNear); err != nil {
		return nil, err
	}
	if d.History, err = r.history(d.Now, r.changesOf(o), 1); err != nil {
		return nil, err
	}
	p := &page{Template: "entity", Title: e.Name, Description: e.Description, Data: d, Scripts: []string{"entity.js"},
		Feed: entityFeedPath(typ, slug), Picture: r.picturePath(typ, slug)}
	p.LinkedData = r.application(d)
	d.Use = r.embedCode(d)
	return p, nil
}

// path returns the path of a record's page.
func (s *Site) path(o uint32) string { return siteurl.Entity(s.Build.Key(o)) }

// describe fills in everything that depends only on the record.
func (r *request) describe(d *entityPage, asOf time.Time) {
	e := d.Entity
	d.Crumbs = []link{{textfmt.Capitalize(e.Type) + "s", "/" + e.Type + "/"}}
	if r.titles[e.Category] != "" {
		d.Crumbs = append(d.Crumbs, link{textfmt.Name(r.categoryTitle(e.Category)), "/categories/" + e.Category + "/"})
	}
	x := r.Formula.Explain(e, asOf)
	d.Score = explain(x)
	var ended *link
	d.Main, ended = addresses(e)
	d.Notices = r.notices(d, ended, asOf)
	d.Facts, d.Names = r.facts(e), idLinks(e, r.Build.Namespace)
	d.Market = r.offers(e, d.Day == "")
	d.Tags, d.Skills = r.topics(byTag, e.Tags), r.topics(byCapability, e.Capabilities)
	d.Signals, d.Results = figures(e, x)
	d.Omitted = len(e.Signals.Benchmarks) - len(d.Results)
	d.Source = r.sourceOf(e)
}

// fillSeries fills in everything that changed over time, except scores and ranks.
func (r *request) fillSeries(d *entityPage, moments []exports.Moment, asOf time.Time) {
	d.Prices = r.priceHistory(moments, d.AsOf)
	r.addCurves(d, moments, asOf)
}

// topics returns a field's values, with links to their pages. Values from earlier
// versions may no longer have a page.
func (s *Site) topics(k *facetKind, values []string) (list []link) {
	for _, v := range values[:min(entityTopics, len(values))] {
		to := ""
		if s.Build.Bitmap(k.Field, v) != nil {
			to = k.path(v)
		}
		list = append(list, link{s.wordTitle(k.Field, v), to})
	}
	return list
}

// fillRank fills in a record's rank and its rank history.
func (r *request) fillRank(d *entityPage, o uint32) error {
	ranked, err := r.Boards.Ranked()
	if err != nil {
		return err
	}
	if d.Rank, err = r.Boards.Rank(o); err != nil {
		return err
	}
	d.Of = int(ranked.GetCardinality())
	standings, err := r.Boards.RankHistory(o)
	if err != nil {
		return err
	}
	d.Course = r.scoreHistory(d, standings)
	if d.Rank == 0 {
		return nil
	}
	before, err := r.Boards.PreviousBoard("", exports.AllBoard, "", "composite")
	if err != nil || !before.Known() {
		return err
	}
	d.Moved = &rankChange{Since: before.Day(), Previous: before.Ranks(r.Build, []uint32{o})[0]}
	if d.Moved.Previous > 0 {
		d.Moved.By = d.Moved.Previous - d.Rank
	}
	return nil
}

// entityAt renders an entity as of the end of a day. A static site has no such pages.
func (r *request) entityAt(typ, slug, day string) (*page, error) {
	a := r.Build.Archive()
	asOf, err := time.Parse(time.DateOnly, day)
	if err != nil || r.Static {
		return r.notFound(), nil //nolint:nilerr // an invalid day has no page
	}
	if first, last := a.FirstDay(), a.LastDay(); first == "" {
		return r.missing("This index has no history yet", "", r.currentEntity(typ, slug)), nil
	} else if asOf.Format(time.DateOnly) < first || day > last {
		known := "from " + textfmt.DayOrUnknown(first) + " to " + textfmt.DayOrUnknown(last)
		if first == last {
			known = "only for " + textfmt.DayOrUnknown(last)
		}
		return r.missing("No data for "+textfmt.DayOrUnknown(day), "The index has data "+known+".", r.currentEntity(typ, slug)), nil
	}
	v, standing := a.At(typ, slug, day)
	switch standing {
	case exports.Unknown:
		if list := r.currentEntity(typ, slug); list != nil {
			return r.missing("No history yet", "The file has not been committed.", list), nil
		}
		return r.missingEntity(typ, slug)
	case exports.NotYet:
		return r.missing("Not in the index on "+textfmt.DayOrUnknown(day), "It was added on "+textfmt.UnixDay(a.Version(v).Time)+".", r.currentEntity(typ, slug)), nil
	case exports.Gone:
		return r.tombstone(a.Version(v), a.EntityChanges(v))
	}
	authored, err := a.Entity(v)
	if err != nil {
		return nil, err
	}
	e := new(record.Entity)
	if err := e.UnmarshalJSON(a.RecordAt(v, day, r.Formula.Scores(authored, asOf))); err != nil {
		return nil, err
	}
	return r.entityVersion(e, v, asOf)
}

// entityVersion renders a version of an entity as of the end of a day.
func (r *request) entityVersion(e *record.Entity, v int, asOf time.Time) (*page, error) {
	a, day := r.Build.Archive(), asOf.Format(time.DateOnly)
	d := &entityPage{Entity: e, Day: day, AsOf: day}
	if now := a.Version(a.Newest(v)); !now.Deleted {
		if o, _, ok := r.Build.Find(now.Type, now.Slug); ok {
			d.Now = r.path(o)
		}
	}
	if e.Slug != r.arg("slug") {
		d.Then = e.Slug
	}
	r.describe(d, asOf)
	moments, err := a.Moments(v, entityVersions)
	if err != nil {
		return nil, err
	}
	r.fillSeries(d, moments, asOf)
	if s, ok := a.Snapshot(day); ok && s.Day == day {
		if o, ok := s.Find(v); ok && int(o) < s.Ranked() { // ordinals are in rank order
			d.Rank, d.Of = int(o)+1, s.Ranked()
		}
	}
	if d.History, err = r.history("", r.changesUntil(v, asOf), 1); err != nil {
		return nil, err
	}
	return &page{Template: "entity", Title: textfmt.Name(e.Name) + " on " + textfmt.DayOrUnknown(day), Description: e.Description, Data: d, NoIndex: true, Canonical: d.Now}, nil
}
