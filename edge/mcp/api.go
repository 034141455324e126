package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"kindex/exports/safetext"
)

// API is the interface under /api, called in this process or over HTTP. The path is not escaped.
// Get returns an error only if the call itself failed; an HTTP error or a redirect is a
// response. Implementations are safe for concurrent use, and return when ctx ends.
type API interface {
	Get(ctx context.Context, path string, query url.Values, header http.Header) (status int, answered http.Header, body []byte, err error)
}

const (
	jsonType     = "application/json"
	markdownType = "text/markdown"
)

// answer is a successful response from the API.
type answer struct {
	mediaType string
	body      []byte
	from      string // the requested path, if it was redirected
}

// ask calls the API and follows a redirect to the current address of an entity or a leaderboard. Error messages
// are written for the model.
func ask(ctx context.Context, api API, path string, query url.Values, accept string) (*answer, error) {
	header := http.Header{"Accept": {accept}}
	status, answered, body, err := api.Get(ctx, path, query, header)
	from := ""
	if moved := movedTo(status, answered, path); err == nil && moved != "" {
		from = path
		status, answered, body, err = api.Get(ctx, moved, query, header)
	}
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, &callError{text: "The index did not respond in time. Try again with a smaller limit."}
	case err != nil:
		return nil, &callError{text: "The index cannot be reached: " + err.Error() + "."}
	}
	mediaType, _, _ := mime.ParseMediaType(answered.Get("Content-Type"))
	if mediaType == markdownType {
		body = []byte(safetext.EscapeLines(string(body)))
	} else {
		body = visibleJSON(body)
	}
	if status != http.StatusOK {
		return nil, explain(status, answered, body)
	}
	return &answer{mediaType, body, from}, nil
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
		clean, err := json.Marshal(safetext.OneLine(text))
		if err != nil {
			return quoted // encoding a string cannot fail
		}
		return clean
	})
}

// movedTo returns the current address of an entity or a leaderboard, or "" if the response is
// not a redirect to one. Only the path is used, so no redirect can lead to another host.
func movedTo(status int, answered http.Header, path string) string {
	if status != http.StatusMovedPermanently && status != http.StatusPermanentRedirect {
		return ""
	}
	u, err := url.Parse(answered.Get("Location"))
	moved := err == nil && (strings.HasPrefix(u.Path, "/api/entity/") || strings.HasPrefix(u.Path, "/api/leaderboard/"))
	if !moved || u.Path == path || strings.Contains(u.Path, "..") {
		return ""
	}
	return u.Path
}

// askFor requests JSON from the API and decodes it.
func askFor(ctx context.Context, api API, path string, query url.Values, into any) (*answer, error) {
	a, err := ask(ctx, api, path, query, jsonType)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(a.body, into); err != nil || a.mediaType != jsonType {
		return nil, &callError{text: "The response from " + path + " is not in a format that this program understands."}
	}
	return a, nil
}

// callError is an error that tells the model, in whole sentences, why a call failed.
type callError struct {
	text  string
	field string // the parameter that the API refuses, "" if there is none or a suggestion for it
}

func (e *callError) Error() string { return e.text }

// problem has the relevant members of an API problem (RFC 9457).
type problem struct {
	Detail, Code, Suggestion, RequestID string
	Errors                              []struct{ Field string }
}

// explain describes what went wrong and what to do about it.
func explain(status int, answered http.Header, body []byte) error {
	var p problem
	mediaType, _, _ := mime.ParseMediaType(answered.Get("Content-Type"))
	if err := json.Unmarshal(body, &p); err != nil || p.Detail == "" || !strings.HasSuffix(mediaType, "json") {
		p = problem{Detail: fmt.Sprintf("The index returned %d %s.", status, http.StatusText(status))}
	}
	text := strings.TrimSuffix(p.Detail, ".") + "."
	if rest, ok := strings.CutPrefix(text, "q: "); ok { // the tool's argument is called query
		text = "query: " + rest
	}
	if p.Suggestion != "" {
		text += " Did you mean " + strings.TrimPrefix(p.Suggestion, "/api/entity/") + "?"
	}
	wait := "some time"
	if seconds, err := strconv.Atoi(answered.Get("Retry-After")); err == nil && seconds >= 0 {
		wait = (time.Duration(seconds) * time.Second).String()
	}
	switch {
	case p.Code == "unknown-entity":
		text += " Use the search tool to find entities by keyword."
	case status == http.StatusTooManyRequests:
		text += " Do not try again for " + wait + "."
	case status == http.StatusUnauthorized:
		text += " Correct the key in the configuration of this server."
	case status >= 500:
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
