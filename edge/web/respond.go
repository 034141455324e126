package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
)

// respond sends a handler's response. All responses from handlers are sent through it.
func (c *Call) respond(w http.ResponseWriter, r *Reply) error {
	encoding, tag := c.representation(r)
	if c.quota.exhausted && !containsETag(c.Header("If-None-Match"), tag) {
		return c.exceeded(nil)
	}
	h := w.Header()
	for k, v := range r.Header {
		h[k] = append(h[k], v...) // Vary already has a value
	}
	if r.Attachment != "" {
		h["Content-Disposition"] = []string{`attachment; filename="` + r.Attachment + `"`}
		if c.Served.Licenses != nil {
			h["Link"] = c.Served.Licenses
		}
	}
	if r.Build != "" {
		h.Set("X-Build", r.Build)
	}
	switch {
	case r.Status != 0:
		return c.respondPrivate(w, r)
	case r.Cache != nil:
		h["Cache-Control"] = r.Cache
	case r.Immutable:
		h["Cache-Control"] = cacheForever
	default:
		h["Cache-Control"] = revalidate
	}
	if r.Location != "" {
		h.Set("Location", r.Location)
		h.Set("Content-Length", "0")
		w.WriteHeader(http.StatusMovedPermanently)
		return nil
	}
	c.immutable = r.Immutable
	if !r.Immutable && r.ErrorStatus == 0 {
		h["Last-Modified"] = c.Served.Modified
	}
	h["Content-Type"] = []string{r.MediaType}
	if r.Stream != nil {
		return c.respondStream(w, r, encoding, tag)
	}
	return c.respondWhole(w, r, encoding, tag)
}

// respondPrivate sends the response to a write or a personal response.
func (c *Call) respondPrivate(w http.ResponseWriter, r *Reply) error {
	h := w.Header()
	h["Cache-Control"] = NoStore
	h["Vary"] = c.Shared.Vary("X-Api-Key")
	if len(r.Body) == 0 {
		w.WriteHeader(r.Status)
		return nil
	}
	h["Content-Type"] = jsonContent
	c.sendBody(w, r.Status, r.Body)
	return nil
}

// respondWhole sends a body or a stored file: compressed, or the file itself with ranges.
func (c *Call) respondWhole(w http.ResponseWriter, r *Reply, encoding, tag string) (err error) {
	body, f := r.Body, r.File
	if f != nil {
		if file, ok := f.Content.(io.Closer); ok {
			defer file.Close()
		}
		if encoding == identity {
			return c.serveContent(w, f, tag)
		}
	}
	if r.ErrorStatus == 0 && c.notModified(w, tag) {
		return nil
	}
	setEncoding(w.Header(), encoding)
	switch {
	case f != nil && f.Gzip != nil:
		return c.sendMember(w, f.Gzip)
	case f != nil:
		body, err = io.ReadAll(f.Content)
	}
	if err == nil && encoding != identity {
		body, err = encode(encoding, body)
	}
	if err == nil {
		c.sendBody(w, cmp.Or(r.ErrorStatus, http.StatusOK), body)
	}
	return err
}

func setEncoding(h http.Header, encoding string) {
	if encoding != identity {
		h.Set("Content-Encoding", encoding)
	}
}

// notModified responds with 304 if the client already has this representation (RFC 9110
// sections 13.1.2 and 13.1.3).
func (c *Call) notModified(w http.ResponseWriter, tag string) bool {
	h := w.Header()
	h["Etag"] = []string{tag}
	if sent := c.Header("If-None-Match"); sent != "" {
		if strings.TrimSpace(sent) != "*" && !containsETag(sent, tag) {
			return false
		}
	} else if modified := c.lastModified(h); modified.IsZero() || modified.After(c.modifiedSince()) {
		return false
	}
	h.Del("Content-Type")
	w.WriteHeader(http.StatusNotModified)
	return true
}

// lastModified returns the Last-Modified time to compare with the client's
// If-Modified-Since, or the zero time if a comparison would prove nothing. Some clients,
// such as simple feed readers, send back the time they received. Others, such as curl -z,
// send the time of their download.
//
//   - A time that the client received identifies this content only if no other build has
//     the same time.
//   - For any other time, the content is known to be unchanged only if this edge was
//     already serving it at that time.
//
// A build's files never change. Pages and responses about the program also change when the
// program or its settings do.
func (c *Call) lastModified(h http.Header) time.Time {
	t, err := http.ParseTime(h.Get("Last-Modified"))
	since, shown := c.modifiedSince(), c.Served.ShownSince.Load()
	switch {
	case err != nil, c.immutable,
		c.BuildOnly && c.Served.UniqueModified && (since.IsZero() || since.Equal(t)),
		c.BuildOnly && shown != nil && !since.Before(*shown):
		return t
	}
	return time.Time{}
}

// modifiedSince returns the time in If-Modified-Since, or the zero time if it is missing or must be ignored.
func (c *Call) modifiedSince() time.Time {
	t, err := http.ParseTime(c.Header("If-Modified-Since"))
	if err != nil || !c.reads() {
		return time.Time{}
	}
	return t
}

// matchesETag reports whether the client listed the response's entity tag, which means that it
// already has this representation. An asterisk is ignored, because it would match any response.
func (c *Call) matchesETag(h http.Header) bool {
	tags := h["Etag"]
	return len(tags) == 1 && containsETag(c.Header("If-None-Match"), tags[0])
}

const maxEncoded = 1 << 20

// representation selects the content coding of a reply and returns its entity tag. The tag of a stream
// is derived from the build and the seed, and that of a body from the body.
func (c *Call) representation(r *Reply) (encoding, tag string) {
	encodings := offeredEncodings
	var base string
	switch {
	case r.Stream != nil:
		if r.Gzip != nil {
			if encoding = negotiateEncoding(c.Header("Accept-Encoding"), []string{"gzip"}); encoding != identity {
				return encoding, `"` + r.Gzip.ETag + `"`
			}
			encodings = nil
		}
		sum := sha256.Sum256([]byte(c.Served.ID() + "\x00" + r.ETagSeed))
		base = base64.RawURLEncoding.EncodeToString(sum[:15])
	case r.File != nil:
		base, encodings = r.File.ETag, c.fileEncodings(r.File)
	default:
		base = strconv.FormatUint(xxhash.Sum64(r.Body), 36) // 64 bits are enough to distinguish the responses of one address
		if len(r.Body) < minCompressLen {
			encodings = nil
		}
	}
	encoding = identity
	if encodings != nil && compressible(r.MediaType) {
		encoding = negotiateEncoding(c.Header("Accept-Encoding"), encodings)
	}
	if encoding != identity {
		base += "-" + encoding
	}
	return encoding, `"` + base + `"`
}

// fileEncodings returns the content codings of a file. A request for a range gets the identity coding,
// because parts of a compressed file are of no use.
func (c *Call) fileEncodings(f *FileReply) []string {
	switch {
	case c.validRange().Header.Get("Range") != "":
	case f.Gzip != nil:
		return offeredEncodings[1:]
	case f.Encode:
		if size, err := sizeOf(f.Content); err == nil && size <= maxEncoded {
			return offeredEncodings
		}
	}
	return nil
}

// sizeOf returns the size of a file, and goes to its beginning.
func sizeOf(content io.Seeker) (int64, error) {
	size, err := content.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = content.Seek(0, io.SeekStart)
	}
	return size, err
}

// containsETag reports whether a list of entity tags contains the given tag. It uses the weak
// comparison that If-None-Match requires.
func containsETag(header, tag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		if strings.TrimPrefix(strings.TrimSpace(candidate), "W/") == tag {
			return true
		}
	}
	return false
}

// respondStream sends a body while it is being generated, with fast compression and without
// ranges, or as the stored gzip member if there is one. The request is finalized before anything is
// generated, and only a few streams run at once.
func (c *Call) respondStream(w http.ResponseWriter, r *Reply, encoding, tag string) error {
	setEncoding(w.Header(), encoding)
	if encoding != identity && r.Gzip != nil {
		if err := setLength(w.Header(), r.Gzip.Content); err != nil { // http.ServeContent sets that of a range only
			return err
		}
		return c.serveContent(w, r.Gzip, tag)
	}
	if c.notModified(w, tag) {
		return nil
	}
	if c.Request.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	gate := c.Shared.Limits.ExportGate
	leave, err := gate.Enter(c.Request.Context(), c.exporter())
	if err != nil {
		return gateProblem(err)
	}
	defer leave()
	w.WriteHeader(http.StatusOK)
	to := newClientWriter(w)
	to.contended, to.now, to.start = gate.Contended, c.Shared.Now, c.Shared.Now()
	c.cutOff(encodeTo(to, encoding, r.Stream))
	return nil
}

func setLength(h http.Header, content io.Seeker) error {
	size, err := sizeOf(content)
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	return err
}

// sendMember sends a stored gzip member whole. If it ends early, the connection is cut.
func (c *Call) sendMember(w http.ResponseWriter, member io.ReadSeeker) error {
	if err := setLength(w.Header(), member); err != nil {
		return err
	}
	w.WriteHeader(http.StatusOK)
	if c.Request.Method != http.MethodHead {
		_, err := io.Copy(newClientWriter(w), member)
		c.cutOff(err)
	}
	return nil
}

// cutOff cuts the connection if a response failed after its status was sent, since there is no other way to
// tell the client that it is incomplete.
func (c *Call) cutOff(err error) {
	if gone := (writeError{}); err != nil && !errors.As(err, &gone) {
		c.Shared.Log.Error("response cut off", "requestId", c.ID, "error", err)
		panic(http.ErrAbortHandler)
	}
}

func (c *Call) sendBody(w http.ResponseWriter, status int, body []byte) {
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	if c.Request.Method != http.MethodHead {
		_, _ = newClientWriter(w).Write(body) // ignore an error: the client has disconnected
	}
}

// maxRanges is the maximum number of ranges in a request. Each range in the response has its own
// headers, so many small ranges make the response many times as large as the request. Ranges that
// together exceed the file are ignored by http.ServeContent.
const maxRanges = 10

// serveContent sends the content of a file, or the ranges of it that are requested.
func (c *Call) serveContent(w http.ResponseWriter, f *FileReply, tag string) error {
	h := w.Header()
	if sum, err := hex.DecodeString(f.SHA256); err == nil && len(sum) > 0 {
		h.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum)+":")
	}
	h.Set("ETag", tag)
	r := c.validRange()
	if n := strings.Count(r.Header.Get("Range"), ",") + 1; n > maxRanges {
		return unsatisfiable(f, fmt.Sprintf("The request has %d ranges; request at most %d, or the whole file.", n, maxRanges))
	}
	catcher := &ErrorCatcher{ResponseWriter: w}
	http.ServeContent(newClientWriter(catcher), r, "", c.lastModified(h), f.Content)
	switch catcher.Status {
	case 0:
		return nil
	case http.StatusRequestedRangeNotSatisfiable:
		return unsatisfiable(f, "The range is outside the file; use Range: bytes=first-last within the length of the file.")
	case http.StatusPreconditionFailed:
		return NewProblem("precondition-failed", "The file does not satisfy If-Match or If-Unmodified-Since; its ETag is "+tag+".")
	}
	return fmt.Errorf("serving a file resulted in status %d", catcher.Status)
}

// unsatisfiable returns the problem for ranges that a file does not have. It tells the length of the file.
func unsatisfiable(f *FileReply, detail string) error {
	size, err := sizeOf(f.Content)
	if err != nil {
		return err
	}
	p := NewProblem("range-not-satisfiable", detail)
	p.Header = http.Header{"Content-Range": {"bytes */" + strconv.FormatInt(size, 10)}}
	return p
}

// validRange removes a Range header that must be ignored: in a request with a method other than
// GET, or with a unit other than bytes (RFC 9110 section 14.2).
func (c *Call) validRange() *http.Request {
	rng, valid := c.Request.Header.Get("Range"), ""
	if list, ok := strings.CutPrefix(rng, "bytes="); ok && c.Request.Method == http.MethodGet {
		if valid = rng; strings.Contains(list, "-0") && strings.Count(list, ",") < maxRanges {
			valid = "bytes=" + withoutEmpty(list)
		}
	}
	if valid == rng {
		return c.Request
	}
	r := c.Request.Clone(c.Request.Context())
	if r.Header.Del("Range"); valid != "" {
		r.Header.Set("Range", valid)
	}
	return r
}

// withoutEmpty replaces the last 0 bytes in a list of ranges, which http.ServeContent would send, by a range
// that no file has (RFC 9110 section 14.1.2).
func withoutEmpty(list string) string {
	ranges := strings.Split(list, ",")
	for i, s := range ranges {
		if zeros, ok := strings.CutPrefix(strings.TrimSpace(s), "-"); ok && zeros != "" && strings.Trim(zeros, "0") == "" {
			ranges[i] = strconv.Itoa(math.MaxInt) + "-"
		}
	}
	return strings.Join(ranges, ",")
}

// Fail responds with a problem. A caller with no requests left gets nothing but a 304 or a 429.
func (c *Call) Fail(w http.ResponseWriter, err error) {
	p := AsProblem(err)
	if c.quota.exhausted {
		p = c.exceeded(nil)
	}
	p.RequestID, p.Instance = c.ID, c.Request.URL.Path
	// If the client has disconnected, that is usually the cause of the error, so the error is not
	// logged. Busy and not-ready problems are not logged either, because a client that sends too
	// many requests would fill the log; they are counted in the metrics.
	if p.Status >= 500 && p.Code != "busy" && p.Code != "not-ready" && !c.ClientGone() {
		c.Shared.LogFailure(c.ID, c.Request.URL.Path, p)
	}
	h := w.Header()
	for _, name := range []string{"Content-Encoding", "ETag", "Last-Modified", "Content-Disposition", "Content-Location", "Repr-Digest", "Accept-Ranges", "Link"} {
		h.Del(name)
	}
	if p.Status == http.StatusUnauthorized || p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable || p.Code == "insufficient-scope" {
		h.Del("X-Build") // the response is not from a build
	}
	for name, values := range p.Header {
		h[name] = values
	}
	if p.Status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
		h.Set("Retry-After", "5")
	}
	h.Set("Content-Type", problemType)
	h["Cache-Control"] = revalidate
	c.sendBody(w, p.Status, append(AppendJSON(nil, p), '\n'))
}
