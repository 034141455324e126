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
	return &httpReader{base: u, client: &http.Client{Transport: transport, Timeout: objectTimeout}}, nil
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
		return nil, "", true, err
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
