// Command bench measures kindex on a generated catalogue, compares it with yardsticks
// measured in the same run, and reports which targets it meets.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"kindex/cmd/kindex/cli"
)

// The exit codes. A missed target is a result, not a failure.
const (
	exitOK      = 0
	exitProblem = 1 // something could not be measured
	exitUsage   = 2 // invalid arguments
)

const about = `bench compares kindex, on a content folder, with yardsticks measured in the same run.

  make bench
  bin/bench -corpus DIR -history DIR -kindex bin/kindex
  bin/bench compare SMALL.json LARGE.json

It prints a table and JSON lines. Nothing else should be running on the machine. If a part fails or the
run is interrupted, it prints what it has measured so far. compare prints two results of -json side by
side.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// commands are the subcommands: compare and the children.
var commands = func() map[string]func(ctx context.Context, args []string, stdout io.Writer) error {
	all := maps.Clone(children)
	all["compare"] = compareRuns
	return all
}()

// options are the command line options.
type options struct {
	corpus, built, kindex    string
	history                  string
	jsonFile, profiles       string
	only, without            []string
	queries, requests, saves int
	seed                     uint64
	patience                 time.Duration
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && commands[args[0]] != nil {
		if err := commands[args[0]](ctx, args[1:], stdout); err != nil {
			fmt.Fprintln(stderr, "bench:", err)
			return exitProblem
		}
		return exitOK
	}
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, "bench:", err)
		return exitUsage
	}
	if err := measure(ctx, o, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitProblem
	}
	return exitOK
}

// parse reads and checks the flags.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var only, without string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(io.Discard) // run reports each error once
	f.StringVar(&o.corpus, "corpus", "", "content folder to build, as written by cmd/gencorpus")
	f.StringVar(&o.built, "built", "", "output folder whose published build is measured, instead of -corpus; skips the build part")
	f.StringVar(&o.history, "history", "", "repository with a content folder, as written by cmd/gencorpus -repo")
	f.StringVar(&o.kindex, "kindex", filepath.Join("bin", "kindex"), "kindex program to measure")
	f.StringVar(&o.jsonFile, "json", "-", `file for the JSON lines; "-" prints them after the table`)
	f.StringVar(&o.profiles, "profile", "", `folder for profiles of missed targets; if "", none are written`)
	f.StringVar(&only, "only", "", "comma-separated parts to measure ("+strings.Join(partNames(), ", ")+`), "" for all`)
	f.StringVar(&without, "without", "", "comma-separated yardsticks to leave out, because they take a long time to build ("+strings.Join(peerNames, ", ")+")")
	f.IntVar(&o.queries, "queries", 2000, "number of queries per class")
	f.IntVar(&o.requests, "requests", 20000, "number of HTTP requests per class")
	f.IntVar(&o.saves, "saves", 20, "number of saves to watch")
	f.Uint64Var(&o.seed, "seed", 1, "random seed for the queries")
	f.DurationVar(&o.patience, "patience", time.Minute, "time limit for a yardstick per class; a yardstick that would take longer runs only an evenly spread sample of the queries; 0 for no limit")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stderr, about)
			f.SetOutput(stderr)
			f.PrintDefaults()
		}
		return o, err
	}
	o.only, o.without = splitList(only), splitList(without)
	return o, o.check(f)
}

// splitList splits a comma-separated list.
func splitList(s string) (list []string) {
	for item := range strings.SplitSeq(s, ",") {
		if s != "" {
			list = append(list, strings.TrimSpace(item))
		}
	}
	return list
}

func (o *options) check(f *flag.FlagSet) error {
	for _, name := range o.only {
		if !slices.Contains(partNames(), name) {
			return fmt.Errorf("-only: unknown part %q (expected one of: %s)", name, strings.Join(partNames(), ", "))
		}
	}
	for _, name := range o.without {
		if !slices.Contains(peerNames, name) {
			return fmt.Errorf("-without: unknown yardstick %q (expected one of: %s)", name, strings.Join(peerNames, ", "))
		}
	}
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", f.Arg(0))
	case o.corpus != "" && o.built != "":
		return errors.New("use either -corpus for a content folder or -built for a build, not both")
	case o.corpus == "" && o.built == "" && (o.history == "" || len(o.only) == 0):
		return errors.New("specify a content folder with -corpus or a build with -built")
	case o.queries < 1 || o.requests < 1 || o.saves < 1 || o.patience < 0:
		return errors.New("-queries, -requests and -saves must be at least 1, and -patience at least 0")
	}
	for _, p := range parts {
		if lacking := p.needs(o); lacking != "" && slices.Contains(o.only, p.name) {
			return fmt.Errorf("-only %s needs %s", p.name, lacking)
		}
	}
	return nil
}

// section is a group of measurements.
type section struct {
	name  string
	run   func(*bench, context.Context) error
	needs func(*options) string // returns the requirement that is not met, or "" if all are met
}

// parts lists the parts in the order in which they run: first those that must run while
// this process is small, then those that need the documents, then those that run best
// without the documents in memory.
var parts = []section{
	{"build", (*bench).measureBuild, needsCorpus},
	{"decoding", (*bench).measureDecoding, needsCorpus},
	{"offers", (*bench).measureOffers, needsCorpus},
	{"history", (*bench).measureHistory, needsHistory},
	{"incremental", (*bench).measureIncremental, needsContent},
	{"watch", (*bench).measureWatch, needsCorpus},
	{"open", (*bench).measureOpen, needsBuild},
	{"answers", (*bench).measureAnswers, needsBuild},
	{"similar", (*bench).measureSimilar, needsBuild},
	{"search", (*bench).measureSearch, needsBuild},
	{"filters", (*bench).measureFilters, needsBuild},
	{"http", (*bench).measureHTTP, needsBuild},
	{"limits", (*bench).measureLimits, needsBuild},
	{"pages", (*bench).measurePages, needsAny},
}

func needsCorpus(o *options) string {
	if o.corpus == "" {
		return "a content folder: use -corpus"
	}
	return ""
}

func needsHistory(o *options) string {
	if o.history == "" {
		return "a repository: use -history"
	}
	return ""
}

func needsContent(o *options) string {
	if o.corpus == "" && o.history == "" {
		return "a content folder, a repository or both: use -corpus, -history"
	}
	return ""
}

func needsBuild(o *options) string {
	if o.corpus == "" && o.built == "" {
		return "a content folder or a build: use -corpus or -built"
	}
	return ""
}

func needsAny(o *options) string {
	if o.corpus == "" && o.built == "" && o.history == "" {
		return "a content folder, a repository or a build: use -corpus, -history or -built"
	}
	return ""
}

func partNames() []string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.name
	}
	return names
}

// requiresBuild reports whether the corpus must be built, either to measure that build
// or because other parts need a build.
func (b *bench) requiresBuild() bool {
	return b.corpus != "" && (b.selected("pages") && b.history == "" || slices.ContainsFunc([]string{"build", "open", "answers", "similar", "search", "filters", "http", "limits"}, b.selected))
}

// measure runs the parts and prints the report.
func measure(ctx context.Context, o options, stdout, stderr io.Writer) (err error) {
	debug.SetGCPercent(cli.ServeGCPercent) // for what runs in this process: searches and lists of kindex, Bleve and SQLite
	tmp, err := os.MkdirTemp("", "kindex-bench-")
	if err != nil {
		return err
	}
	// The measured builders share a key, so that they reuse only each other's builds.
	if err := os.Setenv("KINDEX_BUILDER_KEY", filepath.Join(tmp, "builder.key")); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	b := &bench{options: o, tmp: tmp, progress: stderr, started: readClock()}
	for _, name := range o.without {
		b.skipped = append(b.skipped, "comparisons with "+name+" are left out by -without")
	}
	defer func() { err = errors.Join(err, b.close(), os.RemoveAll(tmp)) }()
	for _, p := range parts {
		if !b.selected(p.name) && (p.name != "build" || !b.requiresBuild()) {
			continue
		}
		if lacking := p.needs(&o); lacking != "" {
			b.skipped = append(b.skipped, p.name+" needs "+lacking)
			continue
		}
		fmt.Fprintln(stderr, "measuring:", p.name)
		if err = errors.Join(ctx.Err(), p.run(b, ctx)); err != nil {
			err = fmt.Errorf("%s: %w", p.name, err)
			break
		}
	}
	if err != nil && len(b.rows) == 0 {
		return err
	}
	return errors.Join(err, b.report(stdout)) // a run takes hours: report what was measured before an error, too
}
