package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
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
		return nil, &apiError{text: "The index did not respond in time. Try again with a smaller limit."}
	case err != nil:
		return nil, &apiError{text: "The index cannot be reached: " + err.Error() + "."}
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

// visibleJSON returns a JSON document without the hidden characters in its strings, since
// otherwise a model would read what people cannot see. Invalid JSON is returned unchanged and is
// rejected later.
func visibleJSON(body []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(body); i++ {
		if body[i] != '"' {
			continue
		}
		from, plain := i, true
		for i++; i < len(body) && body[i] != '"'; i++ {
			plain = plain && body[i] >= ' ' && body[i] < 0x7f && body[i] != '\\'
			if body[i] == '\\' {
				i++
			}
		}
		var text string
		if plain || i >= len(body) || json.Unmarshal(body[from:i+1], &text) != nil || !safetext.Contains(text) {
			continue
		}
		clean, err := json.Marshal(safetext.OneLine(text))
		if err != nil {
			continue // encoding a string cannot fail
		}
		out = append(append(out, body[done:from]...), clean...)
		done = i + 1
	}
	if done == 0 {
		return body
	}
	return append(out, body[done:]...)
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
		return nil, &apiError{text: "The response from " + path + " is not in a format that this program understands."}
	}
	return a, nil
}

// apiError is an error whose message tells the model, in whole sentences, why the API call
// failed.
type apiError struct {
	status int    // HTTP status, or 0 if there was no response
	code   string // code of the problem, or "" if there was none
	field  string // the invalid field, or "" if there is a suggestion or no invalid field
	text   string
}

func (e *apiError) Error() string { return e.text }

// problem has the relevant members of an API problem (RFC 9457).
type problem struct {
	Title      string `json:"title"`
	Detail     string `json:"detail"`
	Code       string `json:"code"`
	Suggestion string `json:"suggestion"`
	RequestID  string `json:"requestId"`
	Errors     []struct {
		Field   string `json:"field"`
		Message string `json:"message"`
	} `json:"errors"`
}

// explain describes what went wrong and what to do about it.
func explain(status int, answered http.Header, body []byte) error {
	var p problem
	mediaType, _, _ := mime.ParseMediaType(answered.Get("Content-Type"))
	if err := json.Unmarshal(body, &p); err != nil || p.Detail == "" || !strings.HasSuffix(mediaType, "json") {
		p = problem{Detail: fmt.Sprintf("The index returned %d %s.", status, http.StatusText(status))}
	}
	var b strings.Builder
	if rest, ok := strings.CutPrefix(p.Detail, "q: "); ok { // the tool's argument is called query
		p.Detail = "query: " + rest
	}
	b.WriteString(p.Detail)
	if !strings.HasSuffix(p.Detail, ".") {
		b.WriteByte('.')
	}
	if s := suggested(p.Suggestion); s != "" {
		fmt.Fprintf(&b, " Did you mean %s?", s)
	}
	switch {
	case p.Code == "unknown-entity":
		b.WriteString(" Use the search tool to find entities by keyword.")
	case status == http.StatusTooManyRequests:
		b.WriteString(" Do not try again for" + waitFor(answered) + ".")
	case status == http.StatusUnauthorized:
		b.WriteString(" Correct the key in the configuration of this server.")
	case status >= 500:
		b.WriteString(" Try again after" + waitFor(answered) + ".")
		if p.RequestID != "" {
			b.WriteString(" (Request " + p.RequestID + ".)")
		}
	}
	e := &apiError{status: status, code: p.Code, text: oneLine(b.String())}
	if len(p.Errors) == 1 && p.Suggestion == "" {
		e.field = p.Errors[0].Field
	}
	return e
}

// suggested converts a suggestion from the API to the terms that the tools use.
func suggested(s string) string {
	return strings.TrimPrefix(s, "/api/entity/")
}

// waitFor formats the waiting time from Retry-After for use in the middle of a sentence.
func waitFor(answered http.Header) string {
	seconds, err := strconv.Atoi(answered.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return " some time"
	}
	return fmt.Sprintf(" %s", (time.Duration(seconds) * time.Second).String())
}

// params converts the given arguments to the query parameters of a request.
func params(v values, args []argument, names ...string) url.Values {
	q := url.Values{}
	for _, a := range args {
		value, ok := v[a.name]
		if !ok || !slices.Contains(names, a.name) {
			continue
		}
		name := a.name
		if a.param != "" {
			name = a.param
		}
		if n, isNumber := value.(float64); isNumber {
			value = strconv.FormatFloat(n, 'f', -1, 64)
		}
		q.Set(name, fmt.Sprint(value))
	}
	return q
}
