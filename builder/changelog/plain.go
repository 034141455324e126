package changelog

import (
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
		previous = a.previous
	}
	log, err := gitlog.Compare(previous, a.AsOf, a.Entities)
	if err != nil {
		return err
	}
	for _, v := range log.Versions {
		a.result.Versions = append(a.result.Versions, record.Version{Type: v.Type, Slug: v.Slug, Entity: v.Entity, Deleted: v.Entity == nil,
			Time: log.Commits[0].Time.Unix(), Commit: none, Previous: int32(v.Before), Change: none})
	}
	return nil
}
