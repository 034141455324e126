package depot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"kindex/exports/store"
)

// partFolder is the folder in which some files of a build are assembled.
const partFolder = ".kindex-part"

// ErrNoMatch means that no file of a build matches the patterns in PullOptions.Only.
var ErrNoMatch = errors.New("no file of the published build matches")

// matchesAny reports whether one of the patterns matches the path of a file of a build. A pattern
// without a slash is compared with the name of the file in its folder.
func matchesAny(patterns []string, file string) bool {
	for _, p := range patterns {
		name := file
		if !strings.Contains(p, "/") {
			name = path.Base(file)
		}
		if ok, err := path.Match(p, name); ok && err == nil {
			return true
		}
	}
	return false
}

// pullFiles copies the files that match PullOptions.Only. The folder then has these files and the
// manifest, which is written last.
func pullFiles(ctx context.Context, from *countingReader, c *current, o PullOptions, signed *verifiedStatement) error {
	if _, err := os.Lstat(filepath.Join(o.Dir, exportsTree)); err == nil {
		return fmt.Errorf("%s contains complete builds; use another folder for single files", o.Dir)
	}
	set, m, manifest, _, err := readBuild(ctx, from, c)
	if err != nil {
		return err
	}
	if err := signed.checkManifest(manifest, set.manifest); err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, f := range set.files {
		if file, ok := strings.CutPrefix(f.Path, exportsTree+"/"); ok && matchesAny(o.Only, file) {
			wanted[f.Path] = true
			from.report.Files++
			from.report.Bytes += f.Size
		}
	}
	if len(wanted) == 0 {
		return fmt.Errorf("%w %s", ErrNoMatch, strings.Join(o.Only, " or "))
	}
	base, err := openFiles(o.Dir)
	if err != nil {
		return err
	}
	defer base.close()
	if before := base.set.manifest; before != nil && !o.AllowOlder && set.manifest.LastModified().Before(before.LastModified()) {
		return olderError(c, set.manifest, before)
	}
	if base.has(c.Build, wanted) {
		from.report.Unchanged = true
		return nil
	}
	a, err := newPart(from, o.Dir, partFolder, c.Build, set, m, wanted)
	if err != nil {
		return err
	}
	a.progress = o.Progress
	defer func() {
		a.discard()
		_ = os.RemoveAll(filepath.Join(o.Dir, partFolder)) // the next pull removes what is left
	}()
	if err := a.run(ctx, base, nil); err != nil {
		return err
	}
	return a.installFiles(o.Dir, base, wanted, manifest)
}

// openFiles opens a folder with some files of a build. It has none if there is no manifest, or if
// the manifest is damaged.
func openFiles(dir string) (*local, error) {
	root, err := store.MakeFolder(dir)
	if err != nil {
		return nil, err
	}
	l := &local{exports: root, set: &fileSet{}}
	data, err := store.ReadFile(root, store.ManifestFile, maxManifest)
	if err != nil {
		return l, nil //nolint:nilerr // it is damaged, and none of the files is used
	}
	m, err := store.ParseManifest(data, filepath.Join(dir, store.ManifestFile))
	if err != nil {
		return l, nil //nolint:nilerr // as above
	}
	l.set.manifest = m
	for _, f := range m.Files {
		if file, err := store.OpenFile(root, f); err == nil {
			_ = file.Close() // nothing was written
			f.Path = path.Join(exportsTree, f.Path)
			l.set.files = append(l.set.files, f)
		}
	}
	return l, nil
}

// has reports whether the folder has these files of a build and no others, all undamaged.
func (l *local) has(id string, wanted map[string]bool) bool {
	if l.set.manifest == nil || l.set.manifest.ID != id || len(l.set.files) != len(wanted) {
		return false
	}
	for _, f := range l.set.files {
		if !wanted[f.Path] || l.scan(f, func([]byte) {}) != nil {
			return false
		}
	}
	return true
}

// installFiles moves files to their final places, and removes those of the build before that are
// not wanted. Each file is replaced atomically, and the manifest is written last.
func (a *assembly) installFiles(dir string, before *local, wanted map[string]bool, manifest []byte) error {
	t := a.trees[exportsTree]
	if err := store.SyncTree(t.dir.Name()); err != nil {
		return err
	}
	for name := range wanted {
		rel := strings.TrimPrefix(name, exportsTree+"/")
		elements := strings.Split(rel, "/")
		to, err := store.MakeFolder(dir, elements[:len(elements)-1]...)
		if err != nil {
			return err
		}
		err = os.Rename(filepath.Join(t.dir.Name(), filepath.FromSlash(rel)), filepath.Join(to.Name(), path.Base(rel)))
		if err = errors.Join(err, store.SyncDir(to.Name()), to.Close()); err != nil {
			return err
		}
	}
	for _, f := range before.set.files {
		if !wanted[f.Path] {
			if err := before.exports.Remove(strings.TrimPrefix(f.Path, exportsTree+"/")); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if err := store.ReplaceFile(before.exports, store.ManifestFile, manifest); err != nil {
		return err
	}
	return errors.Join(store.SyncDir(dir), removePacks(dir))
}

// CheckPatterns returns an error if a pattern for PullOptions.Only is not valid.
func CheckPatterns(patterns []string) error {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("%q: %w", p, err)
		}
	}
	return nil
}
