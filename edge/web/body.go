package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"kindex/exports/didyoumean"
	"kindex/exports/safetext"
)

// Limits for a body.
const (
	MaxBody  = 256 << 10
	maxDepth = 32
)

// Decode reads the JSON object in the body into a struct or, to accept any names, into a map in which
// numbers are json.Number: a version such as 1.10 must not become 1.1. It reports all errors at once, by
// field name.
func (c *Call) Decode(dst any) error {
	body, err := c.ReadBody()
	if err != nil {
		return err
	}
	members, err := ReadMembers(body)
	if err != nil {
		return NewProblem("invalid-body", "The body "+err.Error()+".")
	}
	if fields, ok := dst.(*map[string]any); ok {
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		return d.Decode(fields)
	}
	var fieldErrors []FieldError
	fields := fieldsOf(dst)
	known := slices.Sorted(maps.Keys(fields))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		field, ok := fields[name]
		if !ok {
			if len(fieldErrors) < MaxFieldErrors { // searching for suggestions takes time
				fieldErrors = append(fieldErrors, unknownField(Shorten(name), known))
			}
			continue
		}
		null := string(members[name]) == "null" && reflect.TypeOf(field).Elem().Kind() != reflect.Pointer
		if err := json.Unmarshal(members[name], field); err != nil || null {
			fieldErrors = append(fieldErrors, FieldError{Field: name, Message: "must be " + typeName(field) + ", not " + jsonTypeName(members[name])})
		}
	}
	return InvalidBody(fieldErrors)
}

// DecodeEmpty checks the body of a write that takes no fields. The body must be missing or an
// object without fields.
func (c *Call) DecodeEmpty() error {
	if c.Request.ContentLength == 0 {
		return nil
	}
	return c.Decode(&struct{}{})
}

// MaxFieldErrors is the maximum number of errors reported for a body.
const MaxFieldErrors = 100

// InvalidBody returns the problem for a body with invalid fields, or nil if there are none.
func InvalidBody(fieldErrors []FieldError) error {
	if len(fieldErrors) == 0 {
		return nil
	}
	detail := fieldErrors[0].Field + " " + fieldErrors[0].Message
	var names []string
	for _, f := range fieldErrors {
		if !slices.Contains(names, f.Field) {
			names = append(names, f.Field)
		}
	}
	if len(names) > 1 {
		detail = fmt.Sprintf("%d fields are invalid (see errors): %s", len(names), strings.Join(names[:min(len(names), maxNames)], ", "))
	}
	if len(names) > maxNames {
		detail += ", …"
	}
	p := NewProblem("invalid-body", safetext.End(detail)).WithSuggestion(fieldErrors[0].Suggestion)
	p.Errors = fieldErrors[:min(len(fieldErrors), MaxFieldErrors)]
	return p
}

const maxNames = 5

func unknownField(name string, known []string) FieldError {
	f := FieldError{Field: name, Suggestion: didyoumean.Name(name, known)}
	hint := didyoumean.Hint(f.Suggestion, known)
	if len(known) == 0 {
		hint = "the body takes no fields"
	}
	f.Message = "is not a known field; " + hint
	return f
}

// ReadBody reads the body of a write. It returns an error unless the body is JSON and not too
// large.
func (c *Call) ReadBody() ([]byte, error) {
	if c.Body != nil {
		return c.Body, nil
	}
	h := c.Request.Header
	mediaType, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	if err != nil || mediaType != "application/json" || charset != "" && charset != "utf-8" {
		return nil, NewProblem("unsupported-media-type", "Send the body as JSON in UTF-8, with the header Content-Type: application/json.")
	}
	if enc := h.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, identity) {
		return nil, NewProblem("unsupported-media-type", "Send the body uncompressed: content codings are not supported.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, NewProblem("body-too-large", "The body can be at most 256 KiB.")
	case err != nil:
		return nil, NewProblem("invalid-body", "The body is incomplete.")
	case len(bytes.TrimSpace(body)) == 0:
		return nil, NewProblem("invalid-body", "The body is empty; send a JSON object.")
	case !utf8.Valid(body):
		return nil, NewProblem("invalid-body", "The body is not UTF-8.")
	}
	c.Body = body
	return body, nil
}

// ReadMembers reads a single JSON object. It is strict: it does not allow duplicate members at
// any depth, deep nesting, trailing data, or characters that a database cannot store.
func ReadMembers(body []byte) (map[string]json.RawMessage, error) {
	d := jsontext.NewDecoder(bytes.NewReader(body)) // refuses duplicate members and invalid escapes
	for start := true; start || d.StackDepth() > 0; start = false {
		t, err := d.ReadToken()
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return nil, errors.New("has a duplicate member")
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
			return nil, errors.New("is incomplete JSON")
		case err != nil:
			return nil, fmt.Errorf("is not JSON, or has an invalid escape, at byte %d", d.InputOffset())
		case d.StackDepth() > maxDepth:
			return nil, fmt.Errorf("is nested more than %d levels deep", maxDepth)
		case t.Kind() == '"' && strings.ContainsAny(t.String(), "\x00\uFFFD"):
			return nil, errors.New("contains the character U+0000, which a database cannot store, or U+FFFD, which replaces invalid input")
		}
	}
	if len(bytes.TrimSpace(body[d.InputOffset():])) > 0 {
		return nil, errors.New("has trailing data after the JSON object")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return nil, errors.New("is not a JSON object")
	}
	return members, nil
}

// fieldsOf returns pointers to a struct's fields by JSON name.
func fieldsOf(dst any) map[string]any {
	v := reflect.ValueOf(dst).Elem()
	fields := make(map[string]any, v.NumField())
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		fields[name] = v.Field(i).Addr().Interface()
	}
	return fields
}

// typeName describes the type of a field.
func typeName(field any) string {
	t := reflect.TypeOf(field).Elem()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return cmp.Or(map[reflect.Kind]string{reflect.String: "a string", reflect.Slice: "an array of strings", reflect.Bool: "true or false",
		reflect.Map: "an object", reflect.Struct: "an object"}[t.Kind()], "a number")
}

func jsonTypeName(b json.RawMessage) string {
	return cmp.Or(map[byte]string{'"': "a string", '[': "this array", '{': "an object", 't': "true or false", 'f': "true or false", 'n': "null"}[b[0]], "a number")
}
