package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder"
	"kindex/cmd/kindex/cli"
	"kindex/exports/jsonenc"
	"kindex/exports/store"
	"kindex/indexes"
)

func verifyCommand() *cobra.Command {
	var content string
	var asJSON bool
	var origin originOptions
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
so it cannot be checked: from the second build on, the history differs.

With --origin, you need to trust only the owner of a key: verify downloads the build that
is published at an address into a temporary folder, and checks its signature and the
SHA-256 of every file. With --content as well, the
build must match its commit, so not even the owner of the key can have altered it.

An address is https://HOST/PATH of any web server that serves the files of a bucket, or:
` + bucketHelp,
		Example: `  kindex verify .
  kindex verify --content content .
  kindex verify --origin https://builds.example.org/index --verify-key builds.pub --content content`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if origin.origin != "" {
				if len(args) > 0 {
					return cli.Usage(errors.New("a folder and --origin cannot be combined: verify one or the other"))
				}
				origin.content, origin.asJSON = content, asJSON
				return verifyOrigin(cmd.Context(), cmd.OutOrStdout(), origin, newProgress(cmd.ErrOrStderr()))
			}
			if len(origin.keys) > 0 {
				return cli.Usage(errors.New("--verify-key has no effect without --origin"))
			}
			dir, w := cmp.Or(strings.Join(args, ""), "."), cmd.OutOrStdout()
			r, err := verifyBytes(dir, newProgress(cmd.ErrOrStderr()))
			if err != nil {
				return err
			}
			if !asJSON {
				r.print(w)
			}
			if content != "" {
				if r.Content, err = verifyContent(cmd.Context(), content, dir); err != nil {
					return err
				}
			}
			if asJSON {
				err = cli.PrintIndentedJSON(w, r)
			} else if r.Content != nil {
				r.Content.print(w, r.Build)
			}
			if err == nil && r.Content != nil && len(r.Content.Differs) > 0 {
				err = fmt.Errorf("%s does not match %s", r.Build, r.Content.from())
			}
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&content, "content", "", "rebuild this content folder and compare")
	f.StringVar(&origin.origin, "origin", "", "verify what is published at this address")
	origin.keys.flag(f, "with --origin: the build must be signed with this key")
	cli.JSONFlag(f, &asJSON)
	return c
}

// verifyReport is the report of verify. --json prints it.
type verifyReport struct {
	Build   string         `json:"build"`
	Files   int            `json:"files"`
	Bytes   int64          `json:"bytes"`
	Seconds float64        `json:"seconds"`
	Content *contentReport `json:"content"` // null without --content
}

// contentReport is the comparison with a build of the content.
type contentReport struct {
	Commit  jsonenc.OptionalString `json:"commit"` // null if the folder was used as it is now
	AsOf    string                 `json:"asOf"`
	Files   int                    `json:"files"`
	Differs []string               `json:"differs"` // one sentence each
	Hint    jsonenc.OptionalString `json:"hint"`    // why it may differ

	folder string
}

// verifyBytes compares the published build with its manifest.
func verifyBytes(dir string, bar *progress) (r *verifyReport, err error) {
	defer cli.RecoverDamaged(dir, &err)
	id, err := store.Current(dir)
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
	r = &verifyReport{Build: id, Files: len(m.Files) + len(x.Files), Seconds: time.Since(start).Seconds()}
	for _, f := range append(m.Files, x.Files...) {
		r.Bytes += f.Size
	}
	return r, nil
}

func (r *verifyReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s is intact: %d files, %.1f MB in %.3f s\n", r.Build, r.Files, float64(r.Bytes)/1e6, r.Seconds)
}

// verifyContent compares the published build with one newly built from the content.
func verifyContent(ctx context.Context, content, dir string) (r *contentReport, err error) {
	defer cli.RecoverDamaged(dir, &err)
	c, err := builder.Rebuild(ctx, content, dir)
	if err != nil {
		return nil, err
	}
	m := c.Published
	r = &contentReport{AsOf: m.AsOf, Files: c.Files, Differs: append([]string{}, c.Differs...), folder: content}
	if c.FromCommit {
		r.Commit = m.Commit
	}
	switch {
	case len(r.Differs) == 0:
	case m.Commit == "":
		r.Hint = jsonenc.OptionalString(fmt.Sprintf("The build records no commit: %s may have changed since, and earlier changes are recorded only in the builds.", content))
	case m.Dirty:
		r.Hint = jsonenc.OptionalString(fmt.Sprintf("The build was made with uncommitted changes: kindex cannot tell whether they are still in %s.", content))
	}
	return r, nil
}

// from returns what the build was compared with.
func (r *contentReport) from() string {
	if r.Commit == "" {
		return r.folder + " as it is now"
	}
	return "commit " + string(r.Commit)
}

func (r *contentReport) print(w io.Writer, build string) {
	if len(r.Differs) == 0 {
		fmt.Fprintf(w, "%s matches %s as of %s: %d files and the search results are the same\n", build, r.from(), r.AsOf, r.Files)
	}
	for _, line := range r.Differs {
		fmt.Fprintln(w, "differs:", line)
	}
	if r.Hint != "" {
		fmt.Fprintln(w, string(r.Hint))
	}
}
