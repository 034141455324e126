package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"kindex/exports"
	"kindex/indexes"
)

func verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "verify [DIR]", Short: "Check the published build byte by byte",
		Long: `Verify reads every file of the published build and of its search index and
compares it with the SHA-256 in the manifest. DIR is the folder that build --out
wrote.`,
		Example: "  kindex verify .",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
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
			fmt.Fprintf(cmd.OutOrStdout(), "%s is intact: %d files, %.1f MB in %.3f s\n", id, len(m.Files)+len(x.Files), float64(bytes)/1e6, took)
			return nil
		},
	}
}
