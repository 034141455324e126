package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"kindex/builder"
)

func validateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "validate [DIR]", Short: "Check a content folder",
		Long: `Validate reads every file of a content folder and prints all problems, each as
file:line:column: field: what is wrong. It exits with 1 if any is an error;
warnings alone are no failure.`,
		Example: "  kindex validate content",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "content"
			if len(args) == 1 {
				dir = args[0]
			}
			collectSeldom(defaultMemoryMiB)
			l, problems, err := builder.LoadContent(dir, nil)
			if err != nil {
				return err
			}
			if len(problems) > 0 {
				printProblems(cmd.OutOrStdout(), problems)
				if n, _ := problems.Count(); n > 0 {
					return quietError{exitProblem}
				}
				return nil
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s and %s, no problems\n", dir,
				plural(len(l.Entities), "entity", "entities"), plural(len(l.Categories), "category", "categories"))
			return nil
		},
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
