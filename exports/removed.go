package exports

import "kindex/exports/record"

// ResolveRemoved tells what became of the entity that once had an address which the build
// does not have: Exists where it is at another one now, that of the version; Gone
// where it was deleted, by the version; Unknown where nobody knows of one.
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
		return latest, Unknown // it is gone in what was not committed
	}
	return latest, Exists
}
