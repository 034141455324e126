package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes the manual pages for packages. It is hidden because people who have the
// program read --help.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write the manual pages of all commands into a folder", Hidden: true,
		Long: "Write the manual pages of all commands into a folder, which is created if it is missing.\n" +
			"Their date is SOURCE_DATE_EPOCH, in seconds since 1970, or else today.",
		Example: "  kindex man /usr/local/share/man/man1",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // manual pages are for everybody
				return fmt.Errorf("the manual pages cannot be written: %w", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			asMarkdown(root)
			header := doc.GenManHeader{Section: "1", Source: "kindex " + version(), Manual: "kindex"}
			if err := doc.GenManTree(root, &header, args[0]); err != nil {
				return fmt.Errorf("the manual pages cannot be written: %w", err)
			}
			return nil
		},
	}
}

// asMarkdown makes the indented lines in the descriptions code blocks. Otherwise doc, which
// reads Markdown, would join them into one paragraph.
func asMarkdown(c *cobra.Command) {
	c.Long = strings.ReplaceAll(c.Long, "\n  ", "\n      ")
	for _, sub := range c.Commands() {
		asMarkdown(sub)
	}
}
