// Command bench measures kindex on a content folder, beside yardsticks that get the same data in
// the same run: SQLite FTS5, Bleve's own search, and a bare net/http handler. make bench runs it.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/prometheus/procfs"
)

// options are the command line options.
type options struct {
	corpus, kindex string
	queries        int
}

// main runs a command line. The yardsticks run as children, bench NAME ARG, so that each has its own
// memory and processor time.
func main() {
	if len(os.Args) == 3 && yardsticks[os.Args[1]] != nil {
		if err := yardsticks[os.Args[1]](os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&o.corpus, "corpus", "", "content folder to build, as written by cmd/gencorpus")
	f.StringVar(&o.kindex, "kindex", filepath.Join("bin", "kindex"), "kindex program to measure")
	f.IntVar(&o.queries, "queries", 2000, "number of requests per class")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.corpus == "" || o.queries < 1 || f.NArg() > 0 {
		return errors.New("specify a content folder with -corpus; see -help")
	}
	tmp, err := os.MkdirTemp("", "kindex-bench-")
	if err != nil {
		return err
	}
	b := &bench{options: o, tmp: tmp, table: tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)}
	return errors.Join(b.measure(ctx), b.table.Flush(), os.RemoveAll(tmp))
}

// bench is one run.
type bench struct {
	options
	tmp   string
	table *tabwriter.Writer
}

func (b *bench) row(cells ...any) {
	for _, c := range cells {
		if number, ok := c.(float64); ok {
			c = fmt.Sprintf("%.3g", number)
		}
		fmt.Fprint(b.table, c, "\t")
	}
	fmt.Fprintln(b.table)
}

func (b *bench) measure(ctx context.Context) error {
	build := exec.CommandContext(ctx, b.kindex, "build", "--content", b.corpus, "--out", filepath.Join(b.tmp, "built"), "--as-of", "2026-11-01")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("kindex build: %w: %s", err, out)
	}
	b.row("program", "seconds", "processor s", "MiB")
	product, err := b.start("kindex", exec.CommandContext(ctx, b.kindex, "serve", "--dir", filepath.Join(b.tmp, "built"), "--addr", "127.0.0.1:0",
		"--admin", "", "--state", filepath.Join(b.tmp, "state.db"), "--limit-anonymous", "0"))
	if err != nil {
		return err
	}
	defer product.stop()
	entities, err := product.get(ctx, "/api/export/entities?format=jsonl", "")
	if err != nil {
		return err
	}
	file := filepath.Join(b.tmp, "entities.jsonl")
	if err := os.WriteFile(file, entities, 0o644); err != nil {
		return err
	}
	servers := []*process{product}
	for _, y := range [][2]string{{"net/http", product.url}, {"FTS5", file}, {"Bleve", file}} {
		p, err := b.start(y[0], exec.CommandContext(ctx, os.Args[0], y[0], y[1]))
		if err != nil {
			return err
		}
		defer p.stop()
		servers = append(servers, p)
	}
	b.row("\nclass", "server", "p50 ms", "p99 ms", "kindex/p99", "processor ms", "found")
	classes, err := b.classes(file)
	if err != nil {
		return err
	}
	for _, c := range classes {
		if err := b.measureClass(ctx, &c, servers); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	b.row("\nserver", "memory MiB at the end")
	for _, p := range servers {
		b.row(p.name, float64(p.stat().ResidentMemory())/(1<<20))
	}
	return nil
}

// process is a measured server.
type process struct {
	name, url string
	cmd       *exec.Cmd
	client    *http.Client
}

// start runs a program until it prints the address that it serves. It prints the rows that the
// program has printed before, and what it has cost.
func (b *bench) start(name string, cmd *exec.Cmd) (*process, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{name, "", cmd, &http.Client{Transport: &http.Transport{DisableCompression: true}}}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if !ok {
		p.stop()
		return nil, fmt.Errorf("%s did not start serving: %q %w %s", name, line, err, log.String())
	}
	p.url = address
	b.row(name+" opens", time.Since(begin).Seconds(), p.stat().CPUTime(), float64(p.stat().ResidentMemory())/(1<<20))
	return p, nil
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	_ = p.cmd.Wait()
}

// stat returns what the system says of the process; nothing where there is no /proc.
func (p *process) stat() procfs.ProcStat {
	proc, err := procfs.NewProc(p.cmd.Process.Pid)
	if err != nil {
		return procfs.ProcStat{}
	}
	s, _ := proc.Stat()
	return s
}

// get returns the body of a response. Search engines need the class, because their queries differ.
func (p *process) get(ctx context.Context, path, class string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Class", class)
	res, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: status %d: %.300s", p.name, path, res.StatusCode, body)
	}
	return body, errors.Join(err, res.Body.Close())
}

// sample is what one server did in a class.
type sample struct {
	took  []float64 // milliseconds
	cpu   float64
	found int
}

// measureClass sends the requests to all servers that can answer them, in short turns, so that
// noise affects all of them.
func (b *bench) measureClass(ctx context.Context, c *class, all []*process) error {
	servers := slices.DeleteFunc(slices.Clone(all), func(p *process) bool { return !strings.Contains(c.servers, p.name) })
	samples := make([]sample, len(servers))
	for _, p := range servers { // warm up; net/http gets the responses
		if err := p.ask(ctx, c, c.requests, &sample{}); err != nil {
			return err
		}
	}
	for k, turn := range slices.Collect(slices.Chunk(c.requests, 20)) {
		for i := range servers {
			p, s := servers[(i+k)%len(servers)], &samples[(i+k)%len(servers)]
			before := p.stat().CPUTime()
			if err := p.ask(ctx, c, turn, s); err != nil {
				return err
			}
			s.cpu += p.stat().CPUTime() - before
		}
	}
	for i, p := range servers {
		s := &samples[i]
		slices.Sort(s.took)
		n, p99 := len(s.took), func(s *sample) float64 { return s.took[len(s.took)*99/100] }
		b.row(c.name, p.name, s.took[n/2], p99(s), p99(&samples[0])/p99(s), 1000*s.cpu/float64(n), fmt.Sprint(100*s.found/n, "%"))
	}
	return nil
}

func (p *process) ask(ctx context.Context, c *class, requests []request, s *sample) error {
	for _, r := range requests {
		begin := time.Now()
		body, err := p.get(ctx, r.path, c.name)
		if err != nil {
			return err
		}
		s.took = append(s.took, time.Since(begin).Seconds()*1000)
		if bytes.Contains(body, []byte(`"slug":"`+r.want+`"`)) {
			s.found++
		}
	}
	return nil
}
