package static

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"kindex/exports/store"
	"kindex/site/pages"
)

// ofSite reports whether a site can contain a file with this name. The file must be in the
// site's folder and must not be hidden like .git.
func ofSite(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && !strings.HasPrefix(name, ".") && !strings.Contains(name, "/.")
}

// unfinished is the first line of the list until the whole site has been written.
const unfinished = ".unfinished"

// readList reads the names of the files of the previous site, and whether the run that
// wrote it was interrupted. Invalid names are ignored.
func (w *writer) readList() (names []string, cutOff bool, err error) {
	data, err := w.root.ReadFile(listFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	names = strings.Split(string(data), "\n")
	cutOff = slices.Contains(names, unfinished)
	return slices.DeleteFunc(names, func(name string) bool { return !ofSite(name) }), cutOff, nil
}

// writeList writes the names of the files of the site atomically.
func (w *writer) writeList(names []string) error {
	defer w.written.Store(w.written.Load()) // the list itself is not part of the site
	return w.replace(listFile, func(f *os.File) error {
		_, err := f.WriteString(strings.Join(names, "\n") + "\n")
		return err
	})
}

// others returns the names of the files that are not pages.
func (w *writer) others() []string {
	names := []string{"404.html", w.dataOf(store.ManifestFile)}
	for _, a := range pages.Assets() {
		names = append(names, "assets/"+a.Name)
	}
	for _, f := range w.build.Manifest.Files {
		if published(f) {
			names = append(names, w.dataOf(f.Path))
		}
		if isFeed(f) {
			names = append(names, f.Path)
		}
	}
	return names
}

// sweep removes a killed run's partial files from the folders that contain the files in
// names. The caller must have locked the site.
func (w *writer) sweep(names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		folder := path.Dir(name)
		if seen[folder] {
			continue
		}
		seen[folder] = true
		entries, err := fs.ReadDir(w.root.FS(), folder)
		if err != nil {
			continue // missing, or not writable; in that case, writing returns the error
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), partPrefix) || !e.Type().IsRegular() {
				continue
			}
			if err := w.root.Remove(filepath.FromSlash(path.Join(folder, e.Name()))); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove removes the files of the previous site that the new site does not have, and any
// folders that become empty.
func (w *writer) remove(before []string) (removed int, err error) {
	for _, name := range before {
		if _, kept := slices.BinarySearch(w.names, name); kept {
			continue
		}
		err := w.root.Remove(filepath.FromSlash(name))
		switch {
		case err == nil:
			removed++
		// The list of an interrupted run may contain names that were never written, even
		// under a path that is now a file.
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return removed, err
		}
		for dir := path.Dir(name); dir != "." && w.isFolder(dir); dir = path.Dir(dir) {
			if w.root.Remove(filepath.FromSlash(dir)) != nil {
				break // the folder is not empty
			}
		}
	}
	return removed, nil
}

func (w *writer) isFolder(name string) bool {
	info, err := w.root.Lstat(filepath.FromSlash(name))
	return err == nil && info.IsDir()
}
