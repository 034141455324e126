package edge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"kindex/edge/ratelimit"
	"kindex/edge/web"
)

// Limits for a connection.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 15 * time.Second
	writeTimeout  = 60 * time.Second // extended for a long response while the client keeps reading
	idleTimeout   = 120 * time.Second
	maxHeaderLen  = 32 << 10
)

// Listeners configure where a server listens and how it stops.
type Listeners struct {
	Addr  string        // address of the public listener
	Admin string        // address of the operator's listener (health, readiness, metrics), or "" if there is none
	Drain time.Duration // how long shutdown waits for requests in progress
	// DrainDelay is how long the server keeps accepting requests after ctx has ended, while it
	// reports that it is not ready. In this time, proxies stop sending it requests.
	DrainDelay time.Duration
	// Ready is called with the addresses once both listeners are open.
	Ready func(public, admin string)
}

// Run listens, follows new builds and serves requests until ctx ends and DrainDelay has passed.
// Then it lets requests in progress finish.
func (s *Server) Run(ctx context.Context, l Listeners) error {
	public, err := net.Listen("tcp", l.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", l.Addr, err)
	}
	var draining atomic.Bool
	limits := ratelimit.NewConnections(s.options.TrustedProxies)
	if s.timeouts.connections != nil {
		limits = *s.timeouts.connections
	}
	servers := []*http.Server{s.httpServer(s)}
	listeners := []net.Listener{limits.Listener(public, servers[0])}
	adminAddr := ""
	if l.Admin != "" {
		admin, err := net.Listen("tcp", l.Admin)
		if err != nil {
			return errors.Join(fmt.Errorf("cannot listen on %s: %w", l.Admin, err), public.Close())
		}
		adminAddr = admin.Addr().String()
		srv := s.httpServer(requireHost(s.options.AdminHosts, s.adminHandler(&draining)))
		servers, listeners = append(servers, srv), append(listeners, limits.ForAdmin().Listener(admin, srv))
	}
	follow, stopFollowing := context.WithCancel(context.Background())
	go s.keepRunning(follow, "following builds", s.Follow)
	waitJobs := s.RunJobs(follow)
	defer func() { // before the caller closes the database
		stopFollowing()
		waitJobs()
	}()
	serveErrs := make(chan error, len(servers))
	for i, srv := range servers {
		go func() { serveErrs <- srv.Serve(listeners[i]) }()
	}
	if s.options.Origins == nil && !s.origins.any {
		s.log.Info("only web pages on the reader's own machine can read this index, because --url is not a public https address; --cors-origins allows other origins, and --hosts adds host names")
	}
	if l.Ready != nil {
		l.Ready(public.Addr().String(), adminAddr)
	}
	select {
	case err := <-serveErrs:
		return err
	case <-ctx.Done():
	}
	draining.Store(true)
	s.log.Info("stopping", "delay", l.DrainDelay, "drain", l.Drain)
	delay := s.timeouts.drainDelay
	if delay == nil {
		delay = time.After(l.DrainDelay)
	}
	select {
	case err := <-serveErrs:
		return err
	case <-delay:
	}
	s.accounts.Dispatch.Stop(l.Drain)
	drainCtx, cancel := context.WithTimeout(context.Background(), l.Drain)
	defer cancel()
	err = servers[0].Shutdown(drainCtx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(fmt.Errorf("requests still in progress after %v were cut off", l.Drain), servers[0].Close())
	}
	for _, srv := range servers[1:] {
		err = errors.Join(err, srv.Close())
	}
	return err
}

// httpServer returns an HTTP server with the limits for connections, which a test may override.
func (s *Server) httpServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: cmp.Or(s.timeouts.header, headerTimeout), ReadTimeout: cmp.Or(s.timeouts.read, readTimeout),
		WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderLen, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn)}
}

// adminHandler returns the handler of the operator's listener. It reveals more than strangers
// should know, so the listener should have a private address.
func (s *Server) adminHandler(draining *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeStatus(w, http.StatusOK, map[string]any{"status": "ok"})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		status := map[string]any{"status": "not ready"}
		if s.puller != nil {
			status["bucket"] = s.puller.Status()
		}
		v := s.reloader.Current()
		if v == nil || draining.Load() {
			writeStatus(w, http.StatusServiceUnavailable, status)
			return
		}
		status["status"], status["build"], status["asOf"] = "ready", v.ID(), v.Build.Manifest.AsOf
		status["state"] = []string{"unreachable", "reachable"}[s.reachable(r.Context())]
		writeStatus(w, http.StatusOK, status)
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.shared.Metrics.Registry, promhttp.HandlerOpts{}))
	return mux
}

func writeStatus(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", web.JSONType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // ignore an error: the client has disconnected
}
