package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder"
	"kindex/cmd/kindex/cli"
	"kindex/exports/store"
	"kindex/indexes"
)

func verifyCommand() *cobra.Command {
	var content string
	c := &cobra.Command{
		Use: "verify [DIR]", Short: "Check the published build byte by byte",
		Long: `Verify compares every file of the published build and of its search index in DIR with the
SHA-256 in the manifest. With --content, it also rebuilds the content at the build's
commit and as-of time into a temporary folder, and compares every file and the results of
searches. The exit code is 1 if anything differs. To verify a build that is published
elsewhere, get it with kindex pull. See site/docs/security.md.`,
		Example: `  kindex verify .
  kindex verify --content content .`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runVerify(cmd, content, cmp.Or(strings.Join(args, ""), "."))
		},
	}
	c.Flags().StringVar(&content, "content", "", "rebuild this content folder and compare")
	cli.JSONFlag(c)
	return c
}

// verifyReport is the report of verify. --json prints it.
type verifyReport struct {
	Build   string              `json:"build"`
	Files   int                 `json:"files"`
	Bytes   int64               `json:"bytes"`
	Seconds float64             `json:"seconds"`
	Content *builder.Comparison `json:"content"` // null without --content
}

func runVerify(cmd *cobra.Command, content, dir string) (err error) {
	defer cli.RecoverDamaged(dir, &err)
	r, err := verifyBytes(dir, newProgress(cmd.ErrOrStderr()))
	if err != nil {
		return err
	}
	if !cli.AsJSON(cmd) {
		fmt.Fprintf(cmd.OutOrStdout(), "%s is intact: %d files, %s in %.3f s\n", r.Build, r.Files, megabytes(r.Bytes), r.Seconds)
	}
	source := content + " as it is now"
	if content != "" {
		if r.Content, err = builder.Rebuild(cmd.Context(), content, dir); err != nil {
			return err
		}
		if r.Content.Commit != "" {
			source = "commit " + string(r.Content.Commit)
		}
	}
	if err := cli.Print(cmd, r, func(w io.Writer) { r.printContent(w, source) }); err != nil {
		return err
	}
	if r.Content != nil && len(r.Content.Differs) > 0 {
		return fmt.Errorf("%s does not match %s", r.Build, source)
	}
	return nil
}

func verifyBytes(dir string, bar *progress) (*verifyReport, error) {
	id, err := store.Current(dir)
	if _, only := os.Lstat(filepath.Join(dir, store.ManifestFile)); only == nil && errors.Is(err, store.ErrNoBuild) {
		return nil, fmt.Errorf("%s has only some files of a build; run kindex pull --only again, which verifies and repairs them", dir)
	}
	if err != nil {
		return nil, err
	}
	start := time.Now()
	m, err := store.VerifyWithProgress(filepath.Join(store.BuildsDir(dir), id), func(done, total int) { bar.step("verify", done, total) })
	bar.finish()
	if err != nil {
		return nil, err
	}
	x, err := indexes.Verify(indexes.Dir(dir, id), id, m.Index)
	if err != nil {
		return nil, err
	}
	r := &verifyReport{Build: id, Files: len(m.Files) + len(x.Files), Seconds: time.Since(start).Seconds()}
	for _, f := range append(m.Files, x.Files...) {
		r.Bytes += f.Size
	}
	return r, nil
}

func (r *verifyReport) printContent(w io.Writer, source string) {
	c := r.Content
	if c == nil {
		return
	}
	if len(c.Differs) == 0 {
		fmt.Fprintf(w, "%s matches %s as of %s: %d files and the search results are the same\n", r.Build, source, c.AsOf, c.Files)
	}
	for _, line := range c.Differs {
		fmt.Fprintln(w, "differs:", line)
	}
	if c.Hint != "" {
		fmt.Fprintln(w, string(c.Hint))
	}
}
