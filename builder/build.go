// Package builder compiles a content folder into a published build. Build runs the steps
// in order; each step is a function or a package.
package builder

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"kindex/builder/changelog"
	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/gitlog"
	"kindex/builder/neighbors"
	"kindex/builder/rank"
	"kindex/exports"
	"kindex/exports/jsonenc"
	"kindex/exports/score"
	"kindex/exports/store"
	"kindex/indexes"
)

// Version is the version of the builder and part of a build's identity. Increase it whenever the
// same content would produce different artifacts or problems, because a build continues from the
// versions that a previous build of the same version has read.
const Version = "14"

// Options configures Build.
type Options struct {
	Content string // the content folder
	// Loaded is the content if it has already been read without errors. Build keeps and modifies
	// it. If Loaded is nil, Build reads the folder Content.
	Loaded *Loaded
	Out    string    // the output folder
	AsOf   time.Time // scores are calculated as of this time
	Keep   int       // how many builds to keep, including the current one
	// AllowShrink lets a build succeed that would otherwise fail with a *ShrinkError.
	AllowShrink bool
	// Still is set while the content is being edited. If the content is outside git, the build
	// then leaves its history unchanged.
	Still bool
	head  *gitlog.Head // the git head when Loaded was read; if nil, git is asked for it
	// Wait is called if another build is running; Build then waits until that build ends. If
	// Wait is nil, Build returns a *store.BusyError instead of waiting.
	Wait func(*store.BusyError)
	// Progress is called with the progress of a step; total is 0 if unknown. It may be
	// called concurrently.
	Progress func(step string, done, total int)
}

// Report describes a finished build.
type Report struct {
	ID        string                 `json:"id"`
	Dir       string                 `json:"dir"`
	Commit    jsonenc.OptionalString `json:"commit"`
	Dirty     bool                   `json:"dirty"`
	AsOf      string                 `json:"asOf"`
	Counts    store.Counts           `json:"counts"`
	Bytes     int64                  `json:"bytes"` // total size of all files except the index
	Warnings  []string               `json:"warnings"`
	Steps     []Step                 `json:"steps"`
	Seconds   float64                `json:"seconds"`
	PeakBytes int64                  `json:"peakBytes"` // peak memory of the process; 0 if unknown, as on Windows
	Removed   []string               `json:"removed"`   // old builds that were removed
}

// Step is one step of a build and its duration. The index is built concurrently with
// other steps, so the durations may add up to more than the total.
type Step struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// Build builds the content and publishes the result. Readers of the output folder see the
// old build until the new one is complete. If the content has errors, Build returns
// yamldoc.Problems and publishes nothing.
func Build(ctx context.Context, o Options) (*Report, error) {
	b := &build{Options: o, started: time.Now(), report: Report{Warnings: []string{}, Removed: []string{}}}
	lock, err := store.AcquireLock(ctx, o.Out, o.Wait)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Release() }() // the build is already published, and the lock is released at the latest when the process exits
	defer func() {
		if b.previous != nil {
			_ = b.previous.Close() // a leftover mapping does no harm
		}
	}()
	for _, s := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"clean", b.clean},          // leftovers of a killed build
		{"earlier", b.openPrevious}, // the previous build, to continue from
		{"load", b.load},            // YAML → entities
		{"history", b.walk},         // git, or the previous build → changes, dates
		{"guard", b.guard},          // refuse a build that would lose too many entities or changes
		{"score", b.score},          // signals → scores
		{"rank", b.rank},            // scores → ordinals, leaderboards
		{"index", b.startIndex},     // documents → search index, concurrently with the next two steps
		{"similar", b.similar},      // entities → neighbours
		{"past", b.buildSnapshots},  // changes → leaderboards of earlier days, trending, movers of weeks
		{"boards", b.rankOwnBoards}, // entities → boards of boards.yaml
		{"write", b.write},          // everything → files
		{"place", b.place},          // rename the temporary folders to the build's ID, durably
		{"publish", b.publish},      // update the pointer last
		{"prune", b.prune},          // old builds
	} {
		if err := ctx.Err(); err != nil && !b.published {
			return nil, errors.Join(err, b.discard())
		}
		start := time.Now()
		if err := s.run(ctx); err != nil {
			return nil, errors.Join(err, b.discard())
		}
		if s.name != "index" { // the index step records its own time
			b.report.Steps = append(b.report.Steps, Step{s.name, time.Since(start).Seconds()})
		}
	}
	return b.finish(), nil
}

// build holds the state that the steps of a build share.
type build struct {
	Options
	started time.Time
	report  Report

	previous *exports.Build // the previous build, or nil
	damaged  error          // why the current build could not be opened
	skipped  bool           // whether a build newer than previous could not be opened
	tracked  string         // why no build in the output folder is trusted, or ""

	archive *changelog.Archive
	head    gitlog.Head
	content *content.Content
	formula *score.Formula
	boards  []rank.Board

	ownBoards []RankedBoard // the boards of boards.yaml

	near     [][]exports.Neighbour
	features []exports.Feature

	out      *exports.Writer
	manifest *store.Manifest
	index    *indexes.Written
	indexing errgroup.Group

	indexSeconds float64

	published bool // once set, the build must not be removed
}

func (b *build) warn(format string, args ...any) {
	b.report.Warnings = append(b.report.Warnings, fmt.Sprintf(format, args...))
}

func (b *build) progress(step string, done, total int) {
	if b.Progress != nil {
		b.Progress(step, done, total)
	}
}

func (b *build) clean(context.Context) error {
	return errors.Join(store.Clean(b.Out), store.Remove(b.Out)) // what belongs to no build
}

func (b *build) load(ctx context.Context) error {
	c := b.Loaded
	if c == nil {
		var problems yamldoc.Problems
		var err error
		c, problems, err = LoadContent(b.Content, func(done, total int) { b.progress("load", done, total) })
		if err != nil {
			return err
		}
		if n, _ := problems.Count(); n > 0 {
			return problems
		}
		for _, p := range problems {
			b.warn("%v", p)
		}
	}
	b.content, b.formula = c.Content, c.Formula
	var err error
	if b.Options.head != nil {
		b.head = *b.Options.head
	} else if b.head, err = gitlog.ReadHead(ctx, b.Content, b.content); err != nil {
		return err
	}
	if b.head.Dirty { // otherwise no file is left out
		if err := gitlog.CheckSparse(ctx, b.Content); err != nil {
			return err
		}
	}
	return b.refuseTracked()
}

func (b *build) score(context.Context) error {
	for i, e := range b.content.Entities {
		e.Scores = b.formula.Scores(e, b.AsOf)
		e.Computed = b.content.Providers.Compute(e, b.AsOf.UTC().Format(time.DateOnly))
		b.progress("score", i+1, len(b.content.Entities))
	}
	return nil
}

func (b *build) rank(context.Context) error {
	b.boards = rank.Boards(b.content.Entities, b.content.Categories)
	return nil
}

func (b *build) similar(context.Context) error {
	b.progress("similar", 0, 0)
	b.near, b.features = neighbors.Find(b.content.Entities, indexes.Words)
	return nil
}

// startIndex starts building the search index, which mostly uses one processor.
func (b *build) startIndex(context.Context) error {
	titles := make(map[string]string, len(b.content.Categories))
	for _, c := range b.content.Categories {
		titles[c.Slug] = c.Title
	}
	b.indexing.Go(func() (err error) {
		start := time.Now()
		b.index, err = indexes.Write(b.Out, b.content.Entities, titles)
		b.indexSeconds = time.Since(start).Seconds()
		return err
	})
	return nil
}

// write writes all files and waits for the index.
func (b *build) write(context.Context) error {
	b.progress("write", 0, 0)
	var err error
	if b.out, err = exports.NewWriter(b.Out); err != nil {
		return err
	}
	if err := b.writeFiles(); err != nil {
		return err
	}
	if err := b.indexing.Wait(); err != nil {
		return err
	}
	b.report.Steps = append(b.report.Steps, Step{"index", b.indexSeconds})
	b.manifest = b.describe()
	return b.out.Finalize(b.manifest, b.licenseOf)
}

func (b *build) place(context.Context) error {
	// Move the index into place before the build, since every build in place must have an index.
	if err := b.index.Install(b.manifest.ID); err != nil {
		return err
	}
	if b.previous != nil && b.previous.Manifest.ID == b.manifest.ID { // it was verified when it was opened
		return b.out.Discard()
	}
	return b.out.Install(b.manifest)
}

func (b *build) publish(context.Context) error {
	err := store.Publish(b.Out, b.manifest.ID)
	b.published = err == nil
	return err
}

// prune removes old builds. It reports errors only as warnings, because the new build is already
// published, and the next build will try again.
func (b *build) prune(context.Context) error {
	removed, err := store.Prune(b.Out, b.Keep, func(id string) bool { return id == b.manifest.ID })
	if b.report.Removed = append(b.report.Removed, removed...); err != nil {
		b.warn("warning: some old builds could not be removed: %v", err)
	}
	return nil
}

func (b *build) discard() error {
	_ = b.indexing.Wait() // the original error is reported; an error here may only be a consequence of it
	var errs []error
	if b.out != nil {
		errs = append(errs, b.out.Discard())
	}
	return errors.Join(append(errs, store.RemoveLeftovers(b.Out, "indexes", "builds"))...)
}

func (b *build) finish() *Report {
	r := &b.report
	r.ID, r.Dir = b.manifest.ID, filepath.Join(store.BuildsDir(b.Out), b.manifest.ID)
	r.Commit, r.Dirty, r.AsOf, r.Counts = b.manifest.Commit, b.manifest.Dirty, b.manifest.AsOf, b.manifest.Counts
	for _, f := range b.manifest.Files {
		r.Bytes += f.Size
	}
	r.Seconds = time.Since(b.started).Seconds()
	r.PeakBytes = peakMemory()
	return r
}
