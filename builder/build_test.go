package builder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports/store"
	"kindex/indexes"
)

var asOf = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// build builds a content folder as of asOf.
func build(t *testing.T, content string) *builder.Report {
	t.Helper()
	return buildInto(t, content, t.TempDir(), asOf)
}

// buildInto runs a build, verifies the result and logs the time and memory that it took.
func buildInto(t *testing.T, content, out string, asOf time.Time) *builder.Report {
	t.Helper()
	r := suite.Must(builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: asOf, Keep: 1}))(t)
	m, err := store.Verify(r.Dir)
	if err != nil {
		t.Error(err)
	}
	if _, err := indexes.Verify(indexes.Dir(out, r.ID), r.ID, m.Index); err != nil {
		t.Error(err)
	}
	var steps []string
	for _, s := range r.Steps {
		steps = append(steps, fmt.Sprintf("%s %.3f s", s.Name, s.Seconds))
	}
	t.Logf("%d entities, %d ranked, %d warnings: %s; %.3f s, at most %d MiB", r.Counts.Entities, r.Counts.Ranked,
		len(r.Warnings), strings.Join(steps, ", "), r.Seconds, r.PeakBytes>>20)
	return r
}

// TestEverySnapshot builds every content folder that the converters create from the public
// collections, if the collections are in a folder next to the repository.
func TestEverySnapshot(t *testing.T) {
	shared := suite.Collections(t)
	var files []string
	patterns := []string{"best-of/*.csv.gz", "models-dev/models*.json", "models-dev/from-providers/models-*.json"}
	for _, pattern := range patterns {
		found := suite.Must(filepath.Glob(filepath.Join(shared, "data", filepath.FromSlash(pattern))))(t)
		if files = append(files, found...); len(found) == 0 {
			t.Errorf("no snapshots found in %s", pattern)
		}
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			dir := t.TempDir()
			args := []string{filepath.Join(shared, "tools", "csv2yaml.py"), file, dir}
			if strings.HasSuffix(file, ".json") {
				args = []string{filepath.Join(shared, "tools", "models2yaml.py"), file, dir}
				if filepath.Base(file) == "models.json" {
					args = append(args, "--date", "2026-07-01")
				}
			}
			cmd := exec.Command("python3", args...)
			cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
			suite.Output(t, cmd)
			written := suite.Must(filepath.Glob(filepath.Join(dir, "content", "*", "*.yaml")))(t)
			if r := build(t, filepath.Join(dir, "content")); r.Counts.Entities != len(written) || len(written) == 0 {
				t.Errorf("%d entities from %d files", r.Counts.Entities, len(written))
			}
		})
	}
}

// TestInterruptedBuildLeavesNothing interrupts a build at every step that reports progress.
func TestInterruptedBuildLeavesNothing(t *testing.T) {
	suite.InTest(t)
	f := copied(t, someContent()...)
	for _, at := range []string{"load", "score", "similar", "write"} {
		out := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		var once sync.Once
		_, err := builder.Build(ctx, builder.Options{Content: f.dir, Out: out, AsOf: asOf, Keep: 1,
			Progress: func(step string, _, _ int) {
				if step == at {
					once.Do(cancel)
				}
			}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", at, err)
		}
		if _, err := store.Current(out); !errors.Is(err, store.ErrNoBuild) {
			t.Errorf("%s: something was published: %v", at, err)
		}
		for _, dir := range []string{store.BuildsDir(out), filepath.Join(out, "indexes", "builds")} {
			if left, err := os.ReadDir(dir); err == nil && len(left) > 0 {
				t.Errorf("%s: %s contains %v", at, dir, left)
			}
		}
	}
}
