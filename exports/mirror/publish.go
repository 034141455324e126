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
	"path/filepath"
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
	published, tag, err := p.from.current(ctx, "")
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
	return p.report, p.finish(ctx, next, tag)
}

// publisher publishes one build.
type publisher struct {
	PublishOptions
	to     bucket.Bucket
	from   *remote
	list   *list
	report *PublishResult
	listed bool // builds/<id>.json is there
}

// next returns the new content of current. A build that is signed with the key already, or published
// again without one, keeps its signature.
func (p *publisher) next(ctx context.Context, published *current) (*current, error) {
	next := &current{Format: format, Build: p.list.manifest.ID, Files: p.list.sum}
	var counter int64
	if published != nil && published.Signature != "" {
		same := published.Build == next.Build && published.Files == next.Files
		s, signature, err := sign.Open([]byte(published.Signature), p.keys())
		switch {
		case p.Key == nil && same:
			next.Signature = published.Signature
		case p.Key == nil && err == nil:
			p.report.PreviousKey = signature.Key
		case err == nil && signature.Verified && same && s.Build == next.Build && s.Files == next.Files:
			next.Signature, p.report.Signature = published.Signature, signature
		case err == nil && signature.Verified:
			counter = s.Counter
		}
	}
	if p.Key == nil || p.report.Signature != nil {
		return next, nil
	}
	counter, err := p.lastCounter(ctx, counter)
	if err != nil {
		return nil, err
	}
	asOf, err := time.Parse(time.RFC3339, p.list.manifest.AsOf)
	if err != nil {
		return nil, fmt.Errorf("the build %s has the as-of time %q: %w", next.Build, p.list.manifest.AsOf, err)
	}
	s := &sign.Statement{Build: next.Build, Files: next.Files, Commit: string(p.list.manifest.Commit), AsOf: asOf, Counter: counter + 1}
	signed, err := s.Sign(p.Key)
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

// lastCounter returns the counter of the last statement that was signed with the key: that of the
// published build, if it is not 0, or the largest one of any build that is in the bucket or that this
// folder has signed. A number that only a killed publisher has used may be used again.
func (p *publisher) lastCounter(ctx context.Context, published int64) (int64, error) {
	last, err := readAccepted(p.Dir)
	if err != nil {
		return 0, err
	}
	counter := max(published, last.Keys[sign.KeyName(p.Key.Verifier)].Counter)
	if published > 0 {
		return counter, nil
	}
	for i, err := range p.to.List(ctx, buildsPrefix) {
		if err != nil {
			return 0, err
		}
		if !strings.HasSuffix(i.Name, ".sig") {
			continue
		}
		signed, _, err := p.from.read(ctx, i.Name, sign.MaxLen, "")
		if err != nil {
			return 0, err
		}
		if s, signature, err := sign.Open(signed, p.keys()); err == nil && signature.Verified {
			counter = max(counter, s.Counter)
		}
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
	folders := map[string]*os.Root{}
	for _, tree := range []string{exportsTree, indexesTree} {
		if folders[tree], err = store.OpenFolder(p.Dir, tree, "builds", p.list.manifest.ID); err != nil {
			return err
		}
		defer folders[tree].Close()
	}
	var sent, done, uploaded atomic.Int64
	files := append(p.list.files, listFile(p.list))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(transfers)
	for _, f := range files {
		g.Go(func() error {
			defer func() { p.Progress.report("publish", int(done.Add(1)), len(files)) }()
			name := fileName(f.SHA256)
			if size, ok := there[name]; ok && size == f.Size {
				return ctx.Err()
			}
			data, err := p.open(folders, f)
			if err != nil {
				return err
			}
			defer data.Close()
			if !isSame(data, f) {
				return &store.DamageError{Path: filepath.Join(p.Dir, filepath.FromSlash(p.list.place(f))), Problem: "does not have the SHA-256 in the manifest"}
			}
			if _, err := data.Seek(0, io.SeekStart); err != nil {
				return err
			}
			sent.Add(1)
			uploaded.Add(f.Size)
			return p.to.Write(ctx, name, data, f.Size)
		})
	}
	err = g.Wait()
	p.report.Sent, p.report.Uploaded = int(sent.Load()), uploaded.Load()
	return err
}

// listFile describes a list as a file.
func listFile(l *list) store.File {
	return store.File{Path: "list", Size: int64(len(l.data)), SHA256: l.sum}
}

// open opens a file of the build, or its list.
func (p *publisher) open(folders map[string]*os.Root, f store.File) (io.ReadSeekCloser, error) {
	tree, rest, ok := strings.Cut(f.Path, "/")
	if !ok {
		return inMemory{bytes.NewReader(p.list.data)}, nil
	}
	f.Path = rest
	return store.OpenFile(folders[tree], f)
}

type inMemory struct{ *bytes.Reader }

// Close implements io.Closer.
func (inMemory) Close() error { return nil }

// finish writes the list of the build and its signature, and then current. The signed statement is also
// kept in the output folder.
func (p *publisher) finish(ctx context.Context, next *current, tag string) error {
	if err := p.to.Write(ctx, listName(next.Build), bytes.NewReader(p.list.data), int64(len(p.list.data))); err != nil {
		return err
	}
	if next.Signature != "" {
		if err := p.to.Write(ctx, signatureName(next.Build), strings.NewReader(next.Signature), int64(len(next.Signature))); err != nil {
			return err
		}
	}
	data, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if p.report.Signature != nil {
		if err := p.remember(next); err != nil {
			return err
		}
	}
	return p.to.Replace(ctx, currentName, append(data, '\n'), tag)
}

// remember keeps the signed statement and its number in the output folder.
func (p *publisher) remember(next *current) error {
	s, _, err := sign.Open([]byte(next.Signature), p.keys())
	if err != nil {
		return err
	}
	last, err := readAccepted(p.Dir)
	if err != nil {
		return err
	}
	return errors.Join(store.WriteStatement(p.Dir, next.Build, []byte(next.Signature)), last.write(p.Dir, p.report.Signature.Key, s))
}
