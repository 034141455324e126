package builder

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"kindex/builder/content"
	"kindex/exports"
)

// openEarlier opens the current build of the output folder, for this one to be
// made upon it; where it is damaged, the newest that is not. It counts only where
// every byte of it is as it was written. What keeps it from being used is no
// error yet: in most cases the build can be made in full, with the same result.
func (b *build) openEarlier(context.Context) error {
	builds := exports.BuildsDir(b.Out)
	id, err := exports.Current(b.Out)
	if errors.Is(err, exports.ErrNoBuild) {
		return nil // what others there are was never published
	}
	ids, _ := exports.Builds(builds)
	if slices.Reverse(ids); err == nil {
		ids = slices.Insert(slices.DeleteFunc(ids, func(x string) bool { return x == id }), 0, id)
	}
	b.damaged = err
	for _, id := range ids {
		dir := filepath.Join(builds, id)
		if _, err = exports.Verify(dir); err == nil {
			if b.earlier, err = exports.Open(dir); err == nil {
				break
			}
		}
		if b.skipped = true; b.damaged == nil {
			b.damaged = err
		}
	}
	if b.earlier != nil && b.damaged != nil {
		b.report.Warnings = append(b.report.Warnings, fmt.Sprintf("warning: %v; going on from build %s", b.damaged, b.earlier.Manifest.ID))
	}
	return nil
}

// cache is the earlier build where what it holds would be made the same way
// today; else nil.
func (b *build) cache() *exports.Build {
	if b.earlier == nil || b.earlier.Manifest.Builder != Version {
		return nil
	}
	return b.earlier
}

// reopenEarlier lets go of the records that loading has read: they count as memory
// of this process as long as they are mapped.
func (b *build) reopenEarlier() (err error) {
	if b.earlier == nil {
		return nil
	}
	dir := b.earlier.Dir
	b.closeEarlier()
	b.earlier, err = exports.Open(dir)
	return err
}

func (b *build) closeEarlier() {
	if b.earlier != nil {
		_ = b.earlier.Close() // nothing is lost with a mapping that stays
	}
}

// loadContent is LoadContent, but for files that the earlier build has read.
func (b *build) loadContent(progress func(done, total int)) (*Loaded, content.Problems, error) {
	return withFormula(content.LoadUpon(b.Content, b.reuse, progress))
}

// reuse is a content.Reuse from the earlier build.
func (b *build) reuse(typ, slug string, sum [sha256.Size]byte) *exports.Entity {
	ordinal, ok := b.unchanged(typ, slug, sum)
	if !ok {
		return nil
	}
	e, err := b.earlier.Authored(ordinal)
	if err != nil {
		return nil // the file is parsed, as if it had changed
	}
	return e
}

// unchanged finds the record that the earlier build made from a file of the same
// address and the same bytes.
func (b *build) unchanged(typ, slug string, sum [sha256.Size]byte) (ordinal uint32, ok bool) {
	if b.cache() == nil {
		return 0, false
	}
	ordinal, moved, ok := b.earlier.Find(typ, slug)
	if !ok || moved {
		return 0, false
	}
	was, known := b.earlier.SourceSum(ordinal)
	return ordinal, known && was == sum
}

// markUnchanged says of content that was handed over which entities the earlier
// build has from the same bytes, and counts them.
func (b *build) markUnchanged() {
	for i, e := range b.content.Entities {
		if b.Loaded != nil {
			_, b.content.Unchanged[i] = b.unchanged(e.Type, e.Slug, b.content.Sums[i])
		}
		if b.content.Unchanged[i] {
			b.report.Reused++
		}
	}
}
