package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kindex/builder/audit"
	"kindex/cmd/kindex/cli"
	"kindex/edge/mcp"
	"kindex/exports"
)

type auditOptions struct {
	cli.FormatOptions
	serviceOptions
	asOf   string
	failOn []string
}

const aboutAudit = `Audit reads the files that declare a project's packages and models, and shows what the
index knows about them: the latest version with its date, status, maintenance, licence, retirement
and successor. Everything that the files name is listed as known, unknown or unreadable. If
anything is unreadable, the rest is still read, but the exit code is 1.

It reads these files, all of them in a folder and those below it, or standard input (-):
  Python      requirements.txt (with the files that it includes), pyproject.toml, pylock.toml,
              setup.cfg, poetry.lock, uv.lock, pdm.lock, Pipfile, Pipfile.lock
  conda       environment.yml, conda.yaml, pixi.toml, exported lists (*.txt)
  JavaScript  package.json, package-lock.json, npm-shrinkwrap.json, pnpm-lock.yaml,
              pnpm-workspace.yaml, yarn.lock, bun.lock, deno.json, deno.lock
  others      go.mod, Cargo.toml, Cargo.lock, pom.xml, build.gradle, libs.versions.toml,
              Dockerfile, compose.yaml, *.ipynb
  bills of    CycloneDX (*.json, *.xml), SPDX (*.json, *.spdx), package URLs in the JSON of
  materials   other programs
  models      LiteLLM and promptfoo (*.yaml), .env, "model" in other JSON, YAML and TOML
  lists       *.txt with identifiers: names of models, package URLs, addresses, namespace:id

A model is also found by its name without a prefix, a region, a date or the like; what was left
out is shown. Credentials in addresses are neither shown nor sent.

Without --url, it uses the published build in --dir. With --url, it queries that service,
using the key in --key-file or in the environment variable KINDEX_API_KEY, if any; each
hundred packages count as one request.

--fail-on lists what fails the audit, with exit code 1:
  retired      withdrawn, or the retirement date has been reached
  retiring     retires on a later day
  deprecated   deprecated, by its status or its deprecation date
  archived     the repository is archived
  dormant      no commit for a year, or archived
  license:ID   licensed under ID, such as license:AGPL-3.0-only

--format github prints workflow commands that make GitHub Actions show each issue at its
line in a pull request, and appends the report to $GITHUB_STEP_SUMMARY. --format sarif
prints SARIF 2.1.0, for code scanning.`

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
	o.Flags(c, audit.Formats, "output format: "+strings.Join(audit.Formats, ", "))
	f.StringVar(&o.asOf, "as-of", "", "audit as of this day, YYYY-MM-DD (default: today in UTC, or SOURCE_DATE_EPOCH)")
	f.StringSliceVar(&o.failOn, "fail-on", nil, "exit with 1 if a package or model is any of these, such as retired,dormant,license:AGPL-3.0-only")
	return c
}

func runAudit(cmd *cobra.Command, o auditOptions, files []string) error {
	if err := o.Choose(cmd.Flags(), audit.Formats); err != nil {
		return err
	}
	client, err := o.client(cmd)
	if err != nil {
		return err
	}
	asOf, err := cli.ParseAsOf(o.asOf, time.Now())
	if err != nil {
		return err
	}
	policy, err := audit.NewPolicy(asOf.UTC().Format(time.DateOnly), o.failOn)
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
		err = withBuild(o.dir, func(b *exports.Build) (err error) {
			r, err = run(audit.Local{Build: b})
			return err
		})
	}
	if err != nil {
		return err
	}
	if err := r.Write(cmd.OutOrStdout(), o.Format, version()); err != nil {
		return err
	}
	if r.Failed > 0 || r.Unreadable > 0 {
		return cli.Quiet(cli.ExitProblem)
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
