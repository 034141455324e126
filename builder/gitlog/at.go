package gitlog

import (
	"context"
	"strings"

	"kindex/builder/git"
)

// HeadAt returns the head that ReadHead would return if a commit were checked out without
// changes. commit is the commit's object name.
func (p *Location) HeadAt(ctx context.Context, commit string) (Head, error) {
	return headAt(ctx, p.Repository, commit, p.prefix)
}

// headAt returns the head that a folder in the repository would have if a commit were checked
// out without changes.
func headAt(ctx context.Context, r *git.Repository, commit, path string) (Head, error) {
	seconds, err := r.Run(ctx, git.Command{Args: []string{"log", "-1", "--no-show-signature", "--format=%ct", commit, "--"}})
	if err != nil {
		return Head{}, err
	}
	return Head{Commit: commit, Time: commitTime(strings.TrimSpace(seconds)), Path: path}, nil
}
