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

// keep is the number of builds to keep. Each takes a few hundred megabytes.
const keep = "2"

// measureBuild runs the program as a separate process, so that it measures the memory of
// the build alone. It runs before all other parts, because the peak that the kernel
// reports for a process is never below the peak of its parent.
func (b *bench) measureBuild(ctx context.Context) error {
	b.root = filepath.Join(b.tmp, "out")
	r, state, err := b.runBuild(ctx, b.corpus, b.root)
	if err != nil {
		return err
	}
	for _, s := range r.Steps {
		if s.Name == "index" {
			b.indexSeconds = s.Seconds
		}
	}
	if !b.selected("build") {
		return nil // only the other parts need the build
	}
	peak, err := peakOf(state)
	if err != nil {
		return err
	}
	cpu := state.UserTime() + state.SystemTime()
	n := r.Counts.Entities + r.Counts.Withdrawn
	return b.add(append(b.steps(ctx, r, n),
		row{Part: "build", Name: "processor time", Value: cpu.Seconds(), Unit: "s"},
		row{Part: "build", Name: "peak memory", Value: peak, Unit: "MiB"}.atMost(1024).
			explained(b.buildProfile(ctx, "alloc")))...)
}

// steps returns the rows with the total time of a build and the time of each step. The
// index is built in parallel with other steps, so the steps add up to more than the total.
func (b *bench) steps(ctx context.Context, r *builder.Report, n int) []row {
	rows := []row{
		row{Part: "build", Name: "total", Value: r.Seconds, Unit: "s", Count: 1,
			Note: fmt.Sprintf("a complete `kindex build` on %d cores with %d entities, until the build is published; steps run in parallel, so their times add up to more than the total",
				min(buildCores, runtime.NumCPU()), n)}.atMost(30).explained(b.buildProfile(ctx, "cpu")),
		{Part: "build", Name: "entities", Value: float64(n) / r.Seconds, Unit: "/s"},
	}
	for _, s := range r.Steps {
		if s.Seconds >= 0.0005 {
			rows = append(rows, row{Part: "build", Name: "step " + s.Name, Value: s.Seconds, Unit: "s"})
		}
	}
	return append(rows, row{Part: "build", Name: "files", Value: float64(r.Bytes) / 1e6, Unit: "MB"})
}

// runBuild builds a content folder.
func (b *bench) runBuild(ctx context.Context, content, dir string) (*builder.Report, *os.ProcessState, error) {
	cmd := exec.CommandContext(ctx, b.kindex, "build", "--content", content, "--out", dir, "--as-of", asOf, "--keep", keep, "--json")
	if runtime.NumCPU() > buildCores {
		cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", buildCores))
	}
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %s", b.kindex, err, tail(problems.Bytes()))
	}
	r := new(builder.Report)
	if err := json.Unmarshal(out.Bytes(), r); err != nil {
		return nil, nil, fmt.Errorf("%s build --json: %w", b.kindex, err)
	}
	return r, cmd.ProcessState, nil
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
