package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// JSONReply answers with a bare JSON object, or nothing where v is nil. Nobody may
// keep it.
func JSONReply(status int, v any) (*Reply, error) {
	r := &Reply{Status: status}
	if v != nil {
		r.Body = append(AppendJSON(nil, v), '\n')
	}
	return r, nil
}

// Reply is what a handler answers with: a whole body, a stream, a prebuilt file
// or a redirect. respond turns it into HTTP.
type Reply struct {
	MediaType string
	Header    http.Header // further headers, nil for none
	Body      []byte
	// Stream writes a body of unknown length; its ETag is made from seed.
	Stream   func(io.Writer) error
	ETagSeed string
	File     *FileReply
	// Attachment is the name of the file to save an export in, "" for other answers.
	Attachment string
	// Location redirects, permanently.
	Location string
	// Immutable marks bytes that never change at their address.
	Immutable bool
	// Cache is what caches may do with the answer, nil for the usual.
	Cache []string
	// ErrorStatus is the status of a body that says, in its own way, why there is no
	// better one; 0 for none.
	ErrorStatus int
	// Build names the build of the answer where it is not the current one.
	Build string
	// Status is that of the answer to a write, or about the caller's own: a bare
	// body that nobody keeps. 0 for all else.
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

// AppendJSON appends a value of our own types, which always encode.
func AppendJSON(dst []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("edge: %T does not encode: %v", v, err))
	}
	return append(dst, b...)
}
