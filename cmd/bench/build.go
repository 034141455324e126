package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"kindex/builder"
)

// The build targets apply to this number of cores.
const buildCores = 2

// asOf is the as-of time of every build. It is fixed, so that runs are comparable.
const asOf = "2026-11-01"

// keep is the number of builds to keep. With a million entities, a build takes more than 6 GB.
const keep = "1"

// Builds of up to smallCorpus entities have their own targets for time and memory.
const smallCorpus = 100_000

// buildResult is the cost of one build.
type buildResult struct {
	*builder.Report
	peak      float64 // MiB
	processor float64 // seconds
}

// measureBuild runs the program as a separate process, so that it measures the memory of
// the build alone. It runs before all other parts, because the peak that the kernel
// reports for a process is never below the peak of its parent.
func (b *bench) measureBuild(ctx context.Context) error {
	r, err := b.fullBuild(ctx)
	if err != nil || !b.selected("build") { // only the other parts need the build
		return err
	}
	n := r.Counts.Entities + r.Counts.Withdrawn
	memory := 1024.0
	if n > smallCorpus {
		memory = 6 * 1024 // the target for a million
	}
	return b.add(append(b.steps(ctx, r.Report, n),
		row{Part: "build", Name: "processor time", Value: r.processor, Unit: "s"},
		row{Part: "build", Name: "peak memory", Value: r.peak, Unit: "MiB"}.atMost(memory).
			explained(b.buildProfile(ctx, "alloc")))...)
}

// fullBuild builds the copy of the corpus on the first call, which must precede all edits. At a million entities, a
// full build takes so long that parts share this one.
func (b *bench) fullBuild(ctx context.Context) (buildResult, error) {
	if b.full != nil {
		return *b.full, nil
	}
	w, err := b.plainFolder()
	if err != nil {
		return buildResult{}, err
	}
	if err := readFiles(w.content); err != nil {
		return buildResult{}, err
	}
	b.root = filepath.Join(b.tmp, "out")
	r, err := b.runBuild(ctx, w.content, b.root)
	if err == nil {
		b.full, b.indexSeconds = &r, stepOf(r, "index")
	}
	return r, err
}

// editedOutput returns an output folder for builds of the copy of the corpus after edits. The first call copies the
// output of the full build, which must not change, and then makes an edit and a build in the copy: the first build
// after copying reads the whole previous build, and must not be measured.
func (b *bench) editedOutput(ctx context.Context) (string, error) {
	out := filepath.Join(b.tmp, "out-edited")
	if _, err := os.Stat(out); err == nil {
		return out, nil
	}
	if _, err := b.fullBuild(ctx); err != nil {
		return "", err
	}
	if err := os.CopyFS(out, os.DirFS(b.root)); err != nil {
		return "", err
	}
	_, err := b.buildAfter(ctx, b.plain, out, 1)
	return out, err
}

// steps returns the rows with the total time of a build and the time of each step. The
// index is built in parallel with other steps, so the steps add up to more than the total.
func (b *bench) steps(ctx context.Context, r *builder.Report, n int) []row {
	total := row{Part: "build", Name: "total", Value: r.Seconds, Unit: "s", Count: 1,
		Note: fmt.Sprintf("a complete `kindex build` on %d cores with %d entities, until the build is published; steps run in parallel, so their times add up to more than the total",
			min(buildCores, runtime.NumCPU()), n)}
	if n <= smallCorpus {
		total = total.atMost(30).explained(b.buildProfile(ctx, "cpu"))
	}
	rows := []row{total, {Part: "build", Name: "entities", Value: float64(n) / r.Seconds, Unit: "/s"}}
	for _, s := range r.Steps {
		if s.Seconds >= 0.0005 {
			rows = append(rows, row{Part: "build", Name: "step " + s.Name, Value: s.Seconds, Unit: "s"})
		}
	}
	return append(rows, row{Part: "build", Name: "files", Value: float64(r.Bytes) / 1e6, Unit: "MB"})
}

// repositoryBuild builds the copy of the repository on the first call, and returns the output folder,
// which may contain later builds, too.
func (b *bench) repositoryBuild(ctx context.Context) (out string, full buildResult, err error) {
	out = filepath.Join(b.tmp, "out-repository")
	if b.fullRepository != nil {
		return out, *b.fullRepository, nil
	}
	w, err := b.clone(ctx)
	if err != nil {
		return out, full, err
	}
	fmt.Fprintln(b.progress, "building the repository")
	if full, err = b.runBuild(ctx, w.content, out); err == nil {
		b.fullRepository = &full
	}
	return out, full, err
}

// runBuild builds a content folder.
func (b *bench) runBuild(ctx context.Context, content, dir string) (buildResult, error) {
	cmd := exec.CommandContext(ctx, b.kindex, "build", "--content", content, "--out", dir, "--as-of", asOf, "--keep", keep, "--json")
	if runtime.NumCPU() > buildCores {
		cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", buildCores))
	}
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return buildResult{}, fmt.Errorf("%s: %w: %s", b.kindex, err, tail(problems.Bytes()))
	}
	r := buildResult{Report: new(builder.Report)}
	if err := json.Unmarshal(out.Bytes(), r.Report); err != nil {
		return r, fmt.Errorf("%s build --json: %w", b.kindex, err)
	}
	r.processor = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	var err error
	r.peak, err = peakOf(cmd.ProcessState)
	return r, err
}

// peakOf returns the peak memory of a process in MiB.
func peakOf(state *os.ProcessState) (float64, error) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, fmt.Errorf("the system does not report the resource usage of a process")
	}
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss) / (1 << 20), nil // bytes on macOS, kibibytes elsewhere
	}
	return float64(usage.Maxrss) / (1 << 10), nil
}

// tail returns the end of a program's output, where the error is.
func tail(out []byte) []byte { return out[max(0, len(out)-2000):] }

// folderSize returns the total size of the files under a folder.
func folderSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
