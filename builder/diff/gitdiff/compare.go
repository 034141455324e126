// Package gitdiff compares revisions of a content folder in a git repository.
package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kindex/builder"
	"kindex/builder/content/yamldoc"
	"kindex/builder/diff"
	"kindex/builder/gitlog"
	"kindex/builder/plural"
	"kindex/exports/jsonenc"
)

// Compare compares the two revisions of a content folder that an argument names: A..B,
// A...B, A or nothing, as described in the help of kindex diff. If the second one has
// errors, Compare returns them as yamldoc.Problems.
func Compare(ctx context.Context, dir, arg string, asOf time.Time) (*diff.Report, error) {
	location, err := gitlog.FindLocation(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer location.Close() // errors are ignored: leftover temporary files are removed by the system
	from, to, err := resolve(ctx, location, arg)
	if err != nil {
		return nil, err
	}
	d, _, err := CompareRefs(ctx, location, dir, from, to, asOf)
	return d, err
}

// CompareRefs is like Compare, but compares two given commits. It also returns the content of
// the second revision.
func CompareRefs(ctx context.Context, location *gitlog.Location, dir string, from, to diff.Ref, asOf time.Time) (*diff.Report, diff.Revision, error) {
	d := &diff.Report{From: from, To: to, Notes: []string{}}
	second, err := loadRevision(ctx, location, to, dir)
	if err != nil {
		return nil, diff.Revision{}, err
	}
	if n, _ := second.problems.Count(); n > 0 {
		return nil, diff.Revision{}, second.problems
	}
	if second.failed != nil && !second.absent() {
		return nil, diff.Revision{}, second.failed
	}
	first, err := loadRevision(ctx, location, from, dir)
	if err != nil {
		return nil, diff.Revision{}, err
	}
	if first.loaded == nil && second.loaded == nil {
		err = fmt.Errorf("neither %s nor %s has a content folder %s", from, to, dir)
		if !first.absent() {
			err = errors.Join(first.failed, err)
		}
		return nil, diff.Revision{}, err
	}
	addNotes(d, dir, first, second)
	before, after := first.completedBy(second), second.completedBy(first)
	d.Comparison = diff.Compare(before, after, asOf)
	d.NoteRenames()
	return d, after, nil
}

func resolve(ctx context.Context, location *gitlog.Location, arg string) (from, to diff.Ref, err error) {
	first, second, direct := strings.Cut(arg, "..")
	merged := false
	if direct {
		second, merged = strings.CutPrefix(second, ".")
	}
	for _, r := range []struct {
		name string
		into *diff.Ref
		want bool
	}{{first, &from, true}, {second, &to, direct}} {
		if !r.want {
			continue
		}
		if r.name == "" {
			r.name = "HEAD"
		}
		hash, err := location.Commit(ctx, r.name)
		if err != nil {
			return from, to, err
		}
		*r.into = diff.Ref{Name: jsonenc.OptionalString(r.name), Commit: jsonenc.OptionalString(hash)}
	}
	if !merged {
		return from, to, nil
	}
	base, err := location.MergeBase(ctx, string(from.Commit), string(to.Commit))
	if err != nil {
		return from, to, fmt.Errorf("%s: %w", arg, err)
	}
	from.MergeBase = base != string(from.Commit)
	from.Commit = jsonenc.OptionalString(base)
	return from, to, nil
}

func addNotes(d *diff.Report, dir string, from, to *loadedRevision) {
	for _, s := range []struct {
		*loadedRevision
		diff.Ref
		effect string
	}{{from, d.From, "created"}, {to, d.To, "deleted"}} {
		if s.absent() {
			d.Notes = append(d.Notes, fmt.Sprintf("%s has no folder %s, so every entity is treated as %s", s.Ref, dir, s.effect))
		}
	}
	if from.failed != nil && !from.absent() {
		d.Notes = append(d.Notes, fmt.Sprintf("%s has no readable content, so every entity is treated as created: %v", d.From, from.failed))
	}
	if n, _ := from.problems.Count(); n > 0 {
		first := slices.IndexFunc(from.problems, isError)
		d.Notes = append(d.Notes, fmt.Sprintf("%s has %s, the first being %v; only its readable part is compared",
			d.From, plural.Count(n, "error", "errors"), from.problems[first]))
	}
}

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
