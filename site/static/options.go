package static

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"

	"kindex/exports"
	"kindex/exports/store"
	"kindex/site/pages"
)

// Options say what to write, and where.
type Options struct {
	Out string // the output folder whose published build is shown
	Dir string // the folder of the site
	// URL is the address that the site will have, such as
	// https://ada.example/index; "": that of the content, else a host's root, and
	// nothing that needs the whole address.
	URL string
	// API is the address of an edge that the pages lead to for what files cannot do,
	// "" for none.
	API string
	// Wait is told, once, when another run is at work in the folder, which Write then
	// waits for; with a nil Wait, Write returns an *exports.BusyError instead.
	Wait func(*store.BusyError)
	// Progress is told how many files are written; total is 0 until that is known.
	Progress func(done, total int)
}

// Check tells what is wrong with options before anything is built.
func (o *Options) Check() error {
	if !pages.Searchable() {
		return errors.New("this kindex was built without MiniSearch, by which static pages are searched: build it with make static, which needs npm")
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
		return fmt.Errorf("%s has files that are of no static site of kindex, such as %s: name an empty folder, or a new one", o.Dir, others)
	}
	return nil
}

// address reads the address of a site, without a slash at its end; "" is one without a
// host. Links begin with its path: an empty part of that would make them lead to other
// hosts, and ".." to other folders. A password in it would be on every page.
func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return u, nil
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || strings.ContainsAny(text, "?#"):
		return nil, fmt.Errorf("%q is not the address of a site, such as https://index.example.org", text)
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	if u.Path != "" && (strings.HasSuffix(u.Path, "/") || u.Path != path.Clean(u.Path)) || strings.Contains(strings.ToLower(u.EscapedPath()), "%2f") {
		return nil, fmt.Errorf("%q is not the address of a site: its path has an empty part, dots in place of one, or a slash that is none", text)
	}
	u.RawPath = ""
	return u, nil
}

// open opens the published build. Other builders may publish their own and remove this
// one at any moment: what is opened stays, and what is gone before is opened anew.
func (o *Options) open() (*exports.Build, []byte, error) {
	for {
		id, err := store.Current(o.Out)
		if err != nil {
			return nil, nil, err
		}
		var manifest []byte
		b, err := exports.OpenCurrent(o.Out)
		if err == nil {
			if manifest, _, err = store.ManifestBytes(b.Dir); err == nil {
				return b, manifest, nil
			}
			err = errors.Join(err, b.Close())
		}
		if now, gone := store.Current(o.Out); gone != nil || now == id {
			return nil, nil, err
		}
	}
}
