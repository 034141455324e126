// Package history reads what git knows of a content folder: the commit that it
// is at, and every version of every entity since the first commit.
package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kindex/exports"
)

// Head is the state of the repository that a content folder lies in.
type Head struct {
	Commit string    // "" outside a repository, or before the first commit
	Time   time.Time // of the commit, by its committer
	// Path is the folder within the repository, with slashes; "" for its top, and
	// outside a repository.
	Path string
	// Dirty tells that the folder holds what the commit does not: edits that
	// are not committed, or a folder that no repository keeps.
	Dirty bool
	// Hidden tells that the folder lies in a repository, but that there is no git
	// to read it with.
	Hidden bool
}

// ReadHead asks git about dir. A folder outside any repository, or a machine
// without git, is no error: the head is then empty and dirty.
func ReadHead(ctx context.Context, dir string) (Head, error) {
	inside, err := insideWorkTree(ctx, dir)
	if err != nil {
		return Head{}, err
	}
	if !inside {
		within, is := hidden(dir)
		return Head{Dirty: true, Hidden: is, Path: within}, nil
	}
	prefix, err := git(ctx, dir, "rev-parse", "--show-prefix")
	if err != nil {
		return Head{}, err
	}
	h := Head{Path: strings.TrimSuffix(strings.TrimSuffix(prefix, "\n"), "/")}
	line, err := git(ctx, dir, "log", "-1", "--no-show-signature", "--format=%H %ct")
	if err != nil {
		if strings.Contains(err.Error(), "does not have any commits") {
			h.Dirty = true
			return h, nil
		}
		return Head{}, err
	}
	var seconds int64
	if _, err := fmt.Sscan(line, &h.Commit, &seconds); err != nil {
		return Head{}, fmt.Errorf("git log in %s: unexpected answer %q", dir, line)
	}
	h.Time = time.Unix(seconds, 0).UTC()
	status, err := git(ctx, dir, "status", "--porcelain", "--untracked-files=all", "--ignored", "--", ".")
	if err != nil {
		return Head{}, err
	}
	for l := range strings.Lines(status) {
		l = strings.TrimRight(l, "\n\"")
		// Ignored files count only where the loader would read them.
		if !strings.HasPrefix(l, "!!") || strings.HasSuffix(l, ".yaml") || isTypeFolder(l) {
			h.Dirty = true
		}
	}
	return h, nil
}

// CurrentCommit names the commit that is checked out where dir lies, "" where
// there is none: a cheap look, to be taken often.
func CurrentCommit(ctx context.Context, dir string) string {
	name, err := git(ctx, dir, "rev-parse", "--verify", "-q", "HEAD")
	if err != nil {
		return "" // no repository, no commit, or no git
	}
	return strings.TrimSpace(name)
}

// isTypeFolder tells whether a line of git status names a folder of entities.
func isTypeFolder(line string) bool {
	return slices.ContainsFunc(exports.Types, func(t string) bool { return strings.HasSuffix(line, "/"+t+"/") || strings.HasSuffix(line, " "+t+"/") })
}
