// Package static writes the website of a build as plain files, for any static file host.
package static

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"kindex/exports"
	"kindex/exports/store"
	"kindex/site/pages"
)

// Report counts the files that a run handled.
type Report struct {
	Pages   int   `json:"pages"`   // HTML files
	Files   int   `json:"files"`   // all files
	Bytes   int64 `json:"bytes"`   // total size of all files
	Written int   `json:"written"` // new and changed files
	Removed int   `json:"removed"` // removed files of the previous site
}

// listFile is the name of the file in a site's folder that lists the files of the site,
// one per line. Only these files may be replaced or removed.
const listFile = ".kindex-static"

// partsDir is the folder in a site's folder that contains unfinished files.
const partsDir = ".kindex-parts"

// Write writes the site of the published build. It does not touch unchanged files, removes
// files of the previous site that the new site does not have, and leaves all other files in
// the folder alone. Each run locks the folder and opens the build while holding the lock.
func Write(ctx context.Context, o Options) (report *Report, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	lock, err := store.AcquireLock(ctx, o.Dir, o.Wait)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	b, err := exports.OpenCurrent(o.Out)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	manifest, _, err := store.ManifestBytes(b.Dir)
	if err != nil {
		return nil, err
	}
	from, err := pages.SourceOf(b)
	if err != nil {
		return nil, err
	}
	base, err := address(cmp.Or(o.URL, string(b.Manifest.URL)))
	if err != nil {
		return nil, fmt.Errorf("url in index.yaml: %w", err) // --url was checked
	}
	site := pages.New(from, pages.Options{Root: base.Path + "/", Base: base.String(), Static: true, API: strings.TrimSuffix(o.API, "/")})
	w := &writer{Options: o, site: site, build: b, manifest: manifest}
	return w.write(ctx)
}

// writer writes one site. It never writes outside the folder: a symbolic link that leads
// elsewhere is replaced where a file belongs, and causes an error where a folder belongs.
type writer struct {
	Options
	root     *os.Root
	site     *pages.Site
	build    *exports.Build
	manifest []byte // manifest of the build, as written

	written, parts atomic.Int64 // new and changed files, and temporary ones
	mu             sync.Mutex
	report         Report
	names          []string        // of all files, with slashes
	list           *os.File        // to which names are added
	listed         map[string]bool // the files of the previous site
}

func (w *writer) write(ctx context.Context) (*Report, error) {
	if err := os.MkdirAll(w.Dir, 0o755); err != nil {
		return nil, err
	}
	var err error
	if w.root, err = os.OpenRoot(w.Dir); err != nil {
		return nil, err
	}
	defer w.root.Close()
	before, err := w.begin()
	if err != nil {
		return nil, err
	}
	defer w.list.Close()
	if err := w.site.Crawl(ctx, w.page); err != nil {
		return nil, err
	}
	for _, step := range []func() error{w.assets, w.data, w.missing} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	slices.Sort(w.names)
	if err := w.remove(before); err != nil {
		return nil, err
	}
	if err := w.writeList(w.names); err != nil {
		return nil, err
	}
	w.report.Files, w.report.Written = len(w.names), int(w.written.Load())
	return &w.report, w.root.Remove(partsDir)
}

// page writes the page of a path. Files cannot redirect: redirects become pages with a
// meta refresh.
func (w *writer) page(p string) (*pages.Answer, error) {
	a, err := w.site.Get(pages.Request{Path: p})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	body := a.Body
	if a.Location != "" {
		var b bytes.Buffer
		if err := moved.Execute(&b, a.Location); err != nil {
			return nil, err
		}
		body = b.Bytes()
	} else if a.Status >= 400 && a.Status != 410 {
		return nil, fmt.Errorf("%s: unexpected status %d for a page", p, a.Status)
	}
	name := strings.TrimPrefix(p, "/")
	if strings.HasSuffix(p, "/") {
		name += pageFile
	}
	return a, w.put(name, body)
}

// pageFile is the name of the file of a page, in the folder that its path names.
const pageFile = "index.html"

var moved = template.Must(template.New("moved").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Moved</title>
<meta http-equiv="refresh" content="0; url={{.}}">
<link rel="canonical" href="{{.}}">
<meta name="robots" content="noindex">
<p>This page has moved <a href="{{.}}">here</a>.</p>
</html>
`))

func (w *writer) assets() error {
	for _, a := range pages.Assets() {
		if err := w.put("assets/"+a.Name, a.Data); err != nil {
			return err
		}
	}
	return nil
}

// missing writes 404.html, which hosts show for unknown paths.
func (w *writer) missing() error {
	a, err := w.site.Get(pages.Request{Path: "/404.html"})
	if err != nil {
		return err
	}
	return w.put("404.html", a.Body)
}

// data copies the public files of the build. It also copies the feeds to their permanent
// paths.
func (w *writer) data() error {
	for _, f := range w.build.Manifest.Files {
		if strings.HasPrefix(f.Path, "lookup/") {
			continue
		}
		data, err := w.build.ReadFile(f.Path)
		if err != nil {
			return err
		}
		if err := w.put(w.dataOf(f.Path), data); err != nil {
			return err
		}
		if f.Encoding == "" && strings.TrimSuffix(f.Path, path.Ext(f.Path)) == exports.FeedFile {
			if err := w.put(f.Path, data); err != nil {
				return err
			}
		}
	}
	return w.put(w.dataOf(store.ManifestFile), w.manifest)
}

// dataOf returns the name of a public file of the build.
func (w *writer) dataOf(file string) string { return "data/" + w.build.Manifest.ID + "/" + file }

// put writes a file unless it already exists with the same content. It compares the bytes, because other
// programs may have written the file. A symbolic link is replaced.
func (w *writer) put(name string, body []byte) error {
	if !ofSite(name) || strings.Contains(name, "\n") {
		return fmt.Errorf("%q is not a valid file name within the site", name)
	}
	if err := w.note(name, len(body)); err != nil {
		return err
	}
	to := filepath.FromSlash(name)
	if info, err := w.root.Lstat(to); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(body)) {
		if there, err := w.root.ReadFile(to); err == nil && bytes.Equal(there, body) {
			return nil
		}
	}
	w.written.Add(1)
	return w.replace(to, body)
}

// replace writes a file under a temporary name and renames it.
func (w *writer) replace(to string, body []byte) error {
	if folder := filepath.Dir(to); folder != "." {
		if err := w.root.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	part := filepath.Join(partsDir, strconv.FormatInt(w.parts.Add(1), 10))
	if err := w.root.WriteFile(part, body, 0o644); err != nil {
		return err
	}
	return errors.Join(w.root.Chmod(part, 0o644), w.root.Rename(part, to))
}

// note lists a file before it is written, so that the next run can remove it if this one is interrupted.
func (w *writer) note(name string, size int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names = append(w.names, name)
	if w.report.Bytes += int64(size); path.Base(name) == pageFile {
		w.report.Pages++
	}
	if w.Progress != nil && len(w.names)%64 == 0 {
		w.Progress(len(w.names), 0)
	}
	if w.listed[name] {
		return nil
	}
	_, err := w.list.WriteString(name + "\n")
	return err
}
