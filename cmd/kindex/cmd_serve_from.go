package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"kindex/cmd/kindex/cli"
	"kindex/edge"
	"kindex/edge/live"
	"kindex/exports/bucket"
)

// fromOptions are the flags that define where an edge pulls builds from, and which ones it accepts.
type fromOptions struct {
	from       string
	interval   time.Duration
	allowOlder bool
	keys       verifyKeys
}

func (o *fromOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.from, "from", "", "pull builds into --dir from this address, and serve them: s3://BUCKET/PREFIX, https://HOST/PATH or file:FOLDER")
	f.DurationVar(&o.interval, "interval", defaultInterval, "with --from: the average time between checks for a new build")
	o.keys.flag(f, "serve only builds that are signed with this key")
	f.BoolVar(&o.allowOlder, "allow-older", false, "with --from: accept a build that is older than the last one that was accepted in --dir")
}

// apply checks the flags and sets the edge's options.
func (o *fromOptions) apply(e *edge.Options, f *pflag.FlagSet, watch bool) (err error) {
	if watch && len(o.keys) > 0 {
		return cli.Usage(errors.New("--verify-key and --watch cannot be combined: --watch builds a content folder, and does not sign the builds"))
	}
	if e.Verifiers, err = o.keys.parse(); err != nil {
		return err
	}
	e.Pull, err = o.options(f, watch)
	return err
}

// options returns the options for pulling builds.
func (o *fromOptions) options(f *pflag.FlagSet, watch bool) (p live.PullOptions, err error) {
	if o.from == "" {
		for _, name := range []string{"interval", "allow-older"} {
			if f.Changed(name) {
				return p, cli.Usage(fmt.Errorf("--%s has no effect without --from", name))
			}
		}
		return p, nil
	}
	if watch {
		return p, cli.Usage(errors.New("--from and --watch cannot be combined: --from serves builds from a bucket, and --watch builds a content folder"))
	}
	if err := checkInterval(o.interval); err != nil {
		return p, err
	}
	p = live.PullOptions{Interval: o.interval, AllowOlder: o.allowOlder}
	if p.From, err = bucket.OpenReader(o.from); err != nil {
		return p, cli.Usage(fmt.Errorf("--from: %w", err))
	}
	return p, nil
}
