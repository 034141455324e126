package collect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/time/rate"

	"kindex/builder/safedial"
	"kindex/exports/safetext"
)

// Request is a request of a source.
type Request struct {
	URL    string
	Body   []byte // JSON to send with POST; nil means GET
	Accept string // "" means application/json
	// Limited, if not nil, reports whether a response with status 200 or 403 says that a limit
	// was reached, for services that say so only in the body.
	Limited func(*Response) bool
	// Missing, if not nil, reports whether a response other than 404 says that there is no such thing.
	Missing func(*Response) bool
}

// Response is the response to a request.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	URL    string // the address that answered, after redirects
}

// JSON decodes the body of a response with status 200.
func (r *Response) JSON(into any) error {
	if r.Status != http.StatusOK {
		return fmt.Errorf("status %d instead of 200", r.Status)
	}
	given := r.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(given)
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return fmt.Errorf("the response is not JSON: its Content-Type is %s", safetext.Quote(given[:min(len(given), 100)]))
	}
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("the response is not the expected JSON: %w", err)
	}
	return nil
}

// StoppedError ends the work of a source early: because of a rate limit that takes too long to
// wait for, or the request budget of the run. What was read is kept, and the next run continues.
type StoppedError struct{ Reason string }

func (e *StoppedError) Error() string { return e.Reason }

// errNotKept is the error for a request that would be needed without a network.
var errNotKept = errors.New("was not kept by an earlier run")

// unavailableError means that a service cannot be reached, or fails whatever the request is.
type unavailableError struct {
	error
	status int // 0 if there was no response
}

func (e *unavailableError) Unwrap() error { return e.error }

const (
	maxBody       = 64 << 20
	maxTries      = 4
	maxRedirects  = 5
	minLimitWait  = time.Minute // if a service does not say how long
	firstBackoff  = time.Second
	maxRetryAfter = 24 * time.Hour
)

// Client sends the requests of a source. It respects rate limits, retries where that helps, and
// adds the token. It is not safe for concurrent use.
type Client struct {
	run     *run
	asking  *asking
	http    http.Client // which sends each request with send
	token   string
	limits  map[string]*rate.Limiter // by host
	blocked time.Duration            // waited so far for limits and failures
	seldom  map[string]bool          // identifiers to ask for seldom columns
}

func (r *run) newClient(a *asking) *Client {
	c := &Client{run: r, asking: a, http: *r.HTTP, limits: map[string]*rate.Limiter{}}
	c.http.Transport, c.http.CheckRedirect = roundTripper(c.send), c.redirect
	if a.Token != "" {
		c.token = strings.TrimSpace(r.Getenv(a.Token))
	}
	return c
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Now returns the time of the run.
func (c *Client) Now() time.Time { return c.run.Clock.Now() }

// Wants reports whether a value of an identifier is used, so that requests for it alone can be
// left out.
func (c *Client) Wants(name, id string) bool {
	return slices.ContainsFunc(c.asking.columns, func(col Column) bool { return col.Name == name && (!col.Seldom || c.seldom[id]) })
}

// Get sends a request and decodes the JSON in the response. It reports whether the service, which errors
// start with, has what was asked for.
func (c *Client) Get(ctx context.Context, service string, r Request, into any) (found bool, err error) {
	resp, err := c.Do(ctx, r)
	if err != nil {
		return false, err
	}
	if resp.Status == http.StatusNotFound || r.Missing != nil && r.Missing(resp) {
		return false, nil
	}
	if err := resp.JSON(into); err != nil {
		return false, fmt.Errorf("%s: %w", service, err)
	}
	return true, nil
}

// Do returns any response that says something about the requested resource: 2xx, 404, 410 and
// other client errors. Failures of the service, and rate limits that would take too long to
// wait for, are errors.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	if u, err := url.Parse(r.URL); err != nil || !c.owns(u) {
		return nil, fmt.Errorf("%s is not an address of %s", r.URL, c.asking.Title)
	}
	held := c.run.kept.response(r)
	if c.run.Offline {
		if held == nil {
			return nil, fmt.Errorf("%s %w", r.URL, errNotKept)
		}
		return held, nil
	}
	backoff, limited := firstBackoff, minLimitWait
	for try := 1; ; try++ {
		resp, err := c.exchange(ctx, r, held)
		var wait time.Duration
		stopped := new(StoppedError)
		switch {
		case errors.As(err, &stopped):
			return nil, stopped
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, safedial.ErrRefused):
			return nil, &unavailableError{err, 0}
		case err != nil || resp.Status >= 500 && resp.Status != http.StatusNotImplemented:
			wait, backoff = retryAfter(resp, c.Now(), backoff), 2*backoff
		case isLimit(resp, r):
			wait, limited = retryAfter(resp, c.Now(), limited), 2*limited
		default:
			return resp, nil
		}
		if try == maxTries {
			status := 0
			if err == nil {
				status, err = resp.Status, fmt.Errorf("%s responded with status %d", c.asking.Title, resp.Status)
			}
			return nil, &unavailableError{fmt.Errorf("%w (%d attempts)", err, try), status}
		}
		if err := c.wait(ctx, wait); err != nil {
			return nil, err
		}
	}
}

func (c *Client) owns(u *url.URL) bool {
	return u.User == nil && slices.ContainsFunc(c.asking.Hosts, func(host string) bool { return sameOrigin(host, u) })
}

func sameOrigin(address string, u *url.URL) bool {
	a, err := url.Parse(address)
	return err == nil && a.Scheme == u.Scheme && strings.EqualFold(a.Host, u.Host)
}

// redirect lets redirects be followed that stay within the hosts of the source.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("redirects more than %d times", maxRedirects)
	case !c.owns(req.URL):
		c.asking.report.Redirects = append(c.asking.report.Redirects, Redirect{last.URL.String(), req.URL.String()})
		return http.ErrUseLastResponse
	case last.Method != http.MethodGet:
		return http.ErrUseLastResponse
	}
	return nil
}

// exchange sends a request, conditional on what is kept of an earlier response, and follows redirects.
func (c *Client) exchange(ctx context.Context, r Request, held *Response) (*Response, error) {
	method, headers := http.MethodGet, map[string]string{"User-Agent": c.run.Agent, "Accept": cmp.Or(r.Accept, "application/json")}
	if r.Body != nil {
		method, headers["Content-Type"] = http.MethodPost, "application/json"
	}
	if held != nil {
		headers["If-None-Match"], headers["If-Modified-Since"] = held.Header.Get("ETag"), held.Header.Get("Last-Modified")
	}
	req, err := http.NewRequestWithContext(ctx, method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	for name, value := range headers {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	got, err := c.http.Do(req)
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		err = fmt.Errorf("%s: %w", wrapped.URL, wrapped.Err)
	}
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	address := got.Request.URL.String()
	body, err := io.ReadAll(io.LimitReader(got.Body, maxBody+1))
	c.asking.report.Bytes += int64(len(body))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: the response ended early: %w", address, err)
	case len(body) > maxBody:
		return nil, fmt.Errorf("%s: the response is larger than %d bytes", address, maxBody)
	case got.StatusCode == http.StatusNotModified && held != nil:
		c.asking.report.NotModified++
		return &Response{Status: held.Status, Header: held.Header, Body: held.Body, URL: address}, nil
	}
	resp := &Response{Status: got.StatusCode, Header: got.Header, Body: body, URL: address}
	return resp, c.run.kept.putResponse(r, resp)
}

// send sends one request when the host may be sent another one.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	l, perSecond, report := c.limits[req.URL.Host], c.asking.PerSecond, &c.asking.report
	if l == nil {
		l = rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond)))
		c.limits[req.URL.Host] = l
	}
	now := c.Now()
	if d := l.ReserveN(now, 1).DelayFrom(now); d > 0 {
		report.Waited += d
		if err := c.run.Clock.Sleep(req.Context(), d); err != nil {
			return nil, err
		}
	}
	if c.run.budget != nil && c.run.budget.Add(-1) < 0 {
		return nil, &StoppedError{"the maximum number of requests for this run has been reached"}
	}
	report.Requests++
	if c.token != "" && sameOrigin(c.asking.Hosts[0], req.URL) {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return c.run.HTTP.Transport.RoundTrip(req)
}

// wait waits because a service said so, or has failed.
func (c *Client) wait(ctx context.Context, d time.Duration) error {
	if c.blocked+d > c.run.MaxWait {
		return &StoppedError{fmt.Sprintf("%s accepts no requests before %s; run again then", c.asking.Title, c.Now().Add(d).UTC().Format("2006-01-02 15:04 UTC"))}
	}
	c.blocked += d
	c.asking.report.Waited += d
	return c.run.Clock.Sleep(ctx, d)
}

// isLimit reports whether a response says that a limit has been reached.
func isLimit(resp *Response, r Request) bool {
	forbidden := resp.Status == http.StatusForbidden
	return resp.Status == http.StatusTooManyRequests ||
		forbidden && (resp.Header.Get("Retry-After") != "" || resp.Header.Get("X-RateLimit-Remaining") == "0") ||
		r.Limited != nil && (forbidden || resp.Status == http.StatusOK) && r.Limited(resp)
}

// retryAfter returns how long a response asks to wait, or other if it does not say: Retry-After,
// X-RateLimit-Reset of GitHub, or t in RateLimit (draft-ietf-httpapi-ratelimit-headers-09).
func retryAfter(resp *Response, now time.Time, other time.Duration) time.Duration {
	if resp == nil {
		return other
	}
	if wait, ok := safedial.RetryAfter(resp.Header, now, maxRetryAfter); ok {
		return wait
	}
	if s, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil && resp.Header.Get("X-RateLimit-Remaining") == "0" {
		return min(max(time.Unix(s, 0).Sub(now), time.Second), maxRetryAfter)
	}
	for part := range strings.SplitSeq(resp.Header.Get("RateLimit"), ";") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(part), "t="); ok && resp.Status == http.StatusTooManyRequests {
			if s, err := strconv.Atoi(text); err == nil && s >= 0 {
				return time.Duration(min(s, int(maxRetryAfter/time.Second))) * time.Second
			}
		}
	}
	return other
}

// requestTimeout limits one request, including the body. Large packages of npm take long.
const requestTimeout = 2 * time.Minute

// NewHTTPClient returns the client for all sources. Every connection goes through guard, except
// one to a proxy that the environment names (HTTPS_PROXY, HTTP_PROXY, NO_PROXY): the proxy is
// the operator's, and then it is the proxy that connects to the source. The client follows no
// redirects.
func NewHTTPClient(guard *safedial.Guard) *http.Client {
	find := httpproxy.FromEnvironment().ProxyFunc()
	var proxies sync.Map // by host and port
	plain := &net.Dialer{Timeout: 10 * time.Second}
	c := guard.WebClient()
	c.Timeout = requestTimeout
	t := c.Transport.(*http.Transport)                                 //nolint:forcetypeassert // it is
	t.ResponseHeaderTimeout, t.DisableCompression = time.Minute, false // the client reads a limited number of bytes
	t.Proxy = func(r *http.Request) (*url.URL, error) {
		u, err := find(r.URL)
		if u != nil {
			port := cmp.Or(u.Port(), map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme], "80")
			proxies.Store(strings.ToLower(net.JoinHostPort(u.Hostname(), port)), true)
		}
		return u, err
	}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if _, ok := proxies.Load(strings.ToLower(address)); ok {
			return plain.DialContext(ctx, network, address)
		}
		return guard.Dial(ctx, network, address)
	}
	return c
}
