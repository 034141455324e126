package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"kindex/cmd/bench/baseline"
)

// Walks of the history alternate with runs of the yardstick. There are this many
// walks, or fewer if walkTime passes first; the median is reported.
const (
	walkRuns = 3
	walkTime = 4 * time.Minute
)

// measureHistory reads every version of every entity in a separate process, and
// compares the cost with that of plain git printing the same versions.
func (b *bench) measureHistory(ctx context.Context) error {
	w, err := b.clone(ctx)
	if err != nil {
		return err
	}
	if err := readFiles(filepath.Join(w.repo, ".git", "objects", "pack")); err != nil {
		return err
	}
	var own, other durations
	var all *walkResult
	var peak float64
	files := 0
	for begin := time.Now(); len(own) < walkRuns && (len(own) == 0 || time.Since(begin) < walkTime); {
		start := time.Now()
		if files, err = baseline.ReadRevisions(ctx, w.repo); err != nil {
			return err
		}
		other = append(other, time.Since(start))
		var used float64
		if all, used, err = walkChild(ctx, w.content, "all"); err != nil {
			return err
		}
		peak = max(peak, used)
		own = append(own, inSeconds(all.Seconds))
	}
	known, knownPeak, err := walkChild(ctx, w.content, "known")
	if err != nil {
		return err
	}
	var onTop durations
	for _, s := range known.OnTop {
		onTop = append(onTop, inSeconds(s))
	}
	const git = "git log + cat-file"
	took, theirs := own.quantile(0.5)/1000, other.quantile(0.5)/1000
	note := fmt.Sprintf("finds and parses every version of every entity in %d commits; the yardstick is `git log --first-parent --raw | git cat-file --batch >/dev/null` over %d file versions; both read a packed repository from the page cache", all.Commits, files)
	return b.add(
		row{Part: "history", Name: "walk", Value: took, Unit: "s", Count: len(own), Note: note}.
			against(git, theirs, len(other)).timesAtMost(1.5).explained(walkProfile(ctx, w.content)),
		row{Part: "history", Name: "versions", Value: float64(all.Versions) / took, Unit: "/s", Note: fmt.Sprintf("%d entity versions, read and parsed", all.Versions)},
		row{Part: "history", Name: "walk, content parsed", Value: known.Seconds, Unit: "s", Count: 1,
			Note: "skips parsing versions that are identical to files in the content folder, because a build has already parsed those files"}.against(git, theirs, len(other)),
		row{Part: "history", Name: "new commit p50", Value: onTop.quantile(0.5), Unit: "ms", Count: len(onTop),
			Note: "a commit that edits one entity, read on top of the previous walk; includes starting git"},
		row{Part: "history", Name: "peak memory", Value: peak, Unit: "MiB",
			Note: "peak of the process that walks the history and keeps all results in memory, not counting git; garbage is collected as in `kindex build`"},
		row{Part: "history", Name: "peak memory, content parsed", Value: knownPeak, Unit: "MiB"})
}

// walkChild runs a walk as a separate process. It returns the result and the
// process's peak memory.
func walkChild(ctx context.Context, content, mode string) (*walkResult, float64, error) {
	cmd, err := child(ctx, "walk", content, mode)
	if err != nil {
		return nil, 0, err
	}
	asBuild(cmd)
	out, err := cmd.Output()
	if err != nil {
		return nil, 0, failure(err)
	}
	w := new(walkResult)
	if err := json.Unmarshal(out, w); err != nil {
		return nil, 0, fmt.Errorf("walk: %w in %q", err, tail(out))
	}
	peak, err := peakOf(cmd.ProcessState)
	return w, peak, err
}

// failure adds a failed program's error output to its error.
func failure(err error) error {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%w: %s", err, tail(e.Stderr))
	}
	return err
}

// walkProfile repeats the walk under a profiler.
func walkProfile(ctx context.Context, content string) *profileRun {
	return &profileRun{name: "history-walk", record: func(path string) error {
		cmd, err := child(ctx, "profile-walk", content, path)
		if err != nil {
			return err
		}
		asBuild(cmd)
		if msg, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, tail(msg))
		}
		return nil
	}}
}
