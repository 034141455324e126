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
)

// httpReader reads objects from a web server that serves the files of a bucket.
type httpReader struct {
	base   *url.URL
	client *http.Client
}

// Time limits for one object. Objects have at most tens of megabytes.
const (
	headerTimeout = 30 * time.Second
	objectTimeout = 5 * time.Minute
	attempts      = 4               // requests for one object, if the server fails
	firstDelay    = time.Second / 4 // before the second request; it doubles each time
)

func openHTTP(u *url.URL) (*httpReader, error) {
	if u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not the address of published builds; expected https://HOST/PATH", u.Redacted())
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = headerTimeout
	return &httpReader{base: u, client: &http.Client{Transport: transport, Timeout: objectTimeout, CheckRedirect: checkRedirect}}, nil
}

// redirectError means that a server redirected a reader to where it does not go.
type redirectError struct{ to, why string }

// Error implements error.
func (e *redirectError) Error() string { return "redirected to " + e.to + ", " + e.why }

// maxRedirects is the maximum number of redirects for one object.
const maxRedirects = 5

// checkRedirect allows redirects to the same server only, and never from https to http: a server must
// not choose which others this machine, which may be in a private network, sends requests to.
func checkRedirect(req *http.Request, via []*http.Request) error {
	from, to := via[len(via)-1].URL, req.URL
	upgrade := from.Scheme == "http" && to.Scheme == "https" && from.Port() == "" && to.Port() == "" && strings.EqualFold(from.Hostname(), to.Hostname())
	switch {
	case len(via) > maxRedirects:
		return &redirectError{to.Redacted(), "after too many redirects"}
	case !upgrade && (to.Scheme != from.Scheme || !strings.EqualFold(to.Host, from.Host)):
		return &redirectError{to.Redacted(), "which is not the same server; use that address if it is the right one"}
	}
	return nil
}

// String implements Reader.
func (w *httpReader) String() string { return w.base.Redacted() }

// Read implements Reader. It repeats a request that fails or that the server answers with a status
// of 429 or from 500 on.
func (w *httpReader) Read(ctx context.Context, name string, limit int64, known string) (data []byte, tag string, err error) {
	if err := checkName(name); err != nil {
		return nil, "", err
	}
	delay := firstDelay
	for n := 1; ; n++ {
		var retry bool
		data, tag, retry, err = w.read(ctx, name, limit, known)
		if !retry || n == attempts || ctx.Err() != nil {
			return data, tag, err
		}
		select {
		case <-ctx.Done():
			return nil, "", errors.Join(err, ctx.Err())
		case <-time.After(delay):
			delay *= 2
		}
	}
}

// read sends one request. retry reports whether another one may succeed.
func (w *httpReader) read(ctx context.Context, name string, limit int64, known string) (data []byte, tag string, retry bool, err error) {
	address := w.base.JoinPath(strings.Split(name, "/")...)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, "", false, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	if known != "" {
		req.Header.Set("If-None-Match", known)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		var redirected *redirectError
		return nil, "", !errors.As(err, &redirected), err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified && known != "":
		return nil, known, false, ErrUnchanged
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone:
		return nil, "", false, notExist(address.Redacted())
	case resp.StatusCode != http.StatusOK:
		_, _ = io.CopyN(io.Discard, resp.Body, 4096) // so that the connection can be used again
		retry = resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500
		return nil, "", retry, fmt.Errorf("%s: the server answered with status %s", address.Redacted(), resp.Status)
	}
	if resp.ContentLength > limit {
		return nil, "", false, &TooLongError{address.Redacted(), limit}
	}
	data, err = readLimited(resp.Body, address.Redacted(), limit)
	var tooLong *TooLongError
	return data, resp.Header.Get("ETag"), err != nil && !errors.As(err, &tooLong), err
}
