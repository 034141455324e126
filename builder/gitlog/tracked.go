package gitlog

import "context"

// Tracked reports whether the checked-out commit contains files in any of the given folders.
// It returns false outside a repository or if git is not installed. A missing folder contains
// no files.
func Tracked(ctx context.Context, dirs ...string) (bool, error) {
	for _, dir := range dirs {
		tracked := false
		err := at(ctx, dir, "", func(r *repository) error {
			list, err := entries(ctx, r.Repository, r.head, "--", r.Prefix)
			tracked = len(list) > 0
			return err
		})
		if err != nil || tracked {
			return tracked, err
		}
	}
	return false, nil
}
