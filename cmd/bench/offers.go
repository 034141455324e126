package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// Builds with and without offers alternate. There are offersRuns of each, or fewer if offersTime passes first.
const (
	offersEach = 12 // offers for each model that gets some
	offersRuns = 3
	offersTime = 4 * time.Minute
)

// measureOffers builds the corpus in turn without offers and with offers for a third of the
// entities, all of them models, each time into an empty folder. The first build without offers is the full build.
func (b *bench) measureOffers(ctx context.Context) error {
	priced := filepath.Join(b.tmp, "priced")
	defer os.RemoveAll(priced)
	models, err := addOffers(b.corpus, priced, b.seed)
	if err != nil {
		return err
	}
	if models == 0 {
		b.skipped = append(b.skipped, "offers needs models in the content folder")
		return nil
	}
	first, err := b.fullBuild(ctx)
	if err != nil {
		return err
	}
	without, with := []buildResult{first}, []buildResult(nil)
	for begin := time.Now(); ; {
		r, err := b.buildOnce(ctx, priced)
		if err != nil {
			return err
		}
		if with = append(with, r); len(with) == offersRuns || time.Since(begin) > offersTime {
			break
		}
		if r, err = b.buildOnce(ctx, b.corpus); err != nil {
			return err
		}
		without = append(without, r)
	}
	seconds := func(r buildResult) float64 { return r.Seconds }
	peak := func(r buildResult) float64 { return r.peak }
	size := func(r buildResult) float64 { return float64(r.Bytes) / 1e6 }
	row := func(name, unit string, of func(buildResult) float64) row {
		return row{Part: "offers", Name: name, Value: medianOf(with, of), Unit: unit, Count: len(with),
			Note: fmt.Sprintf("builds with %d offers for each of %d models", offersEach, models)}.
			against("without offers", medianOf(without, of), len(without))
	}
	return b.add(row("build", "s", seconds).timesAtMost(1.5), row("peak memory", "MiB", peak).timesAtMost(1.5), row("files", "MB", size))
}

// buildOnce builds a content folder into an empty folder, which it removes.
func (b *bench) buildOnce(ctx context.Context, content string) (buildResult, error) {
	out := filepath.Join(b.tmp, "out-offers")
	defer os.RemoveAll(out)
	return b.runBuild(ctx, content, out)
}

// addOffers copies a content folder and adds offers to models until a third of all entities
// have some. It returns the number of those models.
func addOffers(from, to string, seed uint64) (models int, err error) {
	if err := linkTree(from, to); err != nil {
		return 0, err
	}
	files, err := filepath.Glob(filepath.Join(to, "model", "*.yaml"))
	if err != nil {
		return 0, err
	}
	others, err := filepath.Glob(filepath.Join(to, "tool", "*.yaml"))
	if err != nil {
		return 0, err
	}
	files = files[:min(len(files), (len(files)+len(others)+2)/3)]
	rng := rand.New(rand.NewPCG(seed, 19))
	for _, path := range files {
		entity, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		// Remove the link first, so that the file in the original folder is not modified.
		if err := errors.Join(os.Remove(path), os.WriteFile(path, appendOffers(entity, rng), 0o644)); err != nil {
			return 0, err
		}
	}
	providers := []byte("providers:\n")
	for i := range offersEach {
		providers = fmt.Appendf(providers, "  - {slug: provider-%d, name: Provider %d, url: \"https://provider-%d.example/\"}\n", i, i, i)
	}
	path := filepath.Join(to, "providers.yaml")
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	return len(files), os.WriteFile(path, providers, 0o644)
}

// appendOffers adds offers to an entity file. Every fourth has a tier, every third a mode.
func appendOffers(file []byte, rng *rand.Rand) []byte {
	price := func(dollars float64) string { return fmt.Sprintf("%.2f", 0.10+dollars*rng.Float64()) }
	file = append(bytes.TrimRight(file, "\n"), "\noffersRead: {date: 2026-07-02, source: \"https://prices.example/models.json\"}\noffers:\n"...)
	for i := range offersEach {
		in, out := price(4), "1"+price(4) // at least 10, so that output costs more than input
		file = fmt.Appendf(file, "  - provider: provider-%d\n    id: model-%d\n    input: %s\n    output: %s\n    context: %d\n",
			i, rng.IntN(1e6), in, out, 1000*(1+rng.IntN(1000)))
		if i%2 == 0 {
			file = fmt.Appendf(file, "    cacheRead: 0.0%d\n", 1+rng.IntN(9))
		}
		if i%4 == 0 {
			file = fmt.Appendf(file, "    tiers: [{over: 200000, input: 5%s, output: 2%s}]\n", price(4), out)
		}
		if i%3 == 0 {
			file = append(file, "    modes: {batch: {input: 0.01, output: 5}}\n"...)
		}
	}
	return file
}
