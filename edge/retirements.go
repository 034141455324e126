package edge

import (
	"kindex/edge/webhook"
	"kindex/exports"
	"kindex/exports/record"
)

// retirements returns the retirements in the published build. It returns nil if there is no
// build, or if the build contains uncommitted changes, which webhooks never receive. Outside
// git, there are no commits.
func (s *Server) retirements() *webhook.Retirements {
	v := s.reloader.Published()
	if v == nil {
		return nil
	}
	if m := v.Build.Manifest; m.Dirty && m.Commit != "" {
		v.Release()
		return nil
	}
	return &webhook.Retirements{Build: v.Build.Manifest.ID, Release: v.Release, Between: func(from, to string) ([]webhook.Retirement, error) {
		return retirementsBetween(v.Build, from, to)
	}}
}

func retirementsBetween(b *exports.Build, from, to string) ([]webhook.Retirement, error) {
	days := b.InDays("lifecycle.retires", from, to)
	var list []webhook.Retirement
	for _, d := range days {
		e := b.Entity(d.Ordinal)
		if e.Status != record.Withdrawn {
			list = append(list, webhook.Retirement{Type: e.Type, Slug: e.Slug, Name: e.Name, Formerly: b.FormerSlugs(d.Ordinal),
				Retires: d.Day, ReplacedBy: e.Lifecycle.ReplacedBy})
		}
	}
	return list, nil
}
