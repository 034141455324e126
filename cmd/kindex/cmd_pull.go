package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/builder/plural"
	"kindex/cmd/kindex/cli"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
)

func intervalFlag(f *pflag.FlagSet, interval *time.Duration, with string) {
	f.DurationVar(interval, "interval", 30*time.Second, "with --"+with+": the average time between checks for a new build")
	cli.AtLeast(f, interval, "interval", mirror.MinInterval)
	cli.Needs(f, with, "interval")
}

func pullCommand() *cobra.Command {
	var o mirror.PullOptions
	var watch bool
	var interval time.Duration
	c := &cobra.Command{
		Use: "pull ADDRESS [DIR]", Short: "Copy the published build from a folder, object storage or a web server",
		Long: `Pull copies the build that kindex publish published to an output folder, from which
kindex serve and the other commands read it. Only what the folder lacks is downloaded,
and every file is verified before the build is moved into place. A build that is older
than the last one that was accepted in DIR is refused. With --only, matching files are
copied to DIR itself, for pipelines. See site/docs/scaling.md.

An address is https://HOST/PATH of any web server that serves the files of a bucket, or:
` + bucketHelp,
		Example: `  kindex pull https://builds.example.org/index /srv/kindex
  kindex pull --verify-key builds.pub https://builds.example.org/index /srv/kindex
  kindex pull --watch s3://builds/index /srv/kindex
  kindex pull https://builds.example.org/index data --only 'entities*.parquet'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = "."
			if len(args) == 2 {
				o.Dir = args[1]
			}
			if err := mirror.CheckPatterns(o.Only); err != nil {
				return cli.Usage(fmt.Errorf("--only %w", err))
			}
			from, err := bucket.OpenReader(args[0])
			if err != nil {
				return cli.Usage(err)
			}
			show := func(r *mirror.PullResult) error {
				return cli.Print(cmd, r, func(w io.Writer) { printPulled(w, r, o.Dir) })
			}
			bar := newProgress(cmd.ErrOrStderr())
			o.Progress = bar.step
			if watch {
				return watchPublished(cmd, from, o, interval, bar, show)
			}
			r, err := mirror.Pull(cmd.Context(), from, o)
			if bar.finish(); err != nil {
				return err
			}
			return show(r)
		},
	}
	f := c.Flags()
	f.BoolVar(&watch, "watch", false, "keep running, and pull each new build")
	intervalFlag(f, &interval, "watch")
	keepFlag(f, &o.Keep, 2, "how many builds to keep in DIR")
	f.StringArrayVar(&o.Only, "only", nil, "copy only files whose names match this pattern, such as 'entities*.parquet'; may be repeated")
	cli.Excludes(f, "keep", "only", "--only keeps one version of each file")
	verifyKeyFlag(f, &o.Verifiers, "accept only builds that are signed with this key")
	f.BoolVar(&o.AllowOlder, "allow-older", false, "accept a build that is older than the last one that was accepted in DIR")
	cli.JSONFlag(c)
	return c
}

// watchPublished pulls every new build until ctx ends. A persistent error is reported once; the build in
// the folder is kept.
func watchPublished(cmd *cobra.Command, from bucket.Reader, o mirror.PullOptions, interval time.Duration, bar *progress, show func(*mirror.PullResult) error) error {
	return mirror.Watch(cmd.Context(), from, o, interval, func(r mirror.WatchResult) error {
		bar.finish()
		switch {
		case r.Err != nil && !r.Repeated:
			fmt.Fprintf(cmd.ErrOrStderr(), "kindex: %v; retrying\n", withHint(r.Err))
		case r.Err == nil && !r.Pulled.Unchanged:
			return show(r.Pulled)
		}
		return nil
	})
}

func printPulled(w io.Writer, r *mirror.PullResult, dir string) {
	if r.Unchanged {
		fmt.Fprintf(w, "%s already has the published build %s\n", dir, r.Build)
	} else {
		fmt.Fprintf(w, "pulled %s to %s\n%s, %s; downloaded %s in %s, the others were there already\n",
			r.Build, dir, plural.Count(r.Files, "file", "files"), megabytes(r.Bytes), megabytes(r.Downloaded), plural.Count(r.Fetched, "file", "files"))
	}
	printSignature(w, r.Signature)
}
