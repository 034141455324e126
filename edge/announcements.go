package edge

import (
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kindex/edge/webhook"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/store"
)

// announced returns the served build as webhooks see it, or nil if there is none.
func (s *Server) announced() *webhook.Build {
	v := s.reloader.Published()
	if v == nil {
		return nil
	}
	m := v.Build.Manifest
	asOf, _ := time.Parse(time.RFC3339, m.AsOf)
	committed, _ := time.Parse(time.RFC3339, string(m.CommitTime)) // zero outside git
	return &webhook.Build{ID: m.ID, AsOf: asOf, CommitTime: committed, Uncommitted: m.Dirty && m.Commit != "",
		Source: announcedBuild{v.Build}}
}

// openAnnounced opens a build of the output folder.
func (s *Server) openAnnounced(id string) (webhook.Earlier, func(), error) {
	dir := filepath.Join(store.BuildsDir(s.options.Dir), id)
	if _, err := store.Verify(dir); err != nil {
		return nil, nil, err
	}
	b, err := exports.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	return announcedBuild{b}, func() {
		if err := b.Close(); err != nil {
			s.log.Error("closing a build", "build", id, "error", err)
		}
	}, nil
}

// announcedBuild is a build as webhooks see it.
type announcedBuild struct{ *exports.Build }

// Entities implements webhook.Earlier.
func (b announcedBuild) Entities() iter.Seq[*record.Entity] {
	return func(yield func(*record.Entity) bool) {
		for _, e := range b.All {
			if !yield(e) {
				return
			}
		}
	}
}

// Retirements implements webhook.Source.
func (b announcedBuild) Retirements(from, to string) (list []webhook.Retirement) {
	for o, e := range b.All {
		if l := e.Lifecycle; l != nil && from <= l.Retires && l.Retires <= to && e.Status != record.Withdrawn {
			list = append(list, webhook.Retirement{Type: e.Type, Slug: e.Slug, Name: e.Name, Formerly: b.FormerKeys(o), Retires: l.Retires, ReplacedBy: l.ReplacedBy})
		}
	}
	slices.SortStableFunc(list, func(a, b webhook.Retirement) int { return strings.Compare(a.Retires, b.Retires) })
	return list
}

// HasChange implements webhook.Earlier.
func (b announcedBuild) HasChange(id string) bool {
	_, ok := b.History().FindChange(id)
	return ok
}

// LastChange implements webhook.Source.
func (b announcedBuild) LastChange() (id, commit string) {
	a := b.History()
	if a.Changes() == 0 {
		return "", ""
	}
	c := a.Change(a.Changes() - 1)
	return c.ID, c.Commit
}

// Changes implements webhook.Source.
func (b announcedBuild) Changes(typ, slug string) ([]*record.Change, error) {
	a := b.History()
	v, ok := a.Last(typ, slug)
	if !ok {
		return nil, nil
	}
	var list []*record.Change
	for _, i := range a.EntityChanges(v) {
		list = append(list, a.Change(int(i)))
	}
	return list, nil
}

// earlierState is a build as it was after a change.
type earlierState struct {
	announcedBuild
	last     int // the index of the change
	entities map[string]*record.Entity
}

// Entities implements webhook.Earlier.
func (s earlierState) Entities() iter.Seq[*record.Entity] { return maps.Values(s.entities) }

// HasChange implements webhook.Earlier.
func (s earlierState) HasChange(id string) bool {
	i, ok := s.History().FindChange(id)
	return ok && i <= s.last
}

// At implements webhook.Source. It starts with the entities of the build, and replaces those that
// have changed since with their last versions before.
func (b announcedBuild) At(change, commit string) (webhook.Earlier, bool, error) {
	a := b.History()
	last, ok := a.FindChange(change)
	if !ok {
		return nil, false, nil
	}
	if commit != "" && a.Change(last).Commit != commit {
		return nil, false, nil
	}
	formula, err := b.Formula()
	if err != nil {
		return nil, false, err
	}
	s := earlierState{b, last, make(map[string]*record.Entity, b.Len())}
	for _, e := range b.All {
		s.entities[e.Key()] = e
	}
	var before []*record.Entity
	for i := last + 1; i < a.Changes(); i++ {
		v := a.Version(a.ChangeVersion(i))
		if !v.Deleted {
			delete(s.entities, v.Type+"/"+v.Slug)
		}
		if v.Previous < 0 {
			continue
		}
		if p := a.Version(int(v.Previous)); !p.Deleted && int(p.Change) <= last {
			e, err := a.Entity(int(v.Previous))
			if err != nil {
				return nil, false, err
			}
			e.Scores = formula.Scores(e, a.ChangeTime(last))
			before = append(before, e)
		}
	}
	for _, e := range before {
		s.entities[e.Key()] = e
	}
	return s, true, nil
}
