package exports

import (
	"slices"

	"kindex/exports/history"
	"kindex/exports/record"
)

// ResolveRemoved reports what happened to the entity at an address that is no
// longer in the build. lifecycle is history.Exists if the entity has moved to the address
// of latest, Gone if latest is its deletion, and Unknown if the history has no such
// entity.
func (b *Build) ResolveRemoved(typ, slug string) (latest record.Version, lifecycle history.Lifecycle) {
	a := b.History()
	last, ok := a.Last(typ, slug)
	if !ok {
		return latest, history.Unknown
	}
	latest = a.Version(a.Newest(last))
	if latest.Deleted {
		return latest, history.Gone
	}
	if _, isAlias, ok := b.Find(latest.Type, latest.Slug); !ok || isAlias {
		return latest, history.Unknown // removed by an uncommitted change
	}
	return latest, history.Exists
}

// History returns the history of the build, which is empty if the build was written without one. Edits do
// not change it, except for the ordinals in Trends.
func (b *Build) History() *history.Archive {
	if b.edits == nil {
		return b.history
	}
	return b.history.Of(b.View, b.currentOrdinal)
}

// Moments returns the contents of a record's entity, oldest first. The last one is the
// record itself, which may differ from the newest version: in an edited build, and in a
// build of files that were not committed. limit is as in history.Archive.Moments.
func (b *Build) Moments(ordinal uint32, limit int) ([]history.Moment, error) {
	var list []history.Moment
	if v, ok := b.History().NewestOf(ordinal); ok {
		var err error
		if list, err = b.History().Moments(v, limit); err != nil {
			return nil, err
		}
	}
	return append(list, history.Moment{Entity: b.Entity(ordinal)}), nil
}

// FormerKeys returns the earlier addresses of an entity: those that its file lists, and those in
// the history. Another entity may have one of them now.
func (b *Build) FormerKeys(ordinal uint32) []string {
	keys := b.Entity(ordinal).FormerKeys()
	current := b.Entity(ordinal).Key()
	a := b.History()
	for v, ok := a.NewestOf(ordinal); ok; {
		at := a.Version(v)
		if key := at.Type + "/" + at.Slug; key != current && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		v, ok = int(at.Previous), at.Previous >= 0
	}
	return keys
}
