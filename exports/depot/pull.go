package depot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/mod/sumdb/note"

	"kindex/exports/bucket"
	"kindex/exports/store"
)

// PullOptions configure Pull.
type PullOptions struct {
	Dir        string // the output folder to which the build is copied
	Keep       int    // builds to keep there; 0 means 2, so that an edge can still answer from the one before
	MaxBytes   int64  // if not 0, keep as many builds as fit into this space, instead of Keep
	AllowOlder bool   // accept a build that is older than the one that is there
	KnownTag   string // the tag of what was pulled last, or ""
	Verified   string // the ID of a build in Dir that need not be verified again, or ""
	// InUse reports whether a build must be kept because it is being read. If nil, only the current
	// build must be kept.
	InUse func(id string) bool
	Files *Files // the reader of single files that uses the same folder, or nil
	// Verifiers are the keys that are accepted: each build must be signed with one of them. If there
	// are none, builds need no signature.
	Verifiers []note.Verifier
	// OnVerified is called with the ID of a build in Dir after all of its files were verified, and
	// before it becomes the current one. It may be nil.
	OnVerified func(id string)
	// Progress is called with how many packs were downloaded, and then how many files were written. It
	// may be nil.
	Progress Progress
	// Only lists patterns for path.Match. If there are any, only the exported files that match one are
	// copied, without the index, to Dir itself, next to the manifest.
	Only []string
	// anyBuild means that the build need not be the newest one, and is not remembered as accepted.
	anyBuild bool
}

// PullResult describes what Pull did.
type PullResult struct {
	Build      string `json:"build"`
	Unchanged  bool   `json:"unchanged"` // it was there already
	Files      int    `json:"files"`
	Bytes      int64  `json:"bytes"`           // size of all files
	Packs      int    `json:"packs"`           // downloaded
	Downloaded int64  `json:"downloadedBytes"` // including manifests and map
	Local      int64  `json:"localBytes"`      // size of the chunks that were copied from builds in Dir
	Tag        string `json:"-"`               // for PullOptions.KnownTag
	// Signature is that of the build, nil unless it was verified.
	Signature *Signature `json:"signature,omitempty"`

	need int64 // bytes that have to be written
}

// count counts the files of a build.
func (r *PullResult) count(set *fileSet) {
	for _, f := range set.files {
		r.Files++
		r.Bytes += f.Size
	}
}

// ErrOlder means that the published build is older than one that was pulled before: somebody has
// published an old build again, or answers with old objects.
var ErrOlder = errors.New("is older than the local build")

// ErrNothingPublished means that no build is published. The message ends with the address of the bucket.
var ErrNothingPublished = errors.New("no build is published at")

// maxRestarts is how often Pull restarts because objects were removed while it was reading.
const maxRestarts = 3

// restartDelay is the time before the first restart; it doubles each time. Tests shorten it.
var restartDelay = time.Second

// Pull copies the published build to an output folder and makes it the current build there. It
// reads only packs with chunks that builds in the folder lack, and verifies every file before the
// build is moved into place. With PullOptions.Verifiers, it also verifies who published the build,
// and keeps the signed statement next to it. If the build is there already, Pull verifies it and
// repairs what is damaged. If it is interrupted, the packs that it has read are kept for the next
// time.
func Pull(ctx context.Context, from bucket.Reader, o PullOptions) (*PullResult, error) {
	for n := 0; ; n++ {
		c, tag, err := readCurrent(ctx, from, o.KnownTag)
		if errors.Is(err, bucket.ErrUnchanged) {
			return &PullResult{Unchanged: true, Tag: tag}, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w %s: %w", ErrNothingPublished, from, err)
		}
		if err != nil {
			return nil, err
		}
		report, err := pullBuild(ctx, from, c, o)
		if err == nil {
			report.Tag = tag
			return report, nil
		}
		// The build was replaced and pruned meanwhile, or a cache has old objects.
		var damage *DamageError
		if n == maxRestarts || !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &damage) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		case <-time.After(restartDelay << n):
		}
	}
}

// pullBuild copies one build.
func pullBuild(ctx context.Context, from bucket.Reader, c *current, o PullOptions) (*PullResult, error) {
	report := &PullResult{Build: c.Build}
	err := copyBuild(ctx, &countingReader{Reader: from, report: report}, c, o)
	if errors.Is(err, syscall.ENOSPC) {
		_ = removePacks(o.Dir) // other programs need space, too
		err = fmt.Errorf("the disk of %s is full; the build %s needs %s there: %w", o.Dir, c.Build, megabytes(max(report.need, report.Bytes)), err)
	}
	if err != nil {
		return nil, err
	}
	return report, nil
}

func copyBuild(ctx context.Context, from *countingReader, c *current, o PullOptions) error {
	lock, err := store.AcquireLock(ctx, o.Dir, func(*store.BusyError) {})
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }() // the lock is released at the latest when the process exits
	if len(o.Only) > 0 {
		logOptions := o // a folder Dir/exports would look like an output folder
		logOptions.Dir = filepath.Join(o.Dir, logDir)
		signed, err := verifyIfRequired(ctx, from, c, "", logOptions)
		if err != nil {
			return err
		}
		return pullFiles(ctx, from, c, o, signed)
	}
	localID, err := store.Current(o.Dir)
	var damaged *store.DamageError
	if err != nil && !errors.Is(err, store.ErrNoBuild) && !errors.As(err, &damaged) {
		return err
	}
	signed, err := verifyIfRequired(ctx, from, c, localID, o)
	if err != nil {
		return err
	}
	if signed == nil {
		if err := saveUnverified(ctx, from, c, o.Dir); err != nil {
			return err
		}
	}
	var base *local
	if localID != "" {
		if base, err = openLocal(o.Dir, localID); err != nil {
			base = nil // it is damaged, and none of it is used
		} else {
			defer base.close()
		}
	}
	if base != nil && localID == c.Build && sumOf(base.manifest) == c.Manifest && sumOf(base.index) == c.Index && o.verify(base, localID) {
		from.report.Unchanged = true
		from.report.count(base.set)
		if err := signed.checkManifest(base.manifest, base.set.manifest); err != nil {
			return err
		}
		return signed.save(o.Dir, c.Build)
	}
	set, m, manifest, index, err := readBuild(ctx, from, c)
	if err != nil {
		return err
	}
	if err := signed.checkManifest(manifest, set.manifest); err != nil {
		return err
	}
	from.report.count(set)
	if base != nil && !o.AllowOlder && set.manifest.LastModified().Before(base.set.manifest.LastModified()) {
		return olderError(c, set.manifest, base.set.manifest)
	}
	a, err := newAssembly(from, o.Dir, c.Build, set, m)
	if err != nil {
		return err
	}
	a.progress = o.Progress
	defer a.discard()
	if o.Files != nil {
		defer o.Files.reserved.Store(0)
	}
	if err := a.run(ctx, base, func(bytes int64) error { return reserve(o, from.report, localID, bytes) }); err != nil {
		return err
	}
	if err := signed.save(o.Dir, c.Build); err != nil {
		return err
	}
	if err := a.install(manifest, index); err != nil {
		return err
	}
	o.verified(c.Build)
	if err := store.Publish(o.Dir, c.Build); err != nil {
		return err
	}
	return removeOld(o, c.Build)
}

// verify reports whether a local build is undamaged.
func (o *PullOptions) verify(base *local, id string) bool {
	if o.Verified == id {
		return true
	}
	if base.verify(o.Dir, id) != nil {
		return false
	}
	o.verified(id)
	return true
}

// verified calls OnVerified unless it is nil.
func (o *PullOptions) verified(id string) {
	if o.OnVerified != nil {
		o.OnVerified(id)
	}
}

// logDir is the folder that remembers logs next to some of the files of a build.
const logDir = ".kindex-log"

// verifyIfRequired verifies the signature of a build if it must have one, and otherwise returns nil.
func verifyIfRequired(ctx context.Context, from *countingReader, c *current, localID string, o PullOptions) (*verifiedStatement, error) {
	if len(o.Verifiers) == 0 {
		return nil, nil
	}
	if o.KnownTag == "" { // the first pull of a process removes what a killed one has left
		for _, folder := range []string{"checkpoints", "statements"} {
			if err := store.RemoveLeftovers(o.Dir, exportsTree, folder); err != nil {
				return nil, err
			}
		}
	}
	p, err := verifyStatement(ctx, from, c, localID, o)
	if err != nil {
		return nil, err
	}
	from.report.Signature = &p.signature
	return p, nil
}

// reserve makes room in the output folder.
func reserve(o PullOptions, report *PullResult, localID string, bytes int64) error {
	report.need = bytes
	if o.MaxBytes == 0 {
		return nil
	}
	if o.Files != nil {
		o.Files.reserved.Store(bytes)
	}
	return makeRoom(o, report.Build, localID, bytes)
}

func olderError(c *current, published, local *store.Manifest) error {
	return fmt.Errorf("the build %s of %s %w, %s of %s", c.Build, published.LastModified().Format(time.RFC3339), ErrOlder,
		local.ID, local.LastModified().Format(time.RFC3339))
}

// countingReader counts what is read.
type countingReader struct {
	bucket.Reader
	report *PullResult
}

// Read implements bucket.Reader.
func (r *countingReader) Read(ctx context.Context, name string, limit int64, known string) ([]byte, string, error) {
	data, tag, err := r.Reader.Read(ctx, name, limit, known)
	r.report.Downloaded += int64(len(data))
	return data, tag, err
}
