package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"kindex/exports/safetext"
)

// Client calls a service's API over HTTP. It is safe for concurrent use.
type Client struct {
	base *url.URL
	key  string
	http *http.Client
}

// maxAnswer is the maximum size of a response.
const maxAnswer = 8 << 20

// NewClient returns a client for the service at an address such as
// https://index.example.org; key can be "".
func NewClient(address, key string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("%s is not the address of a service; use one such as https://index.example.org", safetext.Address(address))
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = DefaultCallTime
	// Do not follow redirects: the key must not be sent to another host.
	return &Client{base: u, key: key, http: &http.Client{Transport: t, Timeout: 2 * DefaultCallTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// Exposed reports whether requests to the service are sent unencrypted over a network.
func (c *Client) Exposed() bool {
	host := c.base.Hostname()
	addr, err := netip.ParseAddr(host)
	return c.base.Scheme == "http" && host != "localhost" && (err != nil || !addr.IsLoopback())
}

// Get implements API.
func (c *Client) Get(ctx context.Context, path string, query url.Values, header http.Header) (int, http.Header, []byte, error) {
	return c.send(ctx, http.MethodGet, path, query, header, nil)
}

// Post sends a JSON body to a path of the API and returns the response if its status is 200.
func (c *Client) Post(ctx context.Context, path string, body []byte) ([]byte, error) {
	status, header, answer, err := c.send(ctx, http.MethodPost, path, nil, http.Header{"Content-Type": {jsonType}}, bytes.NewReader(body))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("error from %s: %w", c.base, explain(status, header, answer))
	}
	return answer, err
}

func (c *Client) send(ctx context.Context, method, path string, query url.Values, header http.Header, body io.Reader) (int, http.Header, []byte, error) {
	u := *c.base
	u.Path += path
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return 0, nil, nil, err
	}
	maps.Copy(req.Header, header)
	req.Header.Set("User-Agent", "kindex-mcp")
	if c.key != "" {
		req.Header.Set("X-Api-Key", c.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("no response from %s: %w", c.base, cause(err))
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, nil, nil, fmt.Errorf("the response from %s was cut off: %w", c.base, cause(err))
	case len(answer) > maxAnswer:
		return 0, nil, nil, fmt.Errorf("the response from %s is larger than %d MiB", c.base, maxAnswer>>20)
	}
	return res.StatusCode, res.Header, answer, nil
}

// cause returns the cause of a net/http error without the address, which the caller adds.
func cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// Check returns an error unless there is a service at the address, this program supports it, and
// it accepts the key. The request does not count towards the limit.
func (c *Client) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	status, header, body, err := c.Get(ctx, "/api/openapi", url.Values{"format": {"json"}}, http.Header{"Accept": {jsonType}})
	if err != nil {
		return err
	}
	if to := header.Get("Location"); status >= 300 && status < 400 && to != "" {
		return fmt.Errorf("%s redirects to %s; use that address", c.base, to)
	}
	if status != http.StatusOK {
		return fmt.Errorf("error from %s: %w", c.base, explain(status, header, body))
	}
	var d struct {
		OpenAPI string `json:"openapi"`
		Paths   map[string]json.RawMessage
	}
	if json.Unmarshal(body, &d) != nil || d.OpenAPI == "" || d.Paths["/api/entity/{type}/{slug}"] == nil {
		return fmt.Errorf("%s is not a kindex service; use its address without a path", c.base)
	}
	return nil
}
