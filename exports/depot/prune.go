package depot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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

// MinGrace is the shortest grace period. Publishers rely on packs that no build names yet, and
// readers on builds that were replaced while they read them.
const MinGrace = time.Hour

// PruneResult describes what Prune removed.
type PruneResult struct {
	Builds []string `json:"builds"` // removed, oldest first
	Packs  int      `json:"packs"`
	Bytes  int64    `json:"bytes"` // size of all removed objects
	Kept   int      `json:"keptBuilds"`
}

// Prune removes builds but the newest, and then packs that no build needs. It removes nothing
// younger than the grace period, and never what is published, so it may run beside publishers
// and readers. A reader that is slower than the grace period starts again.
func Prune(ctx context.Context, in bucket.Bucket, o PruneOptions) (*PruneResult, error) {
	if o.Keep < 1 || o.Grace < MinGrace {
		return nil, fmt.Errorf("keep at least one build, and a grace period of at least %s", MinGrace)
	}
	c, _, err := readCurrent(ctx, in, "")
	if err != nil {
		return nil, err
	}
	now, err := clock(ctx, in)
	if err != nil {
		return nil, err
	}
	builds, err := listBuilds(ctx, in)
	if err != nil {
		return nil, err
	}
	old := func(i bucket.Info) bool { return now.Sub(i.Modified) > o.Grace }
	report := &PruneResult{Builds: []string{}}
	var kept [][]bucket.Info
	for n, id := range slices.SortedFunc(maps.Keys(builds), func(a, b string) int { // newest first
		return cmp.Or(newest(builds[b]).Compare(newest(builds[a])), strings.Compare(b, a))
	}) {
		if n < o.Keep || id == c.Build || slices.ContainsFunc(builds[id], func(i bucket.Info) bool { return !old(i) }) {
			kept = append(kept, builds[id])
			continue
		}
		for _, i := range builds[id] {
			if err := in.Remove(ctx, i.Name); err != nil {
				return report, err
			}
			report.Bytes += i.Size
		}
		report.Builds = append(report.Builds, id)
	}
	slices.Reverse(report.Builds)
	report.Kept = len(kept)
	needed, err := packsOf(ctx, in, kept)
	if err != nil {
		return report, err
	}
	for i, err := range in.List(ctx, blobsPrefix) {
		if err != nil {
			return report, err
		}
		if needed[i.Name] || !old(i) {
			continue
		}
		if err := in.Remove(ctx, i.Name); err != nil {
			return report, err
		}
		report.Packs++
		report.Bytes += i.Size
	}
	return report, nil
}

// clock returns the time at the bucket, by which the ages of objects are counted: this machine's
// clock may be wrong.
func clock(ctx context.Context, in bucket.Bucket) (time.Time, error) {
	if err := in.Write(ctx, clockName, []byte("its time of modification is the time here\n")); err != nil {
		return time.Time{}, err
	}
	i, err := in.Stat(ctx, clockName)
	return i.Modified, err
}

// listBuilds returns the objects of each build.
func listBuilds(ctx context.Context, in bucket.Bucket) (map[string][]bucket.Info, error) {
	builds := map[string][]bucket.Info{}
	for i, err := range in.List(ctx, buildsPrefix) {
		if err != nil {
			return nil, err
		}
		id, _, ok := strings.Cut(strings.TrimPrefix(i.Name, buildsPrefix), "/")
		if ok && store.ValidID(id) {
			builds[id] = append(builds[id], i)
		}
	}
	return builds, nil
}

func newest(objects []bucket.Info) (at time.Time) {
	for _, o := range objects {
		if o.Modified.After(at) {
			at = o.Modified
		}
	}
	return at
}

// packsOf returns the names of the packs that builds need, from all their maps.
func packsOf(ctx context.Context, in bucket.Bucket, builds [][]bucket.Info) (map[string]bool, error) {
	needed := map[string]bool{}
	for _, objects := range builds {
		for _, o := range objects {
			if !strings.Contains(o.Name, "/map-") {
				continue
			}
			data, _, err := in.Read(ctx, o.Name, maxMap, "")
			if errors.Is(err, fs.ErrNotExist) {
				continue // another prune removed it
			}
			if err != nil {
				return nil, err
			}
			names, err := packNames(data)
			if err != nil {
				return nil, fmt.Errorf("%s/%s: %w; nothing was removed that it may need", in, o.Name, err)
			}
			for _, n := range names {
				needed[n] = true
			}
		}
	}
	return needed, nil
}

// packNames returns the names of the packs in an encoded map.
func packNames(data []byte) (names []string, err error) {
	r, err := newDecoder(maxMap)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if data, err = r.DecodeAll(data, nil); err != nil {
		return nil, fmt.Errorf("the map is damaged: %w", err)
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	var h mapHeader
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, fmt.Errorf("the map is damaged: %w", err)
	}
	for _, p := range h.Packs {
		if !sumPattern.MatchString(p.SHA256) {
			return nil, errors.New("the map is damaged: a pack has no hash")
		}
		names = append(names, blobsPrefix+p.SHA256[:2]+"/"+p.SHA256)
	}
	return names, nil
}
