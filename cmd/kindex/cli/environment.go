package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// fromEnvironment marks flags that a variable has set.
const fromEnvironment = "kindex_environment"

// Variable returns the name of the environment variable that sets a flag.
func Variable(flag string) string {
	return "KINDEX_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// ApplyEnvironment sets each flag of a command that is missing from the command line to the value
// of its variable, if that variable is set.
func ApplyEnvironment(cmd *cobra.Command) (failed error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := Variable(f.Name)
		value, ok := os.LookupEnv(name)
		if f.Changed || !ok || f.Name == "help" || f.Name == "version" {
			return
		}
		f.Annotations = map[string][]string{fromEnvironment: {name}}
		if err := cmd.Flags().Set(f.Name, value); err != nil && failed == nil {
			failed = Usage(fmt.Errorf("%s=%q: %w", name, value, err))
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
