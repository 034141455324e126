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

// ofSite tells whether a name may be that of a file of a site: none is outside its
// folder, and none is hidden, as the repository is that the folder may be in.
func ofSite(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && !strings.HasPrefix(name, ".") && !strings.Contains(name, "/.")
}

// unfinished is a line of a list that is written first. It is in the list until the
// site is whole.
const unfinished = ".unfinished"

// readList reads the names of the files of an earlier site, and whether the run that
// wrote it was cut off. Names that cannot be of one are none of ours.
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

// writeList writes the names of the files of the site, as a whole or not at all.
func (w *writer) writeList(names []string) error {
	defer w.written.Store(w.written.Load()) // it is none of the site
	return w.replace(listFile, func(f *os.File) error {
		_, err := f.WriteString(strings.Join(names, "\n") + "\n")
		return err
	})
}

// others are the names of the files that are no pages.
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

// sweep takes away what a run that was killed has left half written, in the folders of
// some names. The lock of the site keeps others from writing meanwhile.
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
			continue // it is not there, or nothing can be written in it either, which says so
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

// remove takes away what an earlier site had and this one has not, and the folders
// that are empty then.
func (w *writer) remove(before []string) (removed int, err error) {
	for _, name := range before {
		if _, kept := slices.BinarySearch(w.names, name); kept {
			continue
		}
		err := w.root.Remove(filepath.FromSlash(name))
		switch {
		case err == nil:
			removed++
		// The list of a run that was cut off names what was never written, perhaps
		// below what is a file.
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return removed, err
		}
		for dir := path.Dir(name); dir != "." && w.isFolder(dir); dir = path.Dir(dir) {
			if w.root.Remove(filepath.FromSlash(dir)) != nil {
				break // it is not empty
			}
		}
	}
	return removed, nil
}

func (w *writer) isFolder(name string) bool {
	info, err := w.root.Lstat(filepath.FromSlash(name))
	return err == nil && info.IsDir()
}
