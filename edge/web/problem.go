package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/query"
	"kindex/edge/ratelimit"
	"kindex/exports/didyoumean"
	"kindex/exports/safetext"
)

// Problem is an error response: RFC 9457 problem details with a stable code.
type Problem struct {
	Type       string       `json:"type"`
	Title      string       `json:"title"`
	Status     int          `json:"status"`
	Detail     string       `json:"detail"`
	Instance   string       `json:"instance"`
	Code       string       `json:"code"`
	Errors     []FieldError `json:"errors"`
	Suggestion *string      `json:"suggestion"`
	RequestID  string       `json:"requestId"`

	Cause  error       `json:"-"` // only for the log; never sent to clients
	Header http.Header `json:"-"` // additional headers, or nil if there are none
}

// FieldError describes what is wrong with a parameter or field.
type FieldError struct {
	Field      string `json:"field"`
	Message    string `json:"message"`
	Suggestion string `json:"-"` // the nearest valid name or value, or ""; that of the first error is the problem's
}

func (p *Problem) Error() string { return p.Detail }

func (p *Problem) Unwrap() error { return p.Cause }

// The problem codes, which never change, with their statuses and titles.
var problemTypes = map[string]struct {
	status int
	title  string
}{
	"unknown-parameter":       {http.StatusBadRequest, "Unknown parameter"},
	"invalid-parameter":       {http.StatusBadRequest, "Invalid parameter value"},
	"invalid-body":            {http.StatusBadRequest, "Invalid request body"},
	"invalid-idempotency-key": {http.StatusBadRequest, "Invalid Idempotency-Key"},
	"unauthorized":            {http.StatusUnauthorized, "Valid API key required"},
	"foreign-host":            {http.StatusForbidden, "Host name not allowed"},
	"foreign-origin":          {http.StatusForbidden, "Origin not allowed"},
	"insufficient-scope":      {http.StatusForbidden, "Insufficient scope"},
	"account-suspended":       {http.StatusForbidden, "Account suspended"},
	"unknown-key":             {http.StatusNotFound, "Key not found"},
	"too-many-keys":           {http.StatusConflict, "Key limit reached"},
	"already-exists":          {http.StatusConflict, "Already exists"},
	"unknown-submission":      {http.StatusNotFound, "Submission not found"},
	"too-many-submissions":    {http.StatusConflict, "Submission limit reached"},
	"cannot-withdraw":         {http.StatusConflict, "Submission cannot be withdrawn"},
	"too-many-webhooks":       {http.StatusConflict, "Webhook limit reached"},
	"too-many-waiting":        {http.StatusConflict, "Too many pending tests and replays"},
	"unknown-webhook":         {http.StatusNotFound, "Webhook not found"},
	"unknown-delivery":        {http.StatusNotFound, "Delivery not found"},
	"secret-shown-once":       {http.StatusConflict, "Secret already shown"},
	"body-too-large":          {http.StatusRequestEntityTooLarge, "Request body too large"},
	"unsupported-media-type":  {http.StatusUnsupportedMediaType, "Unsupported media type"},
	"idempotency-key-reused":  {http.StatusUnprocessableEntity, "Idempotency-Key already used"},
	"rate-limited":            {http.StatusTooManyRequests, "Rate limit exceeded"},
	"state-unavailable":       {http.StatusServiceUnavailable, "Temporarily unavailable"},
	"busy":                    {http.StatusServiceUnavailable, "Service busy"},
	"not-found":               {http.StatusNotFound, "Not found"},
	"unknown-entity":          {http.StatusNotFound, "Entity not found"},
	"no-history":              {http.StatusNotFound, "No history for that day"},
	"deleted-entity":          {http.StatusGone, "Entity deleted"},
	"unknown-category":        {http.StatusNotFound, "Category not found"},
	"unpublished-board":       {http.StatusNotFound, "Board not published"},
	"unknown-build":           {http.StatusNotFound, "Build or file not found"},
	"unknown-version":         {http.StatusNotFound, "Version not found"},
	"method-not-allowed":      {http.StatusMethodNotAllowed, "Method not allowed"},
	"precondition-failed":     {http.StatusPreconditionFailed, "Precondition failed"},
	"range-not-satisfiable":   {http.StatusRequestedRangeNotSatisfiable, "Range not satisfiable"},
	"not-ready":               {http.StatusServiceUnavailable, "Service not ready"},
	"internal":                {http.StatusInternalServerError, "Internal error"},
}

// NewProblem returns the problem with a code.
func NewProblem(code, detail string) *Problem {
	k, ok := problemTypes[code]
	if !ok {
		panic("edge: unknown problem code " + code)
	}
	return &Problem{Type: "urn:kindex:problem:" + code, Title: k.title, Status: k.status, Detail: detail, Code: code, Errors: []FieldError{}}
}

// Unauthorized returns the problem for a request without a valid key.
func Unauthorized(detail string) *Problem {
	p := NewProblem("unauthorized", AsSentence(detail))
	p.Header = http.Header{"Www-Authenticate": {keyChallenge}}
	return p
}

// InsufficientScope returns the problem for a key without the required scope. It includes a
// challenge in the form that RFC 6750, section 3.1 defines.
func InsufficientScope(needed apikey.Scope, detail string) *Problem {
	p := NewProblem("insufficient-scope", detail)
	p.Header = http.Header{"Www-Authenticate": {keyChallenge + `, error="insufficient_scope", scope="` + string(needed) + `"`}}
	return p
}

const keyChallenge = `ApiKey realm="kindex", header="x-api-key"`

// AsSentence formats an error message as a sentence. An address at its beginning keeps its case.
func AsSentence(s string) string {
	if first, _, _ := strings.Cut(s, " "); !strings.Contains(first, "/") {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return safetext.End(s)
}

// RetryAfter sets after how many seconds the request can be sent again.
func (p *Problem) RetryAfter(seconds int64) *Problem {
	p.Header = http.Header{"Retry-After": {strconv.FormatInt(seconds, 10)}}
	return p
}

// WithSuggestion sets the suggestion: the nearest valid name, value or address.
func (p *Problem) WithSuggestion(s string) *Problem {
	if s != "" {
		p.Suggestion = &s
	}
	return p
}

// AsProblem converts any error to a problem. Internal errors are logged but not shown to
// clients.
func AsProblem(err error) *Problem {
	var p *Problem
	var q *query.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, ratelimit.ErrBusy): // only past days are made behind a gate of their own
		return NewProblem("busy", "Other past days are being calculated; try again in a few seconds.")
	case errors.As(err, &q):
		code := map[bool]string{true: "unknown-parameter", false: "invalid-parameter"}[q.Unknown]
		p := NewProblem(code, q.Error()).WithSuggestion(q.Suggestion)
		p.Errors = append(p.Errors, FieldError{Field: q.Param, Message: q.Message})
		return p
	}
	return NewProblem("internal", "The request could not be processed. When you report this to the operator, include the request id.").because(err)
}

func (p *Problem) because(err error) *Problem {
	p.Cause = err
	return p
}

// StateProblem converts an error from the database to a problem. If the error already is a
// problem, it is returned unchanged; otherwise, the result is state-unavailable.
func StateProblem(err error) error {
	var p *Problem
	if err == nil || errors.As(err, &p) {
		return err
	}
	return NewProblem("state-unavailable", "Accounts, keys and writes are currently unavailable; reading without a key still works. Try again shortly.").because(err)
}

// ErrNotReady returns the problem for requests that arrive before there is a build.
func ErrNotReady() *Problem {
	return NewProblem("not-ready", "No build is being served yet; try again shortly.")
}

// DeletedEntity returns the problem for a deleted entity.
func DeletedEntity(typ, slug string, at int64) error {
	p := NewProblem("deleted-entity", fmt.Sprintf("The %s %q was deleted on %s. Its changelog is still available.", typ, slug,
		time.Unix(at, 0).UTC().Format(time.DateOnly)))
	return p.WithSuggestion("/api/entity/" + typ + "/" + slug + "/changelog")
}

// UnknownEntity returns the problem for an entity that does not exist. It suggests what the
// client probably meant: the type, or entities with similar names.
func UnknownEntity(c *Call, typ, slug string) error {
	if kinds := c.Served.Build.Kinds(); kinds.Kind(typ) == nil {
		p := NewProblem("unknown-entity", fmt.Sprintf("There is no type %q; expected one of: %s.", Shorten(typ), strings.Join(kinds.Names(), ", ")))
		return p.WithSuggestion(didyoumean.Name(typ, kinds.Names()))
	}
	p := NewProblem("unknown-entity", fmt.Sprintf("There is no %s %q.", typ, Shorten(slug)))
	if near := c.Served.SimilarSlugs(typ, Shorten(slug)); len(near) > 0 {
		p.Detail += " Similar: " + strings.Join(near, ", ") + "."
		_ = p.WithSuggestion("/api/entity/" + typ + "/" + near[0])
	}
	return p
}
