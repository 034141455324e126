package builder

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"kindex/builder/gitlog"
	"kindex/exports"
	"kindex/exports/store"
	"kindex/indexes"
)

// openPrevious opens the previous build: the current build in the output folder or, if that is
// damaged, the newest intact one. Every byte of it must be intact. It is not an error if there is
// no such build, because a build without it usually has the same result.
func (b *build) openPrevious(ctx context.Context) error {
	id, err := store.Current(b.Out)
	if errors.Is(err, store.ErrNoBuild) {
		// Without a pointer, either none of these builds was ever published, or somebody has
		// removed the pointer.
		if ids, _ := store.Builds(b.Out, "exports", "builds"); len(ids) > 0 {
			b.warn("warning: %s is missing, although there are builds in %s: no build is reused, "+
				"and content that is not in git starts a new history. To continue from one of these builds, write its ID to the missing file and build again",
				filepath.Join(b.Out, "exports", "current"), store.BuildsDir(b.Out))
		}
		return nil
	}
	var link *store.LinkError
	if errors.As(err, &link) {
		return err
	}
	if b.tracked = Tracked(ctx, b.Out); b.tracked != "" || ctx.Err() != nil {
		return ctx.Err()
	}
	ids, _ := store.Builds(b.Out, "exports", "builds")
	if slices.Reverse(ids); err == nil {
		ids = slices.Insert(slices.DeleteFunc(ids, func(x string) bool { return x == id }), 0, id)
	}
	b.damaged = err
	for _, id := range ids {
		dir := filepath.Join(store.BuildsDir(b.Out), id)
		if _, err = store.Verify(dir); err == nil {
			b.previous, err = exports.Open(dir)
		}
		if err == nil {
			break
		}
		if b.skipped = true; b.damaged == nil {
			b.damaged = err
		}
	}
	if b.previous != nil && b.damaged != nil {
		b.warn("warning: %v; continuing from build %s", b.damaged, b.previous.Manifest.ID)
	}
	return nil
}

// Tracked returns why no build in an output folder is trusted, or "". Builds that git tracks are
// not: anyone who can commit could have written them.
func Tracked(ctx context.Context, out string) string {
	switch is, err := gitlog.Tracked(ctx, store.BuildsDir(out), indexes.Dir(out, "")); {
	case err != nil:
		return fmt.Sprintf("git cannot determine whether it is committed (%v); fix that problem, or use an --out folder outside the repository", err)
	case is:
		return "git tracks files in exports/builds or indexes/builds, so anyone who can commit could have written it (to stop tracking the files: git rm -r --cached exports/builds indexes/builds, then commit)"
	}
	return ""
}

// refuseTracked decides whether a previous build that git tracks is an error. It is called once it
// is known where the history is. If the history is in git, the result is the same without the
// previous build. The history of a plain folder is only in its builds.
func (b *build) refuseTracked() error {
	switch {
	case b.tracked == "":
	case b.head.Commit == "" || b.head.Hidden:
		return fmt.Errorf("the previous build in %s is not used: %s; only that build has the history of %s. "+
			"To start a new history, use a different --out folder, or remove exports/ and indexes/ from this one", b.Out, b.tracked, b.Content)
	default:
		b.warn("warning: the previous build in %s is not used: %s; everything is built from the content and its git history, with the same result", b.Out, b.tracked)
	}
	return nil
}

// cache returns the previous build if its versions can be continued from, because this version of
// the builder would read the same ones. Otherwise, it returns nil.
func (b *build) cache() *exports.Build {
	if b.previous == nil || b.previous.Manifest.Builder != Version || b.redeclared() {
		return nil
	}
	return b.previous
}
