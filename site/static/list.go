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
)

// ofSite reports whether a site can contain a file with this name. The file must be in the
// site's folder and must not be hidden like .git.
func ofSite(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && !strings.HasPrefix(name, ".") && !strings.Contains(name, "/.")
}

// begin removes what a killed run has left, and opens the list of the site's files. It returns the names of
// the files of the previous site; invalid ones are ignored.
func (w *writer) begin() (before []string, err error) {
	data, err := w.root.ReadFile(listFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	w.listed = map[string]bool{}
	for name := range strings.SplitSeq(string(data), "\n") {
		if ofSite(name) && !w.listed[name] {
			w.listed[name] = true
			before = append(before, name)
		}
	}
	if err := w.root.RemoveAll(partsDir); err != nil {
		return nil, err
	}
	if err := w.root.Mkdir(partsDir, 0o755); err != nil {
		return nil, err
	}
	if err := w.writeList(before); err != nil {
		return nil, err
	}
	w.list, err = w.root.OpenFile(listFile, os.O_WRONLY|os.O_APPEND, 0)
	return before, err
}

// writeList writes the names of the files of the site atomically.
func (w *writer) writeList(names []string) error {
	return w.replace(listFile, []byte(strings.Join(names, "\n")+"\n"))
}

// remove removes the files of the previous site that the new site does not have, and any
// folders that become empty.
func (w *writer) remove(before []string) error {
	for _, name := range before {
		if _, kept := slices.BinarySearch(w.names, name); kept {
			continue
		}
		err := w.root.Remove(filepath.FromSlash(name))
		switch {
		case err == nil:
			w.report.Removed++
		// The list of an interrupted run may contain names that were never written, even
		// under a path that is now a file.
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return err
		}
		for dir := path.Dir(name); dir != "." && w.isFolder(dir); dir = path.Dir(dir) {
			if w.root.Remove(filepath.FromSlash(dir)) != nil {
				break // the folder is not empty
			}
		}
	}
	return nil
}

func (w *writer) isFolder(name string) bool {
	info, err := w.root.Lstat(filepath.FromSlash(name))
	return err == nil && info.IsDir()
}
