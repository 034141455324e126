package mirror

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"kindex/exports/store"
)

// SpaceError reports that a build does not fit into the space that an output folder may take.
type SpaceError struct {
	Build       string
	Need, Limit int64 // in bytes; Need includes the builds that must be kept during the pull
}

// Error implements error.
func (e *SpaceError) Error() string {
	return fmt.Sprintf("the build %s does not fit: pulling it needs %s, and the limit is %s", e.Build, megabytes(e.Need), megabytes(e.Limit))
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// makeRoom removes what may be removed from an output folder until there is room for another build:
// first single files of old builds, then the oldest builds.
func makeRoom(o PullOptions, id, current string, l *list) error {
	builds, err := store.Builds(o.Dir, exportsTree, "builds")
	if err != nil {
		return err
	}
	sizes, used := map[string]int64{}, l.size()
	for _, b := range builds {
		if sizes[b], err = treeSize(o.Dir, filepath.Join(exportsTree, "builds", b), filepath.Join(indexesTree, "builds", b)); err != nil {
			return err
		}
		used += sizes[b]
	}
	files, err := treeSize(o.Dir, filesFolder)
	if err != nil {
		return err
	}
	if used += files; used > o.MaxBytes && files > 0 {
		if err := os.RemoveAll(filepath.Join(o.Dir, filesFolder)); err != nil {
			return err
		}
		used -= files
	}
	removable := slices.DeleteFunc(builds, func(b string) bool { return b == id || b == current || o.InUse != nil && o.InUse(b) })
	need := used
	for _, b := range removable {
		need -= sizes[b]
	}
	if need > o.MaxBytes {
		return &SpaceError{Build: id, Need: need, Limit: o.MaxBytes}
	}
	n := 0
	for ; used > o.MaxBytes; n++ {
		used -= sizes[removable[n]]
	}
	return store.Remove(o.Dir, removable[:n]...)
}

// removeOld removes builds from an output folder until keep are left, and indexes without a build.
func removeOld(o PullOptions, id string) error {
	keep := cmp.Or(o.Keep, 2)
	if o.MaxBytes > 0 {
		keep = math.MaxInt
	}
	_, err := store.Prune(o.Dir, keep, func(b string) bool { return b == id || o.InUse != nil && o.InUse(b) })
	return err
}

// treeSize returns the size of all files in folders of dir, which may be missing.
func treeSize(dir string, folders ...string) (sum int64, err error) {
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				var info fs.FileInfo
				if info, err = d.Info(); err == nil {
					sum += info.Size()
				}
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil // removed in the meantime
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return sum, nil
}
