package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder/plural"
	"kindex/cmd/kindex/cli"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
)

// defaultInterval is the default of --interval.
const defaultInterval = 30 * time.Second

// checkInterval checks the value of --interval.
func checkInterval(d time.Duration) error {
	if d < mirror.MinInterval {
		return cli.Usage(fmt.Errorf("--interval %s: use %s or more", d, mirror.MinInterval))
	}
	return nil
}

func pullCommand() *cobra.Command {
	var o mirror.PullOptions
	var watch, asJSON bool
	var keys verifyKeys
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
			if o.Keep < 1 {
				return cli.Usage(fmt.Errorf("--keep %d: use 1 or more", o.Keep))
			}
			if err := checkInterval(interval); err != nil {
				return err
			}
			if err := mirror.CheckPatterns(o.Only); err != nil {
				return cli.Usage(fmt.Errorf("--only %w", err))
			}
			if len(o.Only) > 0 && cmd.Flags().Changed("keep") {
				return cli.Usage(errors.New("--keep and --only cannot be combined: --only keeps one version of each file"))
			}
			from, err := bucket.OpenReader(args[0])
			if err != nil {
				return cli.Usage(err)
			}
			if o.Verifiers, err = keys.parse(); err != nil {
				return err
			}
			show := func(r *mirror.PullResult) error {
				return cli.Print(cmd.OutOrStdout(), asJSON, r, func(w io.Writer) { printPulled(w, r, o.Dir) })
			}
			bar := newProgress(cmd.ErrOrStderr())
			o.Progress = bar.step
			if watch {
				return watchPublished(cmd, from, o, interval, bar, show)
			}
			r, err := mirror.Pull(cmd.Context(), from, o)
			if bar.finish(); err != nil {
				return withHint(err)
			}
			return show(r)
		},
	}
	f := c.Flags()
	f.BoolVar(&watch, "watch", false, "keep running, and pull each new build")
	f.DurationVar(&interval, "interval", defaultInterval, "with --watch: the average time between checks for a new build")
	f.IntVar(&o.Keep, "keep", 2, "how many builds to keep in DIR")
	f.StringArrayVar(&o.Only, "only", nil, "copy only files whose names match this pattern, such as 'entities*.parquet'; may be repeated")
	keys.flag(f, "accept only builds that are signed with this key")
	f.BoolVar(&o.AllowOlder, "allow-older", false, "accept a build that is older than the last one that was accepted in DIR")
	cli.JSONFlag(f, &asJSON)
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
