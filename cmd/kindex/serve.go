package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"kindex/edge"
	"kindex/exports/nearest"
)

type serveOptions struct {
	dir, addr, admin, logFormat string
	url                         string
	logRequests                 bool
	drain                       time.Duration
	watch                       bool
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
has been quiet for a moment, or when something was committed. A bad edit is shown with its place, and what was
good before goes on being served. Until the build has followed, answers name it
with a "+" and what tells the edits apart; neighbours, the manifest and its files
are still those of the build. These builds refuse no deletion, and add to the
history only what is committed.

Health (/healthz), readiness (/readyz) and metrics (/metrics) are on the admin
address, which belongs on a private network.`,
		Example: `  kindex serve --dir . --addr 127.0.0.1:8080
  kindex serve --watch --content content --dir .`,
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
	f.BoolVar(&o.watch, "watch", false, "follow the content folder: edits are live at once, builds follow")
	o.watchOptions.flags(f)
	return c
}

func runServe(cmd *cobra.Command, o serveOptions) error {
	if u, err := url.Parse(o.url); o.url != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return usageError{fmt.Errorf("--url %q: use the address that people see, such as https://index.example.org", o.url)}
	}
	log, err := newLog(cmd.ErrOrStderr(), o.logFormat)
	if err != nil {
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
	s, err := edge.New(edge.Options{Dir: o.dir, URL: o.url, Log: log, LogRequests: o.logRequests})
	if err != nil {
		return err
	}
	defer s.Close()
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
	return nil, usageError{unknownName("log format", format, formats, nearest.Name(format, formats))}
}
