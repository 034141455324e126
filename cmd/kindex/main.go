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
	"syscall"
	_ "time/tzdata" // for systems without time zones, such as Windows and containers

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"kindex/builder/content/yamldoc"
	"kindex/builder/plural"
	"kindex/cmd/kindex/config"
	"kindex/exports/didyoumean"
	"kindex/exports/store"
)

// The exit codes documented in the help.
const (
	exitOK      = 0
	exitProblem = 1 // a problem with the content, a build or the machine; nothing was published
	exitUsage   = 2 // usage error
	exitBusy    = 3 // another build is running in the output folder
)

const about = `kindex compiles a folder of YAML files about AI tools and models into an
immutable build - JSON, CSV, JSONL and Parquet exports, leaderboards and a
search index - and serves it over HTTP.

  kindex validate content                  check the content
  kindex build --content content --out .   create and publish a build
  kindex serve --dir .                     serve it on http://127.0.0.1:8080
  kindex search pytrch                     search it in the terminal
  kindex history tool/pytorch              show what changed, when, and by whom
  kindex init mine                         start a new index

Every flag can also be set as an environment variable (--as-of is KINDEX_AS_OF) or in a
configuration file that --config or KINDEX_CONFIG names; see kindex config --help.
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
	root := newRoot()
	out, errors := &output{w: stdout}, &output{w: stderr}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errors)
	err := root.ExecuteContext(ctx)
	if err == nil && out.err != nil {
		err = fmt.Errorf("the output is incomplete: %w", out.err)
	}
	return report(err, errors)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use: "kindex", Short: "A knowledge index of AI tools and models", Long: about,
		SilenceErrors: true, SilenceUsage: true, Version: version(),
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return applySettings(cmd) },
		Args:              noSuchCommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().String(config.Flag, "", "the configuration file (YAML); see kindex config --help")
	root.SetVersionTemplate("kindex {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	root.AddCommand(initCommand(), buildCommand(), serveCommand(), validateCommand(), boardsCommand(), diffCommand(), showCommand(), searchCommand(),
		historyCommand(), configCommand(), verifyCommand(), publishCommand(), pullCommand(), signCommand(), pruneCommand(), importCommand(), schemaCommand(), fmtCommand(), newCommand(), versionCommand(),
		auditCommand(), collectCommand(), checkCommand(), keysCommand(), accountsCommand(), submissionsCommand(), stateCommand(), mcpCommand(), manCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		wrapArgs(c)
		switch c.Name() {
		case "help":
			c.RunE, c.Example = helpOn, "  kindex help build"
		case "completion":
			c.Args, c.RunE = noSuchCommand, root.RunE
			c.Example = "  kindex completion bash > /etc/bash_completion.d/kindex"
		}
	}
	return root
}

// noSuchCommand rejects arguments of a command that only has subcommands.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	err := unknownName("command", args[0], nil, didyoumean.Name(args[0], names))
	return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
}

// helpOn runs the help command. Unlike cobra's own help command, it rejects unknown
// commands.
func helpOn(cmd *cobra.Command, args []string) error {
	c, rest, err := cmd.Root().Find(args)
	if err != nil {
		return usageError{err}
	}
	if err := noSuchCommand(c, rest); err != nil {
		return err
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	return c.Help()
}

// wrapArgs turns invalid arguments into usage errors.
func wrapArgs(c *cobra.Command) {
	for _, sub := range c.Commands() {
		wrapArgs(sub)
	}
	if check := c.Args; check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			var usage usageError
			if err := check(cmd, args); errors.As(err, &usage) {
				return err
			} else if err != nil {
				return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
			}
			return nil
		}
	}
}

// usageError is an error in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// quietError ends a command that has already printed its problems.
type quietError struct{ code int }

func (quietError) Error() string { return "" }

// report prints an error and returns the exit code for it.
func report(err error, stderr io.Writer) int {
	var quiet quietError
	var usage usageError
	var busy *store.BusyError
	var problems yamldoc.Problems
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &quiet):
		return quiet.code
	case errors.As(err, &problems):
		printProblems(stderr, problems)
		return exitProblem
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "kindex: interrupted; nothing was published")
		return exitProblem
	}
	fmt.Fprintln(stderr, paint(stderr, color.FgRed, "kindex:"), err)
	switch {
	case errors.As(err, &busy):
		return exitBusy
	case errors.As(err, &usage):
		return exitUsage
	}
	return exitProblem
}

func printProblems(w io.Writer, problems yamldoc.Problems) {
	for _, p := range problems {
		attribute := color.FgRed
		if p.Severity == yamldoc.Warning {
			attribute = color.FgYellow
		}
		fmt.Fprintln(w, paint(w, attribute, p.String()))
	}
	errs, warnings := problems.Count()
	fmt.Fprintf(w, "%s, %s\n", plural.Count(errs, "error", "errors"), plural.Count(warnings, "warning", "warnings"))
}
