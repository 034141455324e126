package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"kindex/builder"
	"kindex/cmd/kindex/cli"
	"kindex/exports/store"
	"kindex/indexes"
)

// release is set by the Makefile from the repository's state. cmd/dist sets all three: the
// tag, the commit and its time. go build records the latter two itself, but not in every
// working tree.
var release, commit, commitTime string

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// versions is what kindex version --json prints.
type versions struct {
	Version    string  `json:"version"`
	Commit     *string `json:"commit"`     // null if the program was compiled outside a repository
	CommitTime *string `json:"commitTime"` // RFC 3339, UTC
	Dirty      *bool   `json:"dirty"`      // whether there were uncommitted changes
	Builder    string  `json:"builder"`
	Format     int     `json:"format"`
	Mapping    int     `json:"mapping"`
	Go         string  `json:"go"`
	OS         string  `json:"os"`
	Arch       string  `json:"arch"`
}

func programVersions() versions {
	v := versions{Version: version(), Builder: builder.Version, Format: store.FormatVersion, Mapping: indexes.MappingVersion,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if commit != "" {
		v.Commit, v.CommitTime, v.Dirty = &commit, &commitTime, new(bool)
		return v
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = &s.Value
		case "vcs.time":
			v.CommitTime = &s.Value
		case "vcs.modified":
			dirty := s.Value == "true"
			v.Dirty = &dirty
		}
	}
	return v
}

func (v versions) print(w io.Writer) {
	fmt.Fprintf(w, "kindex %s\nbuilder %s, format %d, mapping %d, %s %s/%s\n", v.Version, v.Builder, v.Format, v.Mapping, v.Go, v.OS, v.Arch)
}

func versionCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "version", Short: "Print the versions of the program and its formats",
		Example: "  kindex version\n  kindex version --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := programVersions()
			return cli.Print(cmd, v, v.print)
		},
	}
	cli.JSONFlag(c)
	return c
}

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
