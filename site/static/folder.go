package static

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"kindex/exports/safetext"
	"kindex/exports/store"
	"kindex/site/pages"
)

// Options defines what to write, and where.
type Options struct {
	Out string // the output folder; its published build is rendered
	Dir string // the folder of the site
	// URL is the URL of the site, such as https://ada.example/index. If it is "", the url in
	// the content's index.yaml is used; if that is missing too, the site works at the root of
	// any host, but lacks everything that needs an absolute URL.
	URL string
	// API is the URL of an edge that the pages link to for features that files cannot
	// provide, or "" if there is none.
	API string
	// Wait is called once if another run is writing to the folder; Write then waits for
	// it. If Wait is nil, Write returns an *exports.BusyError instead.
	Wait func(*store.BusyError)
	// Progress is called with the number of files written; total is 0 as long as it is
	// unknown.
	Progress func(done, total int)
}

// Check validates the options before anything is built.
func (o *Options) Check() error {
	if !pages.Searchable() {
		return errors.New("this kindex binary was built without MiniSearch, the search engine for static sites; rebuild it with make static, which requires npm")
	}
	for _, a := range []string{o.URL, o.API} {
		if _, err := address(a); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	own := false
	others := ""
	for _, e := range entries {
		own = own || e.Name() == listFile
		if !strings.HasPrefix(e.Name(), ".") {
			others = e.Name()
		}
	}
	if others != "" && !own {
		return fmt.Errorf("%s contains files that are not part of a kindex static site, such as %s; use an empty or new folder", o.Dir, others)
	}
	return nil
}

// address parses the URL of a site and removes the trailing slash; for "", it returns a
// URL without a host. Links start with the path: an empty segment would make them point
// to other hosts, and ".." to other folders. A password would appear on every page.
func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return u, nil
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || strings.ContainsAny(text, "?#"):
		return nil, fmt.Errorf("%s is not a valid site URL (expected a URL such as https://index.example.org)", safetext.Address(text))
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	if u.Path != "" && (strings.HasSuffix(u.Path, "/") || u.Path != path.Clean(u.Path)) || strings.Contains(strings.ToLower(u.EscapedPath()), "%2f") {
		return nil, fmt.Errorf("%s is not a valid site URL: its path has an empty segment, a dot segment or an escaped slash", safetext.Address(text))
	}
	u.RawPath = ""
	return u, nil
}

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
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			info, err := w.root.Lstat(dir)
			if err != nil || !info.IsDir() || w.root.Remove(filepath.FromSlash(dir)) != nil {
				break // it is no folder, or not empty
			}
		}
	}
	return nil
}
