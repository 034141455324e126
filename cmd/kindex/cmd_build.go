package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/builder"
	"kindex/builder/plural"
	"kindex/cmd/kindex/cli"
	"kindex/exports/store"
	"kindex/site/static"
)

type buildOptions struct {
	builder.Options
	asOf   cli.AsOf
	noWait bool
	static static.Options
}

func buildCommand() *cobra.Command {
	var o buildOptions
	c := &cobra.Command{
		Use: "build [DIR]", Short: "Compile a content folder into a build and publish it",
		Long: `Build checks a content folder, calculates the scores, and writes a build to
exports/builds/<id> and indexes/builds/<id> in the output folder. Finally it points
exports/current at it; until then, readers see the old build. The same content, commit
and as-of time produce the same exports, byte for byte.

The history comes from the git commits of the folder; without git, each build adds its
differences from the previous one. A build that would delete more than a tenth of the
entities, or lose recorded changes, is refused: the usual causes are a wrong folder, a
wrong branch, a shallow clone (git fetch --unshallow) and a rewritten history.

--static also writes the website as plain files to a new folder, or one that an earlier
run wrote. Without --url and an address in the content, such a site works only at the
root of a host, and has no sitemap. See site/docs/operating.md and site/docs/history.md.`,
		Example: `  kindex build content --out .
  kindex build content --out /srv/kindex --as-of 2026-07-01 --json
  kindex build content --out . --static static --url https://index.example.org`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := cli.TakeContent(cmd, &o.Content, args, 0); err != nil {
				return err
			}
			return runBuild(cmd, o)
		},
	}
	f := c.Flags()
	cli.ContentFlag(f, &o.Content)
	f.StringVar(&o.Out, "out", ".", "the output folder")
	cli.AsOfFlag(f, &o.asOf, "")
	keepFlag(f, &o.Keep, 5, "how many builds to keep")
	f.StringVar(&o.static.Dir, "static", "", "also write the website as plain files to this folder")
	f.StringVar(&o.static.URL, "url", "", "the address of the static site (default: from the content)")
	f.StringVar(&o.static.API, "api", "", "the address of a running service, for features that plain files cannot provide")
	cli.Needs(f, "static", "url", "api")
	cli.JSONFlag(c)
	f.BoolVar(&o.AllowShrink, "allow-shrink", false, "publish even if more than 10% of the entities, or any recorded changes, would be lost")
	f.BoolVar(&o.noWait, "no-wait", false, "fail instead of waiting if another build is running")
	return c
}

func runBuild(cmd *cobra.Command, o buildOptions) error {
	if o.static.Dir != "" {
		if err := o.static.Check(); err != nil {
			return err
		}
	}
	warnOfSecrets(cmd.Context(), cmd.ErrOrStderr(), o.Content)
	if !o.noWait {
		o.Wait = func(e *store.BusyError) { fmt.Fprintf(cmd.ErrOrStderr(), "waiting: %v\n", e) }
	}
	bar := newProgress(cmd.ErrOrStderr())
	o.AsOf, o.Progress = o.asOf.Time(), bar.step
	r, err := builder.Build(cmd.Context(), o.Options)
	var site *static.Report
	if err == nil && o.static.Dir != "" {
		o.static.Out, o.static.Wait, o.static.Progress = o.Out, o.Wait, func(done, total int) { bar.step("static", done, total) }
		site, err = static.Write(cmd.Context(), o.static)
		err = staticSiteError(r, err)
	}
	bar.finish()
	if err != nil {
		return err
	}
	report := struct {
		*builder.Report
		Static *static.Report `json:"static,omitempty"`
	}{r, site}
	return cli.Print(cmd, report, func(w io.Writer) {
		printReport(w, r)
		if site != nil {
			fmt.Fprintf(w, "%s: %s in %s, %s; %d files written, %d removed\n", o.static.Dir,
				plural.Count(site.Pages, "page", "pages"), plural.Count(site.Files, "file", "files"), megabytes(site.Bytes), site.Written, site.Removed)
		}
	})
}

// staticSiteError wraps an error that occurred while the static site was being written,
// and adds that the build itself has been published.
func staticSiteError(r *builder.Report, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted: build %s is published, but its static site is incomplete; the next run will complete it", r.ID)
	}
	return fmt.Errorf("build %s is published, but its static site was not written: %w", r.ID, err)
}

// keepFlag adds --keep. The current build is always kept.
func keepFlag(f *pflag.FlagSet, keep *int, standard int, usage string) {
	f.IntVar(keep, "keep", standard, usage)
	cli.AtLeast(f, keep, "keep", 1)
}

func printReport(w io.Writer, r *builder.Report) {
	for _, line := range r.Warnings {
		fmt.Fprintln(w, line)
	}
	commit := "no commit"
	if r.Commit != "" {
		commit = "commit " + string(r.Commit)[:12]
		if r.Dirty {
			commit += ", with uncommitted changes"
		}
	}
	fmt.Fprintf(w, "published %s (%s)\n", r.ID, commit)
	fmt.Fprintf(w, "%s, %d ranked, %d withdrawn, in %s, as of %s\n", plural.Count(r.Counts.Entities, "entity", "entities"), r.Counts.Ranked,
		r.Counts.Withdrawn, plural.Count(r.Counts.Categories, "category", "categories"), r.AsOf)
	for _, s := range r.Steps {
		if s.Seconds >= 0.0005 {
			fmt.Fprintf(w, "  %-8s %8.3f s\n", s.Name, s.Seconds)
		}
	}
	memory := ""
	if r.PeakBytes > 0 { // 0 is unknown
		memory = fmt.Sprintf(" peak memory %d MiB,", r.PeakBytes>>20)
	}
	fmt.Fprintf(w, "  %-8s %8.3f s,%s %s written\n", "total", r.Seconds, memory, megabytes(r.Bytes))
}

// progress draws a progress bar if the output is a terminal that people watch, and otherwise nothing.
type progress struct {
	mu      sync.Mutex
	w       io.Writer
	watched bool
	current string
	bar     *progressbar.ProgressBar
}

func newProgress(w io.Writer) *progress {
	return &progress{w: cli.Raw(w), watched: cli.IsWatched(w)}
}

func (p *progress) step(name string, done, total int) {
	if !p.watched {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != name {
		if p.bar != nil {
			_ = p.bar.Finish() // failing to draw the bar does not stop the build
		}
		p.current = name
		if total == 0 {
			total = -1
		}
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(name),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(30))
	}
	if done > 0 {
		_ = p.bar.Set(done)
	}
}

func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Finish()
	}
	p.bar, p.current = nil, ""
}
