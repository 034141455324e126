package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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

// In each round, one edit is saved while no build is running. Once the build that includes it has surely started,
// more edits are saved until that build is published. The next round starts when all edits are published. No
// round starts after watchTime.
const (
	watchTime = 6 * time.Minute
	saveTime  = 15 * time.Minute // timeout for a round, and for each save to be served

	beforeBuild = 11 * time.Second // a build starts at most ten seconds after the last edit
	betweenBusy = 2 * time.Second  // between saves while a build is running

	servedPollInterval    = 5 * time.Millisecond // interval for polling a record
	publishedPollInterval = 50 * time.Millisecond
)

// watched has the results of saves.
type watched struct {
	served    durations // until an edit is served, while no build is running
	busy      durations // the same while a build is running
	published durations // until the edit is in a published build
}

// measureWatch saves edits while `kindex serve --watch` is running, and polls the
// edited entity until the edit is visible.
func (b *bench) measureWatch(ctx context.Context) error {
	out, err := b.editedOutput(ctx)
	if err != nil {
		return err
	}
	w := b.plain
	p, err := start(ctx, exec.CommandContext(ctx, b.kindex, "serve", "--watch", "--content", w.content, "--dir", out,
		"--addr", "127.0.0.1:0", "--admin", "", "--as-of", asOf, "--keep", keep))
	if err != nil {
		return err
	}
	defer func() { _ = p.stop() }() // only has an effect after an error, which is reported instead
	fmt.Fprintln(b.progress, "measuring: watch saves")
	var r watched
	if err := r.round(ctx, p, w); err != nil {
		return err
	}
	first := r.served[0] // the watcher may still have been reading the folder
	r.served, r.published = nil, nil
	for begin := time.Now(); len(r.served) < b.saves && (len(r.served) == 0 || time.Since(begin) < watchTime); {
		if err := r.round(ctx, p, w); err != nil {
			return err
		}
	}
	peak, err := p.peak()
	if err != nil {
		return err
	}
	if err := p.stop(); err != nil {
		return err
	}
	return b.add(b.watchRows(ctx, w, &r, first, peak)...)
}

// watchRows returns the rows. first is the time until the first edit after the start was served.
func (b *bench) watchRows(ctx context.Context, w *workCopy, r *watched, first time.Duration, peak float64) []row {
	note := fmt.Sprintf("`kindex serve --watch` with %d entities; a save changes the description and the stars of a %s while no build is running; the entity is then polled over HTTP, first until the edit is served and then until it is in a published build", w.entities, editedType)
	inS := func(d durations, q float64) float64 { return d.quantile(q) / 1000 }
	rows := []row{
		{Part: "watch", Name: "first save to served", Value: first.Seconds(), Unit: "s", Count: 1, Note: "saved just after the start: an edit waits until the folder has been read"},
		{Part: "watch", Name: "save to served p50", Value: inS(r.served, 0.5), Unit: "s", Count: len(r.served), Note: note},
		row{Part: "watch", Name: "save to served worst", Value: inS(r.served, 1), Unit: "s", Count: len(r.served), Note: note}.
			atMost(0.3).explained(b.watchProfile(ctx, w)),
	}
	if len(r.busy) > 0 { // a small build may be published before another edit is saved
		rows = append(rows,
			row{Part: "watch", Name: "save to served during a build p50", Value: inS(r.busy, 0.5), Unit: "s", Count: len(r.busy)},
			row{Part: "watch", Name: "save to served during a build p90", Value: inS(r.busy, 0.9), Unit: "s", Count: len(r.busy)}.atMost(0.3),
			row{Part: "watch", Name: "save to served during a build worst", Value: inS(r.busy, 1), Unit: "s", Count: len(r.busy)})
	}
	return append(rows,
		row{Part: "watch", Name: "save to published p50", Value: inS(r.published, 0.5), Unit: "s", Count: len(r.published), Note: note},
		row{Part: "watch", Name: "save to published worst", Value: inS(r.published, 1), Unit: "s", Count: len(r.published), Note: note},
		row{Part: "watch", Name: "peak memory", Value: peak, Unit: "MiB"})
}

// round saves an edit, and more edits while the build that includes it is running.
func (r *watched) round(ctx context.Context, p *process, w *workCopy) error {
	begin := time.Now()
	slug, took, build, err := save(ctx, p, w)
	if err != nil {
		return err
	}
	r.served = append(r.served, took)
	base, _, edited := strings.Cut(build, "+") // the ID of an overlay contains +
	published, last := false, begin.Add(beforeBuild-betweenBusy)
	for time.Since(begin) < saveTime {
		if id, _, _ := strings.Cut(build, "+"); !published && (id != base || !edited) {
			published = true
			r.published = append(r.published, time.Since(begin))
		}
		if published && !edited {
			return nil
		}
		if !published && time.Since(last) >= betweenBusy {
			if _, took, _, err = save(ctx, p, w); err != nil {
				return err
			}
			r.busy, last = append(r.busy, took), time.Now()
		}
		time.Sleep(publishedPollInterval)
		if _, build, err = description(ctx, p, slug); err != nil {
			return err
		}
		_, _, edited = strings.Cut(build, "+")
	}
	return fmt.Errorf("%s/%s was saved, but it or a later edit was not published within %v", editedType, slug, saveTime)
}

// save edits one entity and waits until the edit is served. It also returns the ID of the build that serves it.
func save(ctx context.Context, p *process, w *workCopy) (slug string, served time.Duration, build string, err error) {
	begin := time.Now()
	e, err := w.edit()
	if err != nil {
		return "", 0, "", err
	}
	for time.Since(begin) < saveTime {
		var text string
		if text, build, err = description(ctx, p, e.slug); err != nil {
			return "", 0, "", err
		}
		if strings.Contains(text, e.mark) {
			return e.slug, time.Since(begin), build, nil
		}
		time.Sleep(servedPollInterval)
	}
	return "", 0, "", fmt.Errorf("%s/%s was saved, but not served within %v", editedType, e.slug, saveTime)
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
		var r watched
		for range 3 {
			if err = r.round(ctx, p, w); err != nil {
				break
			}
		}
		return errors.Join(err, p.stop())
	}}
}
