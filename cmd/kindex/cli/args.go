package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageWord matches a word in a usage line: one in brackets, or one without spaces.
var usageWord = regexp.MustCompile(`\[[^\]]*\]|\{[^}]*\}|\S+`)

// CheckArgs checks the number of arguments against the usage line of a command, such as
// "pull ADDRESS [DIR]". An argument in braces is checked by the command itself.
func CheckArgs(cmd *cobra.Command, args []string) error {
	words := usageWord.FindAllString(cmd.Use, -1)[1:]
	known := 0
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case strings.HasPrefix(word, "--"):
			i++ // the value of a flag
		case strings.HasPrefix(word, "{"):
			return nil
		case !strings.HasPrefix(word, "[") && known >= len(args):
			return Usage(fmt.Errorf("missing argument: %s; see %s --help", strings.TrimSuffix(word, "..."), cmd.CommandPath()))
		case strings.HasSuffix(strings.TrimSuffix(word, "]"), "..."):
			return nil
		default:
			known++
		}
	}
	if len(args) > known {
		return Usage(fmt.Errorf("unexpected argument %q; see %s --help", args[known], cmd.CommandPath()))
	}
	return nil
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
