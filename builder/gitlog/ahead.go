package gitlog

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kindex/builder/git"
)

// Ahead is a commit that is dated later than the time at which its content is read, because the
// clock of the machine that made it was ahead.
type Ahead struct {
	Hash string
	Said time.Time // the committer time
	// Used is the time to use instead: that of the next commit whose time is plausible or, if there
	// is none, the time at which the content is read.
	Used time.Time
}

// String describes the commit and what is done about it.
func (a Ahead) String() string {
	return fmt.Sprintf("commit %s is dated %s, which is in the future: its changes are dated %s",
		a.Hash[:12], a.Said.Format(time.DateOnly), a.Used.Format(time.DateOnly))
}

// tolerance is how much later than the time of reading a commit may be dated. A build has the
// time of the last midnight in UTC, and clocks are set to any zone.
const tolerance = 36 * time.Hour

// CommitsAhead returns the commits in the first-parent history of HEAD that are ahead of a time,
// newest first. Outside a repository or without git, it returns none.
func CommitsAhead(ctx context.Context, dir string, now time.Time) (list []Ahead, err error) {
	err = at(ctx, dir, "", func(r *repository) error {
		list, err = commitsAhead(ctx, r.Repository, r.head, now)
		return err
	})
	return list, err
}

// IsMerged reports whether a commit is an ancestor of another, but not by first parents only.
func IsMerged(ctx context.Context, dir, commit, into string) (merged bool, err error) {
	if !git.IsObjectName(commit) {
		return false, nil
	}
	err = at(ctx, dir, into, func(r *repository) error {
		if _, err := r.git(ctx, "cat-file", "-e", commit+"^{commit}"); err != nil {
			return ctx.Err() // the commit no longer exists here
		}
		base, err := r.git(ctx, "rev-list", "--count", commit, "--not", into)
		if err != nil || strings.TrimSpace(base) != "0" {
			return err
		}
		first, err := r.onFirstParentLine(ctx, commit)
		merged = !first && err == nil
		return err
	})
	return merged, err
}

func commitsAhead(ctx context.Context, r *git.Repository, commit string, now time.Time) (list []Ahead, err error) {
	out, err := r.Run(ctx, git.Command{Args: []string{"log", "--first-parent", "--no-show-signature", "--format=tformat:%H %ct", commit, "--"}})
	if err != nil {
		return nil, err
	}
	used := now.UTC()
	for line := range strings.Lines(out) {
		hash, seconds, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !git.IsObjectName(hash) {
			return nil, unexpected(line)
		}
		if said := commitTime(seconds); said.Sub(now) > tolerance {
			list = append(list, Ahead{hash, said, used})
		} else {
			used = said
		}
	}
	return list, nil
}
