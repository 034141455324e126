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
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"kindex/builder/safedial"
	"kindex/exports/safetext"
)

// Client sends the requests of a source. It respects rate limits, retries where that helps, and
// adds the token.
type Client interface {
	// Do returns any response that says something about the requested resource: 2xx, 404, 410 and
	// other client errors. Failures of the service, and rate limits that would take too long to
	// wait for, are errors.
	Do(ctx context.Context, r Request) (*Response, error)
	// Now returns the time of the run.
	Now() time.Time
	// Wants reports whether a value of an identifier is used, so that requests for it alone can be
	// left out.
	Wants(name, id string) bool
}

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
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return fmt.Errorf("the response is not JSON: its Content-Type is %s", safetext.Quote(shorten(r.Header.Get("Content-Type"))))
	}
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("the response is not the expected JSON: %w", err)
	}
	return nil
}

// Get sends a request and decodes the JSON in the response. It reports whether the service, which errors
// start with, has what was asked for.
func Get(ctx context.Context, c Client, service string, r Request, into any) (found bool, err error) {
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

func shorten(s string) string {
	return s[:min(len(s), 100)]
}

// StoppedError ends the work of a source early: because of a rate limit that takes too long to
// wait for, or the request budget of the run. What was read is kept, and the next run continues.
type StoppedError struct{ Reason string }

func (e *StoppedError) Error() string { return e.Reason }

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

// client is the Client of one source. It is not safe for concurrent use.
type client struct {
	info     Info
	columns  []Column
	http     *http.Client
	clock    Clock
	token    string
	limits   map[string]*rate.Limiter // by host
	cache    *httpCache
	maxWait  time.Duration // for limits and failures, all together
	blocked  time.Duration // waited so far for limits and failures
	requests *atomic.Int64 // left for all sources together; nil if there is no limit
	agent    string
	offline  bool
	seldom   map[string]bool // identifiers to ask for seldom columns

	stats SourceReport // the counters of requests
}

// Now implements Client.
func (c *client) Now() time.Time { return c.clock.Now() }

// Wants implements Client.
func (c *client) Wants(name, id string) bool {
	return slices.ContainsFunc(c.columns, func(col Column) bool { return col.Name == name && (!col.Seldom || c.seldom[id]) })
}

// Do implements Client.
func (c *client) Do(ctx context.Context, r Request) (*Response, error) {
	if !c.own(r.URL) {
		return nil, fmt.Errorf("%s is not an address of %s", r.URL, c.info.Title)
	}
	held := c.cache.get(r)
	switch {
	case c.offline && held != nil:
		return held, nil
	case c.offline:
		return nil, fmt.Errorf("%s was not kept by an earlier run", r.URL)
	}
	backoff, limited := firstBackoff, minLimitWait
	for try := 1; ; try++ {
		resp, err := c.follow(ctx, r, held)
		wait, again := time.Duration(0), false
		switch {
		case errors.As(err, new(*StoppedError)) || ctx.Err() != nil:
			return nil, err
		case errors.Is(err, safedial.ErrRefused):
			return nil, &unavailableError{err, 0}
		case err != nil || resp.Status >= 500 && resp.Status != http.StatusNotImplemented:
			wait, again, backoff = retryAfter(resp, c.clock.Now(), backoff), true, 2*backoff
		case isLimit(resp, r):
			wait, again, limited = retryAfter(resp, c.clock.Now(), limited), true, 2*limited
		}
		if !again {
			return resp, nil
		}
		if try == maxTries {
			status := 0
			if err == nil {
				status, err = resp.Status, fmt.Errorf("%s responded with status %d", c.info.Title, resp.Status)
			}
			return nil, &unavailableError{fmt.Errorf("%w (%d attempts)", err, try), status}
		}
		if err := c.wait(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// own reports whether an address belongs to the source.
func (c *client) own(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	for _, h := range c.info.Hosts {
		if b, err := url.Parse(h); err == nil && b.Scheme == u.Scheme && strings.EqualFold(b.Host, u.Host) {
			return true
		}
	}
	return false
}

// follow sends a request, and follows redirects within the hosts of the source.
func (c *client) follow(ctx context.Context, r Request, held *Response) (*Response, error) {
	address := r.URL
	for range maxRedirects {
		resp, err := c.send(ctx, r, address, held)
		if err != nil {
			return nil, err
		}
		location := resp.Header.Get("Location")
		if resp.Status < 300 || resp.Status > 399 || location == "" || r.Body != nil {
			return resp, nil
		}
		from, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		to, wrong := from.Parse(location)
		if wrong != nil || !c.own(to.String()) {
			c.stats.Redirects = append(c.stats.Redirects, Redirect{address, location})
			return &Response{Status: resp.Status, Header: resp.Header, URL: address}, nil //nolint:nilerr // the source reports the status
		}
		address, held = to.String(), nil
	}
	return nil, fmt.Errorf("%s redirects more than %d times", r.URL, maxRedirects)
}

// send sends one request.
func (c *client) send(ctx context.Context, r Request, address string, held *Response) (*Response, error) {
	req, err := c.request(ctx, r, address, held)
	if err != nil {
		return nil, err
	}
	if err := c.pace(ctx, req.URL.Host); err != nil {
		return nil, err
	}
	if c.requests != nil && c.requests.Add(-1) < 0 {
		return nil, &StoppedError{"the maximum number of requests for this run has been reached"}
	}
	c.stats.Requests++
	got, err := c.http.Do(req)
	if err != nil {
		return nil, plain(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(io.LimitReader(got.Body, maxBody+1))
	c.stats.Bytes += int64(len(body))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: the response ended early: %w", address, err)
	case len(body) > maxBody:
		return nil, fmt.Errorf("%s: the response is larger than %d bytes", address, maxBody)
	case got.StatusCode == http.StatusNotModified && held != nil:
		c.stats.NotModified++
		c.cache.touch(r)
		return &Response{Status: held.Status, Header: held.Header, Body: held.Body, URL: address}, nil
	}
	resp := &Response{Status: got.StatusCode, Header: got.Header, Body: body, URL: address}
	if err := c.cache.put(r, resp); err != nil {
		return nil, err
	}
	return resp, nil
}

// request returns a request, conditional on what is kept of an earlier response.
func (c *client) request(ctx context.Context, r Request, address string, held *Response) (*http.Request, error) {
	headers := map[string]string{"User-Agent": c.agent, "Accept": cmp.Or(r.Accept, "application/json")}
	method := http.MethodGet
	var body io.Reader
	if r.Body != nil {
		method, body, headers["Content-Type"] = http.MethodPost, bytes.NewReader(r.Body), "application/json"
	}
	if held != nil {
		headers["If-None-Match"], headers["If-Modified-Since"] = held.Header.Get("ETag"), held.Header.Get("Last-Modified")
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	if first, err := url.Parse(c.info.Hosts[0]); err == nil && c.token != "" && req.URL.Host == first.Host && req.URL.Scheme == first.Scheme {
		headers["Authorization"] = "Bearer " + c.token
	}
	for name, value := range headers {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	return req, nil
}

// plain returns an error of http.Client without the address, whose query might be long.
func plain(err error) error {
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		return fmt.Errorf("%s: %w", wrapped.URL, wrapped.Err)
	}
	return err
}

// pace waits until the host may be sent another request.
func (c *client) pace(ctx context.Context, host string) error {
	l := c.limits[host]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(c.info.PerSecond), max(1, int(c.info.PerSecond)))
		c.limits[host] = l
	}
	now := c.clock.Now()
	if d := l.ReserveN(now, 1).DelayFrom(now); d > 0 {
		c.stats.Waited += d
		return c.clock.Sleep(ctx, d)
	}
	return nil
}

// wait waits because a service said so, or has failed.
func (c *client) wait(ctx context.Context, d time.Duration) error {
	if c.blocked+d > c.maxWait {
		return &StoppedError{fmt.Sprintf("%s accepts no requests before %s; run again then", c.info.Title, c.clock.Now().Add(d).UTC().Format("2006-01-02 15:04 UTC"))}
	}
	c.blocked += d
	c.stats.Waited += d
	return c.clock.Sleep(ctx, d)
}

// isLimit reports whether a response says that a limit has been reached: 429, or 403 with the
// headers of a limit, or what the source recognizes.
func isLimit(resp *Response, r Request) bool {
	if resp.Status == http.StatusTooManyRequests {
		return true
	}
	if resp.Status == http.StatusForbidden && (resp.Header.Get("Retry-After") != "" || resp.Header.Get("X-RateLimit-Remaining") == "0") {
		return true
	}
	return r.Limited != nil && (resp.Status == http.StatusOK || resp.Status == http.StatusForbidden) && r.Limited(resp)
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
