package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/store"
	"kindex/indexes"
)

// Verifying and opening are measured this many times; the median is reported.
const (
	verifyRuns = 5
	openRuns   = 51
)

// measureOpen measures what an edge does before it serves a build: verifying
// every byte, and opening it.
func (b *bench) measureOpen(ctx context.Context) error {
	build, err := b.opened()
	if err != nil {
		return err
	}
	id := build.Manifest.ID
	var bytes int64
	var verify, open durations
	for range verifyRuns {
		start := time.Now()
		if bytes, err = verifyAll(b.root, id); err != nil {
			return err
		}
		verify = append(verify, time.Since(start))
	}
	for range openRuns {
		start := time.Now()
		done, err := openAll(b.root, id)
		open = append(open, time.Since(start))
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if err := done(); err != nil {
			return err
		}
	}
	rate := func(ms float64) float64 { return float64(bytes) / 1e6 / ms }
	verifying := &profileRun{name: "verify", run: func() error { _, err := verifyAll(b.root, id); return err }}
	opening := &profileRun{name: "open", run: func() error {
		done, err := openAll(b.root, id)
		if err != nil {
			return err
		}
		return done()
	}}
	return b.add(
		row{Part: "open", Name: "verify", Value: rate(verify.quantile(0.5)), Unit: "GB/s", Count: verifyRuns,
			Note: "reads every byte of the build and its index from the page cache and checks its SHA-256; the yardstick computes the SHA-256 of bytes in memory on all cores"}.
			against("SHA-256", hashRate(), 1).atLeast(1).explained(verifying),
		row{Part: "open", Name: "verified bytes", Value: float64(bytes) / 1e6, Unit: "MB"},
		row{Part: "open", Name: "open p50", Value: open.quantile(0.5), Unit: "ms", Count: openRuns}.atMost(20).explained(opening),
		row{Part: "open", Name: "open p99", Value: open.quantile(0.99), Unit: "ms", Count: openRuns})
}

// verifyAll verifies a build as the edge does before opening it.
func verifyAll(root, id string) (bytes int64, err error) {
	m, err := store.Verify(filepath.Join(store.BuildsDir(root), id))
	if err != nil {
		return 0, err
	}
	x, err := indexes.Verify(indexes.Dir(root, id), id, m.Index)
	if err != nil {
		return 0, err
	}
	for _, f := range append(m.Files[:len(m.Files):len(m.Files)], x.Files...) {
		bytes += f.Size
	}
	return bytes, nil
}

// openAll opens a verified build step by step, as the edge does: the files, the
// index, the formula and the categories. done closes them.
func openAll(root, id string) (done func() error, err error) {
	build, err := exports.Open(filepath.Join(store.BuildsDir(root), id))
	if err != nil {
		return nil, err
	}
	index, err := indexes.Open(root, build)
	if err != nil {
		return nil, errors.Join(err, build.Close())
	}
	done = func() error { return errors.Join(index.Close(), build.Close()) }
	data, _, _ := build.File(exports.ScoringFile)
	if _, err := score.ParseChecked(data); err != nil {
		return nil, errors.Join(err, done())
	}
	data, _, _ = build.File(exports.CategoriesFile)
	var categories []record.Category
	if err := json.Unmarshal(data, &categories); err != nil {
		return nil, errors.Join(err, done())
	}
	return done, nil
}

// hashRate returns how many GB per second this machine hashes on all cores.
func hashRate() float64 {
	const chunk, rounds = 1 << 20, 200
	cores := runtime.GOMAXPROCS(0)
	start := time.Now()
	var wg sync.WaitGroup
	for range cores {
		wg.Go(func() {
			data := make([]byte, chunk)
			for range rounds {
				sum := sha256.Sum256(data)
				copy(data, sum[:])
			}
		})
	}
	wg.Wait()
	return float64(cores*chunk*rounds) / 1e9 / time.Since(start).Seconds()
}
