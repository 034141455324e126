package depot

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/time/rate"

	"kindex/exports/bucket"
	"kindex/exports/store"
)

// Files reads single files of builds that are in a bucket, but not in the output folder. It assembles
// each file in a folder of the output folder and keeps it there while there is room. It is safe for
// concurrent use.
type Files struct {
	from     bucket.Reader
	dir      string // the output folder
	maxBytes int64
	keys     []note.Verifier
	turn     chan struct{} // has one element unless a file is being assembled
	waiting  atomic.Int32
	reserved atomic.Int64  // bytes for a build that is being pulled
	lookups  *rate.Limiter // for builds that the bucket may not have

	mu       sync.Mutex
	missing  map[string]time.Time // builds that the bucket did not have, and when
	verified map[string]bool      // paths of files that were verified by this process
}

// filesDir is the folder in an output folder that Files uses. It contains exports/builds as an
// output folder does, but with some of the files of each build; the objects of the builds in
// objectsDir; and packs.
const (
	filesDir   = ".kindex-files"
	objectsDir = "objects"
)

// Limits of Files.
const (
	defaultFilesBytes       = 1 << 30     // if there is no limit for the output folder
	maxFilesWaiting         = 16          // requests that wait while another file is assembled
	missingTTL              = time.Minute // how long a missing build is not looked up again
	maxMissing              = 4096        // builds that are remembered as missing
	lookupRate, lookupBurst = 5, 50       // lookups of builds that may be missing, per second
)

// ErrBusy means that a file cannot be read at the moment; the same request may succeed later.
var ErrBusy = errors.New("too many files of old builds are being fetched")

// NewFiles returns a Files for an output folder whose builds are in a bucket. The folder may take
// maxBytes, or any number of bytes if that is 0. If there are keys, builds that are not signed with
// one of them are treated as missing.
func NewFiles(from bucket.Reader, dir string, maxBytes int64, keys []note.Verifier) *Files {
	f := &Files{from: from, dir: dir, maxBytes: maxBytes, keys: keys, turn: make(chan struct{}, 1), lookups: rate.NewLimiter(lookupRate, lookupBurst),
		missing: map[string]time.Time{}, verified: map[string]bool{}}
	f.turn <- struct{}{}
	return f
}

func (f *Files) root() string { return filepath.Join(f.dir, filesDir) }

// Manifest returns the manifest of a build and its bytes. It returns fs.ErrNotExist if the bucket
// does not have the build, which it looks up at most once a minute, and an error that wraps ErrBusy
// if there are too many lookups of such builds.
func (f *Files) Manifest(ctx context.Context, id string) (*store.Manifest, []byte, error) {
	if !store.ValidID(id) {
		return nil, nil, fs.ErrNotExist
	}
	dir := filepath.Join(store.BuildsDir(f.root()), id)
	if m, err := store.ReadManifest(dir); err == nil {
		if data := m.Encode(); f.acceptedManifest(id, sumOf(data)) {
			return m, data, nil
		}
	}
	f.mu.Lock()
	at, gone := f.missing[id]
	f.mu.Unlock()
	if gone && time.Since(at) < missingTTL {
		return nil, nil, fs.ErrNotExist
	}
	if !f.lookups.Allow() {
		return nil, nil, fmt.Errorf("build %s: %w", id, ErrBusy)
	}
	c, err := f.entry(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		f.mu.Lock()
		if len(f.missing) >= maxMissing {
			clear(f.missing)
		}
		f.missing[id] = time.Now()
		f.mu.Unlock()
	}
	if err != nil {
		return nil, nil, err
	}
	data, err := readChecked(ctx, f.from, manifestName(c), c.Manifest, maxManifest)
	if err != nil {
		return nil, nil, err
	}
	m, err := store.ParseManifest(data, manifestName(c))
	if err == nil && m.ID != id {
		err = &DamageError{Name: f.from.String() + "/" + manifestName(c)}
	}
	if err != nil {
		return nil, nil, err
	}
	to, err := store.MakeFolder(f.root(), exportsTree, "builds", id)
	if err != nil {
		return nil, nil, err
	}
	defer to.Close()
	return m, data, store.ReplaceFile(to, store.ManifestFile, data)
}

// entry returns the object that describes a build.
func (f *Files) entry(ctx context.Context, id string) (*current, error) {
	data, _, err := f.objects(id).Read(ctx, descriptionName(id), maxCurrent, "")
	if err != nil {
		return nil, err
	}
	c, err := parseCurrent(f.from, descriptionName(id), data)
	if err == nil && c.Build != id {
		err = &DamageError{Name: f.from.String() + "/" + descriptionName(id)}
	}
	if err != nil || f.acceptedManifest(id, c.Manifest) {
		return c, err
	}
	p, err := verifyStatement(ctx, f.from, c, "", PullOptions{Dir: f.dir, Verifiers: f.keys, AllowOlder: true, anyBuild: true})
	if errors.Is(err, ErrUnsigned) || errors.Is(err, ErrUnknownKey) {
		err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	if err != nil {
		return nil, err
	}
	return c, p.save(f.root(), id)
}

// acceptedManifest reports whether a build with this manifest needs no signature, or was verified
// before.
func (f *Files) acceptedManifest(id, manifest string) bool {
	return len(f.keys) == 0 || slices.ContainsFunc(f.keys, func(v note.Verifier) bool {
		s := savedStatement(f.root(), id, v)
		return s != nil && s.Build == id && hex.EncodeToString(s.Manifest[:]) == manifest
	})
}

// Open returns a file of a build. The errors are those of Manifest, and a *SpaceError if there is
// no room for the file.
func (f *Files) Open(ctx context.Context, id, name string) (*os.File, *store.Manifest, store.File, error) {
	m, _, err := f.Manifest(ctx, id)
	if err != nil {
		return nil, nil, store.File{}, err
	}
	want, ok := m.File(name)
	if !ok {
		return nil, nil, want, fs.ErrNotExist
	}
	if file, err := f.openCached(id, want); err == nil {
		return file, m, want, nil
	}
	if f.waiting.Add(1) > maxFilesWaiting {
		f.waiting.Add(-1)
		return nil, nil, want, ErrBusy
	}
	defer f.waiting.Add(-1)
	select {
	case <-ctx.Done():
		return nil, nil, want, errors.Join(ErrBusy, ctx.Err())
	case <-f.turn:
		defer func() { f.turn <- struct{}{} }()
	}
	file, err := f.openCached(id, want) // another request may have fetched it
	if err != nil {
		if err = f.fetch(ctx, id, want); err == nil {
			file, err = f.openCached(id, want)
		}
	}
	if errors.Is(err, fs.ErrNotExist) { // pruned just now
		err = fmt.Errorf("the bucket lacks a part of the build %s: %v", id, err) //nolint:errorlint // the file does exist
	}
	return file, m, want, err
}

// openCached opens a file that was assembled before. It is verified once by each process.
func (f *Files) openCached(id string, want store.File) (*os.File, error) {
	dir := filepath.Join(store.BuildsDir(f.root()), id)
	r, err := store.OpenFiles(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	file, err := store.OpenFile(r, want)
	if err != nil {
		return nil, err
	}
	full := path.Join(id, want.Path)
	f.mu.Lock()
	verified := f.verified[full]
	f.mu.Unlock()
	if !verified {
		if err := store.VerifyFile(dir, want); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		f.mu.Lock()
		f.verified[full] = true
		f.mu.Unlock()
	}
	return file, nil
}

// fetch assembles a file. Only one fetch runs at a time.
func (f *Files) fetch(ctx context.Context, id string, want store.File) error {
	c, err := f.entry(ctx, id)
	if err != nil {
		return err
	}
	counted := &countingReader{Reader: f.objects(id), report: &PullResult{}}
	set, m, _, _, err := readBuild(ctx, counted, c)
	if err != nil {
		// Read all objects again next time, in case those that were kept are damaged.
		return errors.Join(err, os.RemoveAll(filepath.Join(f.root(), objectsDir, id)))
	}
	name := path.Join(exportsTree, want.Path)
	a, err := newPart(counted, f.root(), "part", id, set, m, map[string]bool{name: true})
	if err != nil {
		return err
	}
	defer a.discard()
	var base *local // the current build has most of it
	if current, err := store.Current(f.dir); err == nil {
		if l, err := openLocal(f.dir, current); err == nil {
			defer l.close()
			base = l
		}
	}
	if err := a.run(ctx, base, func(bytes int64) error { return f.makeRoom(id, bytes) }); err != nil {
		return err
	}
	elements := strings.Split(path.Join(exportsTree, "builds", id, want.Path), "/")
	to, err := store.MakeFolder(f.root(), elements[:len(elements)-1]...)
	if err != nil {
		return err
	}
	defer to.Close()
	from := filepath.Join(a.trees[exportsTree].dir.Name(), filepath.FromSlash(want.Path))
	return os.Rename(from, filepath.Join(to.Name(), path.Base(want.Path)))
}

// makeRoom removes the oldest files from the folder until there is room for more bytes.
func (f *Files) makeRoom(id string, bytes int64) error {
	room := int64(defaultFilesBytes)
	if f.maxBytes > 0 {
		builds, err := treeSize(filepath.Join(f.dir, exportsTree))
		if err != nil {
			return err
		}
		indexes, err := treeSize(filepath.Join(f.dir, indexesTree))
		if err != nil {
			return err
		}
		room = f.maxBytes - builds - indexes - f.reserved.Load()
	}
	if bytes > room {
		return &SpaceError{Build: id, Need: bytes, Limit: max(room, 0)}
	}
	type file struct {
		path string
		fs.FileInfo
	}
	var all []file
	used := bytes
	err := filepath.WalkDir(f.root(), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			all, used = append(all, file{p, info}), used+info.Size()
		}
		return err
	})
	slices.SortFunc(all, func(a, b file) int { return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.path, b.path)) })
	for _, one := range all {
		if err != nil || used <= room {
			return err
		}
		err = os.Remove(one.path)
		used -= one.Size()
	}
	return err
}

// objects returns a reader that keeps the objects of a build, other than packs, in the folder.
func (f *Files) objects(id string) bucket.Reader { return &cachedObjects{f.from, f.root(), id} }

type cachedObjects struct {
	bucket.Reader
	root, id string
}

// Read implements bucket.Reader.
func (k *cachedObjects) Read(ctx context.Context, name string, limit int64, known string) ([]byte, string, error) {
	base, ok := strings.CutPrefix(name, buildsPrefix+k.id+"/")
	if !ok {
		return k.Reader.Read(ctx, name, limit, known)
	}
	dir, err := store.MakeFolder(k.root, objectsDir, k.id)
	if err != nil {
		return nil, "", err
	}
	defer dir.Close()
	if data, err := store.ReadFile(dir, base, limit); err == nil {
		return data, "", nil
	}
	data, tag, err := k.Reader.Read(ctx, name, limit, known)
	if err != nil {
		return nil, "", err
	}
	return data, tag, store.ReplaceFile(dir, base, data)
}
