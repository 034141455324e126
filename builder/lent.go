package builder

import (
	"bytes"
	"context"
	"slices"

	"kindex/builder/content"
)

// Lent is the published build while a content folder takes the entities of unchanged files from it.
type Lent struct {
	*build
	folder *content.Folder
}

// LendPrevious lets the content folder take the entities of unchanged files from the published build until
// Release is called. If that build is damaged, they come from the newest intact build. LendPrevious returns nil
// if no build can be reused.
func LendPrevious(ctx context.Context, o Options, f *content.Folder) *Lent {
	o.TrustPrevious = false
	b := &build{Options: o}
	if err := b.openPrevious(ctx); err != nil || b.cache() == nil {
		b.closePrevious()
		return nil // everything is read, and the next build reports the problem
	}
	f.ReuseFrom(reuse{b})
	return &Lent{b, f}
}

// Release ends the loan. It does nothing if l is nil.
func (l *Lent) Release() {
	if l != nil {
		l.folder.ReuseFrom(nil)
		l.closePrevious()
	}
}

// Differences returns the names of files whose entities differ from those of the published build,
// including files that no longer exist. read lists the files that have been read.
func (l *Lent) Differences(read []string) (names []string) {
	for _, name := range read {
		if !l.folder.Reused(name) && !l.published(name) {
			names = append(names, name)
		}
	}
	for o := range uint32(l.previous.Len()) { //nolint:gosec // ordinals have 32 bits
		typ, slug := l.previous.Key(o)
		if name := typ + "/" + slug + ".yaml"; !l.folder.Has(name) {
			names = append(names, name)
		}
	}
	return names
}

// published reports whether the entity in a file is the same as in the published build. A file with warnings is
// always parsed, even if it has not changed.
func (l *Lent) published(name string) bool {
	e, _, _ := l.folder.Entity(name)
	if e == nil {
		return false
	}
	o, moved, ok := l.previous.Find(e.Type, e.Slug)
	if !ok || moved {
		return false
	}
	earlier, err := l.previous.Authored(o)
	return err == nil && slices.Equal(e.Formerly, earlier.Formerly) && bytes.Equal(e.AppendJSON(nil), earlier.AppendJSON(nil))
}
