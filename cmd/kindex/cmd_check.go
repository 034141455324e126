package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder"
	"kindex/builder/check"
	"kindex/builder/collect"
	"kindex/builder/safedial"
	"kindex/cmd/kindex/cli"
)

// checkFormats are the output formats of kindex check.
var checkFormats = []string{"text", "json"}

func checkCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "check", Short: "Find old figures, missing successors and dead links",
		Long: `Check finds what is out of date in a content folder. It changes nothing; to update
figures, use kindex collect.`,
		Example: "  kindex check stale\n  kindex check links --max-requests 500",
	}, checkStaleCommand(), checkLinksCommand())
}

// checkOptions are the flags that all subcommands of kindex check have.
type checkOptions struct {
	cli.FormatOptions
	content string
}

func (o *checkOptions) register(c *cobra.Command) {
	cli.ContentFlag(c.Flags(), &o.content)
	o.Flags(c, checkFormats, "output format: text or json")
}

// load reads the content, with the entities that the arguments select.
func (o *checkOptions) load(cmd *cobra.Command, names []string) (*builder.Loaded, error) {
	if err := o.Choose(cmd.Flags(), checkFormats); err != nil {
		return nil, err
	}
	names, err := cli.TakeContentBefore(cmd, &o.content, names)
	if err != nil {
		return nil, err
	}
	l, problems, err := builder.LoadContent(o.content, nil)
	if err != nil {
		return nil, err
	}
	if n, _ := problems.Count(); n > 0 {
		return nil, problems
	}
	l.Entities, err = collect.SelectEntities(l.Entities, o.content, names)
	return l, err
}

// print prints a report. If something was found, the command fails without a further message.
func (o *checkOptions) print(w io.Writer, report interface{ WriteText(w io.Writer) error }, found bool) error {
	write := report.WriteText
	if o.Format == "json" {
		write = func(w io.Writer) error { return cli.PrintIndentedJSON(w, report) }
	}
	err := write(w)
	if err == nil && found {
		return cli.Quiet(cli.ExitProblem)
	}
	return err
}

func checkStaleCommand() *cobra.Command {
	var o checkOptions
	var asOf, within string
	c := &cobra.Command{
		Use: "stale [DIR] [TYPE/SLUG...]", Short: "List entities whose figures are getting too old, and deprecated entities without a successor",
		Long: `Stale lists entities whose figures are all too old for the scoring formula (staleAfter of
a measure), or will be within 60 days (--within), and deprecated entities without a
successor, which alone is not a failure. Arguments limit it to entities (tool/pytorch),
types (tool) or files. The exit code is 1 if figures are too old.`,
		Example: `  kindex check stale
  kindex check stale model --within 0d --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := cli.ParseAsOf(asOf, time.Now())
			if err != nil {
				return err
			}
			days, err := parseDays("--within", within)
			if err == nil && days == nil {
				err = errors.New("--within is empty: use a number of days, such as 60d")
			}
			if err != nil {
				return cli.Usage(err)
			}
			l, err := o.load(cmd, args)
			if err != nil {
				return err
			}
			r := check.Stale(l.Entities, l.Formula, at, *days)
			return o.print(cmd.OutOrStdout(), r, len(r.Stale) > 0)
		},
	}
	o.register(c)
	c.Flags().StringVar(&asOf, "as-of", "", "check as of this day, YYYY-MM-DD (default: today in UTC, or SOURCE_DATE_EPOCH)")
	c.Flags().StringVar(&within, "within", "60d", "also list figures that will be too old within this many days")
	return c
}

type linkFlags struct {
	checkOptions
	allow              []string
	rate               float64
	hosts, maxRequests int
	maxWait, timeout   time.Duration
}

func checkLinksCommand() *cobra.Command {
	var o linkFlags
	c := &cobra.Command{
		Use: "links [DIR] [TYPE/SLUG...]", Short: "Follow the links in the content and list dead ones",
		Long: `Links follows url, links and lifecycle.source of each entity that is not withdrawn. A
link is dead if its page is gone (404 or 410), its host does not exist or has no valid
certificate, or it redirects in a loop; what may be temporary is listed as unclear.
Arguments limit it to entities (tool/pytorch), types (tool) or files. Only public
addresses are contacted (--allow), and no proxy is used. The exit code is 1 if a link is
dead. See site/docs/automation.md.`,
		Example: `  kindex check links
  kindex check links tool --max-requests 500 --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.register(c)
	f := c.Flags()
	f.Float64Var(&o.rate, "rate", 1, "requests per second to one host")
	f.IntVar(&o.hosts, "hosts", 8, "number of hosts that are contacted at the same time")
	f.IntVar(&o.maxRequests, "max-requests", 0, "stop after this many requests; 0 means no limit")
	f.DurationVar(&o.maxWait, "max-wait", 5*time.Minute, "maximum time to wait for the rate limits of one host")
	f.DurationVar(&o.timeout, "timeout", 20*time.Second, "maximum time for one request")
	f.StringSliceVar(&o.allow, "allow", nil, "networks (10.0.0.0/8) and addresses with a port (127.0.0.1:8443) that may be contacted even if they are not public, or the port is not 80 or 443")
	return c
}

func (o *linkFlags) run(cmd *cobra.Command, args []string) error {
	switch {
	case !(o.rate > 0 && o.rate <= 100):
		return cli.Usage(fmt.Errorf("--rate %v: use a number above 0 and up to 100", o.rate))
	case o.hosts < 1 || o.hosts > 100:
		return cli.Usage(fmt.Errorf("--hosts %d: use a number from 1 to 100", o.hosts))
	case o.maxRequests < 0:
		return cli.Usage(fmt.Errorf("--max-requests %d: use a positive number, or 0 for no limit", o.maxRequests))
	case o.timeout <= 0 || o.maxWait < 0:
		return cli.Usage(errors.New("--timeout must be above 0, and --max-wait must not be negative; use a duration such as 20s"))
	}
	// The command has a limit per host of its own.
	guard := safedial.Options{HostRate: -1, Ports: []uint16{80, 443}, Timeout: o.timeout}
	var err error
	if guard.Allow, err = parseEach("--allow", o.allow, safedial.ParseException); err != nil {
		return cli.Usage(err)
	}
	l, err := o.load(cmd, args)
	if err != nil {
		return err
	}
	bar := newProgress(cmd.ErrOrStderr())
	r, err := check.Links(cmd.Context(), check.LinksOf(l.Entities), check.LinkOptions{
		HTTP: safedial.New(guard).WebClient(), Clock: collect.SystemClock{}, Agent: "kindex/" + version() + " (kindex check links)",
		PerSecond: o.rate, Hosts: o.hosts, MaxRequests: o.maxRequests, MaxWait: o.maxWait,
		Progress: func(done, total int) { bar.step("links", done, total) }})
	bar.finish()
	if err != nil {
		return err
	}
	return o.print(cmd.OutOrStdout(), r, len(r.Dead) > 0)
}
