package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder/collect"
	"kindex/builder/collect/file"
	"kindex/builder/collect/sources"
	"kindex/builder/content"
	"kindex/builder/safedial"
	"kindex/cmd/kindex/cli"
	"kindex/exports/kinds"
	"kindex/exports/safetext"
)

// collectOptions are the flags of kindex collect.
type collectOptions struct {
	content, maxAge, format, probe, cache      string
	file, mapping, date, modelsdev             string
	sources, accept, endpoints, allow, reports []string
	dryRun, offline, json, new                 bool
	maxRequests                                int
	maxWait                                    time.Duration
}

func collectCommand() *cobra.Command {
	var o collectOptions
	c := &cobra.Command{
		Use: "collect [DIR] [TYPE/SLUG...]", Short: "Update the figures in the content folder",
		Long: `Collect reads figures from GitHub, PyPI, npm, Hugging Face, models.dev and lists, and
writes them to the entity files, with the day and the source of each. Arguments limit it
to entities (tool/pytorch), types (tool) or files. What its guards stop keeps its old
figure, unless --accept lets it through. Tokens come only from the environment
(GITHUB_TOKEN, which GitHub requires, and HF_TOKEN). A run that was interrupted
continues when it is repeated. collect.yaml in the content folder configures it; see
site/docs/collecting.md.

Exit codes: 0 all sources answered; 1 a source answered nothing, or nothing could be
written; 2 usage error.`,
		Example: `  kindex collect --dry-run
  kindex collect --source github,pypi --report report.md
  kindex collect tool/pytorch --accept tool/pytorch:license
  kindex collect --new --dry-run --source modelsdev
  kindex collect --source file --file list.csv --map list.yaml --date 2026-11-01
  kindex collect --probe huggingface`,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := cli.TakeContentBefore(cmd, &o.content, args)
			if err != nil {
				return err
			}
			return runCollect(cmd, o, args)
		},
	}
	f := c.Flags()
	cli.JSONFlag(f, &o.json)
	cli.ContentFlag(f, &o.content)
	f.StringSliceVar(&o.sources, "source", nil, "only these sources: github, pypi, npm, huggingface, modelsdev, file, or the name of a list in collect.yaml")
	f.StringVar(&o.maxAge, "max-age", "", "update figures that are at least this old, in days, such as 7d (default: maxAge in collect.yaml, or 7d)")
	f.BoolVar(&o.dryRun, "dry-run", false, "report only; change no file")
	f.BoolVar(&o.new, "new", false, "also propose tools and models that the sources have and the content lacks, as YAML in the report")
	f.BoolVar(&o.offline, "offline", false, "send no requests; use lists and the answers of earlier runs")
	f.StringArrayVar(&o.reports, "report", nil, "write a report to this file; can be repeated")
	f.StringVar(&o.format, "format", "", "format of the reports: markdown or json (default: json to .json, otherwise markdown)")
	f.StringSliceVar(&o.accept, "accept", nil, "write a value even if a guard stops it: TYPE/SLUG:NAME, such as tool/pytorch:stars or model/gpt-5:offers; * means any")
	f.StringVar(&o.probe, "probe", "", "ask this source for one entity, or for the identifier given as an argument, and print the answer; change nothing")
	f.StringVar(&o.file, "file", "", "a list (.csv, .tsv, .jsonl, .json or .md) to use as the source named file; requires --map")
	f.StringVar(&o.mapping, "map", "", "the mapping of --file, as for kindex import")
	f.StringVar(&o.date, "date", "", "the day on which the figures of --file or --modelsdev were read, YYYY-MM-DD (default: the source's date in the mapping; today)")
	f.StringVar(&o.modelsdev, "modelsdev", "", "read models.dev from this checkout, or saved catalog.json, instead of over HTTP")
	f.StringVar(&o.cache, "cache", "", "folder for what is kept between runs: answers and HTTP validators (default: kindex/collect in the user's cache folder)")
	f.IntVar(&o.maxRequests, "max-requests", 0, "stop after this many requests; 0 means no limit")
	f.DurationVar(&o.maxWait, "max-wait", 15*time.Minute, "maximum time that each source waits for the rate limits of its service")
	f.StringSliceVar(&o.endpoints, "endpoint", nil, "use another address for a source: NAME=URL, such as github=https://github.example.org/api/v3; NAME can also be pypistats, npm-downloads or a list. The token of the source is sent there")
	f.StringSliceVar(&o.allow, "allow", nil, "networks (10.0.0.0/8) and addresses with a port (127.0.0.1:8443) that sources may use even if they are not public, or the port is not 443")
	return c
}

func runCollect(cmd *cobra.Command, o collectOptions, args []string) error {
	opts, err := o.options(args)
	if err != nil {
		return err
	}
	if o.probe != "" {
		return o.runProbe(cmd, opts, args)
	}
	bar := newProgress(cmd.ErrOrStderr())
	opts.Progress = sumProgress(bar.step)
	report, err := collect.Run(cmd.Context(), opts)
	bar.finish()
	if err != nil {
		return err
	}
	write := report.WriteMarkdown
	if o.json {
		write = report.WriteJSON
	}
	if err := errors.Join(write(cmd.OutOrStdout()), o.writeReports(report)); err != nil {
		return err
	}
	if broken := report.Broken(); len(broken) > 0 {
		return fmt.Errorf("no answer from: %s", strings.Join(broken, ", "))
	}
	return nil
}

// sumProgress adds up the progress of sources that are asked side by side.
func sumProgress(step func(name string, done, total int)) func(source string, done, total int) {
	var mu sync.Mutex
	sums := map[string][2]int{}
	return func(source string, done, total int) {
		mu.Lock()
		defer mu.Unlock()
		sums[source] = [2]int{done, total}
		done, total = 0, 0
		for _, n := range sums {
			done, total = done+n[0], total+n[1]
		}
		step("collect", done, total)
	}
}

func (o *collectOptions) runProbe(cmd *cobra.Command, opts collect.Options, args []string) error {
	if len(args) > 1 || o.json {
		return cli.Usage(errors.New("--probe asks for one entity or identifier, and prints the answer as it is"))
	}
	return collect.Probe(cmd.Context(), opts, o.probe, strings.Join(args, ""), cmd.OutOrStdout())
}

// options checks the flags and turns them into options of a run.
func (o *collectOptions) options(args []string) (opts collect.Options, err error) {
	opts = collect.Options{Content: filepath.Clean(o.content), Only: o.sources, Select: args, Accept: o.accept, DryRun: o.dryRun, Offline: o.offline, New: o.new,
		Cache: o.cache, MaxRequests: o.maxRequests, MaxWait: o.maxWait, Agent: "kindex/" + version() + " (kindex collect)",
		Clock: collect.SystemClock{}, Getenv: os.Getenv}
	if !slices.Contains([]string{"", "json", "markdown"}, o.format) {
		return opts, cli.Usage(fmt.Errorf("--format %q: use markdown or json", o.format))
	}
	if opts.MaxAge, err = parseDays("--max-age", o.maxAge); err != nil {
		return opts, cli.Usage(err)
	}
	if _, err := time.Parse(time.DateOnly, o.date); o.date != "" && err != nil {
		return opts, cli.Usage(fmt.Errorf("--date %s: use YYYY-MM-DD", safetext.Quote(o.date)))
	}
	if (o.file == "") != (o.mapping == "") {
		return opts, cli.Usage(errors.New("--file and --map must be used together"))
	}
	guard := safedial.Options{HostRate: -1} // the runner has limits of its own
	if guard.Allow, err = parseEach("--allow", o.allow, safedial.ParseException); err != nil {
		return opts, err
	}
	opts.HTTP = collect.NewHTTPClient(safedial.New(guard), nil)
	if opts.Cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return opts, fmt.Errorf("%w; set --cache", err)
		}
		opts.Cache = filepath.Join(dir, "kindex", "collect")
	}
	opts.Sources, err = o.openSources()
	return opts, err
}

// openSources returns all sources, in the order of precedence.
func (o *collectOptions) openSources() ([]*collect.Source, error) {
	at, err := parseEndpoints(o.endpoints)
	if err != nil {
		return nil, err
	}
	declared, config, err := o.config()
	if err != nil {
		return nil, err
	}
	names := slices.Clone(endpointNames)
	for _, f := range config.Files {
		names = append(names, f.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(at)) {
		if !slices.Contains(names, name) {
			return nil, cli.Usage(fmt.Errorf("--endpoint %s: unknown name; expected one of: %s", safetext.Quote(name), strings.Join(names, ", ")))
		}
	}
	day := ""
	if o.modelsdev != "" {
		day = o.date
	}
	list := builtInSources(at, config, o.modelsdev, day)
	for _, f := range config.Files {
		if len(o.sources) > 0 && !slices.Contains(o.sources, f.Name) && o.probe != f.Name {
			continue
		}
		if err := locateList(o.content, &f); err != nil {
			return nil, err
		}
		s, _ := file.New(declared, f, at[f.Name]) // the other sources can be asked all the same
		list = append(list, s)
	}
	if o.file != "" {
		s, err := file.New(declared, collect.FileConfig{Name: "file", Path: o.file, Map: o.mapping, Date: o.date, New: o.new}, "")
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// builtInSources returns the sources that are no lists. at has the addresses that replace the public
// ones.
func builtInSources(at map[string]string, c collect.Config, modelsdevDir, day string) []*collect.Source {
	topics, minStars := c.Sources["github"].Topics, collect.DefaultMinStars
	if p := c.Sources["github"].MinStars; p != nil {
		minStars = *p
	}
	return []*collect.Source{sources.PyPI(at["pypi"], at["pypistats"]), sources.NPM(at["npm"], at["npm-downloads"]), sources.HuggingFace(at["huggingface"]),
		sources.ModelsDev(at["modelsdev"], modelsdevDir, day), sources.GitHub(at["github"], topics, minStars)}
}

// locateList completes the paths of a list in collect.yaml.
func locateList(dir string, f *collect.FileConfig) error {
	base, err := filepath.EvalSymlinks(filepath.Join(dir, ".."))
	if err != nil {
		return err
	}
	for _, p := range []*string{&f.Path, &f.Map} {
		if *p == "" {
			continue
		}
		if *p, err = inside(base, *p); err != nil {
			return fmt.Errorf("collect.yaml: %w", err)
		}
	}
	return nil
}

// config returns the kinds of the content and its collect.yaml.
func (o *collectOptions) config() (*kinds.Set, collect.Config, error) {
	c, problems, err := content.Load(o.content, nil)
	if err != nil {
		return nil, collect.Config{}, err
	}
	if n, _ := problems.Count(); n > 0 {
		return nil, collect.Config{}, problems
	}
	config, err := collect.ParseConfig(c.Collect)
	return c.Kinds, config, err
}

// inside returns the path of a file that must be in a folder, even after following links: the
// content may be somebody else's.
func inside(base, path string) (string, error) {
	full, err := filepath.EvalSymlinks(filepath.Join(base, filepath.FromSlash(path)))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(base, full)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is a link that leads out of %s", path, base)
	}
	return full, nil
}

// endpointNames are the names that --endpoint knows besides those of lists.
var endpointNames = []string{"github", "huggingface", "modelsdev", "npm", "npm-downloads", "pypi", "pypistats"}

func parseEndpoints(list []string) (map[string]string, error) {
	at := map[string]string{}
	for _, text := range list {
		name, address, ok := strings.Cut(text, "=")
		u, err := url.Parse(address)
		if !ok || err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" {
			return nil, cli.Usage(fmt.Errorf("--endpoint %s: use NAME=URL, such as pypi=https://pypi.example.org", safetext.Address(text)))
		}
		at[name] = address
	}
	return at, nil
}

// parseDays parses the value of a flag that is a number of days, such as 7d; nil if it is empty.
func parseDays(flag, text string) (*int, error) {
	if text == "" {
		return nil, nil
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if err != nil || n < 0 {
		return nil, fmt.Errorf("%s %s: use a number of days, such as 7d", flag, safetext.Quote(text))
	}
	return &n, nil
}

// writeReports writes the report to the files in the flags.
func (o *collectOptions) writeReports(r *collect.Report) error {
	for _, path := range o.reports {
		write := r.WriteMarkdown
		if o.format == "json" || o.format == "" && strings.EqualFold(filepath.Ext(path), ".json") {
			write = r.WriteJSON
		}
		var b bytes.Buffer
		err := write(&b)
		if err == nil {
			err = os.WriteFile(path, b.Bytes(), 0o666) //nolint:gosec // as open as the umask allows
		}
		if err != nil {
			return err
		}
	}
	return nil
}
