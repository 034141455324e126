// Package bucket reads and writes files, called objects, where builds are published: in a folder,
// in a bucket of S3-compatible object storage, or, read-only, behind any web server.
//
// A method may be called by several goroutines, and several processes may use the same bucket.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"kindex/exports/safetext"
	"kindex/exports/store"
)

// Reader reads objects.
type Reader interface {
	// Open opens an object of any size. The caller limits how much it reads, and for how long, and
	// closes it. Open returns an error that wraps fs.ErrNotExist if there is no such object, and another
	// error if the bucket does not answer.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// String returns the address, without credentials.
	String() string
}

// Bucket reads and writes objects.
type Bucket interface {
	Reader
	// Write creates or replaces an object with size bytes.
	Write(ctx context.Context, name string, data io.ReadSeeker, size int64) error
	// Replace replaces the content of a small object, or creates the object if old is nil. It returns
	// an error that wraps ErrConflict if the object has other content, or exists.
	Replace(ctx context.Context, name string, data, old []byte) error
	// List yields all objects whose names start with prefix, which is "" or ends with a slash.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]
	// Remove removes an object. It is no error if there is none.
	Remove(ctx context.Context, name string) error
}

// Info describes an object.
type Info struct {
	Name     string
	Size     int64 // in bytes
	Modified time.Time
}

var errMalformed = errors.New("the address is malformed; expected file:FOLDER, s3://BUCKET/PREFIX or, for readers, https://HOST/PATH")

// ErrConflict means that somebody else has written an object in the meantime.
var ErrConflict = errors.New("was written by somebody else in the meantime")

// Open opens the bucket with an address of the form file:FOLDER or s3://BUCKET/PREFIX.
//
// For S3, credentials, endpoint and region come from the usual variables: AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_ENDPOINT_URL, AWS_REGION; or credentials come
// from the file ~/.aws/credentials.
func Open(address string) (Bucket, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errMalformed // the parser's error repeats the address
	}
	switch u.Scheme {
	case "file":
		return openFolder(folderOf(address))
	case "s3":
		return openS3(u)
	}
	return nil, fmt.Errorf("%s is not the address of a bucket; expected file:FOLDER or s3://BUCKET/PREFIX", safetext.Address(address))
}

// OpenReader is like Open, but also accepts https://… and http://….
func OpenReader(address string) (Reader, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errMalformed
	case u.Scheme == "https" || u.Scheme == "http":
		return openWeb(u)
	case u.Scheme != "file" && u.Scheme != "s3":
		return nil, fmt.Errorf("%s is not the address of published builds; expected file:FOLDER, s3://BUCKET/PREFIX or https://HOST/PATH", safetext.Address(address))
	}
	return Open(address)
}

// folderOf returns the folder in an address such as file:builds, file:/srv/builds or
// file:///srv/builds.
func folderOf(address string) string {
	path := strings.TrimPrefix(address, "file:")
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		path = rest
	}
	return filepath.FromSlash(path)
}

// checkName returns an error unless every kind of bucket can store an object with the name.
func checkName(name string) error {
	if store.ValidPath(name) {
		return nil
	}
	return fmt.Errorf("%q is not a valid name of an object", name)
}

const readTimeout = time.Minute

// Read returns a small object. Its errors are those of Open, and a *store.DamageError if the object is longer
// than limit bytes.
func Read(ctx context.Context, from Reader, name string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	body, err := from.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return readLimited(body, from.String()+"/"+name, limit)
}

func readLimited(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, &store.DamageError{Path: name, Problem: fmt.Sprintf("has more than %d bytes", limit)}
	}
	return data, nil
}

const maxReplaced = 1 << 20

func notExist(name string) error { return fmt.Errorf("%s: %w", name, fs.ErrNotExist) }

// web reads objects from a web server that serves the files of a bucket.
type web struct {
	base   *url.URL
	client *http.Client
}

// Limits for requests.
const (
	headerTimeout = 30 * time.Second
	maxRedirects  = 5
)

func openWeb(u *url.URL) (*web, error) {
	if u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s is not the address of published builds; expected https://HOST/PATH", safetext.Address(u.String()))
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = headerTimeout
	return &web{base: u, client: &http.Client{Transport: transport, CheckRedirect: checkRedirect}}, nil
}

// checkRedirect allows redirects to the same server only, and never from https to http: a server must
// not choose which others this machine, which may be in a private network, sends requests to.
func checkRedirect(req *http.Request, via []*http.Request) error {
	from, to := via[len(via)-1].URL, req.URL
	upgrade := from.Scheme == "http" && to.Scheme == "https" && from.Port() == "" && to.Port() == "" && strings.EqualFold(from.Hostname(), to.Hostname())
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("redirected to %s, after too many redirects", safetext.Address(to.String()))
	case !upgrade && (to.Scheme != from.Scheme || !strings.EqualFold(to.Host, from.Host)):
		return fmt.Errorf("redirected to %s, which is not the same server; use that address if it is the right one", safetext.Address(to.String()))
	}
	return nil
}

// String implements Reader.
func (w *web) String() string { return w.base.Redacted() }

// Open implements Reader.
func (w *web) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	address := w.base.JoinPath(strings.Split(name, "/")...)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4096) // so that the connection can be used again
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone {
		return nil, notExist(address.Redacted())
	}
	return nil, fmt.Errorf("%s: the server answered with status %s", address.Redacted(), resp.Status)
}
