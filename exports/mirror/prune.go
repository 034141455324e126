package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"kindex/exports/bucket"
	"kindex/exports/store"
)

// PruneOptions configure Prune.
type PruneOptions struct {
	Keep  int           // builds to keep, at least 1
	Grace time.Duration // objects younger than that are kept; at least MinGrace
}

// MinGrace is the shortest grace period. Publishers rely on files that no build names yet, and readers
// on builds that were replaced while they read them.
const MinGrace = time.Hour

// PruneResult describes what Prune removed.
type PruneResult struct {
	Builds []string `json:"builds"` // removed, oldest first
	Files  int      `json:"files"`
	Bytes  int64    `json:"bytes"` // size of all removed objects
	Kept   int      `json:"keptBuilds"`
}

// Prune removes builds but the newest, and then files that no build needs. It removes nothing younger
// than the grace period, and never what is published, so it may run beside publishers and readers. A
// reader that is slower than the grace period starts again.
func Prune(ctx context.Context, in bucket.Bucket, o PruneOptions) (*PruneResult, error) {
	if o.Keep < 1 || o.Grace < MinGrace {
		return nil, fmt.Errorf("keep at least one build, and a grace period of at least %s", MinGrace)
	}
	from := &remote{Reader: in}
	c, _, err := from.current(ctx)
	if err != nil {
		return nil, err
	}
	now, err := clock(ctx, in)
	if err != nil {
		return nil, err
	}
	old := func(i bucket.Info) bool { return now.Sub(i.Modified) > o.Grace }
	report := &PruneResult{Builds: []string{}}
	remove := func(i bucket.Info) error {
		report.Bytes += i.Size
		return in.Remove(ctx, i.Name)
	}
	builds, signatures, err := listBuilds(ctx, in)
	if err != nil {
		return nil, err
	}
	needed := map[string]bool{fileName(c.Files): true}
	if err := addNeeded(ctx, from, fileName(c.Files), needed); err != nil {
		return nil, err
	}
	for n, i := range slices.Backward(builds) {
		id := idOf(i.Name)
		if n >= len(builds)-o.Keep || id == c.Build || !old(i) {
			report.Kept++
			if err := addNeeded(ctx, from, i.Name, needed); err != nil {
				return nil, err
			}
			continue
		}
		err := remove(i)
		if s, ok := signatures[id]; ok && err == nil {
			err = remove(s)
		}
		if err != nil {
			return report, err
		}
		report.Builds = append(report.Builds, id)
	}
	slices.Reverse(report.Builds)
	for i, err := range in.List(ctx, filesPrefix) {
		if err != nil {
			return report, err
		}
		if needed[i.Name] || !old(i) {
			continue
		}
		if err := remove(i); err != nil {
			return report, err
		}
		report.Files++
	}
	return report, nil
}

func idOf(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, buildsPrefix), ".json")
}

// listBuilds returns the lists of all builds, oldest first, and the signatures by ID.
func listBuilds(ctx context.Context, in bucket.Bucket) (builds []bucket.Info, signatures map[string]bucket.Info, err error) {
	signatures = map[string]bucket.Info{}
	for i, err := range in.List(ctx, buildsPrefix) {
		if err != nil {
			return nil, nil, err
		}
		if id := idOf(i.Name); store.ValidID(id) {
			builds = append(builds, i)
		} else {
			signatures[strings.TrimSuffix(id, ".sig")] = i
		}
	}
	slices.SortFunc(builds, func(a, b bucket.Info) int {
		if at := a.Modified.Compare(b.Modified); at != 0 {
			return at
		}
		return strings.Compare(a.Name, b.Name)
	})
	return builds, signatures, nil
}

// addNeeded adds the files that a list names, in whichever version of the format.
func addNeeded(ctx context.Context, from *remote, name string, needed map[string]bool) error {
	data, err := from.read(ctx, name, maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another prune removed it, or it has to be published again
	}
	if err != nil {
		return err
	}
	var l struct {
		Manifest, Index struct {
			Files []struct{ SHA256 string }
		}
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return fmt.Errorf("%s/%s: %w; nothing was removed that it may need", from, name, err)
	}
	needed[fileName(sumOf(data))] = true
	for _, f := range append(l.Manifest.Files, l.Index.Files...) {
		if sumPattern.MatchString(f.SHA256) {
			needed[fileName(f.SHA256)] = true
		}
	}
	return nil
}
