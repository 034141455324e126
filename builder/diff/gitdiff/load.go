package gitdiff

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"kindex/builder"
	"kindex/builder/content/yamldoc"
	"kindex/builder/diff"
	"kindex/builder/gitlog"
	"kindex/builder/scratch"
)

// loadedRevision is the content of one revision.
type loadedRevision struct {
	dir      string          // the folder as shown in messages
	loaded   *builder.Loaded // nil if nothing could be read
	problems yamldoc.Problems
	failed   error // the reason nothing could be read, or nil if the folder does not exist
	absent   bool  // whether the folder does not exist
}

// loadRevision reads the content folder from the working tree, or from a temporary copy of a
// commit. Messages never show the path of the copy.
func loadRevision(ctx context.Context, location *gitlog.Location, r diff.Ref, dir string) (_ *loadedRevision, err error) {
	s, at := &loadedRevision{dir: path.Clean(filepath.ToSlash(dir))}, dir
	if r.Commit != "" {
		tmp, err := scratch.New("diff")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, tmp.Close()) }()
		at = filepath.Join(tmp.Path, "content")
		if err := os.Mkdir(at, 0o777); err != nil {
			return nil, err
		}
		if there, err := location.WriteTree(ctx, string(r.Commit), at); err != nil || !there {
			s.absent = true
			return s, err
		}
	}
	s.loaded, s.problems, s.failed = builder.LoadContent(at, nil)
	if s.failed != nil {
		s.loaded = nil
		s.absent = errors.Is(s.failed, fs.ErrNotExist)
	}
	if s.absent {
		s.failed = nil
	}
	if r.Commit != "" {
		s.renamePaths(filepath.ToSlash(at))
	}
	return s, nil
}

// renamePaths replaces the path of the temporary copy in messages with that of the folder.
func (s *loadedRevision) renamePaths(from string) {
	below := s.dir + "/"
	if s.dir == "." {
		below = ""
	}
	replace := strings.NewReplacer(from+"/", below, from, s.dir).Replace
	for i := range s.problems {
		p := &s.problems[i]
		p.File, p.Message, p.Suggestion = replace(p.File), replace(p.Message), replace(p.Suggestion)
	}
	if s.failed != nil {
		s.failed = errors.New(replace(s.failed.Error()))
	}
}

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
