// Package mirror copies builds between output folders and a bucket, from which other machines fetch
// them. A bucket has these objects:
//
//	current                     the published build, the SHA-256 of its list of files, its signature
//	builds/<id>.json            the list of the files of a build: its manifest and that of its index
//	builds/<id>.sig             the signed statement about it, if it was signed
//	files/sha256/<2>/<64 hex>   every file of every build, and every list, named by its SHA-256
//	clock/now                   written to learn what time it is there
//
// Files never change. A publisher writes current last, and only if nobody else has written it in the
// meantime, so a reader gets one build or the other. A reader begins with the hash in current, checks
// the length and the hash of everything it reads, and decodes nothing before that.
//
// A reader thus gets what was published, but cannot tell who published it. A publisher with a key
// signs a statement (package sign) with the hash of the list. A reader with the verifier key accepts
// only builds that were signed. Readers remember the last build that they accepted, and refuse older
// ones.
package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"sync/atomic"
	"time"

	"kindex/exports/bucket"
	"kindex/exports/sign"
	"kindex/exports/store"
)

// format is the version of the layout. Readers refuse any other.
const format = 2

// Names of objects.
const (
	currentName  = "current"
	clockName    = "clock/now"
	buildsPrefix = "builds/"
	filesPrefix  = "files/sha256/"
)

// Limits for what readers accept, in bytes. The list of files of ten thousand leaderboards would take
// more than that; publishers refuse it.
const (
	maxCurrent = 2 * sign.MaxLen
	maxList    = store.MaxManifestSize
	maxFile    = 1 << 40
)

const transfers = 8

type current struct {
	Format    int    `json:"format"`
	Build     string `json:"build"`
	Files     string `json:"files"`               // SHA-256 of the list of files
	Signature string `json:"signature,omitempty"` // the signed statement; "" if the build was not signed
}

// Progress is called with the progress of a step. Several goroutines may call it at the same time.
type Progress func(step string, done, total int)

func (p Progress) report(step string, done, total int) {
	if p != nil {
		p(step, done, total)
	}
}

func listName(id string) string      { return buildsPrefix + id + ".json" }
func signatureName(id string) string { return buildsPrefix + id + ".sig" }
func fileName(sum string) string     { return filesPrefix + sum[:2] + "/" + sum }

func sumOf(data []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

var sumPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// damaged returns the error for an object whose content does not have the hash it must have. It was
// truncated, replaced or altered.
func (r *remote) damaged(name string) error {
	return &store.DamageError{Path: r.String() + "/" + name, Problem: "is damaged: its SHA-256 is not the one that was published"}
}

// unansweredError is the error of a request that the bucket did not answer.
type unansweredError struct{ error }

func (e *unansweredError) Unwrap() error { return e.error }

// answered marks the error of a request unless it is about what the bucket answered.
func answered(err error) error {
	var damaged *store.DamageError
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.As(err, &damaged) {
		return err
	}
	return &unansweredError{err}
}

// remote reads a bucket, and counts the bytes.
type remote struct {
	bucket.Reader
	bytes atomic.Int64
	files atomic.Int64 // without current, lists and signatures
}

const attempts = 4

// firstDelay is the time before the second request; it doubles each time. Tests shorten it.
var firstDelay = time.Second / 4

func ask(ctx context.Context, request func() error) error {
	for n, delay := 1, firstDelay; ; n, delay = n+1, 2*delay {
		err := request()
		var unanswered *unansweredError
		if n == attempts || ctx.Err() != nil || !errors.As(err, &unanswered) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(delay):
		}
	}
}

func (r *remote) read(ctx context.Context, name string, limit int64) (data []byte, err error) {
	err = ask(ctx, func() (err error) {
		data, err = bucket.Read(ctx, r.Reader, name, limit)
		r.bytes.Add(int64(len(data)))
		return answered(err)
	})
	return data, err
}

// current returns what is published, and how it is stored. It returns an error that wraps fs.ErrNotExist if
// nothing is published.
func (r *remote) current(ctx context.Context) (*current, []byte, error) {
	data, err := r.read(ctx, currentName, maxCurrent)
	if err != nil {
		return nil, nil, err
	}
	c := new(current)
	if err := json.Unmarshal(data, c); err != nil {
		return nil, nil, fmt.Errorf("%s/%s is damaged: %w", r, currentName, err)
	}
	if c.Format != format {
		return nil, nil, fmt.Errorf("%s has version %d of the layout, but this program reads version %d; use a kindex of the version that published it", r, c.Format, format)
	}
	if !store.ValidID(c.Build) || !sumPattern.MatchString(c.Files) {
		return nil, nil, fmt.Errorf("%s/%s is damaged: it does not name a build and its files", r, currentName)
	}
	return c, data, nil
}

func (r *remote) list(ctx context.Context, id, sum string) (*list, error) {
	name := fileName(sum)
	data, err := r.read(ctx, name, maxList)
	if err != nil {
		return nil, err
	}
	if sumOf(data) != sum {
		return nil, r.damaged(name)
	}
	return parseList(r.String()+"/"+name, id, data)
}

// slowest is the rate, in bytes per second, below which a file is not read to its end.
const slowest = 16 << 10

// fetch copies the file with a hash to a folder and verifies it: to a temporary name, which is replaced
// in one step. It never writes more than the size of the file.
func (r *remote) fetch(ctx context.Context, f store.File, dir *os.Root, name string) error {
	return ask(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, time.Minute+time.Duration(f.Size/slowest)*time.Second)
		defer cancel()
		body, err := r.Open(ctx, fileName(f.SHA256))
		if err != nil {
			return answered(err)
		}
		defer body.Close()
		r.files.Add(1)
		ok, err := place(f, &counted{body, &r.bytes}, dir, name)
		if err == nil && !ok {
			err = r.damaged(fileName(f.SHA256))
		}
		return err
	})
}

// counted counts the bytes that are read, and marks errors.
type counted struct {
	io.Reader
	bytes *atomic.Int64
}

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.bytes.Add(int64(n))
	if err != nil && !errors.Is(err, io.EOF) {
		err = &unansweredError{err}
	}
	return n, err
}

// place writes a file to a folder if the data is what its hash says, and reports whether it is.
func place(f store.File, data io.Reader, dir *os.Root, name string) (ok bool, err error) {
	if err := dir.MkdirAll(path.Dir(name), 0o755); err != nil {
		return false, err
	}
	part := name + ".part"
	w, err := dir.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return false, err
	}
	n, sum, err := store.Checksum(io.TeeReader(io.LimitReader(data, f.Size+1), w))
	if err = errors.Join(err, w.Close()); err == nil && n == f.Size && sum == f.SHA256 {
		return true, dir.Rename(part, name)
	}
	return false, errors.Join(err, dir.Remove(part))
}

// clock returns the time at the bucket, by which the ages of objects are counted: this machine's clock
// may be wrong.
func clock(ctx context.Context, in bucket.Bucket) (at time.Time, err error) {
	text := []byte("its time of modification is the time here\n")
	if err := write(ctx, in, clockName, text); err != nil {
		return at, err
	}
	for i, err := range in.List(ctx, path.Dir(clockName)+"/") {
		if err != nil {
			return at, err
		}
		at = i.Modified
	}
	return at, nil
}
