package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"kindex/cmd/bench/baseline"
)

const (
	addresses   = 500              // distinct addresses per class
	connections = 2                // concurrent
	blocks      = 40               // of requests per server; the servers take turns, so that noise affects all of them
	classTime   = 40 * time.Second // time limit for a class
)

// measureHTTP sends the same requests to the program and to a bare handler that
// writes the same bytes, each in its own process.
func (b *bench) measureHTTP(ctx context.Context) error {
	if err := b.prepare(); err != nil {
		return err
	}
	if err := b.measureFirst(ctx); err != nil {
		return err
	}
	product, err := b.serve(ctx, b.root, "http")
	if err != nil {
		return err
	}
	defer func() { _ = product.stop() }() // only has an effect after an error, which is reported instead
	classes, err := b.httpClasses()
	if err != nil {
		return err
	}
	file := filepath.Join(b.tmp, "answers.gob")
	if err := recordAnswers(ctx, product, classes, file); err != nil {
		return err
	}
	bare, err := serveRecorded(ctx, file)
	if err != nil {
		return err
	}
	defer func() { _ = bare.stop() }()
	for _, c := range classes {
		fmt.Fprintln(b.progress, "measuring: http", c.name)
		if err := b.httpClass(ctx, c, product, bare); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return errors.Join(b.addMemory("http", product), product.stop(), bare.stop())
}

// httpClassOf is a class of similar requests.
type httpClassOf struct {
	name     string
	requests int
	mark     float64 // target for the processor time, or 0 if there is none
	paths    []string
	status   int // expected status; 0 means 200
}

// httpClasses returns the requests to send.
func (b *bench) httpClasses() ([]httpClassOf, error) {
	rng := rand.New(rand.NewPCG(b.seed, 13))
	entity := httpClassOf{name: "GET /api/entity", requests: b.requests, mark: 1.1}
	for _, o := range sample(rng, b.build.Listed(), addresses) {
		typ, slug := b.build.Key(o)
		entity.paths = append(entity.paths, "/api/entity/"+typ+"/"+slug)
	}
	lists, err := b.listings(rng, addresses, &filterClasses[0])
	if err != nil {
		return nil, err
	}
	entities := httpClassOf{name: "GET /api/entities", requests: max(1, b.requests/2), mark: 2.5}
	search := httpClassOf{name: "GET /api/search", requests: max(1, b.requests/5), mark: 12}
	for i, l := range lists {
		entities.paths = append(entities.paths, l.request.URL.String())
		words := b.words.term(rng)
		if i%2 == 1 {
			words = b.words.two(rng)
		}
		search.paths = append(search.paths, "/api/search?q="+url.QueryEscape(strings.Join(words, " ")))
	}
	if b.words.err != nil {
		return nil, b.words.err
	}
	all := []httpClassOf{entity, entities, search}
	for i := range all {
		slices.Sort(all[i].paths)
		all[i].paths = slices.Compact(all[i].paths)
		rng.Shuffle(len(all[i].paths), func(x, y int) { p := all[i].paths; p[x], p[y] = p[y], p[x] })
	}
	return all, nil
}

// process is a measured server.
type process struct {
	cmd    *exec.Cmd
	url    string
	header http.Header // sent with every request; may be nil
	status int         // expected status of every response; 0 means 200
	client *http.Client
	once   sync.Once
	err    error
}

// start runs a program that prints the address it serves.
func start(ctx context.Context, cmd *exec.Cmd) (*process, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var problems strings.Builder
	cmd.Stderr = &problems
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, client: &http.Client{Timeout: time.Minute,
		Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}}}
	output := bufio.NewReader(out)
	address, ok := "", false
	var line string
	for !ok && err == nil { // a watcher prints more lines
		line, err = output.ReadString('\n')
		address, ok = strings.CutPrefix(strings.TrimSpace(line), "serving ")
	}
	if !ok {
		_ = p.stop() // it has already failed
		return nil, fmt.Errorf("%s did not start serving: %q %w %s", cmd.Path, line, errors.Join(err, ctx.Err()), problems.String())
	}
	go func() { _, _ = io.Copy(io.Discard, output) }() // so that it never blocks on output
	p.url = address
	return p, nil
}

// stop interrupts the server, and kills it if it does not exit.
func (p *process) stop() error {
	p.once.Do(func() {
		p.client.CloseIdleConnections()
		if p.err = p.cmd.Process.Signal(syscall.SIGTERM); p.err != nil {
			p.err = errors.Join(p.err, p.cmd.Wait())
			return
		}
		late := time.AfterFunc(5*time.Minute, func() { _ = p.cmd.Process.Kill() })
		defer late.Stop()
		p.err = p.cmd.Wait()
	})
	return p.err
}

// cpu returns the processor time used so far. It adds up the times of the threads,
// which the system reports in nanoseconds.
func (p *process) cpu() (time.Duration, error) {
	threads, err := procfs.AllThreads(p.cmd.Process.Pid)
	if err != nil {
		return 0, fmt.Errorf("read the processor time of a server (Linux only): %w", err)
	}
	var sum uint64
	for _, t := range threads {
		s, err := t.Schedstat()
		if err != nil {
			return 0, err
		}
		sum += s.RunningNanoseconds
	}
	return time.Duration(sum), nil
}

// recordAnswers sends every request once and saves the responses for the bare
// handler.
func recordAnswers(ctx context.Context, p *process, classes []httpClassOf, file string) error {
	bare := baseline.Bare{}
	for _, c := range classes {
		for _, path := range c.paths {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, nil)
			if err != nil {
				return err
			}
			maps.Copy(req.Header, p.header)
			res, err := p.client.Do(req)
			if err != nil {
				return err
			}
			body, err := io.ReadAll(res.Body)
			if err := errors.Join(err, res.Body.Close()); err != nil {
				return err
			}
			if p.status = c.status; !p.answered(res) || len(body) == 0 {
				return fmt.Errorf("%s: status %d, %d bytes", path, res.StatusCode, len(body))
			}
			res.Header.Del("Date") // net/http sets it
			bare[path] = baseline.Answer{Status: res.StatusCode, Header: res.Header, Body: body}
		}
	}
	return bare.Save(file)
}

// load holds one server's results for a class.
type load struct {
	requests int
	wall     time.Duration
	bytes    int64
	cpu      time.Duration
}

func (l *load) rate() float64 { return float64(l.requests) / l.wall.Seconds() }

// each returns the processor time per request in microseconds.
func (l *load) each() float64 { return float64(l.cpu.Microseconds()) / float64(l.requests) }

// httpClass measures one class.
func (b *bench) httpClass(ctx context.Context, c httpClassOf, product, bare *process) error {
	loads, err := interleave(ctx, c, product, bare)
	if err != nil {
		return err
	}
	return b.add(b.httpRows(ctx, c, loads)...)
}

// interleave sends the requests of a class to several servers in alternating
// blocks. All servers must send the same number of bytes.
func interleave(ctx context.Context, c httpClassOf, sides ...*process) ([]load, error) {
	loads := make([]load, len(sides))
	for _, p := range sides {
		if err := ask(ctx, p, c.paths, min(len(c.paths), c.requests), new(load)); err != nil { // warm up
			return nil, err
		}
	}
	for i, p := range sides {
		cpu, err := p.cpu()
		if err != nil {
			return nil, err
		}
		loads[i].cpu = -cpu
	}
	begin := time.Now()
	for block := range blocks {
		for turn := range sides {
			i := (turn + block) % len(sides)
			if err := ask(ctx, sides[i], c.paths, max(1, c.requests/blocks), &loads[i]); err != nil {
				return nil, err
			}
		}
		if time.Since(begin) > classTime {
			break
		}
	}
	for i, p := range sides {
		cpu, err := p.cpu()
		if err != nil {
			return nil, err
		}
		if loads[i].cpu += cpu; loads[i].bytes != loads[0].bytes {
			return nil, fmt.Errorf("%s sent %d bytes, %s sent %d", p.cmd.Path, loads[i].bytes, sides[0].cmd.Path, loads[0].bytes)
		}
	}
	return loads, nil
}

func (b *bench) httpRows(ctx context.Context, c httpClassOf, loads []load) []row {
	own, other := &loads[0], &loads[1]
	note := fmt.Sprintf("%d keep-alive connections on loopback, no compression, %d distinct URLs, %d bytes per body; the client runs on the same cores, so its speed also affects requests/s",
		connections, len(c.paths), own.bytes/int64(own.requests))
	cpu := row{Part: "http", Name: c.name + " processor", Value: own.each(), Unit: "µs", Count: own.requests, Note: note}.
		against("bare net/http", other.each(), other.requests)
	if c.mark > 0 {
		cpu = cpu.timesAtMost(c.mark).explained(b.serveProfile(ctx, c, "0"))
	}
	return []row{cpu, row{Part: "http", Name: c.name + " requests", Value: own.rate(), Unit: "/s", Count: own.requests, Note: note}.
		against("bare net/http", other.rate(), other.requests)}
}

// ask sends n requests over all connections.
func ask(ctx context.Context, p *process, paths []string, n int, l *load) error {
	var wg sync.WaitGroup
	errs, sizes := make([]error, connections), make([]int64, connections)
	begin := time.Now()
	for w := range connections {
		wg.Go(func() {
			for k := w; k < n && errs[w] == nil; k += connections {
				var size int64
				size, errs[w] = fetch(ctx, p, paths[k%len(paths)])
				sizes[w] += size
			}
		})
	}
	wg.Wait()
	l.wall += time.Since(begin)
	l.requests += n
	for _, s := range sizes {
		l.bytes += s
	}
	return errors.Join(errs...)
}

func fetch(ctx context.Context, p *process, path string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, nil)
	if err != nil {
		return 0, err
	}
	maps.Copy(req.Header, p.header)
	res, err := p.client.Do(req)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return 0, err
	}
	if !p.answered(res) {
		return 0, fmt.Errorf("%s: status %d", path, res.StatusCode)
	}
	return n, nil
}

// answered reports whether a response has the expected status.
func (p *process) answered(res *http.Response) bool {
	return res.StatusCode == cmp.Or(p.status, http.StatusOK)
}

// serveProfile sends requests to a child that serves the same build under
// a profiler.
func (b *bench) serveProfile(ctx context.Context, c httpClassOf, limit string) *profileRun {
	name := "http-"
	if limit != "0" {
		name = "limits-"
	}
	return serveProfileOf(ctx, b.root, name, nil, c, limit)
}

func serveProfileOf(ctx context.Context, root, name string, header http.Header, c httpClassOf, limit string) *profileRun {
	return &profileRun{name: name + strings.Trim(strings.NewReplacer("/", "-", " ", "-", ",", "").Replace(strings.TrimPrefix(c.name, "GET ")), "-"), record: func(path string) error {
		cmd, err := child(ctx, "profile-serve", root, path, limit)
		if err != nil {
			return err
		}
		p, err := start(ctx, cmd)
		if err != nil {
			return err
		}
		p.header, p.status = header, c.status
		for end := time.Now().Add(profileTime); time.Now().Before(end) && err == nil; {
			err = ask(ctx, p, c.paths, len(c.paths), new(load))
		}
		return errors.Join(err, p.stop())
	}}
}
