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
	"github.com/spf13/pflag"

	"kindex/builder/content/yamldoc"
	"kindex/cmd/kindex/cli"
	"kindex/cmd/kindex/operator"
	"kindex/exports/didyoumean"
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

// run executes one command line and returns the exit code.
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
	root := &cobra.Command{
		Use: "kindex", Short: "A knowledge index of AI tools and models", Long: about,
		SilenceErrors: true, SilenceUsage: true, Version: version(),
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return applyEnvironment(cmd) },
		Args:              cli.NoSuchCommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(stdout) // before InitDefaultCompletionCmd, which keeps it
	root.SetErr(stderr)
	root.SetVersionTemplate("kindex {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	for _, g := range groups() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(versionCommand(), manCommand())
	checkArgs(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.RunE, c.Example = helpOn, "  kindex help build"
		case "completion":
			c.Args, c.RunE = cli.NoSuchCommand, root.RunE
			c.Example = "  kindex completion bash > /etc/bash_completion.d/kindex"
			checkArgs(c)
		}
	}
	return root
}

// group is the commands for one kind of work.
type group struct {
	title    string
	commands []*cobra.Command
}

func groups() []group {
	return []group{
		{"Write", []*cobra.Command{initCommand(), newCommand(), validateCommand(), fmtCommand(), diffCommand(), boardsCommand(), importCommand(), collectCommand(),
			checkCommand(), schemaCommand()}},
		{"Read", []*cobra.Command{searchCommand(), showCommand(), historyCommand(), auditCommand()}},
		{"Serve", []*cobra.Command{buildCommand(), serveCommand(), verifyCommand(), mcpCommand()}},
		{"Distribute", []*cobra.Command{publishCommand(), pullCommand(), pruneCommand(), signCommand()}},
		{"Operate", []*cobra.Command{operator.KeysCommand(), operator.AccountsCommand(), operator.SubmissionsCommand(), operator.StateCommand()}},
	}
}

// flagError returns the usage error for flags that cannot be parsed.
func flagError(cmd *cobra.Command, err error) error {
	near := ""
	if unknown := new(pflag.NotExistError); errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if name := didyoumean.Name(unknown.GetSpecifiedName(), names); name != "" {
			near = fmt.Sprintf(" (did you mean --%s?)", name)
		}
	}
	return cli.Usage(fmt.Errorf("%w%s; see %s --help", err, near, cmd.CommandPath()))
}

// checkArgs makes commands check the number of their arguments.
func checkArgs(c *cobra.Command) {
	for _, sub := range c.Commands() {
		checkArgs(sub)
	}
	if c.Args == nil {
		c.Args = cli.CheckArgs
	}
}

// applyEnvironment sets the flags that are missing from the command line.
func applyEnvironment(cmd *cobra.Command) error {
	if err := cli.ApplyEnvironment(cmd); err != nil {
		return err
	}
	if asJSON, err := cmd.Flags().GetBool("json"); err == nil && asJSON {
		cli.SetPlain(cmd.OutOrStdout())
		cli.SetPlain(cmd.ErrOrStderr())
	}
	return nil
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

// report prints an error and returns the exit code for it.
func report(err error, stderr io.Writer) int {
	var quiet cli.QuietError
	var usage cli.UsageError
	var busy *store.BusyError
	var problems yamldoc.Problems
	switch {
	case err == nil:
		return cli.ExitOK
	case errors.As(err, &quiet):
		return quiet.Code
	case errors.As(err, &problems):
		cli.PrintProblems(stderr, problems)
		return cli.ExitProblem
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "kindex: interrupted; nothing was published")
		return cli.ExitProblem
	}
	fmt.Fprintln(stderr, cli.Paint(stderr, color.FgRed, "kindex:"), safetext.WithoutCredentials(err.Error()))
	switch {
	case errors.As(err, &busy):
		return cli.ExitBusy
	case errors.As(err, &usage):
		return cli.ExitUsage
	}
	return cli.ExitProblem
}
