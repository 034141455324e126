package changelog

import (
	"bytes"

	"kindex/builder/gitlog"
	"kindex/exports/record"
)

// compare finds the differences between the content and the newest versions in the previous
// build. Outside git, the previous build is the only record of the content's history.
func (a *Archive) compare() error {
	if a.Frozen {
		return nil
	}
	var previous gitlog.Previous
	if a.previous != nil {
		previous = PreviousWalk(a.previous)
	}
	changed, err := a.changed()
	if err != nil {
		return err
	}
	log, err := gitlog.Compare(previous, a.AsOf, changed, a.gone())
	if err != nil {
		return err
	}
	for _, v := range log.Versions {
		a.result.Versions = append(a.result.Versions, record.Version{Type: v.Type, Slug: v.Slug, Entity: v.Entity, Deleted: v.Entity == nil,
			Time: log.Commits[0].Time.Unix(), Commit: none, Previous: int32(v.Before), Change: none})
	}
	return nil
}

// changed lists the entities that differ from the previous build.
func (a *Archive) changed() (list []*record.Entity, err error) {
	for _, e := range a.Entities {
		if a.previous != nil {
			same, err := a.unchanged(e)
			if err != nil {
				return nil, err
			}
			if same {
				continue
			}
		}
		list = append(list, e)
	}
	return list, nil
}

// unchanged reports whether an entity is what it was in the previous build.
func (a *Archive) unchanged(e *record.Entity) (bool, error) {
	last, ok := a.previous.Last(e.Type, e.Slug)
	if !ok || !a.alive(last) {
		return false, nil
	}
	was, err := a.previous.Record(last)
	return bytes.Equal(e.AppendAuthored(nil), was), err
}

// gone lists the entities in the previous build whose addresses no longer exist. Only their type
// and slug are set.
func (a *Archive) gone() (list []*record.Entity) {
	present := make(map[string]bool, len(a.Entities))
	for _, e := range a.Entities {
		present[e.Key()] = true
	}
	for i := range a.result.Versions {
		if v := &a.result.Versions[i]; !present[v.Type+"/"+v.Slug] && a.alive(i) {
			list = append(list, &record.Entity{Type: v.Type, Slug: v.Slug})
		}
	}
	return list
}

// alive reports whether a version in the previous build is the current version of its entity.
func (a *Archive) alive(v int) bool {
	return !a.result.Versions[v].Deleted && a.previous.Newest(v) == v
}
