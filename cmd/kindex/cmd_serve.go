package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/builder/gitlog"
	"kindex/builder/safedial"
	"kindex/cmd/kindex/cli"
	"kindex/cmd/kindex/operator"
	"kindex/edge"
	"kindex/edge/auth"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/exports/bucket"
	"kindex/exports/safetext"
)

type serveOptions struct {
	edge.Options
	listeners   edge.Listeners
	logFormat   string
	watch       bool
	state       string
	operatorKey string
	corsOrigins []string
	forge       operator.ForgeOptions
	guard       safedial.Options // of webhooks
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
			if _, err := cli.TakeContent(cmd, &o.Content, args, 0); err != nil {
				return err
			}
			return runServe(cmd, o)
		},
	}
	o.flags(c)
	return c
}

func (o *serveOptions) flags(c *cobra.Command) {
	f := c.Flags()
	dirFlag(f, &o.Dir)
	f.StringVar(&o.listeners.Addr, "addr", "127.0.0.1:8080", "the address to listen on")
	f.StringVar(&o.listeners.Admin, "admin", "127.0.0.1:8081", `the admin address, or "" to disable it`)
	cli.Var(f, &o.URL, "url", "url", "", "the public address, such as https://index.example.org, for links in feeds (default: from the content, or else from the request)", publicAddress)
	cli.ChoiceVar(c, &o.logFormat, "log-format", "text", "log format: text or json", []string{"text", "json"})
	f.BoolVar(&o.LogRequests, "log-requests", false, "log every request")
	f.DurationVar(&o.listeners.Drain, "drain", 15*time.Second, "how long in-flight requests may take to finish after SIGTERM")
	f.DurationVar(&o.listeners.DrainDelay, "drain-delay", 0, "how long to keep accepting requests after SIGTERM while /readyz reports 503, so that proxies notice")
	f.StringVar(&o.state, "state", "", "the state (accounts, keys, submissions and webhooks): a SQLite file, or postgres://… (default: kindex.db in --dir)")
	f.Int64Var(&o.LimitAnonymous, "limit-anonymous", 20, "requests without a key per IP address per UTC day, or 0 for no limit (with --watch, there is no limit by default)")
	cli.AtLeast(f, &o.LimitAnonymous, "limit-anonymous", 0)
	f.Int64Var(&o.LimitKey, "limit-key", 100, "requests per account per UTC day, unless the account has its own limit; 0 for no limit")
	cli.AtLeast(f, &o.LimitKey, "limit-key", 0)
	f.StringVar(&o.Contact, "contact", "", "contact address for people who need a higher limit")
	f.IntVar(&o.LimitPages, "limit-pages", 50, "website pages per IP address per second, 0 for no limit; does not apply to loopback addresses")
	cli.AtLeast(f, &o.LimitPages, "limit-pages", 0)
	cli.Var(f, &o.TrustedProxies, "trusted-proxies", "networks", "", "networks of the proxies whose forwarding headers are trusted, such as 10.0.0.0/8", ratelimit.ParseTrusted)
	f.StringSliceVar(&o.corsOrigins, "cors-origins", nil, `websites whose pages can read responses, such as https://app.example.org; "*" for all, or "none" (default: all if --url is a public https address, otherwise those on the reader's own machine)`)
	cli.ListVar(f, &o.Hosts, "hosts", "names", "additional host names that a private service accepts, besides localhost, IP addresses and the host of --url", edge.ParseHost)
	cli.ListVar(f, &o.AdminHosts, "admin-host", "names", "additional host names that the admin address accepts, besides localhost and IP addresses", edge.ParseHost)
	o.forge.Flags(f)
	operator.KeyFlag(f, &o.operatorKey)
	o.signInFlags(f)
	o.webhookFlags(f)
	o.pullFlags(f)
	f.BoolVar(&o.watch, "watch", false, "watch the content folder: edits are live at once and built soon afterwards")
	o.watchOptions.flags(f)
}

func (o *serveOptions) signInFlags(f *pflag.FlagSet) {
	f.StringVar(&o.SignIn.GitHub.Client, "signin-github-client", "", "client ID of a GitHub OAuth app for signing in")
	f.StringVar(&o.SignIn.GitHub.URL, "signin-github-url", "", "address of a GitHub Enterprise server (default https://github.com)")
	f.StringVar(&o.SignIn.GitHub.API, "signin-github-api", "", "address of the GitHub API (default: the usual address for --signin-github-url)")
	f.StringVar(&o.SignIn.OIDC.Issuer, "signin-oidc-issuer", "", "address of an OpenID Connect provider for signing in")
	f.StringVar(&o.SignIn.OIDC.Client, "signin-oidc-client", "", "client ID at the OpenID Connect provider")
}

// webhookFlags define which addresses webhooks may use, and how often each host is called.
func (o *serveOptions) webhookFlags(f *pflag.FlagSet) {
	cli.ListVar(f, &o.guard.Allow, "webhook-allow", "networks", "networks (10.0.0.0/8) and addresses with a port (127.0.0.1:8443) that webhooks may use even if they are not public or not on port 443", safedial.ParseException)
	cli.ListVar(f, &o.guard.Deny, "webhook-deny", "networks", "networks (203.0.113.0/24), addresses and host names (example.org, including all subdomains) that are never called, even if --webhook-allow allows them", safedial.ParseDenial)
	cli.ListVar(f, &o.guard.NAT64, "webhook-nat64", "prefixes", "NAT64 prefixes (64:ff9b::/96) of this network: addresses with these prefixes are checked as the IPv4 addresses that they represent", safedial.ParseNAT64)
	f.Float64Var(&o.guard.HostRate, "webhook-host-rate", safedial.DefaultHostRate, "maximum delivery attempts per second to one host, across all webhooks of all accounts; 0 for no limit")
	cli.Between(f, &o.guard.HostRate, "webhook-host-rate", 0, 1e6)
	f.BoolVar(&o.WebhookChallenge, "webhook-challenge", false, "register a webhook only if its endpoint answers a challenge")
}

// pullFlags define where an edge pulls builds from, and which ones it accepts.
func (o *serveOptions) pullFlags(f *pflag.FlagSet) {
	cli.Var(f, &o.Pull.From, "from", "address", "", "pull builds into --dir from this address, and serve them: s3://BUCKET/PREFIX, https://HOST/PATH or file:FOLDER", bucket.OpenReader)
	cli.Excludes(f, "from", "watch", "--from serves builds from a bucket, and --watch builds a content folder")
	intervalFlag(f, &o.Pull.Interval, "from")
	verifyKeyFlag(f, &o.Verifiers, "serve only builds that are signed with this key")
	cli.Excludes(f, "verify-key", "watch", "--watch builds a content folder, and does not sign the builds")
	f.BoolVar(&o.Pull.AllowOlder, "allow-older", false, "with --from: accept a build that is older than the last one that was accepted in --dir")
	cli.Needs(f, "from", "allow-older")
}

func publicAddress(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(text, "?#") || u.Scheme != "http" && u.Scheme != "https" {
		err = fmt.Errorf("%s is not a public address, such as https://index.example.org", safetext.Address(text))
	}
	return text, err
}

// complete sets the options of the edge that do not follow from a single flag.
func (o *serveOptions) complete(cmd *cobra.Command) (err error) {
	if o.watch {
		o.Pull.From = nil
		if !cmd.Flags().Changed("limit-anonymous") {
			o.LimitAnonymous = 0 // people who edit content reload pages often
		}
	}
	if o.corsOrigins != nil {
		if o.Origins, err = edge.ParseOrigins(o.corsOrigins); err != nil {
			return cli.Usage(fmt.Errorf("--cors-origins: %w", err))
		}
	}
	// Secrets come from the environment, because every user of the machine can read command lines. Without a
	// client, a secret is ignored.
	if o.SignIn.GitHub != (auth.GitHub{}) {
		o.SignIn.GitHub.Secret = os.Getenv("KINDEX_SIGNIN_GITHUB_SECRET")
	}
	if o.SignIn.OIDC != (auth.OIDC{}) {
		o.SignIn.OIDC.Secret = os.Getenv("KINDEX_SIGNIN_OIDC_SECRET")
	}
	if o.SignIn.URL = o.URL; o.SignIn.Configured() {
		if err := o.SignIn.Check(); err != nil {
			return cli.Usage(err)
		}
	}
	if o.guard.HostRate == 0 {
		o.guard.HostRate = -1
	}
	o.Guard = safedial.New(o.guard)
	o.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	if o.logFormat == "json" {
		o.Log = slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))
	}
	o.Forge, err = o.forge.Open()
	return err
}

// openState opens the state and reads the keys that seal its secrets.
func (o *serveOptions) openState(cmd *cobra.Command) (madeKey string, err error) {
	if o.Pull.From != nil { // the first start creates the folder
		if err := os.MkdirAll(o.Dir, 0o755); err != nil { //nolint:gosec // builds are for everybody
			return "", err
		}
	}
	target := cmp.Or(o.state, filepath.Join(o.Dir, operator.StateFile))
	if o.State, err = storage.Open(cmd.Context(), target, storage.Options{Exclusive: true}); err != nil {
		return "", err
	}
	if o.OperatorKeys, madeKey, err = operator.LoadKeys(target, o.operatorKey, true); err == nil {
		err = o.State.CheckSealed(cmd.Context(), o.OperatorKeys)
	}
	if err != nil {
		return "", errors.Join(err, o.State.Close())
	}
	return madeKey, nil
}

func runServe(cmd *cobra.Command, o serveOptions) (failed error) {
	if err := o.complete(cmd); err != nil {
		return err
	}
	var w *watching
	if o.watch {
		var err error
		if w, err = startWatching(cmd, o.watchOptions, o.Dir); err != nil {
			return err
		}
	}
	var chosen []string // names of secret files
	for _, file := range []string{o.state, o.operatorKey} {
		if file != "" && !storage.IsPostgreSQL(file) {
			chosen = append(chosen, filepath.Base(file))
		}
	}
	warnOfSecrets(cmd.Context(), cmd.ErrOrStderr(), o.Dir, chosen...)
	madeKey, err := o.openState(cmd)
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, o.State.Close()) }()
	s, err := edge.New(o.Options)
	if err != nil {
		return err
	}
	if madeKey != "" {
		o.Log.Info("created the operator's key; keep a copy, separate from backups of the state", "file", madeKey)
	}
	if w != nil {
		defer w.follow(cmd.Context(), s)()
	}
	o.listeners.Ready = func(public, admin string) {
		fmt.Fprintf(cmd.OutOrStdout(), "serving http://%s\n", public)
		if admin != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "health and metrics: http://%s\n", admin)
		}
	}
	return s.Run(cmd.Context(), o.listeners)
}

// warnOfSecrets prints a warning if git tracks a key or a database of the service, which can have one of
// names. An error is no reason not to serve or build, so it is printed too.
func warnOfSecrets(ctx context.Context, w io.Writer, dir string, names ...string) {
	found, err := gitlog.TrackedSecrets(ctx, dir, names...)
	if err != nil {
		fmt.Fprintf(w, "warning: could not check whether git tracks keys or databases: %v\n", err)
	}
	if len(found) == 0 {
		return
	}
	for i, name := range found {
		found[i] = safetext.Printable(name)
	}
	fmt.Fprintf(w, "warning: git tracks %s: keys and databases are secret. Run git rm --cached for each, list it in .gitignore, "+
		"and replace the keys in it if the repository was ever shared, because git keeps its earlier versions.\n", strings.Join(found, ", "))
}
