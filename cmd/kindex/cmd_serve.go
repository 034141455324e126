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
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kindex/edge"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/exports/didyoumean"
)

type serveOptions struct {
	dir, addr, admin, logFormat string
	url                         string
	logRequests                 bool
	drain                       time.Duration
	watch                       bool
	state                       string
	limitAnonymous, limitKey    int64
	limitPages                  int
	contact                     string
	trustedProxies              string
	corsOrigins                 []string
	hosts, adminHosts           []string
	forgeOptions
	signIn      signInOptions
	operatorKey string
	webhooks    webhookOptions
	watchOptions
}

func serveCommand() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use: "serve", Short: "Serve the published build over HTTP",
		Long: `Serve verifies and opens the published build and answers /api and /data from
it. When another build is published it moves there without dropping a request;
a damaged build is refused, and the old one goes on being served. SIGTERM lets
requests under way finish.

With --watch it also follows the content folder, for those who work on it: an
edited entity is live at once, and a build of everything follows when the folder
has been quiet for a moment, or when something was committed. A bad edit is shown
with its place, and what was good before goes on being served. Until the build has
followed, answers name it with a "+" and what tells the edits apart; neighbours,
the manifest and its files are still those of the build. These builds refuse no
deletion, and add to the history only what is committed.

Accounts, keys, counters, submissions and webhooks are in the state: a SQLite
file, kindex.db in --dir unless told otherwise, which is made where it is not
there; or a PostgreSQL database that many edges share.

With --signin-github-client or --signin-oidc-client, people sign in at /signin and
get an account with a key. That needs --url, and the client's secret in the
environment: KINDEX_SIGNIN_GITHUB_SECRET or KINDEX_SIGNIN_OIDC_SECRET. The
provider must know the address to send people back to, which is --url with
/signin/github/callback or /signin/oidc/callback behind it.

If --url is a public https address, pages of every website can read the answers.
Otherwise the index is private: only pages on the reader's own machine can, and it
answers only to localhost, IP addresses, the names in --hosts and, on a network, names
that exist only in private networks. --cors-origins names other
websites; with "*" the index is not private.

Health (/healthz), readiness (/readyz) and metrics (/metrics) are on the admin
address, which belongs on a private network.`,
		Example: `  kindex serve --dir . --addr 127.0.0.1:8080
  kindex serve --watch --content content --dir .
  kindex serve --state postgres://kindex@db.example.org/kindex --trusted-proxies 10.0.0.0/8`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd, o) },
	}
	f := c.Flags()
	f.StringVar(&o.dir, "dir", ".", "the folder that build --out wrote")
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "the public address")
	f.StringVar(&o.admin, "admin", "127.0.0.1:8081", `the operator's address, "" for none`)
	f.StringVar(&o.url, "url", "", "the public address, such as https://index.example.org, for links in feeds (default: as the content or else the request has it)")
	f.StringVar(&o.logFormat, "log-format", "text", "text or json")
	f.BoolVar(&o.logRequests, "log-requests", false, "log every request")
	f.DurationVar(&o.drain, "drain", 15*time.Second, "how long requests under way may take after SIGTERM")
	f.StringVar(&o.state, "state", "", "accounts, keys, submissions and webhooks: a SQLite file, or postgres://… (default: kindex.db in --dir)")
	f.Int64Var(&o.limitAnonymous, "limit-anonymous", 20, "requests that an address without a key may make in a UTC day, 0 for no limit, as with --watch unless given")
	f.Int64Var(&o.limitKey, "limit-key", 100, "requests that an account may make in a UTC day unless it has a limit of its own, 0 for no limit")
	f.StringVar(&o.contact, "contact", "", "the address that those who need more can write to")
	f.IntVar(&o.limitPages, "limit-pages", 50, "pages of the website that an IP address may request per second, 0 for no limit; addresses of the machine itself have none")
	f.StringVar(&o.trustedProxies, "trusted-proxies", "", "networks, such as 10.0.0.0/8, whose forwarding headers tell where a request comes from")
	f.StringSliceVar(&o.corsOrigins, "cors-origins", nil, `websites whose pages can read the answers, such as https://app.example.org; "*" for all, or "none" (default: all if --url is a public https address, otherwise those on the reader's own machine)`)
	f.StringSliceVar(&o.hosts, "hosts", nil, "additional host names of a service that not all websites can read, besides localhost, IP addresses and the host of --url")
	f.StringSliceVar(&o.adminHosts, "admin-host", nil, "host names of the admin address, besides localhost and IP addresses")
	o.forgeOptions.flags(f)
	o.signIn.flags(f)
	operatorKeyFlag(f, &o.operatorKey)
	o.webhooks.flags(f)
	f.BoolVar(&o.watch, "watch", false, "follow the content folder: edits are live at once, builds follow")
	o.watchOptions.flags(f)
	return c
}

// servePercent lets more garbage pile up than is usual: an edge's heap is small, since
// what it serves is mapped into memory.
const servePercent = 400

// stateFile is the state unless --state names another.
const stateFile = "kindex.db"

// edgeOptions checks what was given on the command line.
func (o *serveOptions) edgeOptions() (e edge.Options, err error) {
	e = edge.Options{Dir: o.dir, URL: o.url, LogRequests: o.logRequests, Contact: o.contact,
		LimitAnonymous: o.limitAnonymous, LimitKey: o.limitKey, LimitPages: o.limitPages}
	if u, err := url.Parse(o.url); o.url != "" && (err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(o.url, "?#") || u.Scheme != "http" && u.Scheme != "https") {
		return e, usageError{fmt.Errorf("--url %q: use the address that people see, such as https://index.example.org", o.url)}
	}
	if o.limitAnonymous < 0 || o.limitKey < 0 || o.limitPages < 0 {
		return e, usageError{errors.New("a limit is a number of requests, 0 for no limit")}
	}
	if err := o.names(&e); err != nil {
		return e, usageError{err}
	}
	if e.Forge, err = o.forgeOptions.open(); err != nil {
		return e, err
	}
	if e.TrustedProxies, err = ratelimit.ParseTrusted(o.trustedProxies); err != nil {
		return e, usageError{fmt.Errorf("--trusted-proxies: %w", err)}
	}
	if e.SignIn, err = o.signIn.providers(o.url); err != nil {
		return e, usageError{err}
	}
	if err := o.webhooks.apply(&e); err != nil {
		return e, usageError{err}
	}
	return e, nil
}

// names parses the allowed origins and the host names.
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

// openState opens the state and the keys of its secrets.
func (o *serveOptions) openState(cmd *cobra.Command, e *edge.Options) (madeKey string, err error) {
	target := cmp.Or(o.state, filepath.Join(o.dir, stateFile))
	if e.State, err = storage.Open(cmd.Context(), target, storage.Options{Exclusive: true}); err != nil {
		return "", err
	}
	if e.OperatorKeys, madeKey, err = operatorKeys(target, o.operatorKey, true); err == nil {
		err = e.State.CheckSealed(cmd.Context(), e.OperatorKeys)
	}
	if err != nil {
		return "", errors.Join(err, e.State.Close())
	}
	return madeKey, nil
}

func runServe(cmd *cobra.Command, o serveOptions) (failed error) {
	if o.watch && !cmd.Flags().Changed("limit-anonymous") {
		o.limitAnonymous = 0 // whoever works on the content looks at it often
	}
	eo, err := o.edgeOptions()
	if err != nil {
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
		eo.Log.Info("made the operator's key; keep a copy of it apart from those of the state", "file", madeKey)
	}
	if w == nil && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(servePercent)
	}
	if w != nil {
		defer w.follow(cmd.Context(), s)()
	}
	return s.Run(cmd.Context(), edge.Listeners{Addr: o.addr, Admin: o.admin, Drain: o.drain,
		Ready: func(public, admin string) {
			fmt.Fprintf(cmd.OutOrStdout(), "serving http://%s\n", public)
			if admin != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "health and metrics: http://%s\n", admin)
			}
		}})
}

func newLog(w io.Writer, format string) (*slog.Logger, error) {
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, nil)), nil
	}
	formats := []string{"text", "json"}
	return nil, usageError{unknownName("log format", format, formats, didyoumean.Name(format, formats))}
}
