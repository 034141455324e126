package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/exports/didyoumean"
)

// The annotations of flags.
const (
	fromEnvironment = "kindex_environment" // a variable has set it
	needsFlag       = "kindex_needs"
	excludesFlag    = "kindex_excludes"
)

// Needs states that flags have no effect without another one.
func Needs(f *pflag.FlagSet, other string, names ...string) {
	for _, name := range names {
		_ = f.SetAnnotation(name, needsFlag, []string{other}) // fails only if the flag is unknown
	}
}

// Excludes states that a flag cannot be combined with another one, and why.
func Excludes(f *pflag.FlagSet, name, other, why string) {
	_ = f.SetAnnotation(name, excludesFlag, []string{other, why})
}

// FlagError returns the usage error for flags that cannot be parsed.
func FlagError(cmd *cobra.Command, err error) error {
	near := ""
	if invalid := new(pflag.InvalidValueError); errors.As(err, &invalid) {
		if explained, ok := valueError("--"+invalid.GetFlag().Name, err); ok {
			return Usage(explained)
		}
	}
	if unknown := new(pflag.NotExistError); errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if name := didyoumean.Name(unknown.GetSpecifiedName(), names); name != "" {
			near = fmt.Sprintf(" (did you mean --%s?)", name)
		}
	}
	return Usage(fmt.Errorf("%w%s; see %s --help", err, near, cmd.CommandPath()))
}

// CheckLine sets the flags that are missing from a command line from the environment, and checks the flags and
// the arguments. With --json, which is for programs, there are no colors and no progress.
func CheckLine(cmd *cobra.Command, args []string) error {
	if err := ApplyEnvironment(cmd); err != nil {
		return err
	}
	if AsJSON(cmd) {
		setPlain(cmd.OutOrStdout())
		setPlain(cmd.ErrOrStderr())
	}
	if err := checkArgs(cmd, args); err != nil {
		return Usage(fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
	}
	_, err := sourceDate()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err != nil || !OnCommandLine(cmd.Flags(), f.Name) {
			return
		}
		for _, other := range f.Annotations[needsFlag] {
			if o := cmd.Flags().Lookup(other); !o.Changed {
				err = fmt.Errorf("--%s has no effect without --%s", f.Name, other)
			}
		}
		if e := f.Annotations[excludesFlag]; e != nil && OnCommandLine(cmd.Flags(), e[0]) {
			err = fmt.Errorf("--%s and --%s cannot be combined: %s", f.Name, e[0], e[1])
		}
	})
	if err != nil {
		return Usage(err)
	}
	return nil
}

// usageWord matches a word in a usage line: one in brackets, or one without spaces.
var usageWord = regexp.MustCompile(`\[[^\]]*\]|\{[^}]*\}|\S+`)

// checkArgs checks the arguments against the usage line of a command, such as
// "publish --to ADDRESS" or "pull ADDRESS [DIR]". A command itself checks arguments in braces.
func checkArgs(cmd *cobra.Command, args []string) error {
	words := usageWord.FindAllString(cmd.Use, -1)[1:]
	known, more := 0, false
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch flag, isFlag := strings.CutPrefix(word, "--"); {
		case isFlag:
			if i++; cmd.Flags().Lookup(flag).Value.String() == "" {
				return fmt.Errorf("%s is required", word)
			}
		case strings.HasPrefix(word, "{"):
			more = true
		case !strings.HasPrefix(word, "[") && known >= len(args):
			return fmt.Errorf("missing argument: %s", strings.TrimSuffix(word, "..."))
		default:
			known++
			more = more || strings.HasSuffix(strings.TrimSuffix(word, "]"), "...")
		}
	}
	if len(args) > known && !more {
		return fmt.Errorf("unexpected argument %q", args[known])
	}
	return nil
}

// Variable returns the name of the environment variable that sets a flag.
func Variable(flag string) string {
	return "KINDEX_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// ApplyEnvironment sets each flag of a command that is missing from the command line to the value
// of its variable, if that variable is set.
func ApplyEnvironment(cmd *cobra.Command) (failed error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := Variable(f.Name)
		var err error
		value, ok := os.LookupEnv(name)
		if f.Changed || !ok || f.Name == "help" || f.Name == "version" {
			return
		}
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[fromEnvironment] = []string{name}
		err, ok = valueError(name, cmd.Flags().Set(f.Name, value))
		if err != nil && !ok {
			err = fmt.Errorf("%s=%q: %w", name, value, err)
		}
		if err != nil && failed == nil {
			failed = Usage(err)
		}
	})
	return failed
}

// OnCommandLine reports whether the command line sets a flag. Variables may be meant for other
// commands.
func OnCommandLine(f *pflag.FlagSet, name string) bool {
	flag := f.Lookup(name)
	return flag.Changed && flag.Annotations[fromEnvironment] == nil
}

// ContentFlag adds --content, whose value can also be an argument; see TakeContent.
func ContentFlag(f *pflag.FlagSet, dir *string) {
	f.StringVar(dir, "content", "content", "the content folder")
}

// TakeContent takes the content folder from the n-th argument, if there is one, and returns the others.
func TakeContent(cmd *cobra.Command, dir *string, args []string, n int) ([]string, error) {
	if len(args) <= n {
		return args, nil
	}
	if OnCommandLine(cmd.Flags(), "content") {
		return nil, Usage(fmt.Errorf("--content and the argument %q cannot be combined; see %s --help", args[n], cmd.CommandPath()))
	}
	*dir = args[n]
	return slices.Delete(slices.Clone(args), n, n+1), nil
}

// TakeContentBefore is like TakeContent for a command whose first argument can also be something else: it
// is taken only if it is a folder with files that only a content folder has.
func TakeContentBefore(cmd *cobra.Command, dir *string, args []string) ([]string, error) {
	if len(args) == 0 || OnCommandLine(cmd.Flags(), "content") {
		return args, nil
	}
	for _, name := range []string{"index.yaml", "categories.yaml", "scoring.yaml"} {
		if _, err := os.Stat(filepath.Join(args[0], name)); err == nil {
			return TakeContent(cmd, dir, args, 0)
		}
	}
	return args, nil
}
