package gitlog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kindex/builder/content/schema"
	"kindex/builder/plural"
)

// SparseError is the error for a sparse checkout that leaves out files of the content.
type SparseError struct {
	Dir   string
	Files []string // relative to the root of the repository
}

// Error names some of the files and says how to check them out.
func (e *SparseError) Error() string {
	named, rest := e.Files, ""
	if more := len(named) - 3; more > 0 {
		named, rest = named[:3], fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s: a sparse checkout leaves out %s of the content: %s%s; check them out: git sparse-checkout disable, or git sparse-checkout add with their folder",
		e.Dir, plural.Count(len(e.Files), "file", "files"), strings.Join(named, ", "), rest)
}

// CheckSparse returns a *SparseError if a sparse checkout leaves out files of a content folder: to a
// build, they would look deleted.
func CheckSparse(ctx context.Context, dir string) error {
	return at(ctx, dir, "", func(r *repository) error {
		left, err := r.LeftOut(ctx)
		if err != nil {
			return err
		}
		missing := slices.DeleteFunc(left, func(name string) bool {
			below, ok := strings.CutPrefix(name, r.Prefix)
			isEntity := strings.Count(below, "/") == 1 && strings.HasSuffix(below, ".yaml") // of any kind: kinds.yaml may be left out, too
			return !ok || !isEntity && !schema.IsRootFile(below)
		})
		if len(missing) > 0 {
			return &SparseError{dir, missing}
		}
		return nil
	})
}
