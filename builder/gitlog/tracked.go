package gitlog

import (
	"context"
	"errors"

	"kindex/builder/git"
)

// Tracked reports whether the checked-out commit contains files in any of the given folders.
// It returns false outside a repository or if git is not installed. A missing folder contains
// no files.
func Tracked(ctx context.Context, dirs ...string) (bool, error) {
	for _, dir := range dirs {
		tracked, err := tracks(ctx, dir)
		if err != nil || tracked {
			return tracked, err
		}
	}
	return false, nil
}

func tracks(ctx context.Context, dir string) (tracked bool, err error) {
	r, err := findExisting(ctx, dir)
	if r == nil || err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	head, err := r.Head(ctx)
	if err != nil || head == "" {
		return false, err
	}
	out, err := r.Run(ctx, git.Command{Args: []string{"ls-tree", "-z", "--full-tree", head, "--", r.Prefix}})
	return out != "", err
}
