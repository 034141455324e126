package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"kindex/builder/scratch"
	"kindex/cmd/kindex/cli"
	"kindex/exports/bucket"
	"kindex/exports/mirror"
	"kindex/exports/sign"
	"kindex/exports/store"
)

// originReport is the report of verify --origin.
type originReport struct {
	verifyReport
	Origin    string          `json:"origin"`
	Signature *sign.Signature `json:"signature"`
}

// originOptions define what kindex verify --origin verifies.
type originOptions struct {
	origin, content string
	keys            verifyKeys
	asJSON          bool
}

// verifyOrigin verifies what is published at an address.
func verifyOrigin(ctx context.Context, w io.Writer, o originOptions, bar *progress) (err error) {
	from, err := bucket.OpenReader(o.origin)
	if err != nil {
		return cli.Usage(fmt.Errorf("--origin: %w", err))
	}
	if len(o.keys) == 0 {
		return cli.Usage(errors.New("--origin needs --verify-key: otherwise, anyone could have published the build"))
	}
	verifiers, err := o.keys.parse()
	if err != nil {
		return err
	}
	folder, err := scratch.New("verify")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	dir := folder.Path
	pulled, err := mirror.Pull(ctx, from, mirror.PullOptions{Dir: dir, Verifiers: verifiers, Progress: bar.step})
	bar.finish()
	if err != nil {
		return withHint(err)
	}
	v, err := verifyBytes(dir, bar)
	if err != nil {
		return err
	}
	if o.content != "" {
		if err := checkCommitted(dir, v.Build); err != nil {
			return err
		}
		if v.Content, err = verifyContent(ctx, o.content, dir); err != nil {
			return err
		}
	}
	r := &originReport{*v, from.String(), pulled.Signature}
	if o.asJSON {
		err = cli.PrintIndentedJSON(w, r)
	} else {
		r.print(w)
	}
	if err == nil && r.Content != nil && len(r.Content.Differs) > 0 {
		err = fmt.Errorf("%s was signed with %s, but does not match %s of %s", r.Build, r.Signature.Key, r.Content.from(), o.content)
	}
	return err
}

// checkCommitted returns an error if a build was not built from a commit.
func checkCommitted(dir, id string) error {
	m, err := store.ReadManifest(filepath.Join(store.BuildsDir(dir), id))
	if err == nil && (m.Commit == "" || m.Dirty) {
		err = fmt.Errorf("%s was built from content that was not committed, so nobody can rebuild it", id)
	}
	return err
}

func (r *originReport) print(w io.Writer) {
	r.verifyReport.print(w)
	printSignature(w, r.Signature)
	if r.Content != nil {
		r.Content.print(w, r.Build)
	}
}
