package main

import (
	"context"
	"encoding/json"
	"errors"
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
	dir, url, keyFile, asOf string
	failOn                  []string
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
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runAudit(cmd, o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.dir, "dir", ".", "the folder that build --out wrote")
	f.StringVar(&o.url, "url", "", "query the service at this address instead, such as https://index.example.org")
	f.StringVar(&o.keyFile, "key-file", "", "a file with the key for --url (default: the environment variable "+apiKeyVariable+")")
	o.Flags(c, audit.Formats, "output format: "+strings.Join(audit.Formats, ", "))
	f.StringVar(&o.asOf, "as-of", "", "audit as of this day, YYYY-MM-DD (default: today in UTC, or SOURCE_DATE_EPOCH)")
	f.StringSliceVar(&o.failOn, "fail-on", nil, "exit with 1 if a package or model is any of these, such as retired,dormant,license:AGPL-3.0-only")
	return c
}

func runAudit(cmd *cobra.Command, o auditOptions, files []string) error {
	if err := o.Choose(cmd.Flags(), audit.Formats); err != nil {
		return err
	}
	switch {
	case o.url != "" && cli.OnCommandLine(cmd.Flags(), "dir"):
		return cli.Usage(errors.New("--dir and --url cannot be combined; see kindex audit --help"))
	case o.url == "" && o.keyFile != "":
		return cli.Usage(errors.New("--key-file requires --url: the build in --dir needs no key; see kindex audit --help"))
	}
	asOf, err := cli.ParseAsOf(o.asOf, time.Now())
	if err != nil {
		return err
	}
	policy, err := audit.NewPolicy(asOf.UTC().Format(time.DateOnly), o.failOn)
	if err != nil {
		return cli.Usage(fmt.Errorf("--fail-on: %w", err))
	}
	r, err := auditFiles(cmd, o, files, policy)
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

func auditFiles(cmd *cobra.Command, o auditOptions, files []string, policy *audit.Policy) (r *audit.Report, err error) {
	if o.url != "" {
		s, err := newRemoteIndex(cmd, o)
		if err != nil {
			return nil, err
		}
		return audit.Run(cmd.Context(), s, files, cmd.InOrStdin(), policy)
	}
	defer cli.RecoverDamaged(o.dir, &err)
	b, err := exports.OpenCurrent(o.dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return audit.Run(cmd.Context(), audit.Local{Build: b}, files, cmd.InOrStdin(), policy)
}

// remoteIndex is an index that a service serves.
type remoteIndex struct{ client *mcp.Client }

func newRemoteIndex(cmd *cobra.Command, o auditOptions) (audit.Index, error) {
	key, err := readAPIKey(o.keyFile)
	if err != nil {
		return nil, err
	}
	client, err := mcp.NewClient(o.url, key)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--url: %w", err))
	}
	if key != "" && client.Exposed() {
		fmt.Fprintf(cmd.ErrOrStderr(), "kindex: the key is sent to %s unencrypted; use an https address\n", o.url)
	}
	return remoteIndex{client}, nil
}

// Resolve implements audit.Index.
func (r remoteIndex) Resolve(ctx context.Context, ids []string) ([]byte, error) {
	body, err := json.Marshal(map[string][]string{"ids": ids})
	if err != nil {
		return nil, err
	}
	return r.client.Post(ctx, "/api/resolve", body)
}
