package edge

import (
	"io"
	"net/http"
)

// object answers with a bare JSON object, or nothing where v is nil. Nobody may
// keep it.
func object(status int, v any) (*reply, error) {
	r := &reply{status: status}
	if v != nil {
		r.body = append(appendJSON(nil, v), '\n')
	}
	return r, nil
}

// reply is what a handler answers with: a whole body, a stream, a prebuilt file
// or a redirect. respond turns it into HTTP.
type reply struct {
	mediaType string
	header    http.Header // further headers, nil for none
	body      []byte
	// stream writes a body of unknown length; its ETag is made from seed.
	stream func(io.Writer) error
	seed   string
	file   *fileReply
	// attachment is the name of the file to save an export in, "" for other answers.
	attachment string
	// location redirects, permanently.
	location string
	// immutable marks bytes that never change at their address.
	immutable bool
	// cache is what caches may do with the answer, nil for the usual.
	cache []string
	// refusal is the status of a body that says, in its own way, why there is no
	// better one; 0 for none.
	refusal int
	// build names the build of the answer where it is not the current one.
	build string
	// status is that of the answer to a write, or about the caller's own: a bare
	// body that nobody keeps. 0 for all else.
	status int
}

// fileReply is a file of a build, and its precompressed variants.
type fileReply struct {
	content io.ReadSeeker // closed after the answer if it is an io.Closer
	etag    string
	sha256  string                                // of the content, in hexadecimal, for Repr-Digest; "" for none
	variant func(encoding string) (variant, bool) // nil for none
}

type variant struct {
	body []byte
	etag string
}
