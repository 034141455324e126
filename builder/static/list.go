package static

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ofSite tells whether a name may be that of a file of a site: none is outside its
// folder, and none is hidden, as the repository is that the folder may be in.
func ofSite(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && !strings.HasPrefix(name, ".") && !strings.Contains(name, "/.")
}

// readList reads the names of the files of an earlier site. Names that cannot be of
// one are none of ours.
func (w *writer) readList() ([]string, error) {
	data, err := w.root.ReadFile(listFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(string(data), "\n"), func(name string) bool { return !ofSite(name) }), nil
}

// writeList writes the names of the files of the site, as a whole or not at all.
func (w *writer) writeList(names []string) error {
	defer w.written.Store(w.written.Load()) // it is none of the site
	return w.replace(listFile, func(f *os.File) error {
		_, err := f.WriteString(strings.Join(names, "\n") + "\n")
		return err
	})
}
