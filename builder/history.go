package builder

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kindex/builder/changelog"
	"kindex/builder/diff"
	"kindex/builder/gitlog"
	"kindex/builder/plural"
	"kindex/exports"
	"kindex/exports/record"
)

// walk finds the changes since the previous build, or the whole history, and sets the dates
// of the entities.
func (b *build) walk(ctx context.Context) error {
	b.progress("history", 0, 0)
	o := gitlog.Options{Dir: b.Content, Kinds: b.content.Kinds, Commit: b.head.Commit, AsOf: b.AsOf, Known: b.known}
	if previous := b.cache(); previous != nil {
		o.Previous = previous.History()
	}
	log, err := gitlog.Walk(ctx, o)
	var shallow *gitlog.ShallowError
	if errors.As(err, &shallow) && b.tracked != "" {
		return fmt.Errorf("%w. A previous build has the missing history, but %s", err, b.tracked)
	}
	if err != nil {
		return err
	}
	for _, note := range log.Notes {
		b.warn("note: %s", note)
	}
	if log.Undeclared > 0 {
		b.warn("note: %s in the history have values that kinds.yaml does not declare; these are left out", plural.Count(log.Undeclared, "version", "versions"))
	}
	for _, a := range log.Ahead {
		b.warn("warning: %v", a)
		if a.Hash == b.head.Commit {
			b.head.Time = a.Used
		}
	}
	in := changelog.Input{Previous: b.previous, Formula: b.formula, AsOf: b.AsOf, Entities: b.content.Entities, Frozen: b.Still || b.head.Hidden}
	if b.head.Hidden {
		b.warn("warning: %s is in a git repository, but git is not installed: the changelog is not updated", b.Content)
	}
	if log.Head != "" {
		in.Log = log
	}
	if b.archive, err = changelog.New(in); err != nil {
		return err
	}
	if in.Log != nil && len(b.archive.Result().Versions) == 0 {
		b.warn("warning: %s is in a git repository, but none of its entities are committed: until they are committed, there are no dates and no changelog", b.Content)
	}
	b.archive.Date()
	return nil
}

// known returns the entity in a file of the working tree if the content of the file is the
// given blob.
func (b *build) known(typ, slug, blob string) *record.Entity {
	at, ok := slices.BinarySearchFunc(b.content.Entities, &record.Entity{Type: typ, Slug: slug}, record.CompareKey)
	if !ok {
		return nil
	}
	if own := b.content.Blobs[typ+"/"+slug+".yaml"]; hex.EncodeToString(own[:]) != blob {
		return nil
	}
	return b.content.Entities[at]
}

// buildSnapshots builds everything that depends on both the history and the current scores.
func (b *build) buildSnapshots(ctx context.Context) (err error) {
	if b.archive.Log == nil {
		return b.archive.BuildSnapshots(b.content.Entities, nil)
	}
	location, err := gitlog.FindLocation(ctx, b.Content)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, location.Close()) }()
	return b.archive.BuildSnapshots(b.content.Entities, b.formulaAt(ctx, location))
}

// ShrinkError is the error for a build that would lose entities or changes of the previous
// build.
type ShrinkError struct {
	Problem string
	Repair  string // how to avoid the loss, if that is known
}

// Error returns a message that states what would be lost, and how to avoid the loss or else which
// option allows it.
func (e *ShrinkError) Error() string {
	if e.Repair != "" {
		return e.Problem + "; " + e.Repair
	}
	return e.Problem + "; if that is intended, build with --allow-shrink"
}

// guard refuses a build that would delete a large part of the index or lose changes. The
// usual causes are a wrong folder and a truncated history.
func (b *build) guard(ctx context.Context) error {
	switch {
	case b.AllowShrink:
		return nil
	case b.damaged != nil && b.head.Commit == "" && (b.previous == nil || b.skipped):
		return &ShrinkError{Problem: fmt.Sprintf("the previous build cannot be read, and only that build has the history: %v", b.damaged)}
	case b.previous == nil:
		return nil
	}
	if gone := b.deleted(); float64(len(gone)) > diff.MaxShrink*float64(b.previous.Len()) {
		return &ShrinkError{Problem: fmt.Sprintf("the build would delete %d of the previous build's %d entities (%s)", len(gone), b.previous.Len(), firstFew(gone))}
	}
	if lost := b.lost(); len(lost) > 0 && b.redeclared() {
		b.warn("note: kinds.yaml has changed since the previous build; %s of what it no longer declares are left out of the history (%s)",
			plural.Count(len(lost), "change", "changes"), firstFew(lost))
	} else if len(lost) > 0 {
		return b.lostChanges(ctx, lost)
	}
	return nil
}

func (b *build) redeclared() bool {
	text, err := b.previous.ReadFile(exports.KindsFile)
	return err == nil && !bytes.Equal(text, b.content.KindsText)
}

// lostChanges returns the error for a build that would lose changes. Usually, somebody pulled the
// published branch into their own and pushed that as the new one: then all commits are still there,
// but those that were published are no longer first parents, and a merge can put them back.
func (b *build) lostChanges(ctx context.Context, lost []string) error {
	e := &ShrinkError{Problem: fmt.Sprintf("the build would lose %d of the previous build's %d changes (%s)",
		len(lost), b.previous.History().Changes(), firstFew(lost))}
	published, was := b.previous.History().Head().Commit, b.previous.History().Head().Path
	if now := b.archive.Log; now != nil && published != "" && was != now.Path {
		const root = "the root of the repository"
		e.Problem += fmt.Sprintf(", because the content was in %s and is now in %s, and no commit moved most of its files from one to the other", cmp.Or(was, root), cmp.Or(now.Path, root))
		e.Repair = "move the folder in a single commit, or start a new history with --allow-shrink"
		return e
	}
	merged, err := gitlog.IsMerged(ctx, b.Content, published, b.head.Commit)
	switch {
	case err != nil:
		return err
	case merged:
		e.Problem += fmt.Sprintf(", because commit %.12s, which was published, was merged into another branch that then took its place, as git pull before git push does", published)
		e.Repair = fmt.Sprintf("to keep the history without rewriting anything, make the published commit the first parent: "+
			"git checkout --detach %.12s && git merge --no-ff %.12s, then push the result to the branch: git push origin HEAD:main (or the branch's name)", published, b.head.Commit)
	default:
		e.Problem += ", perhaps because the history was rewritten or this is a different branch"
	}
	return e
}

func firstFew(list []string) string {
	const most = 3
	if len(list) > most {
		return strings.Join(list[:most], ", ") + ", …"
	}
	return strings.Join(list, ", ")
}

// deleted lists the entities of the previous build that no longer have an address.
func (b *build) deleted() (gone []string) {
	present := make(map[string]bool, len(b.content.Entities))
	for _, e := range b.content.Entities {
		present[e.Key()] = true
		for _, old := range e.Formerly {
			present[e.Type+"/"+old] = true
		}
	}
	for _, e := range b.previous.All {
		if !present[e.Key()] {
			gone = append(gone, e.Key())
		}
	}
	slices.Sort(gone)
	return gone
}

// lost lists the changes that the previous build contains but this build would not.
func (b *build) lost() (lost []string) {
	before, now := b.previous.History(), b.archive.Result()
	has := make(map[string]bool, len(now.Changes))
	for i := range now.Changes {
		has[now.Changes[i].ID] = true
	}
	for i := range before.Changes() {
		if c := before.Change(i); !has[c.ID] {
			lost = append(lost, fmt.Sprintf("%s of %s", c.Event, c.Key()))
		}
	}
	return lost
}
