package mirror

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kindex/exports/store"
)

// ErrNoMatch means that no file of a build matches the patterns in PullOptions.Only.
var ErrNoMatch = errors.New("no file of the published build matches")

// CheckPatterns returns an error if a pattern for PullOptions.Only is not valid.
func CheckPatterns(patterns []string) error {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("%q: %w", p, err)
		}
	}
	return nil
}

// matchesAny reports whether one of the patterns matches the path of a file of a build. A pattern
// without a slash is compared with the name of the file in its folder.
func matchesAny(patterns []string, file string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		name := file
		if !strings.Contains(p, "/") {
			name = path.Base(file)
		}
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

// copyOnly copies the files that match PullOptions.Only. The folder then has these files and the
// manifest, which is written last. Each file is replaced in one step.
func (p *puller) copyOnly(ctx context.Context) error {
	if _, err := p.root.Lstat(exportsTree); err == nil {
		return fmt.Errorf("%s contains complete builds; use another folder for single files", p.Dir)
	}
	wanted := map[string]bool{}
	var missing []store.File
	for _, f := range p.list.trees[exportsTree] {
		if !matchesAny(p.Only, f.Path) {
			continue
		}
		wanted[f.Path] = true
		p.report.Files++
		p.report.Bytes += f.Size
		if !p.has(f, f.Path) {
			missing = append(missing, f)
		}
	}
	if len(wanted) == 0 {
		return fmt.Errorf("%w %s", ErrNoMatch, strings.Join(p.Only, " or "))
	}
	manifest := p.list.stored[exportsTree]
	before, err := store.ReadFile(p.root, store.ManifestFile, maxList)
	if err != nil {
		before = nil // there is none, or it is damaged
	}
	unwanted := p.unwanted(before, wanted)
	if len(missing) == 0 && len(unwanted) == 0 && string(before) == string(manifest) {
		p.report.Unchanged = true
		return p.remember()
	}
	if err := p.copyFiles(ctx, missing, nil); err != nil {
		return err
	}
	if err := errors.Join(p.remember(), store.SyncTree(filepath.Join(p.Dir, stageFolder))); err != nil {
		return err
	}
	for _, f := range missing {
		folder := path.Dir(f.Path)
		if err := errors.Join(p.root.MkdirAll(folder, 0o755), p.root.Rename(path.Join(p.stage, f.Path), f.Path), store.SyncDir(filepath.Join(p.Dir, folder))); err != nil {
			return err
		}
	}
	for _, name := range unwanted {
		if err := p.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := store.ReplaceFile(p.root, store.ManifestFile, manifest); err != nil {
		return err
	}
	return errors.Join(p.root.RemoveAll(stageFolder), store.SyncDir(p.Dir))
}

// unwanted returns the files that an earlier pull has written to the folder, and that are not wanted.
func (p *puller) unwanted(manifest []byte, wanted map[string]bool) (names []string) {
	m, err := store.ParseManifest(manifest, store.ManifestFile)
	if err != nil {
		return nil
	}
	for _, f := range m.Files {
		if info, err := p.root.Lstat(f.Path); err == nil && info.Mode().IsRegular() && info.Size() == f.Size && !wanted[f.Path] {
			names = append(names, f.Path)
		}
	}
	return names
}
