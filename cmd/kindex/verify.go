package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder"
	"kindex/exports"
	"kindex/indexes"
)

func verifyCommand() *cobra.Command {
	var content string
	c := &cobra.Command{
		Use: "verify [DIR]", Short: "Check the published build byte by byte",
		Long: `Verify reads every file of the published build and of its search index and
compares it with the SHA-256 in the manifest. DIR is the folder that build --out
wrote.

That shows that no byte was altered since the manifest was written, not that the
manifest is true. With --content, verify also builds the content again, at the
build's commit and as-of time, in full and into a temporary folder, and compares the
id and every file. Exit code 1 if anything differs. The bytes of a search index do
not follow from the content: it is compared by what it answers.

A build that was made with changes that were not committed, or from a folder without
git, is compared with the folder as it is now. The history of a folder without git
is in its builds only and cannot be checked: after the first build, it differs.`,
		Example: "  kindex verify .\n  kindex verify --content content .",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			if err := verifyBytes(cmd.OutOrStdout(), dir); err != nil || content == "" {
				return err
			}
			return verifyContent(cmd.Context(), cmd.OutOrStdout(), content, dir)
		},
	}
	c.Flags().StringVar(&content, "content", "", "build this content folder again, and compare")
	return c
}

// verifyBytes compares the published build with its manifest.
func verifyBytes(w io.Writer, dir string) (err error) {
	defer damaged(dir, &err)
	id, err := exports.Current(dir)
	if err != nil {
		return err
	}
	start := time.Now()
	m, err := exports.Verify(filepath.Join(exports.BuildsDir(dir), id))
	if err != nil {
		return err
	}
	x, err := indexes.Verify(indexes.Dir(dir, id), id, m.Index)
	if err != nil {
		return err
	}
	var bytes int64
	for _, f := range append(m.Files, x.Files...) {
		bytes += f.Size
	}
	took := time.Since(start).Seconds()
	fmt.Fprintf(w, "%s is intact: %d files, %.1f MB in %.3f s\n", id, len(m.Files)+len(x.Files), float64(bytes)/1e6, took)
	return nil
}

// verifyContent compares the published build with one that is made from the content.
func verifyContent(ctx context.Context, w io.Writer, content, dir string) (err error) {
	defer damaged(dir, &err)
	c, err := builder.Rebuild(ctx, content, dir)
	if err != nil {
		return err
	}
	m := c.Published
	from := "commit " + string(m.Commit)
	if !c.FromCommit {
		from = content + " as it is now"
	}
	if len(c.Differs) == 0 {
		fmt.Fprintf(w, "%s is what %s gives as of %s: %d files are the same, and search answers alike\n", m.ID, from, m.AsOf, c.Files)
		return nil
	}
	for _, line := range c.Differs {
		fmt.Fprintln(w, "differs:", line)
	}
	switch {
	case m.Commit == "":
		fmt.Fprintf(w, "The build names no commit: %s may have changed since, and what changed before is in the builds only.\n", content)
	case m.Dirty:
		fmt.Fprintf(w, "The build was made with changes that were not committed: whether they are still in %s cannot be told.\n", content)
	}
	return fmt.Errorf("%s is not what %s gives", m.ID, from)
}
