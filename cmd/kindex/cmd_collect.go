package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder/collect"
	"kindex/builder/collect/file"
	"kindex/builder/collect/sources"
	"kindex/builder/safedial"
	"kindex/cmd/kindex/cli"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// collectOptions are the flags of kindex collect.
type collectOptions struct {
	collect.Options
	format, probe, file, mapping, date, modelsdev string
	reports                                       []string
	endpoints                                     []replacement
	guard                                         safedial.Options
}

func collectCommand() *cobra.Command {
	o := collectOptions{guard: safedial.Options{HostRate: -1}} // the runner has limits of its own
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
			args, err := cli.TakeContentBefore(cmd, &o.Content, args)
			if err != nil {
				return err
			}
			return runCollect(cmd, o, args)
		},
	}
	f := c.Flags()
	cli.JSONFlag(c)
	cli.ContentFlag(f, &o.Content)
	f.StringSliceVar(&o.Only, "source", nil, "only these sources: github, pypi, npm, huggingface, modelsdev, file, or the name of a list in collect.yaml")
	cli.Var(f, &o.MaxAge, "max-age", "days", "", "update figures that are at least this old, in days, such as 7d (default: maxAge in collect.yaml, or 7d)", cli.ParseDays)
	f.BoolVar(&o.DryRun, "dry-run", false, "report only; change no file")
	f.BoolVar(&o.New, "new", false, "also propose tools and models that the sources have and the content lacks, as YAML in the report")
	f.BoolVar(&o.Offline, "offline", false, "send no requests; use lists and the answers of earlier runs")
	f.StringArrayVar(&o.reports, "report", nil, "write a report to this file; can be repeated")
	cli.ChoiceVar(c, &o.format, "format", "", "format of the reports: markdown or json (default: json to .json, otherwise markdown)", []string{"markdown", "json"})
	f.StringSliceVar(&o.Accept, "accept", nil, "write a value even if a guard stops it: TYPE/SLUG:NAME, such as tool/pytorch:stars or model/gpt-5:offers; * means any")
	f.StringVar(&o.probe, "probe", "", "ask this source for one entity, or for the identifier given as an argument, and print the answer; change nothing")
	f.StringVar(&o.file, "file", "", "a list (.csv, .tsv, .jsonl, .json or .md) to use as the source named file; requires --map")
	f.StringVar(&o.mapping, "map", "", "the mapping of --file, as for kindex import")
	cli.DayFlag(f, &o.date, "date", "the day on which the figures of --file or --modelsdev were read, YYYY-MM-DD (default: the source's date in the mapping; today)")
	f.StringVar(&o.modelsdev, "modelsdev", "", "read models.dev from this checkout, or saved catalog.json, instead of over HTTP")
	cli.Needs(f, "map", "file")
	cli.Needs(f, "file", "map")
	f.StringVar(&o.Cache, "cache", "", "folder for what is kept between runs: answers and HTTP validators (default: kindex/collect in the user's cache folder)")
	f.IntVar(&o.MaxRequests, "max-requests", 0, "stop after this many requests; 0 means no limit")
	f.DurationVar(&o.MaxWait, "max-wait", 15*time.Minute, "maximum time that each source waits for the rate limits of its service")
	cli.ListVar(f, &o.endpoints, "endpoint", "endpoints", "use another address for a source: NAME=URL, such as github=https://github.example.org/api/v3; NAME can also be pypistats, npm-downloads or a list. The token of the source is sent there", parseReplacement)
	cli.ListVar(f, &o.guard.Allow, "allow", "networks", "networks (10.0.0.0/8) and addresses with a port (127.0.0.1:8443) that sources may use even if they are not public, or the port is not 443", safedial.ParseException)
	return c
}

func runCollect(cmd *cobra.Command, o collectOptions, args []string) error {
	if err := o.prepare(args); err != nil {
		return err
	}
	if o.probe != "" {
		return o.runProbe(cmd, args)
	}
	bar := newProgress(cmd.ErrOrStderr())
	o.Progress = func(done, total int) { bar.step("collect", done, total) }
	report, err := collect.Run(cmd.Context(), o.Options)
	bar.finish()
	if err != nil {
		return err
	}
	write := report.WriteMarkdown
	if cli.AsJSON(cmd) {
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

func (o *collectOptions) runProbe(cmd *cobra.Command, args []string) error {
	if len(args) > 1 || cli.AsJSON(cmd) {
		return cli.Usage(errors.New("--probe asks for one entity or identifier, and prints the answer as it is"))
	}
	return collect.Probe(cmd.Context(), o.Options, o.probe, strings.Join(args, ""), cmd.OutOrStdout())
}

func (o *collectOptions) prepare(args []string) error {
	o.Content, o.Select, o.Agent = filepath.Clean(o.Content), args, "kindex/"+version()+" (kindex collect)"
	o.Clock, o.Getenv, o.HTTP = collect.SystemClock{}, os.Getenv, collect.NewHTTPClient(safedial.New(o.guard))
	if o.Cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("%w; set --cache", err)
		}
		o.Cache = filepath.Join(dir, "kindex", "collect")
	}
	o.Open = o.openSources
	return nil
}

// openSources returns all sources, in the order of precedence.
func (o *collectOptions) openSources(declared *kinds.Set, config collect.Config) ([]*collect.Source, error) {
	names, at := slices.Clone(endpointNames), map[string]string{}
	for _, f := range config.Files {
		names = append(names, f.Name)
	}
	for _, e := range o.endpoints {
		if at[e.name] = e.address; !slices.Contains(names, e.name) {
			return nil, cli.Usage(fmt.Errorf("--endpoint %s: unknown name; expected one of: %s", safetext.Quote(e.name), strings.Join(names, ", ")))
		}
	}
	day := ""
	if o.modelsdev != "" {
		day = o.date
	}
	list := []*collect.Source{sources.PyPI(at["pypi"], at["pypistats"]), sources.NPM(at["npm"], at["npm-downloads"]), sources.HuggingFace(at["huggingface"]),
		sources.ModelsDev(at["modelsdev"], o.modelsdev, day), sources.GitHub(at["github"], config.Sources["github"])}
	for _, f := range config.Files {
		if len(o.Only) == 0 || slices.Contains(o.Only, f.Name) || o.probe == f.Name {
			list = append(list, openList(declared, o.Content, f, at[f.Name]))
		}
	}
	if o.file == "" {
		return list, nil
	}
	s, err := file.New(declared, collect.FileConfig{Name: "file", Path: o.file, Map: o.mapping, Date: o.date, New: o.New}, "")
	return append(list, s), err
}

// openList opens a list in the collect.yaml of a content folder. If that fails, the source has the problem, and the
// others can still be asked.
func openList(declared *kinds.Set, dir string, f collect.FileConfig, endpoint string) *collect.Source {
	base, err := filepath.EvalSymlinks(filepath.Join(dir, ".."))
	for _, p := range []*string{&f.Path, &f.Map} {
		if err == nil && *p != "" {
			*p, err = inside(base, *p)
		}
	}
	if err != nil {
		return &collect.Source{Name: f.Name, Title: "the list " + f.Name, Identify: func(*record.Entity) string { return "" }, Problem: err}
	}
	s, _ := file.New(declared, f, endpoint)
	return s
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

// replacement is the address that replaces the public one of a source.
type replacement struct{ name, address string }

func parseReplacement(text string) (replacement, error) {
	name, address, ok := strings.Cut(text, "=")
	u, err := url.Parse(address)
	if !ok || err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" {
		return replacement{}, fmt.Errorf("%s: use NAME=URL, such as pypi=https://pypi.example.org", safetext.Address(text))
	}
	return replacement{name, address}, nil
}

func (o *collectOptions) writeReports(r *collect.Report) error {
	for _, path := range o.reports {
		write := r.WriteMarkdown
		if o.format == "json" || o.format == "" && strings.EqualFold(filepath.Ext(path), ".json") {
			write = r.WriteJSON
		}
		f, err := os.Create(path) //nolint:gosec // the user names the file
		if err != nil {
			return err
		}
		if err := errors.Join(write(f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
