package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"kindex/builder"
	"kindex/builder/scratch"
	"kindex/cmd/kindex/cli"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
	"kindex/exports/sign"
	"kindex/exports/store"
	"kindex/indexes"
)

// verifyOptions are the flags of kindex verify.
type verifyOptions struct {
	content string
	origin  bucket.Reader
	keys    []note.Verifier
}

func verifyCommand() *cobra.Command {
	var o verifyOptions
	c := &cobra.Command{
		Use: "verify [DIR]", Short: "Check the published build byte by byte",
		Long: `Verify compares every file of the published build and of its search index in DIR with the
SHA-256 in the manifest. With --content, it also rebuilds the content at the build's
commit and as-of time into a temporary folder, and compares every file and the results of
searches. With --origin, it verifies what is published at an address, which must be
signed with --verify-key. The exit code is 1 if anything differs. See
site/docs/security.md.

An address is https://HOST/PATH of any web server that serves the files of a bucket, or:
` + bucketHelp,
		Example: `  kindex verify .
  kindex verify --content content .
  kindex verify --origin https://builds.example.org/index --verify-key builds.pub --content content`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.origin != nil && len(args) > 0:
				return cli.Usage(errors.New("a folder and --origin cannot be combined: verify one or the other"))
			case o.origin != nil && len(o.keys) == 0:
				return cli.Usage(errors.New("--origin needs --verify-key: otherwise, anyone could have published the build"))
			}
			return o.run(cmd, cmp.Or(strings.Join(args, ""), "."))
		},
	}
	f := c.Flags()
	f.StringVar(&o.content, "content", "", "rebuild this content folder and compare")
	cli.Var(f, &o.origin, "origin", "address", "", "verify what is published at this address", bucket.OpenReader)
	verifyKeyFlag(f, &o.keys, "with --origin: the build must be signed with this key")
	cli.Needs(f, "origin", "verify-key")
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
	// What --origin adds.
	Origin    string          `json:"origin,omitempty"`
	Signature *sign.Signature `json:"signature,omitempty"`

	committed bool // whether it was built from a commit
}

// run verifies the build in a folder, or with --origin the one that is published there.
func (o *verifyOptions) run(cmd *cobra.Command, dir string) (failed error) {
	ctx, bar := cmd.Context(), newProgress(cmd.ErrOrStderr())
	pulled := &mirror.PullResult{}
	origin := ""
	if o.origin != nil {
		folder, err := scratch.New("verify")
		if err != nil {
			return err
		}
		defer func() { failed = errors.Join(failed, folder.Close()) }()
		dir, origin = folder.Path, o.origin.String() // without secrets
		pulled, err = mirror.Pull(ctx, o.origin, mirror.PullOptions{Dir: dir, Verifiers: o.keys, Progress: bar.step})
		if bar.finish(); err != nil {
			return err
		}
	}
	r, err := verifyBytes(dir, bar)
	if err != nil {
		return err
	}
	r.Origin, r.Signature = origin, pulled.Signature
	if !cli.AsJSON(cmd) {
		fmt.Fprintf(cmd.OutOrStdout(), "%s is intact: %d files, %s in %.3f s\n", r.Build, r.Files, megabytes(r.Bytes), r.Seconds)
		printSignature(cmd.OutOrStdout(), r.Signature)
	}
	if o.content != "" {
		if r.Signature != nil && !r.committed {
			return fmt.Errorf("%s was built from content that was not committed, so nobody can rebuild it", r.Build)
		}
		defer cli.RecoverDamaged(dir, &failed)
		if r.Content, err = builder.Rebuild(ctx, o.content, dir); err != nil {
			return err
		}
	}
	err = cli.Print(cmd, r, func(w io.Writer) { o.printContent(w, r) })
	if err != nil || r.Content == nil || len(r.Content.Differs) == 0 {
		return err
	}
	if r.Signature != nil {
		return fmt.Errorf("%s was signed with %s, but does not match %s of %s", r.Build, r.Signature.Key, o.source(r.Content), o.content)
	}
	return fmt.Errorf("%s does not match %s", r.Build, o.source(r.Content))
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
	r = &verifyReport{Build: id, Files: len(m.Files) + len(x.Files), Seconds: time.Since(start).Seconds(), committed: m.Commit != "" && !m.Dirty}
	for _, f := range append(m.Files, x.Files...) {
		r.Bytes += f.Size
	}
	return r, nil
}

// source returns what a build was compared with.
func (o *verifyOptions) source(c *builder.Comparison) string {
	if c.Commit == "" {
		return o.content + " as it is now"
	}
	return "commit " + string(c.Commit)
}

func (o *verifyOptions) printContent(w io.Writer, r *verifyReport) {
	c := r.Content
	if c == nil {
		return
	}
	if len(c.Differs) == 0 {
		fmt.Fprintf(w, "%s matches %s as of %s: %d files and the search results are the same\n", r.Build, o.source(c), c.AsOf, c.Files)
	}
	for _, line := range c.Differs {
		fmt.Fprintln(w, "differs:", line)
	}
	if c.Hint != "" {
		fmt.Fprintln(w, string(c.Hint))
	}
}
