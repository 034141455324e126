package edge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"kindex/exports"
)

// respond is the one place that writes answers.
func (c *call) respond(w http.ResponseWriter, r *reply) error {
	if c.admission.Over() && !lists(c.header("If-None-Match"), c.tagOf(r)) {
		return c.admission.Exceeded(nil)
	}
	h := w.Header()
	for k, v := range r.header {
		h[k] = append(h[k], v...) // Vary has a value already
	}
	if r.attachment != "" {
		h["Content-Disposition"] = []string{`attachment; filename="` + r.attachment + `"`}
		if c.served.licenses != nil {
			h["Link"] = c.served.licenses
		}
	}
	if r.build != "" {
		h.Set("X-Build", r.build)
	}
	if r.status != 0 {
		return c.respondOwn(w, r)
	}
	switch {
	case r.cache != nil:
		h["Cache-Control"] = r.cache
	case r.immutable:
		h["Cache-Control"] = forever
	default:
		h["Cache-Control"] = revalidate
	}
	if r.location != "" {
		h.Set("Location", r.location)
		h.Set("Content-Length", "0")
		w.WriteHeader(http.StatusMovedPermanently)
		return nil
	}
	c.immutable = r.immutable
	if c.served != nil && !r.immutable && r.refusal == 0 {
		h["Last-Modified"] = c.served.modified
	}
	h["Content-Type"] = []string{r.mediaType}
	switch {
	case r.file != nil:
		return c.respondFile(w, r)
	case r.stream != nil:
		return c.respondStream(w, r)
	}
	return c.respondBody(w, r)
}

// respondOwn answers a write, or what is the caller's own.
func (c *call) respondOwn(w http.ResponseWriter, r *reply) error {
	h := w.Header()
	h["Cache-Control"] = unkept
	h["Vary"] = c.shared.vary.key
	if len(r.body) > 0 {
		h["Content-Type"] = []string{jsonType}
		h["Content-Length"] = []string{strconv.Itoa(len(r.body))}
	}
	w.WriteHeader(r.status)
	if len(r.body) == 0 || c.request.Method == http.MethodHead {
		return nil
	}
	return clientGone(writeAll(w, r.body))
}

func (c *call) respondBody(w http.ResponseWriter, r *reply) error {
	h := w.Header()
	enc := identity
	if len(r.body) >= compressFrom && compressible(r.mediaType) {
		enc = chooseEncoding(c.header("Accept-Encoding"), offeredEncodings)
	}
	// Sixty-four bits of the content are enough to tell apart what one address
	// has answered and answers.
	status := http.StatusOK
	if r.refusal != 0 {
		status = r.refusal
	} else if c.unchanged(w, entityTag(strconv.FormatUint(xxhash.Sum64(r.body), 36), enc)) {
		return nil
	}
	body := r.body
	if enc != identity {
		h.Set("Content-Encoding", enc)
		var err error
		if body, err = encode(enc, body); err != nil {
			return err
		}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	if c.request.Method != http.MethodHead {
		return clientGone(writeAll(w, body))
	}
	return nil
}

// entityTag is a strong entity tag; each content coding has its own.
func entityTag(base, encoding string) string {
	if encoding == identity {
		return `"` + base + `"`
	}
	return `"` + base + "-" + encoding + `"`
}

// unchanged answers 304 where the client has this representation already
// (RFC 9110 sections 13.1.2 and 13.1.3).
func (c *call) unchanged(w http.ResponseWriter, tag string) bool {
	w.Header()["Etag"] = []string{tag}
	if sent := c.header("If-None-Match"); sent != "" {
		if strings.TrimSpace(sent) != "*" && !lists(sent, tag) {
			return false
		}
	} else if modified := c.lastModified(w.Header()); modified.IsZero() || modified.After(c.timeIn("If-Modified-Since")) {
		return false
	}
	w.Header().Del("Content-Type")
	w.WriteHeader(http.StatusNotModified)
	return true
}

// tagOf is the entity tag of a reply that follows from build and query, "" for a reply
// whose tag is made of its body.
func (c *call) tagOf(r *reply) (tag string) {
	switch {
	case r.stream != nil:
		_, tag = c.streamTag(r)
	case r.file != nil:
		_, tag = c.fileTag(r.file)
	}
	return tag
}

// streamTag chooses the content coding of a stream, and makes its entity tag of the
// build and the seed.
func (c *call) streamTag(r *reply) (encoding, tag string) {
	encoding = identity
	if compressible(r.mediaType) {
		encoding = chooseEncoding(c.header("Accept-Encoding"), offeredEncodings)
	}
	sum := sha256.Sum256([]byte(c.served.id() + "\x00" + r.seed))
	return encoding, entityTag(base64.RawURLEncoding.EncodeToString(sum[:15]), encoding)
}

// fileTag chooses the content coding of a file. A request for a range gets the identity
// coding, because parts of a compressed file are of no use.
func (c *call) fileTag(f *fileReply) (encoding, tag string) {
	accept := c.header("Accept-Encoding")
	if f.variant == nil || accept == "" || c.sensibleRange().Header.Get("Range") != "" {
		return identity, f.etag
	}
	offered := make([]string, 0, len(exports.Encodings))
	for _, enc := range exports.Encodings {
		if _, ok := f.variant(enc); ok {
			offered = append(offered, enc)
		}
	}
	if encoding = chooseEncoding(accept, offered); encoding == identity {
		return identity, f.etag
	}
	v, _ := f.variant(encoding)
	return encoding, v.etag
}

// lists reports whether a list of entity tags has one. It compares weakly, as
// If-None-Match asks for.
func lists(header, tag string) bool {
	if header == "" {
		return false
	}
	for candidate := range strings.SplitSeq(header, ",") {
		if strings.TrimPrefix(strings.TrimSpace(candidate), "W/") == tag {
			return true
		}
	}
	return false
}

// respondStream sends a body that is made while it is sent, with fast
// compression and no ranges. The request is settled before anything is made, and at
// most a few streams run at once.
func (c *call) respondStream(w http.ResponseWriter, r *reply) error {
	enc, tag := c.streamTag(r)
	if c.unchanged(w, tag) {
		return nil
	}
	if c.request.Method != http.MethodHead {
		who := c.admission.Exporter()
		if err := c.shared.exports.Enter(c.request.Context(), who); err != nil {
			return busy(err)
		}
		defer c.shared.exports.Leave(who)
	}
	if enc != identity {
		w.Header().Set("Content-Encoding", enc)
	}
	w.WriteHeader(http.StatusOK)
	if c.request.Method == http.MethodHead {
		return nil
	}
	err := encodeTo(&pacedWriter{patientWriter: newPatientWriter(w), contended: c.shared.exports.Contended, now: c.shared.now, start: c.shared.now()}, enc, r.stream)
	if err != nil && clientGone(err) != nil {
		// The status is out already: cutting the connection is the only way
		// left to tell the client that the answer is not whole.
		c.shared.log.Error("stream broke off", "requestId", c.id, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// respondFile sends a prebuilt file: a precompressed variant, or the file
// itself with ranges.
func (c *call) respondFile(w http.ResponseWriter, r *reply) error {
	h := w.Header()
	f := r.file
	if c, ok := f.content.(io.Closer); ok {
		defer c.Close()
	}
	enc, tag := c.fileTag(f)
	if enc != identity {
		if c.unchanged(w, tag) {
			return nil
		}
		v, _ := f.variant(enc)
		h.Set("Content-Encoding", enc)
		h.Set("Content-Length", strconv.Itoa(len(v.body)))
		w.WriteHeader(http.StatusOK)
		if c.request.Method == http.MethodHead {
			return nil
		}
		return clientGone(writeAll(newPatientWriter(w), v.body))
	}
	if f.sha256 != "" { // which is that of the identity coding
		sum, err := hex.DecodeString(f.sha256)
		if err != nil {
			return err
		}
		h.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum)+":")
	}
	h.Set("ETag", f.etag)
	if err := c.checkRanges(f.content); err != nil {
		return err
	}
	strict := &refusalCatcher{ResponseWriter: w}
	http.ServeContent(newPatientWriter(strict), c.sensibleRange(), "", c.lastModified(h), f.content)
	switch strict.refused {
	case 0:
		return nil
	case http.StatusRequestedRangeNotSatisfiable:
		return newProblem("range-not-satisfiable", "There are no such bytes in this file; use Range: bytes=first-last within its length.")
	case http.StatusPreconditionFailed:
		return newProblem("precondition-failed", "The file does not satisfy If-Match or If-Unmodified-Since; its ETag is "+f.etag+".")
	}
	return fmt.Errorf("serving a file gave status %d", strict.refused)
}

// sensibleRange is the request without a Range that has no meaning: with
// another method than GET, or in another unit than bytes (RFC 9110 section
// 14.2).
func (c *call) sensibleRange() *http.Request {
	rng := c.request.Header.Get("Range")
	if rng == "" || c.request.Method == http.MethodGet && strings.HasPrefix(rng, "bytes=") {
		return c.request
	}
	r := c.request.Clone(c.request.Context())
	r.Header.Del("Range")
	return r
}

// refusalCatcher holds back what http.ServeContent answers where it refuses:
// plain text or nothing, while every error of this interface is a problem.
type refusalCatcher struct {
	http.ResponseWriter
	refused int
}

// WriteHeader implements http.ResponseWriter.
func (r *refusalCatcher) WriteHeader(status int) {
	if status >= 400 {
		r.refused = status
		return
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *refusalCatcher) Write(b []byte) (int, error) {
	if r.refused != 0 {
		return len(b), nil
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the writer below.
func (r *refusalCatcher) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// fail answers with a problem.
func (c *call) fail(w http.ResponseWriter, err error) {
	p := problemOf(err)
	p.RequestID, p.Instance = c.id, c.request.URL.Path
	// Where the client has left, that is mostly what the error is about. What is busy
	// is not logged: a client that asks too often would fill the log. Metrics count it.
	if p.Status >= 500 && p.Code != "busy" && !errors.Is(c.request.Context().Err(), context.Canceled) {
		c.shared.log.Error("request failed", "requestId", c.id, "path", c.request.URL.Path, "error", fmt.Sprint(p.cause))
	}
	h := w.Header()
	for _, name := range []string{"Content-Encoding", "ETag", "Last-Modified", "Content-Disposition", "Content-Location", "Repr-Digest", "Accept-Ranges", "Link"} {
		h.Del(name)
	}
	if p.Status == http.StatusUnauthorized || p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable || p.Code == "insufficient-scope" {
		h.Del("X-Build") // it is no answer from a build
	}
	for name, values := range p.header {
		h[name] = values
	}
	if p.allow != "" {
		h.Set("Allow", p.allow)
	}
	if p.Status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
		h.Set("Retry-After", "5")
	}
	body := p.encode()
	h.Set("Content-Type", problemType)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	if c.request.Method != http.MethodHead {
		_, _ = io.Copy(w, bytes.NewReader(body)) // a client that has gone misses nothing
	}
}
