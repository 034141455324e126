package main

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder"
	"kindex/builder/check"
	"kindex/builder/collect"
	"kindex/builder/safedial"
	"kindex/cmd/kindex/cli"
)

func checkCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "check", Short: "Find old figures, missing successors and dead links",
		Long: `Check finds what is out of date in a content folder. It changes nothing; to update
figures, use kindex collect.`,
		Example: "  kindex check stale\n  kindex check links --max-requests 500",
	}, checkStaleCommand(), checkLinksCommand())
}

// checkReport is what a subcommand of kindex check has found.
type checkReport interface{ WriteText(w io.Writer) error }

// onContent adds the flags that all subcommands of kindex check have, and runs a check on the entities that the
// arguments select. If something is found, the command fails without a further message.
func onContent(c *cobra.Command, check func(*cobra.Command, *builder.Loaded) (r checkReport, found bool, err error)) *cobra.Command {
	var dir string
	cli.ContentFlag(c.Flags(), &dir)
	cli.FormatFlags(c, "text", "json")
	c.RunE = func(cmd *cobra.Command, names []string) error {
		names, err := cli.TakeContentBefore(cmd, &dir, names)
		if err != nil {
			return err
		}
		l, err := loadContent(dir)
		if err != nil {
			return err
		}
		if l.Entities, err = collect.SelectEntities(l.Entities, dir, names); err != nil {
			return err
		}
		r, found, err := check(cmd, l)
		if err != nil {
			return err
		}
		write := r.WriteText
		if cli.Format(cmd) == "json" {
			write = func(w io.Writer) error { return cli.PrintIndentedJSON(w, r) }
		}
		if err := write(cmd.OutOrStdout()); err != nil || !found {
			return err
		}
		return cli.ErrReported
	}
	return c
}

func loadContent(dir string) (*builder.Loaded, error) {
	l, problems, err := builder.LoadContent(dir, nil)
	if n, _ := problems.Count(); err == nil && n > 0 {
		err = problems
	}
	return l, err
}

func checkStaleCommand() *cobra.Command {
	var asOf cli.AsOf
	var within *int
	c := onContent(&cobra.Command{
		Use: "stale [DIR] [TYPE/SLUG...]", Short: "List entities whose figures are getting too old, and deprecated entities without a successor",
		Long: `Stale lists entities whose figures are all too old for the scoring formula (staleAfter of
a measure), or will be within 60 days (--within), and deprecated entities without a
successor, which alone is not a failure. Arguments limit it to entities (tool/pytorch),
types (tool) or files. The exit code is 1 if figures are too old.`,
		Example: `  kindex check stale
  kindex check stale model --within 0d --json`,
	}, func(_ *cobra.Command, l *builder.Loaded) (checkReport, bool, error) {
		r := check.Stale(l.Entities, l.Formula, asOf.Time(), *within)
		return r, len(r.Stale) > 0, nil
	})
	cli.AsOfFlag(c.Flags(), &asOf, "check as of this day, YYYY-MM-DD")
	cli.Var(c.Flags(), &within, "within", "days", "60d", "also list figures that will be too old within this many days", cli.ParseDays)
	return c
}

func checkLinksCommand() *cobra.Command {
	// The command has a limit per host of its own.
	guard := safedial.Options{HostRate: -1, Ports: []uint16{80, 443}}
	o := check.LinkOptions{Clock: collect.SystemClock{}, Agent: "kindex/" + version() + " (kindex check links)"}
	c := onContent(&cobra.Command{
		Use: "links [DIR] [TYPE/SLUG...]", Short: "Follow the links in the content and list dead ones",
		Long: `Links follows url, links and lifecycle.source of each entity that is not withdrawn. A
link is dead if its page is gone (404 or 410), its host does not exist or has no valid
certificate, or it redirects in a loop; what may be temporary is listed as unclear.
Arguments limit it to entities (tool/pytorch), types (tool) or files. Only public
addresses are contacted (--allow), and no proxy is used. The exit code is 1 if a link is
dead. See site/docs/automation.md.`,
		Example: `  kindex check links
  kindex check links tool --max-requests 500 --json`,
	}, func(cmd *cobra.Command, l *builder.Loaded) (checkReport, bool, error) {
		bar := newProgress(cmd.ErrOrStderr())
		o.HTTP, o.Progress = safedial.New(guard).WebClient(), func(done, total int) { bar.step("links", done, total) }
		r, err := check.Links(cmd.Context(), check.LinksOf(l.Entities), o)
		bar.finish()
		return r, err == nil && len(r.Dead) > 0, err
	})
	f := c.Flags()
	f.Float64Var(&o.PerSecond, "rate", 1, "requests per second to one host")
	cli.Between(f, &o.PerSecond, "rate", 0.001, 100)
	f.IntVar(&o.Hosts, "hosts", 8, "number of hosts that are contacted at the same time")
	cli.Between(f, &o.Hosts, "hosts", 1, 100)
	f.IntVar(&o.MaxRequests, "max-requests", 0, "stop after this many requests; 0 means no limit")
	cli.AtLeast(f, &o.MaxRequests, "max-requests", 0)
	f.DurationVar(&o.MaxWait, "max-wait", 5*time.Minute, "maximum time to wait for the rate limits of one host")
	cli.AtLeast(f, &o.MaxWait, "max-wait", 0)
	f.DurationVar(&guard.Timeout, "timeout", 20*time.Second, "maximum time for one request")
	cli.AtLeast(f, &guard.Timeout, "timeout", time.Millisecond)
	cli.ListVar(f, &guard.Allow, "allow", "networks", "networks (10.0.0.0/8) and addresses with a port (127.0.0.1:8443) that may be contacted even if they are not public, or the port is not 80 or 443", safedial.ParseException)
	return c
}
