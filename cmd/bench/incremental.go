package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kindex/exports"
)

// Builds after one edit are repeated editRuns times, or fewer if editTime passes first, and the median is
// reported. There is only one build after many edits.
const (
	editRuns  = 3
	editTime  = 2 * time.Minute
	manyEdits = 100
)

// measureIncremental edits a folder and a repository that have been built, and builds them again.
func (b *bench) measureIncremental(ctx context.Context) error {
	if b.corpus != "" {
		out, err := b.editedOutput(ctx)
		if err != nil {
			return err
		}
		if err := b.incremental(ctx, "folder", b.plain, out, *b.full); err != nil {
			return fmt.Errorf("folder: %w", err)
		}
	}
	if b.history == "" {
		return nil
	}
	out, full, err := b.repositoryBuild(ctx)
	if err != nil {
		return err
	}
	if err := b.incremental(ctx, "repository", b.repository, out, full); err != nil {
		return fmt.Errorf("repository: %w", err)
	}
	return nil
}

// incremental measures builds of one working copy, which has already been built into out.
func (b *bench) incremental(ctx context.Context, name string, w *workCopy, out string, full buildResult) error {
	fmt.Fprintln(b.progress, "measuring: incremental", name, "(after edits)")
	var one []buildResult
	var found durations
	for begin := time.Now(); len(one) < editRuns && (len(one) == 0 || time.Since(begin) < editTime); {
		r, err := b.buildAfter(ctx, w, out, 1)
		if err != nil {
			return err
		}
		took, err := w.findEdit(ctx)
		if err != nil {
			return err
		}
		one, found = append(one, r), append(found, took)
	}
	many, err := b.buildAfter(ctx, w, out, manyEdits)
	if err != nil {
		return err
	}
	rows := b.incrementalRows(name, w, full, one, many)
	rows[0] = rows[0].explained(b.rebuildProfile(ctx, name, w, out))
	finding := "find -newer"
	if w.repo != "" {
		finding = "git diff-tree"
	}
	seconds, theirs := rows[0].Value, found.quantile(0.5)/1000
	return b.add(append(rows,
		row{Part: "incremental", Name: name + " " + finding, Value: theirs, Unit: "s", Count: len(found), Note: "finds the edited file, in a working copy whose metadata is in memory"},
		row{Part: "incremental", Name: name + " 1 edit beyond " + finding, Value: seconds - theirs, Unit: "s", Count: len(one)}.atMost(1.5),
		row{Part: "incremental", Name: fmt.Sprintf("%s %d edits vs. one", name, manyEdits), Value: many.Seconds, Unit: "s", Count: 1}.
			against("1 edit", seconds, len(one)).timesAtMost(2))...)
}

// buildAfter edits and commits, builds, and checks that the published build
// contains the last edit.
func (b *bench) buildAfter(ctx context.Context, w *workCopy, out string, edits int) (buildResult, error) {
	var last editedEntity
	for range edits {
		var err error
		if last, err = w.edit(); err != nil {
			return buildResult{}, err
		}
	}
	if err := w.commit(ctx); err != nil {
		return buildResult{}, err
	}
	r, err := b.runBuild(ctx, w.content, out)
	if err != nil {
		return buildResult{}, err
	}
	return r, published(out, last)
}

// published checks that the current build of an output folder contains an edit.
func published(out string, last editedEntity) error {
	build, err := exports.OpenCurrent(out)
	if err != nil {
		return err
	}
	defer build.Close()
	ordinal, _, ok := build.Find(editedType, last.slug)
	if !ok {
		return fmt.Errorf("the build has no %s/%s", editedType, last.slug)
	}
	e, err := build.Entity(ordinal)
	if err == nil && !strings.Contains(e.Description, last.mark) {
		err = fmt.Errorf("the build does not contain the edit to %s: %q", e.Key(), e.Description)
	}
	return err
}

// incrementalRows compares builds after edits with the full build.
func (b *bench) incrementalRows(name string, w *workCopy, full buildResult, one []buildResult, many buildResult) []row {
	const yardstick = "full build"
	seconds, peak := medianOf(one, func(r buildResult) float64 { return r.Seconds }), 0.0
	for _, r := range one {
		peak = max(peak, r.peak)
	}
	note := fmt.Sprintf("`kindex build` of %d entities into the output folder of the previous build, until the new build is published; an edit changes the description and the stars of a %s", w.entities, editedType)
	if w.repo != "" {
		note += " and is committed"
	}
	rows := []row{
		row{Part: "incremental", Name: name + " 1 edit", Value: seconds, Unit: "s", Count: len(one), Note: note}.
			against(yardstick, full.Seconds, 1).timesAtMost(1.0 / 3),
		row{Part: "incremental", Name: fmt.Sprintf("%s %d edits", name, manyEdits), Value: many.Seconds, Unit: "s", Count: 1, Note: note}.
			against(yardstick, full.Seconds, 1),
	}
	for _, s := range full.Steps {
		own := medianOf(one, func(r buildResult) float64 { return stepOf(r, s.Name) })
		if own >= 0.0005 && s.Seconds >= 0.0005 {
			rows = append(rows, row{Part: "incremental", Name: name + " step " + s.Name, Value: own, Unit: "s"}.against(yardstick, s.Seconds, 1))
		}
	}
	for _, s := range one[0].Steps { // steps that only an incremental build has
		own := medianOf(one, func(r buildResult) float64 { return stepOf(r, s.Name) })
		if own >= 0.0005 && stepOf(full, s.Name) < 0.0005 {
			rows = append(rows, row{Part: "incremental", Name: name + " step " + s.Name, Value: own, Unit: "s"})
		}
	}
	return append(rows, row{Part: "incremental", Name: name + " peak memory", Value: peak, Unit: "MiB"}.against(yardstick, full.peak, 1).timesAtMost(1))
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func medianOf(list []buildResult, of func(buildResult) float64) float64 {
	var all durations
	for _, r := range list {
		all = append(all, inSeconds(of(r)))
	}
	return all.quantile(0.5) / 1000
}

// stepOf returns the duration of a step, or 0 if there is no such step.
func stepOf(r buildResult, name string) float64 {
	for _, s := range r.Steps {
		if s.Name == name {
			return s.Seconds
		}
	}
	return 0
}

// rebuildProfile profiles one more build after one more edit.
func (b *bench) rebuildProfile(ctx context.Context, name string, w *workCopy, out string) *profileRun {
	p := &profileRun{name: "incremental-" + name + "-cpu"}
	p.record = func(path string) error {
		if _, err := w.edit(); err != nil {
			return err
		}
		if err := w.commit(ctx); err != nil {
			return err
		}
		return profileBuildTo(ctx, w.content, out, strings.TrimSuffix(path, "-cpu.pprof"))
	}
	return p
}
