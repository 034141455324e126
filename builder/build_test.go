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
	"kindex/exports"
	"kindex/indexes"
)

var asOf = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// build makes a build, verifies it and logs what it took.
func build(t *testing.T, content string) *builder.Report {
	t.Helper()
	out := t.TempDir()
	r, err := builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: asOf, Keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := exports.Verify(r.Dir)
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

func TestShippedContent(t *testing.T) {
	r := build(t, filepath.Join("..", "content"))
	if r.Counts.Types["tool"] < 30 || r.Counts.Types["model"] < 30 || len(r.Warnings) > 0 {
		t.Errorf("%+v, warnings %v", r.Counts, r.Warnings)
	}
}

// TestEverySnapshot builds everything that the converters make from the public
// collections, where those lie beside the repository. With the race detector the
// last one of each kind is enough: make whole builds all without.
func TestEverySnapshot(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	shared := os.Getenv("KINDEX_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	var files []string
	patterns := []string{"best-of/*.csv.gz", "models-dev/models*.json", "models-dev/from-providers/models-*.json"}
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(shared, "data", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		if raceEnabled && len(found) > 0 {
			found = found[len(found)-1:]
		}
		if files = append(files, found...); len(files) > 0 && len(found) == 0 {
			t.Errorf("no snapshots in %s", pattern)
		}
	}
	if len(files) == 0 {
		if os.Getenv("KINDEX_SHARED") != "" {
			t.Fatalf("KINDEX_SHARED is %s, which holds no snapshots", shared)
		}
		t.Skip("NOT RUN: the public collections do not lie beside the repository; set KINDEX_SHARED to their folder")
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
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			written, err := filepath.Glob(filepath.Join(dir, "content", "*", "*.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if r := build(t, filepath.Join(dir, "content")); r.Counts.Entities != len(written) || len(written) == 0 {
				t.Errorf("%d entities of %d files", r.Counts.Entities, len(written))
			}
		})
	}
}

// TestInterruptedBuildLeavesNothing interrupts at every step that reports its
// progress.
func TestInterruptedBuildLeavesNothing(t *testing.T) {
	for _, at := range []string{"load", "score", "similar", "write"} {
		out := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		var once sync.Once
		_, err := builder.Build(ctx, builder.Options{Content: filepath.Join("..", "content"), Out: out, AsOf: asOf, Keep: 1,
			Progress: func(step string, _, _ int) {
				if step == at {
					once.Do(cancel)
				}
			}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", at, err)
		}
		if _, err := exports.Current(out); !errors.Is(err, exports.ErrNoBuild) {
			t.Errorf("%s: something was published: %v", at, err)
		}
		for _, dir := range []string{exports.BuildsDir(out), filepath.Join(out, "indexes", "builds")} {
			if left, err := os.ReadDir(dir); err == nil && len(left) > 0 {
				t.Errorf("%s: %s holds %v", at, dir, left)
			}
		}
	}
}
