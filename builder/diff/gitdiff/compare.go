// Package gitdiff compares revisions of a content folder in a git repository.
package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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
