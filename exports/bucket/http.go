package bucket

import (
	"context"
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

// checkRedirect allows redirects to the same server only, and never from https to http: a server must
// not choose which others this machine, which may be in a private network, sends requests to.
func checkRedirect(req *http.Request, via []*http.Request) error {
	from, to := via[len(via)-1].URL, req.URL
	upgrade := from.Scheme == "http" && to.Scheme == "https" && from.Port() == "" && to.Port() == "" && strings.EqualFold(from.Hostname(), to.Hostname())
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("redirected to %s, after too many redirects", safetext.Address(to.String()))
	case !upgrade && (to.Scheme != from.Scheme || !strings.EqualFold(to.Host, from.Host)):
		return fmt.Errorf("redirected to %s, which is not the same server; use that address if it is the right one", safetext.Address(to.String()))
	}
	return nil
}

// String implements Reader.
func (w *web) String() string { return w.base.Redacted() }

// Open implements Reader.
func (w *web) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	address := w.base.JoinPath(strings.Split(name, "/")...)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4096) // so that the connection can be used again
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone {
		return nil, notExist(address.Redacted())
	}
	return nil, fmt.Errorf("%s: the server answered with status %s", address.Redacted(), resp.Status)
}
