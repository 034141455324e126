package web

import (
	"encoding/json"
	"errors"
	"net/http"

	"kindex/edge/query"
)

// Problem is an error answer: RFC 9457 problem details with a stable code.
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

	Cause       error `json:"-"` // for the log, never for the client
	allowHeader string
	Header      http.Header `json:"-"` // further headers, nil for none
}

// FieldError is what is wrong with one parameter or field.
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

func (p *Problem) Error() string { return p.Detail }

func (p *Problem) Unwrap() error { return p.Cause }

// The stable codes and their statuses and titles.
var problemTypes = map[string]struct {
	status int
	title  string
}{
	"unknown-parameter":       {http.StatusBadRequest, "There is no such parameter"},
	"invalid-parameter":       {http.StatusBadRequest, "A parameter has no usable value"},
	"invalid-body":            {http.StatusBadRequest, "The body cannot be used"},
	"invalid-idempotency-key": {http.StatusBadRequest, "The Idempotency-Key cannot be used"},
	"unauthorized":            {http.StatusUnauthorized, "A key is needed"},
	"foreign-host":            {http.StatusForbidden, "This service does not answer to that host name"},
	"foreign-origin":          {http.StatusForbidden, "Pages of that origin are not allowed here"},
	"insufficient-scope":      {http.StatusForbidden, "The key lacks a required scope"},
	"account-suspended":       {http.StatusForbidden, "The account is suspended"},
	"unknown-key":             {http.StatusNotFound, "There is no such key"},
	"too-many-keys":           {http.StatusConflict, "The account has as many keys as it may"},
	"already-exists":          {http.StatusConflict, "There is this one already"},
	"unknown-submission":      {http.StatusNotFound, "There is no such submission"},
	"too-many-submissions":    {http.StatusConflict, "The account has too many open submissions"},
	"cannot-withdraw":         {http.StatusConflict, "The submission cannot be withdrawn"},
	"too-many-webhooks":       {http.StatusConflict, "The account has as many webhooks as it may"},
	"too-many-waiting":        {http.StatusConflict, "Too many tests and replays are waiting"},
	"unknown-webhook":         {http.StatusNotFound, "There is no such webhook"},
	"unknown-delivery":        {http.StatusNotFound, "There is no such delivery"},
	"event-gone":              {http.StatusGone, "The event is kept no longer"},
	"secret-shown-once":       {http.StatusConflict, "The secret was shown already"},
	"body-too-large":          {http.StatusRequestEntityTooLarge, "The body is too large"},
	"unsupported-media-type":  {http.StatusUnsupportedMediaType, "The body is not sent as JSON"},
	"idempotency-key-reused":  {http.StatusUnprocessableEntity, "The Idempotency-Key was used for another write"},
	"rate-limited":            {http.StatusTooManyRequests, "The limit is used up"},
	"state-unavailable":       {http.StatusServiceUnavailable, "The state cannot be reached"},
	"busy":                    {http.StatusServiceUnavailable, "Too many requests at the moment"},
	"not-found":               {http.StatusNotFound, "There is nothing at this address"},
	"unknown-entity":          {http.StatusNotFound, "There is no such entity"},
	"no-history":              {http.StatusNotFound, "Nothing is known of that day"},
	"deleted-entity":          {http.StatusGone, "The entity was deleted"},
	"unknown-category":        {http.StatusNotFound, "There is no such category"},
	"unknown-build":           {http.StatusNotFound, "There is no such build or file"},
	"unknown-version":         {http.StatusNotFound, "There is no such version"},
	"method-not-allowed":      {http.StatusMethodNotAllowed, "This address does not take this method"},
	"precondition-failed":     {http.StatusPreconditionFailed, "The file is another one by now"},
	"range-not-satisfiable":   {http.StatusRequestedRangeNotSatisfiable, "The file has no such range"},
	"not-ready":               {http.StatusServiceUnavailable, "No build is being served yet"},
	"internal":                {http.StatusInternalServerError, "Something went wrong here"},
}

func NewProblem(code, detail string) *Problem {
	k, ok := problemTypes[code]
	if !ok {
		panic("edge: no problem is called " + code)
	}
	return &Problem{Type: "urn:kindex:problem:" + code, Title: k.title, Status: k.status, Detail: detail, Code: code, Errors: []FieldError{}}
}

// WithSuggestion adds the nearest right thing.
func (p *Problem) WithSuggestion(s string) *Problem {
	if s != "" {
		p.Suggestion = &s
	}
	return p
}

// AsProblem turns any error into an answer. Errors of this program's making are
// not shown to clients; the log has them.
func AsProblem(err error) *Problem {
	var p *Problem
	var q *query.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &q):
		code := "invalid-parameter"
		if q.Unknown {
			code = "unknown-parameter"
		}
		p := NewProblem(code, q.Error()).WithSuggestion(q.Suggestion)
		p.Errors = append(p.Errors, FieldError{q.Param, q.Message})
		return p
	}
	p = NewProblem("internal", "The request could not be answered. Its id helps the operator to find out why.")
	p.Cause = err
	return p
}

func (p *Problem) encode() []byte {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return append(b, '\n')
}

// StateProblem is what a failed use of the state is to the client: the problem
// that a write has found, or that the state cannot be reached.
func StateProblem(err error) error {
	var p *Problem
	if err == nil || errors.As(err, &p) {
		return err
	}
	p = NewProblem("state-unavailable", "Accounts, keys and writes cannot be reached at the moment; reading without a key goes on. Try again in a moment.")
	p.Cause = err
	return p
}
