package gitlog

import (
	"context"
	"strings"

	"kindex/builder/git"
)

// HeadAt returns what ReadHead would return if a commit, given by its object name, were
// checked out without changes.
func (p *Location) HeadAt(ctx context.Context, commit string) (Head, error) {
	return headAt(ctx, p.Repository, commit, p.prefix)
}

// headAt returns the head of a folder in the repository, as if a commit were checked out without
// changes.
func headAt(ctx context.Context, r *git.Repository, commit, path string) (Head, error) {
	seconds, err := r.Run(ctx, git.Command{Args: []string{"log", "-1", "--no-show-signature", "--format=%ct", commit, "--"}})
	if err != nil {
		return Head{}, err
	}
	return Head{Commit: commit, Time: commitTime(strings.TrimSpace(seconds)), Path: path}, nil
}
