package depot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"kindex/exports/bucket"
	"kindex/exports/store"
)

// PullOptions configure Pull.
type PullOptions struct {
	Dir        string // the output folder to which the build is copied
	Keep       int    // builds to keep there; 0 means 2, so that an edge can still answer from the one before
	AllowOlder bool   // accept a build that is older than the one that is there
	Known      string // the tag of what was pulled last, or ""
}

// Pulled says what Pull did.
type Pulled struct {
	Build      string `json:"build"`
	Unchanged  bool   `json:"unchanged"` // it was there already
	Files      int    `json:"files"`
	Bytes      int64  `json:"bytes"`           // size of all files
	Packs      int    `json:"packs"`           // downloaded
	Downloaded int64  `json:"downloadedBytes"` // including manifests and map
	Local      int64  `json:"localBytes"`      // size of the chunks that were copied from builds in Dir
	Tag        string `json:"-"`               // for PullOptions.Known
}

// ErrOlder means that the published build is older than one that was pulled before: somebody has
// published an old build again, or answers with old objects.
var ErrOlder = errors.New("is older than the build that is there")

// restarts is how often Pull starts again because objects were removed while it was reading.
const restarts = 3

// restartDelay is the time before the first restart; it doubles each time. Tests shorten it.
var restartDelay = time.Second

// Pull copies the published build to an output folder and makes it the current build there. It
// reads only packs with chunks that builds in the folder lack, and verifies every file before the
// build is moved into place. If it is interrupted, the packs that it has read are kept for the
// next time.
func Pull(ctx context.Context, from bucket.Reader, o PullOptions) (*Pulled, error) {
	for n := 0; ; n++ {
		c, tag, err := readCurrent(ctx, from, o.Known)
		if errors.Is(err, bucket.ErrUnchanged) {
			return &Pulled{Unchanged: true, Tag: tag}, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("nothing is published at %s: %w", from, err)
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
		if n == restarts || !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &damage) {
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
func pullBuild(ctx context.Context, from bucket.Reader, c *current, o PullOptions) (*Pulled, error) {
	lock, err := store.AcquireLock(ctx, o.Dir, func(*store.BusyError) {})
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Release() }() // the lock is released at the latest when the process exits
	report := &Pulled{Build: c.Build}
	counted := &countingReader{Reader: from, report: report}
	set, m, manifest, index, err := readBuild(ctx, counted, c)
	if err != nil {
		return nil, err
	}
	for _, f := range set.files {
		report.Files++
		report.Bytes += f.Size
	}
	there, err := store.Current(o.Dir)
	if err != nil && !errors.Is(err, store.ErrNoBuild) {
		return nil, err
	}
	var base *local
	if there != "" {
		if base, err = openLocal(o.Dir, there); err != nil {
			base = nil // it is damaged, and none of it is used
		} else {
			defer base.close()
		}
	}
	if base != nil && there == c.Build && sumOf(base.index) == c.Index {
		report.Unchanged = true
		return report, nil
	}
	if base != nil && !o.AllowOlder && set.manifest.LastModified().Before(base.set.manifest.LastModified()) {
		return nil, fmt.Errorf("the build %s of %s %w, %s of %s", c.Build, set.manifest.LastModified().Format(time.RFC3339), ErrOlder,
			there, base.set.manifest.LastModified().Format(time.RFC3339))
	}
	a, err := newAssembly(counted, o.Dir, c.Build, set, m)
	if err != nil {
		return nil, err
	}
	defer a.discard()
	if err := a.run(ctx, base); err != nil {
		return nil, err
	}
	if err := a.install(manifest, index); err != nil {
		return nil, err
	}
	if err := store.Publish(o.Dir, c.Build); err != nil {
		return nil, err
	}
	return report, removeOld(o.Dir, c.Build, o.Keep)
}

// removeOld removes builds from an output folder until keep are left, and indexes without a build.
func removeOld(dir, id string, keep int) error {
	if keep == 0 {
		keep = 2
	}
	if _, err := store.Prune(dir, id, keep); err != nil {
		return err
	}
	builds, err := store.Builds(dir, exportsTree, "builds")
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, b := range builds {
		kept[b] = true
	}
	root, err := store.OpenFolder(dir, indexesTree, "builds")
	if err != nil {
		return err
	}
	defer root.Close()
	all, err := store.Builds(dir, indexesTree, "builds")
	for _, b := range all {
		if !kept[b] {
			err = errors.Join(err, root.RemoveAll(b))
		}
	}
	return errors.Join(err, store.PruneSeals(dir, builds))
}

// countingReader counts what is read.
type countingReader struct {
	bucket.Reader
	report *Pulled
}

// Read implements bucket.Reader.
func (r *countingReader) Read(ctx context.Context, name string, limit int64, known string) ([]byte, string, error) {
	data, tag, err := r.Reader.Read(ctx, name, limit, known)
	r.report.Downloaded += int64(len(data))
	return data, tag, err
}

// packsDir is the folder in an output folder with the packs of an unfinished pull.
const packsDir = ".kindex-packs"

// packFolder opens it.
func packFolder(dir string) (*os.Root, error) { return store.MakeFolder(dir, packsDir) }

// removePacks removes the packs of a pull that has ended.
func removePacks(dir string) error { return os.RemoveAll(filepath.Join(dir, packsDir)) }
