// Command kindex builds, serves and searches a knowledge index.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // for systems without time zones, such as Windows and containers

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"kindex/builder/content/yamldoc"
	"kindex/cmd/kindex/cli"
	"kindex/cmd/kindex/operator"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
	"kindex/exports/safetext"
	"kindex/exports/store"
)

const about = `kindex compiles a folder of YAML files about AI tools and models into an
immutable build - JSON, CSV, JSONL and Parquet exports, leaderboards and a
search index - and serves it over HTTP.

  kindex validate content                  check the content
  kindex build content --out .             create and publish a build
  kindex serve --dir .                     serve it on http://127.0.0.1:8080
  kindex search pytrch                     search it in the terminal
  kindex history tool/pytorch              show what changed, when, and by whom
  kindex init mine                         start a new index

Every flag can also be set as an environment variable: --as-of is KINDEX_AS_OF.
With --json, a report is printed as one JSON value.

Exit codes: 0 success; 1 a problem with the content, a build or the machine, and
nothing was published; 2 usage error; 3 another build is running.`

func main() {
	// Only net/http uses this logger. It would log data that servers, such as a webhook's
	// endpoint, send unsolicited.
	log.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out, errors := cli.NewOutput(stdout), cli.NewOutput(stderr)
	root := newRoot(out, errors)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if failed := out.Err(); err == nil && failed != nil {
		err = fmt.Errorf("the output is incomplete: %w", failed)
	}
	return report(err, errors)
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := cli.Group(&cobra.Command{
		Use: "kindex", Short: "A knowledge index of AI tools and models", Long: about,
		SilenceErrors: true, SilenceUsage: true, Version: version(),
	})
	root.SetOut(stdout) // before InitDefaultCompletionCmd, which keeps it
	root.SetErr(stderr)
	root.SetVersionTemplate("kindex {{.Version}}\n")
	root.SetFlagErrorFunc(cli.FlagError)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	addGroup(root, "Write", initCommand(), newCommand(), validateCommand(), fmtCommand(), diffCommand(), boardsCommand(), importCommand(),
		collectCommand(), checkCommand(), schemaCommand())
	addGroup(root, "Read", searchCommand(), showCommand(), historyCommand(), auditCommand())
	addGroup(root, "Serve", buildCommand(), serveCommand(), verifyCommand(), mcpCommand())
	addGroup(root, "Distribute", publishCommand(), pullCommand(), pruneCommand(), signCommand())
	addGroup(root, "Operate", operator.KeysCommand(), operator.AccountsCommand(), operator.SubmissionsCommand(), operator.StateCommand())
	root.AddCommand(versionCommand(), manCommand())
	checkLines(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.RunE, c.Example = helpOn, "  kindex help build"
		case "completion":
			cli.Group(c).Example = "  kindex completion bash > /etc/bash_completion.d/kindex"
			checkLines(c)
		}
	}
	return root
}

func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}

// checkLines makes commands check their flags and arguments before they run.
func checkLines(c *cobra.Command) {
	for _, sub := range c.Commands() {
		checkLines(sub)
	}
	if c.Args == nil {
		c.Args = cli.CheckLine
	}
}

// helpOn runs the help command. Unlike cobra's own help command, it rejects unknown
// commands.
func helpOn(cmd *cobra.Command, args []string) error {
	c, rest, err := cmd.Root().Find(args)
	if err != nil {
		return cli.Usage(err)
	}
	if err := cli.NoSuchCommand(c, rest); err != nil {
		return err
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	return c.Help()
}

// hints are the errors whose solution is an option of a command.
var hints = []struct {
	is   error
	hint string
}{
	{mirror.ErrDirty, "commit it and build again, or add --dirty"},
	{mirror.ErrOlder, "to accept it, add --allow-older"},
	{mirror.ErrUnsigned, "ask the publisher to run kindex publish --sign"},
	{bucket.ErrConflict, "nothing was published; run kindex publish again"},
	{syscall.EADDRINUSE, "use another address with --addr, or --admin for the admin address"},
}

func withHint(err error) error {
	for _, h := range hints {
		if errors.Is(err, h.is) {
			return fmt.Errorf("%w; %s", err, h.hint)
		}
	}
	return err
}

func report(err error, stderr io.Writer) int {
	var usage cli.UsageError
	var busy *store.BusyError
	var problems yamldoc.Problems
	switch {
	case err == nil:
		return cli.ExitOK
	case errors.Is(err, cli.ErrReported):
		return cli.ExitProblem
	case errors.As(err, &problems):
		cli.PrintProblems(stderr, problems)
		return cli.ExitProblem
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "kindex: interrupted; nothing was published")
		return cli.ExitProblem
	}
	fmt.Fprintln(stderr, cli.Paint(stderr, color.FgRed, "kindex:"), safetext.WithoutCredentials(withHint(err).Error()))
	switch {
	case errors.As(err, &busy):
		return cli.ExitBusy
	case errors.As(err, &usage):
		return cli.ExitUsage
	}
	return cli.ExitProblem
}
