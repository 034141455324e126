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
	"kindex/builder/scratch"
	"kindex/cmd/kindex/cli"
	"kindex/exports/bucket"
	"kindex/exports/jsonenc"
	"kindex/exports/mirror"
	"kindex/exports/sign"
	"kindex/exports/store"
	"kindex/indexes"
)

// verifyOptions are the flags of kindex verify.
type verifyOptions struct {
	content, origin string
	keys            verifyKeys
	asJSON          bool
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
			case o.origin != "" && len(args) > 0:
				return cli.Usage(errors.New("a folder and --origin cannot be combined: verify one or the other"))
			case o.origin == "" && len(o.keys) > 0:
				return cli.Usage(errors.New("--verify-key has no effect without --origin"))
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmp.Or(strings.Join(args, ""), "."), newProgress(cmd.ErrOrStderr()))
		},
	}
	f := c.Flags()
	f.StringVar(&o.content, "content", "", "rebuild this content folder and compare")
	f.StringVar(&o.origin, "origin", "", "verify what is published at this address")
	o.keys.flag(f, "with --origin: the build must be signed with this key")
	cli.JSONFlag(f, &o.asJSON)
	return c
}

// verifyReport is the report of verify. --json prints it.
type verifyReport struct {
	Build   string         `json:"build"`
	Files   int            `json:"files"`
	Bytes   int64          `json:"bytes"`
	Seconds float64        `json:"seconds"`
	Content *contentReport `json:"content"` // null without --content
	// What --origin adds.
	Origin    string          `json:"origin,omitempty"`
	Signature *sign.Signature `json:"signature,omitempty"`

	committed bool // whether it was built from a commit
}

// run verifies the build in a folder, or with --origin the one that is published there.
func (o *verifyOptions) run(ctx context.Context, w io.Writer, dir string, bar *progress) (err error) {
	var signature *sign.Signature
	if o.origin != "" {
		folder, failed := scratch.New("verify")
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, folder.Close()) }()
		dir = folder.Path
		if signature, err = o.pull(ctx, dir, bar); err != nil {
			return err
		}
	}
	r, err := verifyBytes(dir, bar)
	if err != nil {
		return err
	}
	r.Origin, r.Signature = o.origin, signature
	if !o.asJSON {
		fmt.Fprintf(w, "%s is intact: %d files, %.1f MB in %.3f s\n", r.Build, r.Files, float64(r.Bytes)/1e6, r.Seconds)
		printSignature(w, signature)
	}
	if o.content != "" {
		if signature != nil && !r.committed {
			return fmt.Errorf("%s was built from content that was not committed, so nobody can rebuild it", r.Build)
		}
		if r.Content, err = verifyContent(ctx, o.content, dir); err != nil {
			return err
		}
	}
	if o.asJSON {
		err = cli.PrintIndentedJSON(w, r)
	} else if r.Content != nil {
		r.Content.print(w, r.Build)
	}
	if err == nil && r.Content != nil && len(r.Content.Differs) > 0 {
		err = fmt.Errorf("%s does not match %s", r.Build, r.Content.from())
		if signature != nil {
			err = fmt.Errorf("%s was signed with %s, but does not match %s of %s", r.Build, signature.Key, r.Content.from(), o.content)
		}
	}
	return err
}

// pull pulls the build at the address into a folder.
func (o *verifyOptions) pull(ctx context.Context, dir string, bar *progress) (*sign.Signature, error) {
	from, err := bucket.OpenReader(o.origin)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--origin: %w", err))
	}
	o.origin = from.String() // without secrets
	if len(o.keys) == 0 {
		return nil, cli.Usage(errors.New("--origin needs --verify-key: otherwise, anyone could have published the build"))
	}
	verifiers, err := o.keys.parse()
	if err != nil {
		return nil, err
	}
	pulled, err := mirror.Pull(ctx, from, mirror.PullOptions{Dir: dir, Verifiers: verifiers, Progress: bar.step})
	if bar.finish(); err != nil {
		return nil, withHint(err)
	}
	return pulled.Signature, nil
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
	r = &verifyReport{Build: id, Files: len(m.Files) + len(x.Files), Seconds: time.Since(start).Seconds(), committed: m.Commit != "" && !m.Dirty}
	for _, f := range append(m.Files, x.Files...) {
		r.Bytes += f.Size
	}
	return r, nil
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
