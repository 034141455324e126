package exports

import (
	"slices"

	"kindex/exports/record"
)

// ResolveRemoved reports what happened to the entity at an address that is no
// longer in the build. lifecycle is Exists if the entity has moved to the address
// of latest, Gone if latest is its deletion, and Unknown if the history has no such
// entity.
func (b *Build) ResolveRemoved(typ, slug string) (latest record.Version, lifecycle Lifecycle) {
	a := b.Archive()
	last, ok := a.Last(typ, slug)
	if !ok {
		return latest, Unknown
	}
	latest = a.Version(a.Newest(last))
	if latest.Deleted {
		return latest, Gone
	}
	if _, isAlias, ok := b.Find(latest.Type, latest.Slug); !ok || isAlias {
		return latest, Unknown // removed by an uncommitted change
	}
	return latest, Exists
}

// Archive returns the history of the build, which is empty if the build has no archive. Edits
// do not change it, except for the ordinals in Trends.
func (b *Build) Archive() *ArchiveReader {
	if b.edits == nil {
		return b.archive
	}
	r := *b.archive
	r.build = b
	return &r
}

// FormerSlugs returns the earlier slugs of an entity: those that its file lists, and those in
// the history. Another entity may have one of them now.
func (b *Build) FormerSlugs(ordinal uint32) []string {
	slugs := slices.Clone(b.Entity(ordinal).Formerly)
	_, current := b.Key(ordinal)
	a := b.Archive()
	for v, ok := a.NewestOf(ordinal); ok; {
		if _, slug := a.address(v); slug != current && !slices.Contains(slugs, slug) {
			slugs = append(slugs, slug)
		}
		before := a.previous(v)
		v, ok = before, before >= 0 && before < v
	}
	return slugs
}
