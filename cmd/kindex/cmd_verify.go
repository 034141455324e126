package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder"
	"kindex/exports/store"
	"kindex/indexes"
)

func verifyCommand() *cobra.Command {
	var content string
	c := &cobra.Command{
		Use: "verify [DIR]", Short: "Check the published build byte by byte",
		Long: `Verify reads every file of the published build and of its search index and
compares it with the SHA-256 in the manifest. DIR is the folder that build --out
wrote.

A match shows that no byte has changed since the manifest was written, not that the
manifest is authentic. With --content, verify also rebuilds the content at the build's
commit and as-of time, in full and into a temporary folder, and compares the id and
every file. The exit code is 1 if anything differs. A search index is not reproducible
byte for byte: its results are compared instead.

A build made with uncommitted changes, or from a folder without git, is compared with
the folder as it is now. The history of a folder without git exists only in its builds,
so it cannot be checked: from the second build on, the history differs.`,
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
	c.Flags().StringVar(&content, "content", "", "rebuild this content folder and compare")
	return c
}

// verifyBytes compares the published build with its manifest.
func verifyBytes(w io.Writer, dir string) (err error) {
	defer recoverDamaged(dir, &err)
	id, err := store.Current(dir)
	if err != nil {
		return err
	}
	start := time.Now()
	m, err := store.Verify(filepath.Join(store.BuildsDir(dir), id))
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

// verifyContent compares the published build with one newly built from the content.
func verifyContent(ctx context.Context, w io.Writer, content, dir string) (err error) {
	defer recoverDamaged(dir, &err)
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
		fmt.Fprintf(w, "%s matches %s as of %s: %d files and the search results are the same\n", m.ID, from, m.AsOf, c.Files)
		return nil
	}
	for _, line := range c.Differs {
		fmt.Fprintln(w, "differs:", line)
	}
	switch {
	case m.Commit == "":
		fmt.Fprintf(w, "The build records no commit: %s may have changed since, and earlier changes are recorded only in the builds.\n", content)
	case m.Dirty:
		fmt.Fprintf(w, "The build was made with uncommitted changes: kindex cannot tell whether they are still in %s.\n", content)
	}
	return fmt.Errorf("%s does not match %s", m.ID, from)
}
