package mirror

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sync/errgroup"

	"kindex/exports/bucket"
	"kindex/exports/sign"
	"kindex/exports/store"
)

// PublishOptions configure Publish.
type PublishOptions struct {
	Dir      string    // the output folder whose published build is published in the bucket
	Dirty    bool      // also publish a build from content that was not committed
	Key      *sign.Key // signs the build; nil to sign nothing
	Progress Progress  // how many files were checked or uploaded; may be nil
}

// PublishResult describes what Publish did.
type PublishResult struct {
	Build     string `json:"build"`
	Unchanged bool   `json:"unchanged"` // it was already published, and nothing was written
	Files     int    `json:"files"`
	Bytes     int64  `json:"bytes"`         // size of all files
	Sent      int    `json:"uploadedFiles"` // the others were there already
	Uploaded  int64  `json:"uploadedBytes"`
	// Signature is that of the build, nil if Publish was called without a key.
	Signature *sign.Signature `json:"signature,omitempty"`
	// PreviousKey is the key with which the previous build was signed, if this one is not signed.
	PreviousKey string `json:"previousKey,omitempty"`
	// Newer is the previous build, if that is newer than this one.
	Newer string `json:"newer,omitempty"`
}

// ErrDirty means that a build was made from uncommitted content.
var ErrDirty = errors.New("was built from content that was not committed, so nobody can rebuild it")

// Publish publishes a build in a bucket. Files that are there already are not written again. If another
// publisher is faster, Publish returns an error that wraps bucket.ErrConflict; nothing is lost, and it
// can be called again. With a key, it signs the build, even if it was published before without a
// signature, and keeps the signed statement in the output folder.
func Publish(ctx context.Context, to bucket.Bucket, o PublishOptions) (*PublishResult, error) {
	id, err := store.Current(o.Dir)
	if err != nil {
		return nil, err
	}
	p := &publisher{PublishOptions: o, to: to, from: &remote{Reader: to}}
	if p.list, err = readList(o.Dir, id); err != nil {
		return nil, err
	}
	if p.list.manifest.Dirty && !o.Dirty {
		return nil, fmt.Errorf("the build %s %w", id, ErrDirty)
	}
	published, old, err := p.from.current(ctx)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	p.report = &PublishResult{Build: id, Files: len(p.list.files), Bytes: p.list.size()}
	next, err := p.next(ctx, published)
	if err != nil {
		return nil, err
	}
	if err := p.upload(ctx, published); err != nil {
		return nil, err
	}
	if published != nil && *next == *published && p.report.Sent == 0 && p.listed {
		p.report.Unchanged = true
		return p.report, nil
	}
	return p.report, p.finish(ctx, next, old)
}

type publisher struct {
	PublishOptions
	to     bucket.Bucket
	from   *remote
	list   *list
	report *PublishResult
	listed bool            // builds/<id>.json is there
	signed *sign.Statement // nil without a key
}

// next returns the new content of current. A build that is signed with the key already, or published
// again without one, keeps its signature.
func (p *publisher) next(ctx context.Context, published *current) (*current, error) {
	next := &current{Format: format, Build: p.list.manifest.ID, Files: p.list.sum}
	if published != nil && published.Signature != "" {
		same := published.Build == next.Build && published.Files == next.Files
		s, signature, err := sign.Open([]byte(published.Signature), p.keys())
		switch {
		case p.Key == nil && same:
			next.Signature = published.Signature
		case p.Key == nil && err == nil:
			p.report.PreviousKey = signature.Key
		case err == nil && signature.Verified && same && s.Build == next.Build && s.Files == next.Files:
			next.Signature, p.report.Signature, p.signed = published.Signature, signature, s
		}
	}
	if p.Key == nil || p.report.Signature != nil {
		return next, nil
	}
	counter, err := p.lastCounter(ctx, published)
	if err != nil {
		return nil, err
	}
	asOf, err := time.Parse(time.RFC3339, p.list.manifest.AsOf)
	if err != nil {
		return nil, fmt.Errorf("the build %s has the as-of time %q: %w", next.Build, p.list.manifest.AsOf, err)
	}
	p.signed = &sign.Statement{Build: next.Build, Files: next.Files, Commit: string(p.list.manifest.Commit), AsOf: asOf, Counter: counter + 1}
	signed, err := p.signed.Sign(p.Key)
	if err != nil {
		return nil, err
	}
	next.Signature = string(signed)
	_, p.report.Signature, err = sign.Open(signed, p.keys())
	return next, err
}

func (p *publisher) keys() []note.Verifier {
	if p.Key == nil {
		return nil
	}
	return []note.Verifier{p.Key.Verifier}
}

// lastCounter returns the largest counter of a statement that was signed with the key: about what is
// published, about any build that is in the bucket, or remembered by this folder. A number that only a
// killed publisher has used may be used again.
func (p *publisher) lastCounter(ctx context.Context, published *current) (int64, error) {
	last, err := readAccepted(p.Dir)
	if err != nil {
		return 0, err
	}
	counter := last.Keys[sign.KeyName(p.Key.Verifier)].Counter
	count := func(signed []byte) {
		if s, signature, err := sign.Open(signed, p.keys()); err == nil && signature.Verified {
			counter = max(counter, s.Counter)
		}
	}
	if published != nil {
		count([]byte(published.Signature))
	}
	for i, err := range p.to.List(ctx, buildsPrefix) {
		if err != nil {
			return 0, err
		}
		if !strings.HasSuffix(i.Name, ".sig") {
			continue
		}
		signed, err := p.from.read(ctx, i.Name, sign.MaxLen)
		if err != nil {
			return 0, err
		}
		count(signed)
	}
	return counter, nil
}

// upload writes the files that the bucket lacks. It relies on a file that is there only if Prune cannot
// remove it meanwhile: because the published build needs it, or because it is new.
func (p *publisher) upload(ctx context.Context, published *current) error {
	now, err := clock(ctx, p.to)
	if err != nil {
		return err
	}
	needed := map[string]bool{}
	if published != nil {
		if l, err := p.from.list(ctx, published.Build, published.Files); err == nil { // otherwise, more is uploaded
			for _, f := range append(l.files, listFile(l)) {
				needed[fileName(f.SHA256)] = true
			}
			if p.list.manifest.LastModified().Before(l.manifest.LastModified()) {
				p.report.Newer = published.Build
			}
		} else if ctx.Err() != nil {
			return err
		}
	}
	there := map[string]int64{}
	for _, prefix := range []string{buildsPrefix, filesPrefix} {
		for i, err := range p.to.List(ctx, prefix) {
			if err != nil {
				return err
			}
			if needed[i.Name] || now.Sub(i.Modified) < MinGrace/2 || prefix == buildsPrefix {
				there[i.Name] = i.Size
			}
		}
	}
	p.listed = there[listName(p.list.manifest.ID)] == int64(len(p.list.data))
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var sent, done, uploaded atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(transfers)
	send := func(f store.File, read func() error) {
		g.Go(func() error {
			defer func() { p.Progress.report("publish", int(done.Add(1)), len(p.list.files)+1) }()
			if size, ok := there[fileName(f.SHA256)]; ok && size == f.Size || ctx.Err() != nil {
				return ctx.Err()
			}
			sent.Add(1)
			uploaded.Add(f.Size)
			return read()
		})
	}
	for _, f := range p.list.files {
		send(f, func() error {
			data, err := openLocal(root, f, p.list.place(f))
			if err != nil {
				return err
			}
			defer data.Close()
			if !isSame(data, f) {
				return &store.DamageError{Path: data.Name(), Problem: "does not have the SHA-256 in the manifest"}
			}
			if _, err := data.Seek(0, io.SeekStart); err != nil {
				return err
			}
			return p.to.Write(ctx, fileName(f.SHA256), data, f.Size)
		})
	}
	list := listFile(p.list)
	send(list, func() error { return write(ctx, p.to, fileName(list.SHA256), p.list.data) })
	err = g.Wait()
	p.report.Sent, p.report.Uploaded = int(sent.Load()), uploaded.Load()
	return err
}

func listFile(l *list) store.File {
	return store.File{Path: "list", Size: int64(len(l.data)), SHA256: l.sum}
}

func write(ctx context.Context, to bucket.Bucket, name string, data []byte) error {
	return to.Write(ctx, name, bytes.NewReader(data), int64(len(data)))
}

// finish writes the list of the build and its signature, and then current. The signed statement is also
// kept in the output folder.
func (p *publisher) finish(ctx context.Context, next *current, old []byte) error {
	if err := write(ctx, p.to, listName(next.Build), p.list.data); err != nil {
		return err
	}
	if next.Signature != "" {
		if err := write(ctx, p.to, signatureName(next.Build), []byte(next.Signature)); err != nil {
			return err
		}
	}
	if p.signed != nil {
		last, err := readAccepted(p.Dir)
		if err != nil {
			return err
		}
		err = errors.Join(store.WriteStatement(p.Dir, next.Build, []byte(next.Signature)), last.write(p.Dir, p.report.Signature.Key, p.signed))
		if err != nil {
			return err
		}
	}
	data, err := json.Marshal(next)
	if err != nil {
		return err
	}
	return p.to.Replace(ctx, currentName, append(data, '\n'), old)
}
