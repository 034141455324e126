// Package static writes the website of a build as plain files, for any static file host.
package static

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

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
	b, manifest, err := o.open()
	if err != nil {
		return nil, err
	}
	defer b.Close()
	from, err := pages.SourceOf(b)
	if err != nil {
		return nil, err
	}
	base, err := address(cmp.Or(o.URL, string(b.Manifest.URL)))
	if err != nil {
		return nil, fmt.Errorf("url in index.yaml: %w", err) // --url was checked
	}
	site, err := pages.New(from, pages.Options{Root: base.Path + "/", Base: base.String(), Static: true, API: strings.TrimSuffix(o.API, "/")})
	if err != nil {
		return nil, err
	}
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

	mu      sync.Mutex
	names   []string // of all files, with slashes
	folders sync.Map // existing folders

	pages, written, done atomic.Int64
	bytes                atomic.Int64
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
	before, cutOff, err := w.readList()
	if err != nil {
		return nil, err
	}
	var paths []string
	begun := slices.Clone(before)
	for p := range w.site.Paths {
		paths = append(paths, p)
		begun = append(begun, fileOf(p))
	}
	begun = append(append(begun, unfinished), w.others()...)
	slices.Sort(begun)
	begun = slices.Compact(begun)
	// Write the list first, so that the next run can clean up if this one is interrupted.
	if err := w.writeList(begun); err != nil {
		return nil, err
	}
	if !cutOff {
		begun = []string{listFile} // this write may itself have been interrupted
	}
	if err := w.sweep(begun); err != nil {
		return nil, err
	}
	if err := w.render(ctx, paths); err != nil {
		return nil, err
	}
	for _, step := range []func() error{w.assets, w.data, w.missing} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	slices.Sort(w.names)
	removed, err := w.remove(before)
	if err != nil {
		return nil, err
	}
	if err := w.writeList(w.names); err != nil {
		return nil, err
	}
	return &Report{Pages: int(w.pages.Load()), Files: len(w.names), Bytes: w.bytes.Load(), Written: int(w.written.Load()), Removed: removed}, nil
}

// render writes all pages, in parallel.
func (w *writer) render(ctx context.Context, paths []string) error {
	g, ctx := errgroup.WithContext(ctx)
	todo := make(chan string)
	g.Go(func() error {
		defer close(todo)
		for _, p := range paths {
			select {
			case todo <- p:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range runtime.GOMAXPROCS(0) {
		g.Go(func() error {
			for p := range todo {
				if err := w.page(p); err != nil {
					return fmt.Errorf("%s: %w", p, err)
				}
				if n := int(w.done.Add(1)); w.Progress != nil && (n%64 == 0 || n == len(paths)) {
					w.Progress(n, len(paths))
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// page writes the page of a path. Files cannot redirect: redirects become pages with a
// meta refresh.
func (w *writer) page(p string) error {
	a, err := w.site.Get(pages.Request{Path: p})
	if err != nil {
		return err
	}
	if strings.HasSuffix(p, "/") {
		w.pages.Add(1)
	}
	body := a.Body
	if a.Location != "" {
		var b bytes.Buffer
		if err := moved.Execute(&b, a.Location); err != nil {
			return err
		}
		body = b.Bytes()
	} else if a.Status >= 400 && a.Status != 410 {
		return fmt.Errorf("unexpected status %d for a page", a.Status)
	}
	return w.put(fileOf(p), body)
}

// fileOf returns the file name of a path.
func fileOf(p string) string {
	name := strings.TrimPrefix(p, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	return name
}

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
		if !published(f) {
			continue
		}
		data, _, _ := w.build.File(f.Path)
		if err := w.put(w.dataOf(f.Path), data); err != nil {
			return err
		}
		if isFeed(f) {
			if err := w.put(f.Path, data); err != nil {
				return err
			}
		}
	}
	return w.put(w.dataOf(store.ManifestFile), w.manifest)
}

// dataOf returns the name of a public file of the build.
func (w *writer) dataOf(file string) string { return "data/" + w.build.Manifest.ID + "/" + file }

// published reports whether a file of a build is public.
func published(f store.File) bool { return !strings.HasPrefix(f.Path, "lookup/") }

// isFeed reports whether a file of a build is the feed of all changes, in any format.
func isFeed(f store.File) bool {
	return f.Encoding == "" && strings.TrimSuffix(f.Path, path.Ext(f.Path)) == exports.FeedFile
}

// put writes a file unless it already exists with the same content.
func (w *writer) put(name string, body []byte) error {
	return w.copy(name, bytes.NewReader(body), int64(len(body)))
}

// copy is like put for content whose size is known.
func (w *writer) copy(name string, body io.ReadSeeker, size int64) error {
	if !ofSite(name) || strings.Contains(name, "\n") {
		return fmt.Errorf("%q is not a valid file name within the site", name)
	}
	w.note(name, size)
	if _, err := body.Seek(0, io.SeekStart); err != nil || w.holds(name, body, size) {
		return err
	}
	return w.replace(name, func(f *os.File) error {
		if _, err := body.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := io.Copy(f, body)
		return err
	})
}

// holds reports whether a file exists with the given content. It compares the bytes,
// because other programs may have written the file.
func (w *writer) holds(name string, body io.Reader, size int64) bool {
	if info, err := w.root.Lstat(filepath.FromSlash(name)); err != nil || !info.Mode().IsRegular() || info.Size() != size {
		return false // a symbolic link is replaced, and a pipe would block
	}
	f, err := w.root.Open(filepath.FromSlash(name))
	if err != nil {
		return false
	}
	defer f.Close()
	buf := make([]byte, 2*min(size, 1<<18))
	there, want := buf[:len(buf)/2], buf[len(buf)/2:]
	for ; size > 0; size -= int64(len(want)) {
		n := min(size, int64(len(want)))
		there, want = there[:n], want[:n]
		_, errA := io.ReadFull(f, there)
		_, errB := io.ReadFull(body, want)
		if errA != nil || errB != nil || !bytes.Equal(there, want) {
			return false
		}
	}
	return true
}

// replace writes a file under a temporary name and renames it.
func (w *writer) replace(name string, fill func(*os.File) error) error {
	to := filepath.FromSlash(name)
	folder := filepath.Dir(to)
	if _, made := w.folders.Load(folder); !made {
		if err := w.root.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		w.folders.Store(folder, true)
	}
	part := filepath.Join(folder, fmt.Sprintf("%s%016x", partPrefix, rand.Uint64())) //nolint:gosec // not a secret, and O_EXCL detects a clash
	f, err := w.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = fill(f)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return errors.Join(err, w.root.Remove(part))
	}
	if err := w.root.Rename(part, to); err != nil {
		return errors.Join(err, w.root.Remove(part))
	}
	w.written.Add(1)
	return nil
}

// partPrefix is the prefix of the names of partial files.
const partPrefix = ".kindex-part-"

func (w *writer) note(name string, size int64) {
	w.bytes.Add(size)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names = append(w.names, name)
}
