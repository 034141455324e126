package gitdiff

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"kindex/builder"
	"kindex/builder/content/yamldoc"
	"kindex/builder/diff"
	"kindex/builder/gitlog"
)

// loadedRevision is the content of one revision.
type loadedRevision struct {
	dir      string          // the folder as shown in messages
	loaded   *builder.Loaded // nil if nothing could be read
	problems yamldoc.Problems
	failed   error // the reason nothing could be read
}

// loadRevision reads the content folder from the working tree, or as of a commit.
func loadRevision(ctx context.Context, location *gitlog.Location, r diff.Ref, dir string) (*loadedRevision, error) {
	s := &loadedRevision{dir: path.Clean(filepath.ToSlash(dir))}
	if r.Commit == "" {
		s.loaded, s.problems, s.failed = builder.LoadContent(dir, nil)
	} else {
		s.loaded, s.problems, s.failed = builder.LoadCommit(ctx, location, string(r.Commit), dir)
	}
	if s.failed != nil {
		s.loaded = nil
	}
	return s, ctx.Err()
}

func (s *loadedRevision) absent() bool { return errors.Is(s.failed, fs.ErrNotExist) }

// completedBy returns a revision to be compared with another one. If its folder is missing or
// its root files are unreadable, the returned revision has the formula, categories and
// index.yaml of the other revision, so that the comparison reports no spurious differences in
// them.
func (s *loadedRevision) completedBy(other *loadedRevision) diff.Revision {
	if s.loaded == nil {
		return diff.Revision{Formula: other.loaded.Formula}
	}
	c := *s.loaded.Content
	formula := s.loaded.Formula
	if other.loaded == nil {
		return diff.Revision{Content: &c, Formula: formula}
	}
	for _, p := range s.problems {
		if !isError(p) {
			continue
		}
		switch p.File {
		case path.Join(s.dir, "scoring.yaml"):
			formula = other.loaded.Formula
		case path.Join(s.dir, "categories.yaml"):
			c.Categories = other.loaded.Categories
		case path.Join(s.dir, "index.yaml"):
			c.Index = other.loaded.Index
		}
	}
	return diff.Revision{Content: &c, Formula: formula}
}

func isError(p yamldoc.Problem) bool { return p.Severity == yamldoc.Error }
