package builder

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kindex/builder/changelog"
	"kindex/builder/diff"
	"kindex/builder/gitlog"
	"kindex/exports/record"
)

// walk finds out what has changed since the build before, or ever, and dates the
// entities.
func (b *build) walk(ctx context.Context) error {
	b.progress("history", 0, 0)
	o := gitlog.Options{Dir: b.Content, Commit: b.head.Commit, Known: b.known}
	if previous := b.cache(); previous != nil {
		o.Previous = changelog.PreviousWalk(previous.Archive())
	}
	log, err := gitlog.Walk(ctx, o)
	var shallow *gitlog.ShallowError
	if errors.As(err, &shallow) && b.untrusted != nil {
		return fmt.Errorf("%w. An earlier build has what is missing, but %w", err, b.untrusted)
	}
	if err != nil {
		return err
	}
	for _, note := range log.Notes {
		b.report.Warnings = append(b.report.Warnings, "note: "+note)
	}
	in := changelog.Input{Previous: b.previous, Formula: b.formula, AsOf: b.AsOf, Entities: b.content.Entities, Frozen: b.Still || b.head.Hidden}
	if b.head.Hidden {
		b.report.Warnings = append(b.report.Warnings, "warning: "+b.Content+" lies in a git repository, but there is no program git to read its history: "+
			"the changelog stays as it is")
	}
	if log.Head != "" {
		in.Log = log
	}
	if b.archive, err = changelog.New(in); err != nil {
		return err
	}
	if in.Log != nil && len(b.archive.Result().Versions) == 0 {
		b.report.Warnings = append(b.report.Warnings, "warning: "+b.Content+" lies in a git repository that keeps none of its entities: "+
			"until they are committed there are no dates and there is no changelog")
	}
	b.archive.Date()
	return nil
}

// known is the entity of a file that has the same bytes in the working tree.
func (b *build) known(typ, slug, blob string) *record.Entity {
	at, ok := slices.BinarySearchFunc(b.content.Entities, &record.Entity{Type: typ, Slug: slug}, record.CompareKey)
	if !ok || hex.EncodeToString(b.content.Blobs[at][:]) != blob {
		return nil
	}
	return b.content.Entities[at]
}

// buildSnapshots makes what follows from the past once today's scores are known.
func (b *build) buildSnapshots(context.Context) error {
	return b.archive.BuildSnapshots(b.content.Entities)
}

// ShrinkError tells that a build would lose entities or changes that the build
// before it has.
type ShrinkError struct{ Problem string }

// Error says what would be lost, and which option allows it.
func (e *ShrinkError) Error() string {
	return e.Problem + "; if that is meant, build with --allow-shrink"
}

// guard refuses a build that would delete a large part of the index, or forget
// changes: mostly a wrong folder, or a history that was cut off.
func (b *build) guard(context.Context) error {
	switch {
	case b.AllowShrink:
		return nil
	case b.damaged != nil && b.head.Commit == "" && (b.previous == nil || b.skipped):
		return &ShrinkError{fmt.Sprintf("the build before cannot be read, and no repository keeps the changes that it holds: %v", b.damaged)}
	case b.previous == nil:
		return nil
	}
	if gone := b.deleted(); float64(len(gone)) > diff.MaxShrink*float64(b.previous.Len()) {
		return &ShrinkError{fmt.Sprintf("the build would delete %d of %d entities of the build before it (%s)", len(gone), b.previous.Len(), firstFew(gone))}
	}
	if lost := b.lost(); len(lost) > 0 {
		return &ShrinkError{fmt.Sprintf("the build would lose %d of %d changes that the build before it has (%s), as after the history was rewritten or on another branch",
			len(lost), b.previous.Archive().Changes(), firstFew(lost))}
	}
	return nil
}

// firstFew names a few of many.
func firstFew(list []string) string {
	const most = 3
	if len(list) > most {
		return strings.Join(list[:most], ", ") + ", …"
	}
	return strings.Join(list, ", ")
}

// deleted lists the entities of the build before that are at no address any more.
func (b *build) deleted() (gone []string) {
	present := make(map[string]bool, len(b.content.Entities))
	for _, e := range b.content.Entities {
		present[e.Key()] = true
		for _, old := range e.Formerly {
			present[e.Type+"/"+old] = true
		}
	}
	for o := range uint32(b.previous.Len()) { //nolint:gosec // ordinals have 32 bits
		if typ, slug := b.previous.Key(o); !present[typ+"/"+slug] {
			gone = append(gone, typ+"/"+slug)
		}
	}
	slices.Sort(gone)
	return gone
}

// lost lists the changes of the build before that this one would not have.
func (b *build) lost() (lost []string) {
	before, now := b.previous.Archive(), b.archive.Result()
	if now.KeptChanges == before.Changes() {
		return nil
	}
	has := make(map[string]bool, len(now.Changes))
	for i := range now.Changes {
		has[now.Changes[i].ID] = true
	}
	for i := range before.Changes() {
		if c, err := before.Change(i); err == nil && !has[c.ID] {
			lost = append(lost, fmt.Sprintf("%s of %s", c.Event, c.Key()))
		}
	}
	return lost
}
