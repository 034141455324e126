package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder/audit"
	"kindex/cmd/kindex/cli"
	"kindex/edge/mcp"
	"kindex/exports"
)

type auditOptions struct {
	serviceOptions
	asOf   cli.AsOf
	failOn []string
}

const aboutAudit = `Audit reads the files that declare a project's packages and models, and shows what the
index knows about them: version, status, maintenance, licence, retirement, successor.
Everything that the files name is listed as known, unknown or unreadable; if anything is
unreadable, the exit code is 1. A folder stands for the files in it that are supported,
and - for standard input.

Supported are the manifests and lock files of Python, conda, JavaScript, Go, Rust and
Java, Dockerfiles, compose files, notebooks, CycloneDX and SPDX, configurations that
name models, and lists of identifiers; site/docs/audit.md names them, and the rules of
--fail-on.

Without --url, it uses the published build in --dir. With --url, it queries that service
with the key in --key-file or KINDEX_API_KEY; a hundred packages count as one request.`

func auditCommand() *cobra.Command {
	var o auditOptions
	c := &cobra.Command{
		Use: "audit FILE|FOLDER|-...", Short: "Find retired and unmaintained tools and models in a project", Long: aboutAudit,
		Example: `  kindex audit requirements.txt
  kindex audit --fail-on retired,dormant,license:AGPL-3.0-only go.mod package.json
  kindex audit .
  kindex audit --url https://index.example.org --format sarif sbom.cdx.json`,
		RunE: func(cmd *cobra.Command, args []string) error { return runAudit(cmd, o, args) },
	}
	f := c.Flags()
	o.flags(f)
	cli.FormatFlags(c, audit.Formats...)
	cli.AsOfFlag(f, &o.asOf, "audit as of this day, YYYY-MM-DD")
	f.StringSliceVar(&o.failOn, "fail-on", nil, "exit with 1 if a package or model is any of these, such as retired,dormant,license:AGPL-3.0-only")
	return c
}

func runAudit(cmd *cobra.Command, o auditOptions, files []string) error {
	client, err := o.client(cmd)
	if err != nil {
		return err
	}
	policy, err := audit.NewPolicy(o.asOf.Time().Format(time.DateOnly), o.failOn)
	if err != nil {
		return cli.Usage(fmt.Errorf("--fail-on: %w", err))
	}
	run := func(x audit.Index) (r *audit.Report, err error) {
		return audit.Run(cmd.Context(), x, files, cmd.InOrStdin(), policy)
	}
	var r *audit.Report
	if client != nil {
		r, err = run(remoteIndex{client})
	} else {
		err = cli.WithBuild(o.dir, func(b *exports.Build) (err error) {
			r, err = run(audit.Local{Build: b})
			return err
		})
	}
	if err != nil {
		return err
	}
	if err := r.Write(cmd.OutOrStdout(), cli.Format(cmd), version()); err != nil {
		return err
	}
	if r.Failed > 0 || r.Unreadable > 0 {
		return cli.ErrReported
	}
	return nil
}

// remoteIndex is an index that a service serves.
type remoteIndex struct{ client *mcp.Client }

// Resolve implements audit.Index.
func (r remoteIndex) Resolve(ctx context.Context, ids []string) ([]byte, error) {
	body, err := json.Marshal(map[string][]string{"ids": ids})
	if err != nil {
		return nil, err
	}
	return r.client.Post(ctx, "/api/resolve", body)
}
