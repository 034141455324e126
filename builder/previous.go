package builder

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/gitlog"
	"kindex/exports"
	"kindex/exports/store"
	"kindex/indexes"
)

// openPrevious opens the previous build: the current build in the output folder or, if that is
// damaged, the newest intact one. The build must be sealed by this machine's builder, and every
// byte of it must be intact. It is not an error if there is no such build, because a full build
// usually has the same result.
func (b *build) openPrevious(ctx context.Context) error {
	id, err := store.Current(b.Out)
	if errors.Is(err, store.ErrNoBuild) {
		// Without a pointer, either none of these builds was ever published, or somebody has
		// removed the pointer.
		if ids, _ := store.Builds(b.Out, "exports", "builds"); len(ids) > 0 {
			b.report.Warnings = append(b.report.Warnings, fmt.Sprintf("warning: %s is missing, although there are builds in %s: no build is reused, "+
				"and content that is not in git starts a new history. To continue from one of these builds, write its ID to the missing file and build again",
				filepath.Join(b.Out, "exports", "current"), store.BuildsDir(b.Out)))
		}
		return nil
	}
	var link *store.LinkError
	if errors.As(err, &link) {
		return err
	}
	ids, _ := store.Builds(b.Out, "exports", "builds")
	if slices.Reverse(ids); err == nil {
		ids = slices.Insert(slices.DeleteFunc(ids, func(x string) bool { return x == id }), 0, id)
	}
	b.damaged = err
	if b.checkTracked(ctx); ctx.Err() != nil {
		return ctx.Err()
	}
	for i, id := range ids {
		var untrusted *UntrustedError
		if err = b.open(id, b.TrustPrevious && i == 0 && b.damaged == nil); err == nil {
			break
		}
		if b.skipped = true; errors.As(err, &untrusted) {
			if b.untrusted == nil && i == 0 {
				b.untrusted = untrusted
			}
		} else if b.damaged == nil {
			b.damaged = err
		}
	}
	if b.previous != nil && b.damaged != nil {
		b.report.Warnings = append(b.report.Warnings, fmt.Sprintf("warning: %v; continuing from build %s", b.damaged, b.previous.Manifest.ID))
	}
	return nil
}

// open opens a build for reuse if it is trusted and intact.
func (b *build) open(id string, takeOver bool) (err error) {
	dir := filepath.Join(store.BuildsDir(b.Out), id)
	manifest, _, err := store.ManifestBytes(dir)
	if err != nil {
		return err
	}
	build, index := b.Key.sealed(b.Out, id, manifest)
	if b.tracked != "" || !build && (!takeOver || b.Key == nil) {
		return b.newUntrustedError(id)
	}
	b.asBuilt = &identities{}
	if build {
		b.asBuilt = b.Key.readIdentities(b.Out, id, manifest)
		b.asBuilt.sources = b.asBuilt.readCache(b.Out, id, sourcesCache, maxSources)
		_, err = store.VerifyKnown(dir, b.asBuilt.build)
	} else {
		_, err = store.Verify(dir) // another machine wrote it
	}
	if err != nil {
		return err
	}
	if b.previous, err = exports.Open(dir); err != nil {
		return err
	}
	if b.indexTrusted = index; build {
		return nil
	}
	return b.takeOver()
}

// takeOver seals the previous build, which the user trusts.
func (b *build) takeOver() error {
	m := b.previous.Manifest
	if b.TakenOver != nil {
		b.TakenOver(m)
	}
	if _, err := indexes.Verify(indexes.Dir(b.Out, m.ID), m.ID, m.Index); err != nil {
		return nil //nolint:nilerr // the build is usable without its index, which is then built in full
	}
	b.indexTrusted = true
	return b.seal(m.ID)
}

// seal marks a build as one that this machine has built or trusts.
func (b *build) seal(id string) error {
	if b.Key == nil {
		return nil
	}
	seal, err := b.Key.seal(b.Out, id)
	if err != nil {
		return err
	}
	return store.WriteSeal(b.Out, id, seal)
}

// checkTracked checks whether git tracks the builds in the output folder. Tracked builds are
// never reused, because anyone who can commit could have written them.
func (b *build) checkTracked(ctx context.Context) {
	tracked, err := gitlog.Tracked(ctx, store.BuildsDir(b.Out), indexes.Dir(b.Out, ""))
	switch {
	case err != nil:
		b.tracked = fmt.Sprintf("git cannot determine whether this build is committed (%v); fix that problem, or use an --out folder outside the repository", err)
	case tracked:
		b.tracked = "git tracks files in exports/builds or indexes/builds, so anyone who can commit could have written this build (to stop tracking the files: git rm -r --cached exports/builds indexes/builds, then commit)"
	}
}

// UntrustedError is the error for a previous build that is not known to have been built by this
// machine's builder.
type UntrustedError struct {
	Dir    string // folder of the build
	Reason string
}

// Error implements error.
func (e *UntrustedError) Error() string { return e.Dir + " is not reused: " + e.Reason }

func (b *build) newUntrustedError(id string) error {
	e := &UntrustedError{Dir: filepath.Join(store.BuildsDir(b.Out), id), Reason: b.tracked}
	if e.Reason == "" && b.Key == nil {
		e.Reason = "there is no builder's key to check its seal (specify a key file with --builder-key or KINDEX_BUILDER_KEY)"
	} else if e.Reason == "" {
		e.Reason = "it is not sealed with this machine's builder's key: another machine or an older version built it, or it was altered"
	}
	return e
}

// refuseUntrusted decides whether an untrusted previous build is an error. It is called once it
// is known where the history is. If the history is in git, there is no error, because the
// result is the same without the previous build. The history of a plain folder is only in its
// builds, so the user must decide whether to start a new history or to trust the build.
func (b *build) refuseUntrusted() error {
	switch {
	case b.untrusted == nil:
		return nil
	case b.tracked != "" && (b.head.Commit == "" || b.head.Hidden):
		return fmt.Errorf("%w; only that build has the history of %s. Once git no longer tracks that build, and if you know where it comes from, build once with --trust-previous", b.untrusted, b.Content)
	case b.head.Commit == "" || b.head.Hidden:
		return fmt.Errorf("%w; only that build has the history of %s. If you know where it comes from, build once with --trust-previous. "+
			"To start a new history, use a different --out folder, or remove exports/ and indexes/ from this one", b.untrusted, b.Content)
	case b.previous == nil:
		warning := fmt.Sprintf("warning: %v; everything is built from the content and its git history, with the same result", b.untrusted)
		if b.tracked == "" {
			warning += ". If you know where it comes from, you can reuse it with --trust-previous"
		}
		b.report.Warnings = append(b.report.Warnings, warning)
	}
	return nil
}

// CheckPrevious returns nil if Build would reuse the published build of an output folder, or if
// there is no published build. Otherwise, it returns the reason Build would not reuse it,
// usually an *UntrustedError. Of the build's files, it reads only the manifest.
func CheckPrevious(ctx context.Context, o Options) error {
	b := &build{Options: o}
	id, err := store.Current(b.Out)
	if errors.Is(err, store.ErrNoBuild) {
		return nil
	}
	if err != nil {
		return err
	}
	manifest, _, err := store.ManifestBytes(filepath.Join(store.BuildsDir(b.Out), id))
	if err != nil {
		return err
	}
	if b.checkTracked(ctx); b.tracked == "" {
		if sealed, _ := b.Key.sealed(b.Out, id, manifest); sealed {
			return nil
		}
	}
	return b.newUntrustedError(id)
}

// cache returns the previous build if parts of it can be reused, because this version of the
// builder would create the same parts. Otherwise, it returns nil.
func (b *build) cache() *exports.Build {
	if b.previous == nil || b.previous.Manifest.Builder != Version {
		return nil
	}
	return b.previous
}

// reopenPrevious reopens the previous build to unmap the records that have been read during
// loading. As long as these are mapped, they count as memory of this process.
func (b *build) reopenPrevious() (err error) {
	if b.previous == nil {
		return nil
	}
	dir := b.previous.Dir
	b.closePrevious()
	b.previous, err = exports.Open(dir)
	return err
}

func (b *build) closePrevious() {
	if b.previous != nil {
		_ = b.previous.Close() // a leftover mapping does no harm
	}
}

// loadContent is like LoadContent, but reuses the entities from files that the previous build
// has read.
func (b *build) loadContent(progress func(done, total int)) (*Loaded, yamldoc.Problems, error) {
	return withFormula(content.LoadWithReuse(b.Content, reuse{b}, progress))
}

// reuse implements content.Reuse with entities from the previous build.
type reuse struct{ *build }

// Unread implements content.Reuse.
func (r reuse) Unread(typ, slug string, identity store.Identity) (f content.EarlierFile, ok bool) {
	if r.cache() == nil {
		return f, false
	}
	ordinal, moved, ok := r.previous.Find(typ, slug)
	if !ok || moved {
		return f, false
	}
	blob, ok := r.asBuilt.source(ordinal, identity)
	sum, known := r.previous.SourceSum(ordinal)
	if !ok || !known {
		return f, false
	}
	f, ok = r.authored(ordinal)
	f.Sum, f.Blob = sum, blob
	return f, ok
}

// Unparsed implements content.Reuse.
func (r reuse) Unparsed(typ, slug string, sum [sha256.Size]byte) (f content.EarlierFile, ok bool) {
	ordinal, ok := r.unchanged(typ, slug, sum)
	if !ok {
		return f, false
	}
	return r.authored(ordinal)
}

// authored returns an entity of the previous build. If it cannot be read, its file is parsed as if it had
// changed.
func (r reuse) authored(ordinal uint32) (content.EarlierFile, bool) {
	e, err := r.previous.Authored(ordinal)
	return content.EarlierFile{Entity: e, Ordinal: ordinal}, err == nil
}

// unchanged finds the record in the previous build that was built from a file with the same
// address and bytes.
func (b *build) unchanged(typ, slug string, sum [sha256.Size]byte) (ordinal uint32, ok bool) {
	if b.cache() == nil {
		return 0, false
	}
	ordinal, moved, ok := b.previous.Find(typ, slug)
	if !ok || moved {
		return 0, false
	}
	old, known := b.previous.SourceSum(ordinal)
	return ordinal, known && old == sum
}

// markUnchanged counts the entities whose files have the same bytes as in the previous build.
// In preloaded content, it also marks these entities.
func (b *build) markUnchanged() {
	for i, e := range b.content.Entities {
		if b.Loaded != nil {
			b.content.Ordinals[i], b.content.Unchanged[i] = b.unchanged(e.Type, e.Slug, b.content.Sums[i])
		}
		if b.content.Unchanged[i] {
			b.report.Reused++
		}
	}
}
