package mirror

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sync/errgroup"

	"kindex/exports/bucket"
	"kindex/exports/sign"
	"kindex/exports/store"
)

// PullOptions configure Pull.
type PullOptions struct {
	Dir        string // the output folder to which the build is copied
	Keep       int    // builds to keep there; 0 means 2, so that an edge can still answer from the one before
	AllowOlder bool   // accept a build that is older than the one that was accepted last
	Known      []byte // what PullResult.Known was for what was pulled last, or nil
	Verified   string // the ID of a build in Dir that need not be verified again, or ""
	// InUse reports whether a build must be kept because it is being read. If nil, only the current
	// build must be kept.
	InUse func(id string) bool
	// Verifiers are the keys that are accepted: each build must be signed with one of them. If there
	// are none, builds need no signature.
	Verifiers []note.Verifier
	Progress  Progress // how many files were written; may be nil
	// Only lists patterns for path.Match. If there are any, only the exported files that match one are
	// copied, without the index, to Dir itself, next to the manifest.
	Only []string
}

// PullResult describes what Pull did.
type PullResult struct {
	Build      string `json:"build"`
	Unchanged  bool   `json:"unchanged"` // it was there already
	Files      int    `json:"files"`
	Bytes      int64  `json:"bytes"` // size of all files
	Fetched    int    `json:"downloadedFiles"`
	Downloaded int64  `json:"downloadedBytes"` // including the list of files
	Known      []byte `json:"-"`               // for PullOptions.Known
	// Signature is that of the build, nil unless it was verified.
	Signature *sign.Signature `json:"signature,omitempty"`
}

// ErrNothingPublished means that no build is published. The message ends with the address of the bucket.
var ErrNothingPublished = errors.New("no build is published at")

// maxRestarts is how often Pull restarts because objects were removed while it was reading.
const maxRestarts = 3

// restartDelay is the time before the first restart; it doubles each time. Tests shorten it.
var restartDelay = time.Second

// stageFolder is the folder in an output folder in which a build is put together. What an interrupted
// pull has left there is used by the next one, after it was verified.
const stageFolder = ".kindex-pull"

// Pull copies the published build to an output folder and makes it the current build there. It reads
// only files that builds in the folder lack, and verifies every file before the build is moved into
// place. With PullOptions.Verifiers, it also verifies who published the build, and keeps the signed
// statement next to it. If the build is there already, Pull verifies it and repairs what is damaged.
// After an error, the result says only what was downloaded.
func Pull(ctx context.Context, from bucket.Reader, o PullOptions) (*PullResult, error) {
	r := &remote{Reader: from}
	for n := 0; ; n++ {
		report := new(PullResult)
		err := pullOnce(ctx, r, o, report)
		report.Downloaded, report.Fetched = r.bytes.Load(), int(r.files.Load())
		if err == nil {
			return report, nil
		}
		// The build was replaced and pruned meanwhile, or a cache has old objects.
		var damage *store.DamageError
		if n == maxRestarts || errors.Is(err, ErrNothingPublished) || !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &damage) {
			return report, err
		}
		select {
		case <-ctx.Done():
			return report, errors.Join(err, ctx.Err())
		case <-time.After(restartDelay << n):
		}
	}
}

func pullOnce(ctx context.Context, from *remote, o PullOptions, report *PullResult) error {
	c, stored, err := from.current(ctx)
	report.Known = stored
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w %s: %w", ErrNothingPublished, from, err)
	case err != nil:
		return err
	}
	if bytes.Equal(stored, o.Known) {
		report.Unchanged = true
		return nil
	}
	report.Build = c.Build
	lock, err := store.AcquireLock(ctx, o.Dir, func(*store.BusyError) {})
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }() // the lock is released at the latest when the process exits
	p := &puller{PullOptions: o, from: from, report: report, current: c}
	err = p.accept(ctx)
	if errors.Is(err, syscall.ENOSPC) {
		_ = os.RemoveAll(filepath.Join(o.Dir, stageFolder)) // other programs need space, too
		err = fmt.Errorf("the disk of %s is full; the build %s needs %.1f MB there: %w", o.Dir, c.Build, float64(report.Bytes)/1e6, err)
	}
	return err
}

type puller struct {
	PullOptions
	from      *remote
	report    *PullResult
	current   *current
	list      *list
	root      *os.Root // the folder
	stage     string   // the path in it where the files are put together
	last      accepted
	signed    *sign.Statement // nil if there is none
	signature *sign.Signature // nil unless it was verified
}

// accept copies a build unless it must be refused, and remembers that it was accepted. Nothing in the
// folder but the record of what was accepted last decides whether a build is older: the rest may be
// missing or damaged.
func (p *puller) accept(ctx context.Context) (err error) {
	if p.last, err = readAccepted(p.Dir); err != nil {
		return err
	}
	// Without keys, a statement that cannot be used is ignored.
	c := p.current
	var signature *sign.Signature
	p.signed, signature, err = openStatement([]byte(c.Signature), c.Build, c.Files, "of "+p.from.String(), p.Verifiers)
	if len(p.Verifiers) > 0 {
		if err != nil {
			return err
		}
		p.signature, p.report.Signature = signature, signature
		if err := p.last.checkCounter(p.signed, signature.Key); err != nil && !p.AllowOlder {
			return err
		}
	}
	if p.list, err = p.from.list(ctx, c.Build, c.Files); err != nil {
		return err
	}
	if err := checkManifest(p.signed, p.list.manifest); err != nil {
		if p.signed = nil; p.signature != nil {
			return err
		}
	}
	if err := p.last.checkTime(p.list.manifest); err != nil && !p.AllowOlder {
		return err
	}
	if p.root, err = store.MakeFolder(p.Dir); err != nil {
		return err
	}
	defer p.root.Close()
	p.stage = path.Join(stageFolder, p.list.sum[:16])
	if len(p.Only) > 0 {
		return p.copyOnly(ctx)
	}
	return p.copyBuild(ctx)
}

func (p *puller) remember() error {
	p.last.Build, p.last.Modified = p.current.Build, p.list.manifest.LastModified()
	if p.signature == nil {
		return p.last.write(p.Dir, "", nil)
	}
	return p.last.write(p.Dir, p.signature.Key, p.signed)
}

func (p *puller) copyBuild(ctx context.Context) error {
	id := p.current.Build
	before, err := store.Current(p.Dir)
	var damaged *store.DamageError
	if err != nil && !errors.Is(err, store.ErrNoBuild) && !errors.As(err, &damaged) {
		return err
	}
	p.report.Files, p.report.Bytes = len(p.list.files), p.list.size()
	if there, err := storedList(p.Dir, id); err == nil && sumOf(there) == p.list.sum && p.isIntact() {
		if p.report.Unchanged = before == id; !p.report.Unchanged {
			err = store.Publish(p.Dir, id)
		}
		return errors.Join(err, p.remember(), p.saveStatement())
	}
	if err := p.copyFiles(ctx, p.list.files, p.local(before, id)); err != nil {
		return err
	}
	if err := errors.Join(p.saveStatement(), p.remember()); err != nil {
		return err
	}
	if err := p.install(); err != nil {
		return err
	}
	if err := store.Publish(p.Dir, id); err != nil {
		return err
	}
	_, err = store.Prune(p.Dir, cmp.Or(p.Keep, 2), func(b string) bool { return b == id || p.InUse != nil && p.InUse(b) })
	return err
}

func (p *puller) isIntact() bool {
	if p.Verified == p.current.Build {
		return true
	}
	for tree, files := range p.list.trees {
		if store.VerifyFiles(filepath.Join(p.Dir, tree, "builds", p.current.Build), files) != nil {
			return false
		}
	}
	return true
}

// saveStatement keeps the signed statement next to the build.
func (p *puller) saveStatement() error {
	if p.signed == nil {
		return nil
	}
	if saved, err := store.ReadStatement(p.Dir, p.current.Build); err == nil && string(saved) == p.current.Signature {
		return nil
	}
	return store.WriteStatement(p.Dir, p.current.Build, []byte(p.current.Signature))
}

// local returns where builds of the folder have files, by hash. Whether they are undamaged is not known.
func (p *puller) local(ids ...string) map[string]string {
	places := map[string]string{}
	for _, id := range ids {
		if l, err := readList(p.Dir, id); err == nil { // otherwise, more is downloaded
			for _, f := range l.files {
				places[f.SHA256] = l.place(f)
			}
		}
	}
	return places
}

// copyFiles puts files together in the stage: from the stage itself, from the folder or from the bucket.
func (p *puller) copyFiles(ctx context.Context, files []store.File, local map[string]string) error {
	if err := p.clearStage(); err != nil {
		return err
	}
	var done atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(transfers)
	for _, f := range files {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			name := path.Join(p.stage, f.Path)
			if !p.has(f, name) && !p.copyLocal(f, local[f.SHA256], name) {
				if err := p.from.fetch(ctx, f, p.root, name); err != nil {
					return err
				}
			}
			p.Progress.report("pull", int(done.Add(1)), len(files))
			return nil
		})
	}
	return g.Wait()
}

// clearStage removes from the stage what other pulls have left, and what killed ones were removing or
// replacing.
func (p *puller) clearStage() error {
	folder, err := store.MakeFolder(p.Dir, stageFolder)
	if err != nil {
		return err
	}
	defer folder.Close()
	entries, err := fs.ReadDir(folder.FS(), ".")
	for _, e := range entries {
		if e.Name() != path.Base(p.stage) {
			err = errors.Join(err, folder.RemoveAll(e.Name()))
		}
	}
	return errors.Join(err, store.Clean(p.Dir))
}

// has reports whether the folder has a file at a path, undamaged.
func (p *puller) has(f store.File, name string) bool {
	file, err := openLocal(p.root, f, name)
	if err != nil {
		return false
	}
	defer file.Close()
	return isSame(file, f)
}

// copyLocal copies a file from another place in the folder, and reports whether it could.
func (p *puller) copyLocal(f store.File, from, to string) bool {
	if from == "" {
		return false
	}
	file, err := openLocal(p.root, f, from)
	if err != nil {
		return false
	}
	defer file.Close()
	ok, err := place(f, file, p.root, to)
	return ok && err == nil
}

// install writes the manifests, syncs everything and moves the folders to their final places: the index
// first, since every build in place must have one. It first moves an old folder away, which is damaged or
// has another index, so that the place is empty only for a moment.
func (p *puller) install() error {
	for _, tree := range []string{indexesTree, exportsTree} {
		staged, old := path.Join(p.stage, tree), path.Join(p.stage, "old-"+tree)
		if err := p.root.WriteFile(path.Join(staged, store.ManifestFile), p.list.stored[tree], 0o644); err != nil {
			return err
		}
		if err := store.SyncTree(filepath.Join(p.Dir, filepath.FromSlash(staged))); err != nil {
			return err
		}
		builds, err := store.MakeFolder(p.Dir, tree, "builds")
		if err != nil {
			return err
		}
		defer builds.Close()
		final := path.Join(tree, "builds", p.current.Build)
		if err := p.root.RemoveAll(old); err != nil {
			return err
		}
		if err := p.root.Rename(final, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := errors.Join(p.root.Rename(staged, final), store.SyncDir(builds.Name())); err != nil {
			return err
		}
	}
	return p.root.RemoveAll(stageFolder)
}

// openLocal opens a file at a path in a folder. It must have the size in the manifest.
func openLocal(root *os.Root, f store.File, name string) (*os.File, error) {
	folder, err := root.OpenRoot(path.Dir(name))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	f.Path = path.Base(name)
	return store.OpenFile(folder, f)
}

func isSame(file io.Reader, f store.File) bool {
	n, sum, err := store.Checksum(file)
	return err == nil && n == f.Size && sum == f.SHA256
}
