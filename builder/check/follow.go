package check

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"kindex/builder/safedial"
)

const (
	maxRedirects = 10
	maxTries     = 3        // of one request that a host limits
	maxBody      = 64 << 10 // bytes of a page that are read; the rest is not needed
	limitWait    = time.Minute
	maxLimitWait = 24 * time.Hour
)

type verdict int

const (
	unclear verdict = iota
	alive
	dead
	unchecked
)

type result struct {
	verdict verdict
	status  int
	reason  string
	final   bool // GET would have the same result as HEAD
}

// check follows a link with HEAD and, unless that is answered, with GET: many servers refuse HEAD,
// or answer it wrongly. The error is that of ctx.
func (c *checker) check(ctx context.Context, address string) (result, error) {
	r, err := c.follow(ctx, http.MethodHead, address)
	if err != nil || r.final || r.verdict == alive || r.verdict == unchecked {
		return r, err
	}
	return c.follow(ctx, http.MethodGet, address)
}

// follow sends a request and follows redirects. Some sites redirect to set a cookie, so cookies
// are kept until the last one.
func (c *checker) follow(ctx context.Context, method, address string) (result, error) {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		return result{}, err
	}
	client := *c.HTTP
	client.Jar = jar
	for range maxRedirects + 1 {
		u := webAddress(address)
		if u == nil {
			return result{verdict: dead, reason: "leads to an address that is neither https nor http", final: true}, nil
		}
		status, location, err := c.send(ctx, &client, method, u)
		if err != nil {
			return judgeError(ctx, err)
		}
		if status < 300 || status > 399 || location == "" {
			return judgeStatus(status), nil
		}
		next, err := u.Parse(location)
		if err != nil {
			return judgeError(ctx, err)
		}
		address = next.String()
	}
	return result{verdict: dead, reason: fmt.Sprintf("redirects more than %d times", maxRedirects), final: true}, nil
}

// webAddress parses an address, without credentials. It returns nil if a browser could not follow
// it.
func webAddress(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil
	}
	u.User = nil
	return u
}

// send sends a request, again if the host says that a limit has been reached. It returns the
// status of the response, and its header Location.
func (c *checker) send(ctx context.Context, client *http.Client, method string, u *url.URL) (status int, location string, err error) {
	host := strings.ToLower(u.Host)
	for try := 1; ; try++ {
		if err := c.admit(ctx, host); err != nil {
			return 0, "", err
		}
		req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
		if err != nil {
			return 0, "", err
		}
		req.Header.Set("User-Agent", c.Agent)
		req.Header.Set("Accept", "text/html,*/*;q=0.8")
		resp, err := client.Do(req)
		if err != nil {
			return 0, "", err
		}
		_, _ = io.CopyN(io.Discard, resp.Body, maxBody) // a page that ends early is there all the same
		_ = resp.Body.Close()
		limited := resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != ""
		again := false
		if limited && try < maxTries {
			wait, ok := safedial.RetryAfter(resp.Header, c.Clock.Now(), maxLimitWait)
			if !ok {
				wait = limitWait
			}
			if again, err = c.pause(ctx, host, wait); err != nil {
				return 0, "", err
			}
		}
		if !again {
			return resp.StatusCode, resp.Header.Get("Location"), nil
		}
	}
}

func judgeStatus(status int) result {
	r := result{status: status, reason: strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status)))}
	switch {
	case status < 400:
		r.verdict = alive
	case status == http.StatusNotFound || status == http.StatusGone:
		r.verdict = dead
	case status == http.StatusTooManyRequests:
		r.final = true
	}
	return r
}

// judgeError judges a request without a response. The error is that of ctx.
func judgeError(ctx context.Context, err error) (result, error) {
	if ctx.Err() != nil {
		return result{}, ctx.Err()
	}
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		err = wrapped.Err // without the address
	}
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	r := result{reason: err.Error()}
	switch {
	case errors.Is(err, errBudget):
		r.verdict = unchecked
	case errors.Is(err, errClosed), errors.Is(err, safedial.ErrRefused):
		r.final = true
	case errors.As(err, &name) && name.IsNotFound:
		r.verdict, r.reason, r.final = dead, "the host does not exist", true
	case errors.As(err, &certificate):
		r.verdict, r.reason, r.final = dead, "the certificate is not valid: "+certificate.Err.Error(), true
	}
	return r, nil
}
