package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/builder"
	"kindex/builder/content/yamldoc"
	"kindex/builder/plural"
	"kindex/builder/watch"
	"kindex/cmd/kindex/cli"
	"kindex/edge"
	"kindex/exports"
	"kindex/exports/store"
)

// watchOptions are the options of serve that only --watch uses.
type watchOptions struct {
	builder.Options
	asOf cli.AsOf
}

func (o *watchOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.Content, "content", "content", "with --watch: the content folder")
	cli.AsOfFlag(f, &o.asOf, "with --watch: calculate scores as of this day or time")
	keepFlag(f, &o.Keep, 5, "with --watch: how many builds to keep")
	cli.Needs(f, "watch", "content", "as-of", "keep")
}

// watching applies edits to a running server and prints the results.
type watching struct {
	watcher *watch.Watcher
	server  *edge.Server // nil while the first build is made
	out     io.Writer
	dir     string
}

// startWatching prepares the watcher. If the output folder contains no build that can
// be served, it creates the first one.
func startWatching(cmd *cobra.Command, o watchOptions, dir string) (*watching, error) {
	w := &watching{out: cmd.OutOrStdout(), dir: o.Content}
	o.Out, o.AllowShrink, o.Still = dir, true, true
	o.Wait = func(e *store.BusyError) { fmt.Fprintf(cmd.ErrOrStderr(), "waiting: %v\n", e) }
	w.watcher = watch.New(watch.Options{
		Build: o.Options, AsOf: o.asOf.Time,
		Edited: w.edited, Problems: w.problems, Published: w.published, Built: w.built, Failed: w.failed,
		Found: func() { fmt.Fprintf(w.out, "%s can be read again\n", w.dir) },
	})
	// Do not serve an untrusted build while the first trusted one is being built.
	if _, err := store.Current(dir); err == nil && builder.Tracked(cmd.Context(), dir) == "" {
		return w, nil
	}
	bar := newProgress(cmd.ErrOrStderr())
	_, err := w.watcher.Build(cmd.Context(), bar.step)
	bar.finish()
	return w, err
}

// follow starts watching and returns the function that stops it.
func (w *watching) follow(ctx context.Context, s *edge.Server) (stop func()) {
	w.server = s
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() { w.failed(w.watcher.Run(ctx)) })
	fmt.Fprintf(w.out, "watching %s\n", w.dir)
	return func() {
		cancel()
		following.Wait()
	}
}

func (w *watching) edited(edits []exports.Edit, now []string) {
	w.server.ApplyEdits(edits)
	gone := map[string]bool{}
	for _, e := range edits {
		gone[e.Type+"/"+e.Slug] = e.Entity == nil
	}
	for _, said := range []struct {
		word string
		gone bool
	}{{"live", false}, {"gone", true}} {
		if names := slices.DeleteFunc(slices.Clone(now), func(name string) bool { return gone[name] != said.gone }); len(names) > 0 {
			fmt.Fprintf(w.out, "%s: %s\n", said.word, firstFew(names))
		}
	}
}

// firstFew lists at most five names.
func firstFew(names []string) string {
	if len(names) > 5 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:5], ", "), len(names)-5)
	}
	return strings.Join(names, ", ")
}

func (w *watching) problems(p yamldoc.Problems) {
	if len(p) == 0 {
		fmt.Fprintln(w.out, "all problems are fixed")
		return
	}
	cli.PrintProblems(w.out, p)
	if n, _ := p.Count(); n > 0 {
		fmt.Fprintln(w.out, "the last good version of these files stays live; builds wait until they are fixed")
	}
}

// published switches the server to the new build. The edits that it includes stay on top until built is
// called, so that readers can see them at all times.
func (w *watching) published() error {
	if w.server == nil {
		return nil
	}
	return w.server.Reload()
}

// built removes the edits that the new build includes.
func (w *watching) built(r *builder.Report, edits []exports.Edit) {
	fmt.Fprintf(w.out, "published %s: %s in %.1f s\n", r.ID, plural.Count(r.Counts.Entities, "entity", "entities"), r.Seconds)
	if w.server != nil {
		w.server.ApplyEdits(edits)
	}
}

func (w *watching) failed(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(w.out, "%v; will retry\n", err)
	}
}
