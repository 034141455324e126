package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// JSONReply responds with a JSON object, or nothing if v is nil. The response must not be
// cached.
func JSONReply(status int, v any) (*Reply, error) {
	r := &Reply{Status: status}
	if v != nil {
		r.Body = append(AppendJSON(nil, v), '\n')
	}
	return r, nil
}

// Reply is the result of a handler: a complete body, a stream, a prebuilt file or a
// redirect. respond converts it to HTTP.
type Reply struct {
	MediaType string
	Header    http.Header // more headers, nil for none
	Body      []byte
	// Stream writes a body of unknown length; its ETag is derived from seed.
	Stream   func(io.Writer) error
	ETagSeed string
	File     *FileReply
	// Attachment is the file name for saving an export, "" for other responses.
	Attachment string
	// Location redirects, permanently.
	Location string
	// Immutable marks bytes that never change at their address.
	Immutable bool
	// Cache is the Cache-Control value, nil for the default.
	Cache []string
	// ErrorStatus is the error status of a body that describes the error in its own form; 0
	// for none.
	ErrorStatus int
	// Build is the build of the response, if it is not the current one.
	Build string
	// Status is the status of the response to a write, or of a personal response, whose
	// body is not cached. 0 for all others.
	Status int
}

// FileReply is a file of a build, and its precompressed variants.
type FileReply struct {
	Content io.ReadSeeker // closed after the answer if it is an io.Closer
	ETag    string
	SHA256  string                                // of the content, in hexadecimal, for Repr-Digest; "" for none
	Variant func(encoding string) (Variant, bool) // nil for none
}

type Variant struct {
	Body []byte
	ETag string
}

const (
	JSONType    = "application/json"
	problemType = "application/problem+json"
)

// AppendJSON appends a value of this program's own types, which can always be encoded.
func AppendJSON(dst []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("edge: %T does not encode: %v", v, err))
	}
	return append(dst, b...)
}
