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
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"kindex/exports/safetext"
	"kindex/exports/store"
)

// Reader reads objects.
type Reader interface {
	// Read returns a small object and a tag, which is different for every version of the object.
	// It returns an error that wraps fs.ErrNotExist if there is no such object, ErrUnchanged if
	// its tag is known, a *store.DamageError if it is longer than limit bytes, and another error if
	// the bucket does not answer.
	Read(ctx context.Context, name string, limit int64, known string) (data []byte, tag string, err error)
	// Open opens an object of any size. The caller limits how much it reads, and for how long, and
	// closes it. Its errors are those of Read.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// String returns the address, without credentials.
	String() string
}

// Bucket reads and writes objects.
type Bucket interface {
	Reader
	// Write creates or replaces an object with size bytes.
	Write(ctx context.Context, name string, data io.ReadSeeker, size int64) error
	// Replace replaces the version of an object that has the tag, or creates the object if tag
	// is "". It returns an error that wraps ErrConflict if the object has another version, or
	// exists.
	Replace(ctx context.Context, name string, data []byte, tag string) error
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

// ErrUnchanged means that an object still is the version that the caller knows.
var ErrUnchanged = errors.New("is unchanged")

// errMalformed is the error for an address that cannot be parsed.
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

// readLimited reads at most limit bytes, and returns an error if there are more.
func readLimited(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &store.DamageError{Path: name, Problem: fmt.Sprintf("has more than %d bytes", limit)}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

func notExist(name string) error { return fmt.Errorf("%s: %w", name, fs.ErrNotExist) }
