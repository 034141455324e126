package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"kindex/site"
)

// JSONReply returns a reply with a JSON object, or without a body if v is nil. The response must
// not be cached.
func JSONReply(status int, v any) (*Reply, error) {
	r := &Reply{Status: status}
	if v != nil {
		r.Body = append(AppendJSON(nil, v), '\n')
	}
	return r, nil
}

// Reply is the result of a handler: a complete body, a stream, a prebuilt file or a redirect.
// respond converts it to an HTTP response.
type Reply struct {
	MediaType string
	Header    http.Header // additional headers, or nil if there are none
	Body      []byte
	// Stream writes a body of unknown length. Its ETag is derived from ETagSeed.
	Stream   func(io.Writer) error
	ETagSeed string
	// Gzip is the same body as a stored gzip member, or nil if there is none.
	Gzip *FileReply
	File *FileReply
	// Attachment is the file name under which clients should save an export, or "" for other
	// responses.
	Attachment string
	// Location is the target of a permanent redirect.
	Location string
	// Immutable is set if the content at the address never changes.
	Immutable bool
	// Cache is the value of Cache-Control, or nil for the default.
	Cache []string
	// ErrorStatus is set if the body describes an error in a format of its own; otherwise, it is
	// 0.
	ErrorStatus int
	// Build is the ID of the build that the response is from, if it is not the current one.
	Build string
	// Status is the status of a response to a write or of a personal response, which must not be
	// cached. For all other responses it is 0.
	Status int
}

// FileReply is a stored file.
type FileReply struct {
	Content io.ReadSeeker // closed after the response if it is an io.Closer
	ETag    string        // the base of its entity tags, one for each content coding
	SHA256  string        // hexadecimal hash of the content, for Repr-Digest; "" if unknown
	Gzip    io.ReadSeeker // the same content as a stored gzip member, or nil
	Encode  bool          // a small file may be compressed when it is sent
}

const (
	JSONType    = "application/json"
	problemType = "application/problem+json"
)

// AppendJSON appends a value as JSON. The type must be one of this program's own types, whose
// values can always be encoded.
func AppendJSON(dst []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("edge: cannot encode %T: %v", v, err))
	}
	return append(dst, b...)
}

// Header values that are the same in every response. They must not be modified. Appending to one
// of them copies it, since they have no spare capacity.
var (
	AnyOrigin      = []string{"*"}
	ExposedHeaders = []string{"ETag, Link, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, " +
		"X-RateLimit-Reset, X-RateLimit-Tier, RateLimit, RateLimit-Policy, X-Request-Id, X-Build, " +
		"Repr-Digest, Content-Range, Content-Disposition, Idempotency-Replayed, Location"}
	jsonContent  = []string{JSONType}
	noSniff      = []string{"nosniff"}
	SameOrigin   = []string{"same-origin"}
	CrossOrigin  = []string{"cross-origin"}
	NoStore      = []string{"no-store"}
	revalidate   = []string{"private, no-cache"}
	CacheHour    = []string{"public, max-age=3600"}
	cacheForever = []string{"public, max-age=31536000, immutable"}
)

// AssetReply returns the reply for a file that pages load. The content at its address never
// changes.
func AssetReply(c *Call, a site.Asset, ok bool) (*Reply, error) {
	if !ok {
		return c.NotFound()
	}
	f := &FileReply{Content: bytes.NewReader(a.Data), ETag: a.ETag}
	if a.Gzip != nil {
		f.Gzip = bytes.NewReader(a.Gzip)
	}
	return &Reply{MediaType: a.MediaType, Immutable: true, File: f}, nil
}

// TruncateToSecond returns a time in the form used in responses: in UTC, without fractional
// seconds.
func TruncateToSecond(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// NullableTime is like TruncateToSecond, but returns nil for the zero time.
func NullableTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = TruncateToSecond(t)
	return &t
}
