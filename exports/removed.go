package exports

import "kindex/exports/record"

// ResolveRemoved tells what became of the entity that once had an address which the build
// does not have: Exists where it is at another one now, that of the version; Gone
// where it was deleted, by the version; Unknown where nobody knows of one.
func (b *Build) ResolveRemoved(typ, slug string) (now record.Version, standing Lifecycle) {
	a := b.Archive()
	last, ok := a.Last(typ, slug)
	if !ok {
		return now, Unknown
	}
	now = a.Version(a.Newest(last))
	if now.Deleted {
		return now, Gone
	}
	if _, old, ok := b.Find(now.Type, now.Slug); !ok || old {
		return now, Unknown // it is gone in what was not committed
	}
	return now, Exists
}
