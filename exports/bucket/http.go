package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kindex/exports/safetext"
)

// web reads objects from a web server that serves the files of a bucket.
type web struct {
	base   *url.URL
	client *http.Client
}

// Limits for requests.
const (
	headerTimeout = 30 * time.Second
	readTimeout   = time.Minute     // for a small object
	attempts      = 4               // requests for one object, if the server fails
	firstDelay    = time.Second / 4 // before the second request; it doubles each time
	maxRedirects  = 5
)

func openWeb(u *url.URL) (*web, error) {
	if u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s is not the address of published builds; expected https://HOST/PATH", safetext.Address(u.String()))
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = headerTimeout
	return &web{base: u, client: &http.Client{Transport: transport, CheckRedirect: checkRedirect}}, nil
}

// redirectError means that a server redirected a reader to where it does not go.
type redirectError struct{ to, why string }

// Error implements error.
func (e *redirectError) Error() string { return "redirected to " + e.to + ", " + e.why }

// checkRedirect allows redirects to the same server only, and never from https to http: a server must
// not choose which others this machine, which may be in a private network, sends requests to.
func checkRedirect(req *http.Request, via []*http.Request) error {
	from, to := via[len(via)-1].URL, req.URL
	upgrade := from.Scheme == "http" && to.Scheme == "https" && from.Port() == "" && to.Port() == "" && strings.EqualFold(from.Hostname(), to.Hostname())
	switch {
	case len(via) > maxRedirects:
		return &redirectError{safetext.Address(to.String()), "after too many redirects"}
	case !upgrade && (to.Scheme != from.Scheme || !strings.EqualFold(to.Host, from.Host)):
		return &redirectError{safetext.Address(to.String()), "which is not the same server; use that address if it is the right one"}
	}
	return nil
}

// String implements Reader.
func (w *web) String() string { return w.base.Redacted() }

// Read implements Reader.
func (w *web) Read(ctx context.Context, name string, limit int64, known string) ([]byte, string, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	resp, err := w.get(ctx, name, known)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	data, err := readLimited(resp.Body, w.String()+"/"+name, limit)
	return data, resp.Header.Get("ETag"), err
}

// Open implements Reader.
func (w *web) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	resp, err := w.get(ctx, name, "")
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// get requests an object. It repeats a request that fails or that the server answers with a status
// of 429 or from 500 on. The caller closes the body.
func (w *web) get(ctx context.Context, name, known string) (*http.Response, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	for n, delay := 1, firstDelay; ; n, delay = n+1, 2*delay {
		resp, again, err := w.request(ctx, name, known)
		if !again || n == attempts {
			return resp, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		case <-time.After(delay):
		}
	}
}

// request sends one request. again reports whether another one may succeed.
func (w *web) request(ctx context.Context, name, known string) (resp *http.Response, again bool, err error) {
	address := w.base.JoinPath(strings.Split(name, "/")...)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, false, err
	}
	if known != "" {
		req.Header.Set("If-None-Match", known)
	}
	if resp, err = w.client.Do(req); err != nil {
		var redirected *redirectError
		return nil, !errors.As(err, &redirected), err
	}
	if resp.StatusCode == http.StatusOK {
		return resp, false, nil
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4096) // so that the connection can be used again
	_ = resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusNotModified:
		return nil, false, ErrUnchanged
	case http.StatusNotFound, http.StatusGone:
		return nil, false, notExist(address.Redacted())
	}
	again = resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500
	return nil, again, fmt.Errorf("%s: the server answered with status %s", address.Redacted(), resp.Status)
}
