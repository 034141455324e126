package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"kindex/exports/safetext"
)

// Client calls a service's API. It is safe for concurrent use.
type Client struct {
	base *url.URL
	key  string
	http http.Client
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
	return &Client{base: u, key: key, http: http.Client{Transport: t, Timeout: 2 * DefaultCallTime, CheckRedirect: noRedirect}}, nil
}

// NewLocalClient returns a client for a service in this process.
func NewLocalClient(service http.RoundTripper) *Client {
	return &Client{base: &url.URL{Scheme: "http", Host: "localhost"}, http: http.Client{Transport: service, CheckRedirect: noRedirect}}
}

// noRedirect keeps a client from following redirects: the key must not be sent to another host.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Exposed reports whether requests to the service are sent unencrypted over a network.
func (c *Client) Exposed() bool {
	return c.base.Scheme == "http" && !safetext.Loopback(c.base.Hostname())
}

// response is a response of the API, which may be an error or a redirect.
type response struct {
	status int
	header http.Header
	body   []byte
}

// get requests a path, which is not escaped. It returns an error only if the call itself failed.
func (c *Client) get(ctx context.Context, path string, query url.Values) (response, error) {
	return c.send(ctx, http.MethodGet, path, query, nil)
}

// Post sends a JSON body to a path of the API and returns the response if its status is 200.
func (c *Client) Post(ctx context.Context, path string, body []byte) ([]byte, error) {
	r, err := c.send(ctx, http.MethodPost, path, nil, body)
	if err == nil && r.status != http.StatusOK {
		err = fmt.Errorf("error from %s: %w", c.base, r.explain())
	}
	return r.body, err
}

func (c *Client) send(ctx context.Context, method, path string, query url.Values, body []byte) (r response, err error) {
	u := *c.base
	u.Path += path
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return r, err
	}
	req.Header.Set("User-Agent", "kindex-mcp")
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("X-Api-Key", c.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return r, fmt.Errorf("no response from %s: %w", c.base, cause(err))
	}
	defer res.Body.Close()
	r = response{status: res.StatusCode, header: res.Header}
	r.body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return r, fmt.Errorf("the response from %s was cut off: %w", c.base, cause(err))
	case len(r.body) > maxAnswer:
		return r, fmt.Errorf("the response from %s is larger than %d MiB; use a smaller limit", c.base, maxAnswer>>20)
	}
	return r, nil
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
	r, err := c.get(ctx, "/api/openapi", url.Values{"format": {"json"}})
	if err != nil {
		return err
	}
	var d struct {
		OpenAPI string `json:"openapi"`
		Paths   map[string]json.RawMessage
	}
	switch to := r.header.Get("Location"); {
	case to != "" && r.status >= 300 && r.status < 400:
		return fmt.Errorf("%s redirects to %s; use that address", c.base, to)
	case r.status != http.StatusOK:
		return fmt.Errorf("error from %s: %w", c.base, r.explain())
	case json.Unmarshal(r.body, &d) != nil || d.OpenAPI == "" || d.Paths["/api/entity/{type}/{slug}"] == nil:
		return fmt.Errorf("%s is not a kindex service; use its address without a path", c.base)
	}
	return nil
}

// read decodes what the API has at a path. It follows a redirect to the current address of an entity or a
// leaderboard. Error messages are written for the model.
func (c *Client) read(ctx context.Context, path string, query url.Values, into any) error {
	r, err := c.get(ctx, path, query)
	if to := r.movedTo(); err == nil && to != "" && to != path {
		r, err = c.get(ctx, to, query)
	}
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &callError{text: "The index did not respond in time. Try again with a smaller limit."}
	case err != nil:
		return &callError{text: "The index cannot be reached: " + err.Error() + "."}
	}
	if r.body = visibleJSON(r.body); r.status != http.StatusOK {
		return r.explain()
	}
	if err := json.Unmarshal(r.body, into); err != nil {
		return notUnderstood(path)
	}
	return nil
}

func notUnderstood(path string) error {
	return &callError{text: "The response from " + path + " is not in a format that this program understands."}
}

// movedTo returns the path of the current address of an entity or a leaderboard, or "" if the response is
// not a redirect to one. Only the path is used, so no redirect can lead to another host.
func (r *response) movedTo() string {
	u, err := url.Parse(r.header.Get("Location"))
	if err != nil || r.status != http.StatusMovedPermanently && r.status != http.StatusPermanentRedirect ||
		!strings.HasPrefix(u.Path, "/api/entity/") && !strings.HasPrefix(u.Path, "/api/leaderboard/") || strings.Contains(u.Path, "..") {
		return ""
	}
	return u.Path
}

// jsonString matches a string in a JSON document.
var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// visibleJSON returns a JSON document without the hidden characters in its strings, since
// otherwise a model would read what people cannot see. Invalid JSON is rejected later.
func visibleJSON(body []byte) []byte {
	if !bytes.Contains(body, []byte(`\`)) && !safetext.Contains(string(body)) {
		return body
	}
	return jsonString.ReplaceAllFunc(body, func(quoted []byte) []byte {
		var text string
		if json.Unmarshal(quoted, &text) != nil || !safetext.Contains(text) {
			return quoted
		}
		return []byte(encode(safetext.OneLine(text)))
	})
}

// callError is an error that tells the model, in whole sentences, why a call failed.
type callError struct {
	text  string
	field string // the parameter that the API refuses, "" if there is none or a suggestion for it
}

func (e *callError) Error() string { return e.text }

// explain describes what went wrong and what to do about it.
func (r *response) explain() error {
	type problem struct { // RFC 9457
		Detail, Code, Suggestion, RequestID string
		Errors                              []struct{ Field string }
	}
	var p problem
	mediaType, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err := json.Unmarshal(r.body, &p); err != nil || p.Detail == "" || !strings.HasSuffix(mediaType, "json") {
		p = problem{Detail: fmt.Sprintf("The index returned %d %s.", r.status, http.StatusText(r.status))}
	}
	text := safetext.End(p.Detail)
	if rest, ok := strings.CutPrefix(text, "q: "); ok { // the tool's argument is called query
		text = "query: " + rest
	}
	if p.Suggestion != "" && p.Code != "deleted-entity" { // which no tool takes
		text += " Did you mean " + strings.TrimPrefix(p.Suggestion, "/api/entity/") + "?"
	}
	wait := "some time"
	if seconds, err := strconv.Atoi(r.header.Get("Retry-After")); err == nil && seconds >= 0 {
		wait = (time.Duration(seconds) * time.Second).String()
	}
	switch {
	case p.Code == "unknown-entity":
		text += " Use the search tool to find entities by keyword."
	case r.status == http.StatusTooManyRequests:
		text += " Do not try again for " + wait + "."
	case r.status == http.StatusUnauthorized:
		text += " Correct the key in the configuration of this server."
	case r.status >= 500:
		text += " Try again after " + wait + "."
		if p.RequestID != "" {
			text += " (Request " + p.RequestID + ".)"
		}
	}
	e := &callError{text: safetext.OneLine(text)}
	if len(p.Errors) == 1 && p.Suggestion == "" {
		e.field = p.Errors[0].Field
	}
	return e
}
