package gitlog

import (
	"context"
	"errors"
	"os"

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
	err = atHead(ctx, dir, func(r *git.Repository, head string) error {
		list, err := entries(ctx, r, head, "--", r.Prefix)
		tracked = len(list) > 0
		return err
	})
	return tracked, err
}

// atHead calls do with the repository of a folder and its checked-out commit. Without a folder, a
// repository, git or a commit, it does nothing.
func atHead(ctx context.Context, dir string, do func(r *git.Repository, head string) error) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil //nolint:nilerr // there is no folder
	}
	r, err := find(ctx, dir)
	if r == nil || err != nil {
		return err
	}
	head, err := r.Head(ctx)
	if err == nil && head != "" {
		err = do(r, head)
	}
	return errors.Join(err, r.Close())
}
