package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"kindex/cmd/kindex/cli"
	"kindex/cmd/kindex/operator"
	"kindex/edge"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/exports/didyoumean"
	"kindex/exports/safetext"
)

type serveOptions struct {
	dir, addr, admin, logFormat string
	url                         string
	logRequests                 bool
	drain, drainDelay           time.Duration
	watch                       bool
	state                       string
	limitAnonymous, limitKey    int64
	limitPages                  int
	contact                     string
	trustedProxies              string
	corsOrigins                 []string
	hosts, adminHosts           []string
	operator.ForgeOptions
	signIn      signInOptions
	operatorKey string
	webhooks    webhookOptions
	pull        fromOptions
	watchOptions
}

func serveCommand() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use: "serve [DIR]", Short: "Serve the published build over HTTP",
		Long: `Serve verifies and opens the published build and serves the website, /api and /data from
it. When another build is published, it switches to that build without dropping a
request; a damaged build is refused, and the old one stays in service. On SIGTERM,
requests in flight are finished first.

With --watch, edits of the content folder are live at once, and a full build follows.
With --from, builds are pulled from a bucket into --dir; until there is one, requests get
a 503. With --verify-key, only signed builds are served. Accounts, keys, counters,
submissions and webhooks are in --state. People can sign in if --signin-github-client or
--signin-oidc-client is set, with the secret in KINDEX_SIGNIN_GITHUB_SECRET or
KINDEX_SIGNIN_OIDC_SECRET.

Unless --url is a public https address, the index is private: only pages on the reader's
own machine can read responses, and only hosts that exist in private networks are
accepted; see --cors-origins and --hosts. Health (/healthz), readiness (/readyz) and
metrics (/metrics) are on the admin address. See site/docs/operating.md.`,
		Example: `  kindex serve --dir . --addr 127.0.0.1:8080
  kindex serve --watch content --dir .
  kindex serve --from s3://builds/index --dir /var/lib/kindex
  kindex serve --state postgres://kindex@db.example.org/kindex --trusted-proxies 10.0.0.0/8`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !o.watch {
				return cli.Usage(fmt.Errorf("the content folder %q has no effect without --watch; the folder of builds is --dir", args[0]))
			}
			if _, err := cli.TakeContent(cmd, &o.content, args, 0); err != nil {
				return err
			}
			return runServe(cmd, o)
		},
	}
	f := c.Flags()
	dirFlag(f, &o.dir)
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "the address to listen on")
	f.StringVar(&o.admin, "admin", "127.0.0.1:8081", `the admin address, or "" to disable it`)
	f.StringVar(&o.url, "url", "", "the public address, such as https://index.example.org, for links in feeds (default: from the content, or else from the request)")
	f.StringVar(&o.logFormat, "log-format", "text", "log format: text or json")
	f.BoolVar(&o.logRequests, "log-requests", false, "log every request")
	f.DurationVar(&o.drain, "drain", 15*time.Second, "how long in-flight requests may take to finish after SIGTERM")
	f.DurationVar(&o.drainDelay, "drain-delay", 0, "how long to keep accepting requests after SIGTERM while /readyz reports 503, so that proxies notice")
	f.StringVar(&o.state, "state", "", "the state (accounts, keys, submissions and webhooks): a SQLite file, or postgres://… (default: kindex.db in --dir)")
	f.Int64Var(&o.limitAnonymous, "limit-anonymous", 20, "requests without a key per IP address per UTC day, or 0 for no limit (with --watch, there is no limit by default)")
	f.Int64Var(&o.limitKey, "limit-key", 100, "requests per account per UTC day, unless the account has its own limit; 0 for no limit")
	f.StringVar(&o.contact, "contact", "", "contact address for people who need a higher limit")
	f.IntVar(&o.limitPages, "limit-pages", 50, "website pages per IP address per second, 0 for no limit; does not apply to loopback addresses")
	f.StringVar(&o.trustedProxies, "trusted-proxies", "", "networks of the proxies whose forwarding headers are trusted, such as 10.0.0.0/8")
	f.StringSliceVar(&o.corsOrigins, "cors-origins", nil, `websites whose pages can read responses, such as https://app.example.org; "*" for all, or "none" (default: all if --url is a public https address, otherwise those on the reader's own machine)`)
	f.StringSliceVar(&o.hosts, "hosts", nil, "additional host names that a private service accepts, besides localhost, IP addresses and the host of --url")
	f.StringSliceVar(&o.adminHosts, "admin-host", nil, "additional host names that the admin address accepts, besides localhost and IP addresses")
	o.ForgeOptions.Flags(f)
	o.signIn.flags(f)
	operator.KeyFlag(f, &o.operatorKey)
	o.webhooks.flags(f)
	o.pull.flags(f)
	f.BoolVar(&o.watch, "watch", false, "watch the content folder: edits are live at once and built soon afterwards")
	o.watchOptions.flags(f)
	return c
}

// edgeOptions checks the flags and returns the edge's options.
func (o *serveOptions) edgeOptions() (e edge.Options, err error) {
	e = edge.Options{Dir: o.dir, URL: o.url, LogRequests: o.logRequests, Contact: o.contact,
		LimitAnonymous: o.limitAnonymous, LimitKey: o.limitKey, LimitPages: o.limitPages}
	if u, err := url.Parse(o.url); o.url != "" && (err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(o.url, "?#") || u.Scheme != "http" && u.Scheme != "https") {
		return e, cli.Usage(fmt.Errorf("--url %s: use the public address, such as https://index.example.org", safetext.Address(o.url)))
	}
	if o.limitAnonymous < 0 || o.limitKey < 0 || o.limitPages < 0 {
		return e, cli.Usage(errors.New("a limit must be a number of requests, or 0 for no limit"))
	}
	if err := o.names(&e); err != nil {
		return e, cli.Usage(err)
	}
	if e.Forge, err = o.ForgeOptions.Open(); err != nil {
		return e, err
	}
	if e.TrustedProxies, err = ratelimit.ParseTrusted(o.trustedProxies); err != nil {
		return e, cli.Usage(fmt.Errorf("--trusted-proxies: %w", err))
	}
	if e.SignIn, err = o.signIn.providers(o.url); err != nil {
		return e, cli.Usage(err)
	}
	if err := o.webhooks.apply(&e); err != nil {
		return e, cli.Usage(err)
	}
	return e, nil
}

// names parses the flags for allowed origins and host names.
func (o *serveOptions) names(e *edge.Options) (err error) {
	if o.corsOrigins != nil {
		if e.Origins, err = edge.ParseOrigins(o.corsOrigins); err != nil {
			return fmt.Errorf("--cors-origins: %w", err)
		}
	}
	if e.Hosts, err = edge.ParseHosts(o.hosts); err != nil {
		return fmt.Errorf("--hosts: %w", err)
	}
	if e.AdminHosts, err = edge.ParseHosts(o.adminHosts); err != nil {
		return fmt.Errorf("--admin-host: %w", err)
	}
	return nil
}

// openState opens the state and reads the keys that seal its secrets.
func (o *serveOptions) openState(cmd *cobra.Command, e *edge.Options) (madeKey string, err error) {
	if e.Pull.From != nil { // the first start creates the folder
		if err := os.MkdirAll(o.dir, 0o755); err != nil { //nolint:gosec // builds are for everybody
			return "", err
		}
	}
	target := cmp.Or(o.state, filepath.Join(o.dir, operator.StateFile))
	if e.State, err = storage.Open(cmd.Context(), target, storage.Options{Exclusive: true}); err != nil {
		return "", err
	}
	if e.OperatorKeys, madeKey, err = operator.LoadKeys(target, o.operatorKey, true); err == nil {
		err = e.State.CheckSealed(cmd.Context(), e.OperatorKeys)
	}
	if err != nil {
		return "", errors.Join(err, e.State.Close())
	}
	return madeKey, nil
}

// secretFiles returns the files that hold secrets and have names of the user's choice.
func (o *serveOptions) secretFiles() (files []string) {
	if o.state != "" && !storage.IsPostgreSQL(o.state) {
		files = append(files, o.state)
	}
	if o.operatorKey != "" {
		files = append(files, o.operatorKey)
	}
	return files
}

func runServe(cmd *cobra.Command, o serveOptions) (failed error) {
	if o.watch && !cmd.Flags().Changed("limit-anonymous") {
		o.limitAnonymous = 0 // people who edit content reload pages often
	}
	eo, err := o.edgeOptions()
	if err != nil {
		return err
	}
	if err := o.pull.apply(&eo, cmd.Flags(), o.watch); err != nil {
		return err
	}
	if eo.Log, err = newLog(cmd.ErrOrStderr(), o.logFormat); err != nil {
		return err
	}
	var w *watching
	if o.watch {
		if w, err = startWatching(cmd, o.watchOptions, o.dir); err != nil {
			return err
		}
	} else if err := o.watchOptions.unused(cmd.Flags()); err != nil {
		return err
	}
	warnOfSecrets(cmd.Context(), cmd.ErrOrStderr(), o.dir, o.secretFiles()...)
	madeKey, err := o.openState(cmd, &eo)
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, eo.State.Close()) }()
	s, err := edge.New(eo)
	if err != nil {
		return err
	}
	defer s.Close()
	if madeKey != "" {
		eo.Log.Info("created the operator's key; keep a copy, separate from backups of the state", "file", madeKey)
	}
	if w != nil {
		defer w.follow(cmd.Context(), s)()
	}
	err = s.Run(cmd.Context(), edge.Listeners{Addr: o.addr, Admin: o.admin, Drain: o.drain, DrainDelay: o.drainDelay,
		Ready: func(public, admin string) {
			fmt.Fprintf(cmd.OutOrStdout(), "serving http://%s\n", public)
			if admin != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "health and metrics: http://%s\n", admin)
			}
		}})
	if errors.Is(err, syscall.EADDRINUSE) {
		err = fmt.Errorf("%w; use another address with --addr, or --admin for the admin address", err)
	}
	return err
}

func newLog(w io.Writer, format string) (*slog.Logger, error) {
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, nil)), nil
	}
	formats := []string{"text", "json"}
	return nil, cli.Usage(cli.UnknownName("log format", format, formats, didyoumean.Name(format, formats)))
}
