package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"kindex/builder"
	"kindex/builder/watch"
	"kindex/edge"
	"kindex/exports"
)

// Saves are sequential: each starts after the build that includes the previous save is
// published. No save starts after watchTime.
const (
	watchTime = 8 * time.Minute
	saveTime  = 10 * time.Minute // timeout for a save; a build of a million entities takes more than three

	servedPollInterval    = 5 * time.Millisecond // interval for polling a record
	publishedPollInterval = 50 * time.Millisecond
)

// measureWatch saves edits while `kindex serve --watch` is running, and polls the
// edited entity until the edit is visible.
func (b *bench) measureWatch(ctx context.Context) error {
	w, err := b.plainFolder()
	if err != nil {
		return err
	}
	out := filepath.Join(b.tmp, "out-watch")
	defer os.RemoveAll(out) // do not wait until b.tmp is removed: this folder is large
	p, err := start(ctx, exec.CommandContext(ctx, b.kindex, "serve", "--watch", "--content", w.content, "--dir", out,
		"--addr", "127.0.0.1:0", "--admin", "", "--as-of", asOf, "--keep", keep))
	if err != nil {
		return err
	}
	defer func() { _ = p.stop() }() // only has an effect after an error, which is reported instead
	fmt.Fprintln(b.progress, "measuring: watch saves")
	var served, builds durations
	begin := time.Now()
	for k := range b.saves + 1 {
		if k > 1 && time.Since(begin) > watchTime {
			break
		}
		live, built, err := save(ctx, p, w)
		if err != nil {
			return err
		}
		if k > 0 { // the first is a warm-up: the watcher may still be scanning the folder
			served, builds = append(served, live), append(builds, built)
		}
	}
	peak, err := p.peak()
	if err != nil {
		return err
	}
	if err := p.stop(); err != nil {
		return err
	}
	note := fmt.Sprintf("`kindex serve --watch` with %d entities; a save changes the description and the stars of a %s while no build is running; the entity is then polled over HTTP, first until the edit is served and then until it is in a published build", w.entities, editedType)
	inS := func(d durations, q float64) float64 { return d.quantile(q) / 1000 }
	return b.add(
		row{Part: "watch", Name: "save to served p50", Value: inS(served, 0.5), Unit: "s", Count: len(served), Note: note},
		row{Part: "watch", Name: "save to served worst", Value: inS(served, 1), Unit: "s", Count: len(served), Note: note}.
			atMost(1.5).explained(b.watchProfile(ctx, w)),
		row{Part: "watch", Name: "save to published p50", Value: inS(builds, 0.5), Unit: "s", Count: len(builds), Note: note},
		row{Part: "watch", Name: "save to published worst", Value: inS(builds, 1), Unit: "s", Count: len(builds), Note: note},
		row{Part: "watch", Name: "peak memory", Value: peak, Unit: "MiB"})
}

// save edits one entity and waits until the edit is served, and then until a build
// includes it.
func save(ctx context.Context, p *process, w *workCopy) (served, published time.Duration, err error) {
	begin := time.Now()
	e, err := w.edit()
	if err != nil {
		return 0, 0, err
	}
	pause := servedPollInterval
	for time.Since(begin) < saveTime {
		text, build, err := description(ctx, p, e.slug)
		if err != nil {
			return 0, 0, err
		}
		if strings.Contains(text, e.mark) {
			if served == 0 {
				served, pause = time.Since(begin), publishedPollInterval
			}
			if !strings.Contains(build, "+") { // the ID of an overlay contains +
				return served, time.Since(begin), nil
			}
		}
		time.Sleep(pause)
	}
	return 0, 0, fmt.Errorf("%s/%s was saved, but not published within %v (it was served after %v)", editedType, e.slug, saveTime, served)
}

// description requests an entity and returns its description and build.
func description(ctx context.Context, p *process, slug string) (description, build string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/api/entity/"+editedType+"/"+slug, nil)
	if err != nil {
		return "", "", err
	}
	res, err := p.client.Do(req)
	if err != nil {
		return "", "", err
	}
	body, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return "", "", err
	}
	var e struct{ Description string }
	if err := json.Unmarshal(body, &e); err != nil || res.StatusCode != http.StatusOK {
		return "", "", fmt.Errorf("%s: status %d, %.300s", req.URL, res.StatusCode, body)
	}
	return e.Description, res.Header.Get("X-Build"), nil
}

// peak returns the peak memory of a server in MiB.
func (p *process) peak() (float64, error) {
	proc, err := procfs.NewProc(p.cmd.Process.Pid)
	if err != nil {
		return 0, fmt.Errorf("read the peak memory of a server (Linux only): %w", err)
	}
	status, err := proc.NewStatus()
	return float64(status.VmHWM) / (1 << 20), err
}

// profileWatch is a child that watches and serves like `kindex serve --watch` until ctx is
// done, and writes the CPU profile of everything after the first build.
func profileWatch(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) != 3 {
		return errors.New("profile-watch CONTENT OUT FILE")
	}
	at, err := time.Parse(time.DateOnly, asOf)
	if err != nil {
		return err
	}
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(1500 << 20)
	var s *edge.Server
	w := watch.New(watch.Options{
		Build:  builder.Options{Content: args[0], Out: args[1], Keep: 1, Key: builder.GenerateKey()},
		AsOf:   func() (time.Time, error) { return at, nil },
		Edited: func(edits []exports.Edit, _ []string) { s.Preview(edits) },
		Published: func() error {
			if s == nil {
				return nil
			}
			return s.Reload()
		},
		Built: func(_ *builder.Report, edits []exports.Edit) {
			if s != nil {
				s.Preview(edits)
			}
		}})
	if _, err := w.Build(ctx); err != nil {
		return err
	}
	s, end, err := openEdge(ctx, args[1], 0)
	if err != nil {
		return err
	}
	defer end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	err = profileTo(args[2], func() error {
		return s.Run(ctx, edge.Listeners{Addr: "127.0.0.1:0", Drain: time.Second,
			Ready: func(public, _ string) { fmt.Fprintf(stdout, "serving http://%s\n", public) }})
	})
	cancel()
	if watched := <-ended; !errors.Is(watched, context.Canceled) {
		err = errors.Join(err, watched)
	}
	return err
}

// watchProfile saves a few more times while a child watches under a profiler.
func (b *bench) watchProfile(ctx context.Context, w *workCopy) *profileRun {
	return &profileRun{name: "watch", record: func(path string) error {
		cmd, err := child(ctx, "profile-watch", w.content, filepath.Join(b.tmp, "out-watch-profiled"), path)
		if err != nil {
			return err
		}
		p, err := start(ctx, cmd)
		if err != nil {
			return err
		}
		for range 3 {
			if _, _, err = save(ctx, p, w); err != nil {
				break
			}
		}
		return errors.Join(err, p.stop())
	}}
}
