package edge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/mcp"
	"kindex/edge/openapi"
	"kindex/edge/web"
	"kindex/exports/record"
)

// agentPath is the path of the MCP endpoint; agentHeaders are the headers that the protocol
// uses.
const (
	agentPath    = "/mcp"
	agentHeaders = ", Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID"
)

// maxMessageLen is the maximum size of a message. The longest valid arguments are many times
// smaller. The size is limited because reading takes time, and a body is read even if the caller
// has no requests left or the message does not count towards the limit.
const maxMessageLen = 64 << 10

// agentTimeout is the time limit for a complete response from /mcp. The time limit for a single
// call is shorter.
const agentTimeout = mcp.DefaultCallTime + 5*time.Second

// agents is the MCP server for a build. Each call is turned into in-process requests to the API, which count
// towards the caller's limit.
type agents struct {
	build string
	*mcp.Server
}

// Agents returns the MCP server for the served build. It describes the categories that exist at
// the time of the call.
func (s *Server) Agents() *mcp.Server {
	o := mcp.Options{Version: openapi.Version(), Log: s.log, Counted: s.shared.Limited()}
	id := ""
	if v := s.reloader.Current(); v != nil {
		id = v.ID()
		o.Title, o.Categories, o.Kinds = v.Build.Manifest.Title, bySize(v.Categories), v.Build.Kinds()
	}
	if known := s.agents.Load(); known != nil && known.build == id {
		return known.Server
	}
	made := &agents{id, mcp.New(mcp.NewLocalClient(inProcess{s}), o)}
	s.agents.Store(made)
	return made.Server
}

// checkOrigin rejects a message to /mcp from a page of an origin that is not allowed, as the
// Model Context Protocol requires (Streamable HTTP, Security Warning). Pages of this service are
// allowed.
func (s *Server) checkOrigin(r *http.Request) error {
	for _, origin := range r.Header["Origin"] {
		if s.origins.allows(origin) || s.ownOrigin(origin, r) {
			continue
		}
		return web.NewProblem("foreign-origin", "Pages of "+web.Shorten(origin)+" are not allowed here; the operator can allow them with --cors-origins.")
	}
	return nil
}

// ownOrigin reports whether an origin is this service's own: it matches the address configured by
// the operator or the request's Host, which has already been checked.
func (s *Server) ownOrigin(origin string, r *http.Request) bool {
	if own, err := parseOrigin(s.options.URL); err == nil && origin == own {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, r.Host)
}

func bySize(list []record.Category) []string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b record.Category) int { return cmp.Compare(b.Count, a.Count) })
	var slugs []string
	for _, c := range list {
		slugs = append(slugs, c.Slug)
	}
	return slugs
}

// mcp handles POST /mcp. Messages that are not calls do not count towards the daily limit, but
// are rate-limited like pages.
func (s *Server) mcp(c *web.Call, w http.ResponseWriter) {
	body, err := s.readMessage(c)
	if err == nil { // a slot is taken only now, because the client may have sent the body slowly
		err = c.EnterGate(c.Shared.Limits.PageGate)
	}
	if err != nil {
		c.Fail(w, err)
		return
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), agentTimeout)
	defer cancel()
	r := c.Request.Clone(context.WithValue(ctx, web.OuterCall{}, c))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	// The response is always JSON, but the protocol requires clients to accept event streams,
	// too.
	r.Header.Set("Accept", web.JSONType+", text/event-stream")
	catcher := &web.ErrorCatcher{ResponseWriter: w, Type: "text/plain"}
	s.agentHandler.ServeHTTP(catcher, r)
	switch {
	case catcher.Status != 0:
		if unknown := mcp.UnknownMethod(body, catcher.Text); unknown != nil {
			w.Header().Set("Content-Type", web.JSONType)
			_, _ = w.Write(unknown) // ignore an error: the client has disconnected
			return
		}
		c.Fail(w, refusedMessage(catcher))
	case !catcher.Started && ctx.Err() != nil:
		p := web.NewProblem("state-unavailable", "The response took too long. Request less data or try again.")
		p.Cause = ctx.Err()
		c.Fail(w, p)
	}
}

// readMessage authorizes a request to /mcp and reads its body. A request with an invalid key is rejected before
// anything else is checked, and counts towards the same limit as under /api.
func (s *Server) readMessage(c *web.Call) ([]byte, error) {
	if r := c.Request; r.Header["X-Api-Key"] == nil && len(r.Header["Authorization"]) == 1 {
		// Many programs can send a key only as a bearer token.
		if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") && strings.HasPrefix(token, apikey.Prefix) {
			r.Header["X-Api-Key"], r.Header["Authorization"] = []string{token}, nil
		}
	}
	if refused := c.Identify(); refused != nil {
		return nil, cmp.Or(c.Reserve(web.Metered), refused)
	}
	if err := s.checkOrigin(c.Request); err != nil {
		return nil, err
	}
	body, err := c.ReadBody()
	if err != nil {
		return nil, err
	}
	if len(body) > maxMessageLen {
		return nil, web.NewProblem("body-too-large", fmt.Sprintf("A message can be at most %d KiB.", maxMessageLen>>10))
	}
	if _, err := web.ReadMembers(body); err != nil {
		return nil, web.NewProblem("invalid-body", "The body "+err.Error()+". Send a single JSON-RPC message; batches are not supported.")
	}
	return body, nil
}

// refusedMessage returns the problem for a message that the protocol library refuses.
func refusedMessage(e *web.ErrorCatcher) error {
	text := web.Shorten(strings.ToValidUTF8(strings.TrimSpace(string(e.Text)), "?"))
	if e.Status >= 500 {
		return fmt.Errorf("mcp: status %d: %s", e.Status, text)
	}
	return web.NewProblem("invalid-body", web.AsSentence("The message was rejected: "+text))
}

// inProcess sends requests of package mcp to this edge's API within the process.
type inProcess struct{ server *Server }

// forwardedHeaders are the headers that identify the caller. They are copied from the request to
// /mcp to the API request; no other header from the client is passed on.
var forwardedHeaders = []string{"X-Api-Key", "X-Forwarded-For", "Forwarded"}

// RoundTrip implements http.RoundTripper.
func (p inProcess) RoundTrip(sent *http.Request) (res *http.Response, err error) {
	if !strings.HasPrefix(sent.URL.Path, "/api/") {
		return nil, errors.New("only paths under /api/ are allowed")
	}
	ctx, cancel := context.WithCancel(sent.Context())
	defer cancel()
	r := sent.Clone(ctx)
	r.URL, r.RequestURI = &url.URL{Path: sent.URL.Path, RawQuery: sent.URL.RawQuery}, sent.URL.RequestURI()
	r.Host, r.Header, r.Body = "", http.Header{"Accept": sent.Header["Accept"]}, http.NoBody
	if outer, ok := ctx.Value(web.OuterCall{}).(*web.Call); ok {
		// The protocol library's context is not cancelled when the HTTP request ends.
		defer context.AfterFunc(outer.Request.Context(), cancel)()
		r.RemoteAddr, r.Host, r.TLS = outer.Request.RemoteAddr, outer.Request.Host, outer.Request.TLS
		for _, name := range forwardedHeaders {
			if values := outer.Request.Header[name]; values != nil {
				r.Header[name] = values
			}
		}
		r.Header.Set("X-Request-Id", outer.ID)
	}
	defer func() { // the panic is meant to cut the connection, but there is no connection here
		if cause := recover(); cause != nil {
			res, err = nil, fmt.Errorf("the response was cut off: %v", cause)
		}
	}()
	w := &memoryResponse{header: http.Header{}, status: http.StatusOK}
	p.server.ServeHTTP(w, r)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.Buffer), Request: sent}, nil
}

type memoryResponse struct {
	header http.Header
	status int
	bytes.Buffer
}

// Header implements http.ResponseWriter.
func (m *memoryResponse) Header() http.Header { return m.header }

// WriteHeader implements http.ResponseWriter.
func (m *memoryResponse) WriteHeader(status int) { m.status = status }
