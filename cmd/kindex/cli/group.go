package cli

import "github.com/spf13/cobra"

// Group returns a command that only has subcommands.
func Group(c *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	c.Args = NoSuchCommand
	c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	c.AddCommand(subcommands...)
	return c
}
