package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"kindex/exports/bucket"
	"kindex/exports/sign"
	"kindex/exports/store"
)

// Files reads single files of builds that are in a bucket, but not in the output folder. It keeps each
// file in a folder of the output folder while there is room. It is safe for concurrent use.
type Files struct {
	from     *remote
	dir      string // the output folder
	maxBytes int64
	keys     []note.Verifier
	lookups  *rate.Limiter // for builds that the bucket may not have
	fetches  singleflight.Group
	waiting  atomic.Int32 // fetches, running or not
	turn     sync.Mutex   // held while a file is fetched
	// clean removes, once, what earlier processes have left, so that this one has verified every file.
	clean func() error

	mu     sync.Mutex
	builds map[string]lookup
}

// lookup is what is known of a build.
type lookup struct {
	list *list     // nil if the bucket did not have the build
	at   time.Time // when it was looked up
}

// known reports whether the build need not be looked up again.
func (l lookup) known() bool { return l.list != nil || time.Since(l.at) < missingTTL }

// filesFolder is the folder in an output folder that Files uses. Each file has its SHA-256 as its name.
const filesFolder = ".kindex-files"

// Limits of Files.
const (
	defaultFilesBytes       = 1 << 30     // if there is no limit for the output folder
	maxFilesWaiting         = 16          // files that wait while another one is fetched
	missingTTL              = time.Minute // how long a missing build is not looked up again
	maxLookups              = 1024        // builds about which something is known
	lookupRate, lookupBurst = 5, 50       // lookups of builds that may be missing, per second
)

// ErrBusy means that a file cannot be read at the moment; the same request may succeed later.
var ErrBusy = errors.New("too many files of old builds are being fetched")

// NewFiles returns a Files for an output folder whose builds are in a bucket. The folder may take
// maxBytes, or any number of bytes if that is 0. If there are keys, builds that are not signed with
// one of them are treated as missing.
func NewFiles(from bucket.Reader, dir string, maxBytes int64, keys []note.Verifier) *Files {
	return &Files{from: &remote{Reader: from}, dir: dir, maxBytes: maxBytes, keys: keys, lookups: rate.NewLimiter(lookupRate, lookupBurst),
		clean:  sync.OnceValue(func() error { return os.RemoveAll(filepath.Join(dir, filesFolder)) }),
		builds: map[string]lookup{}}
}

// Manifest returns the manifest of a build and its bytes. It returns fs.ErrNotExist if the bucket
// does not have the build, which it looks up at most once a minute, and an error that wraps ErrBusy
// if there are too many lookups of such builds.
func (f *Files) Manifest(ctx context.Context, id string) (*store.Manifest, []byte, error) {
	l, err := f.list(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return l.manifest, l.stored[exportsTree], nil
}

// Knows reports whether it is known what the bucket has of a build, so that nothing needs to be looked
// up.
func (f *Files) Knows(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !store.ValidID(id) || f.builds[id].known()
}

func (f *Files) list(ctx context.Context, id string) (*list, error) {
	f.mu.Lock()
	l := f.builds[id]
	f.mu.Unlock()
	switch {
	case l.list != nil:
		return l.list, nil
	case !store.ValidID(id) || l.known():
		return nil, fs.ErrNotExist
	case !f.lookups.Allow():
		return nil, fmt.Errorf("build %s: %w", id, ErrBusy)
	}
	found, err := f.lookUp(ctx, id)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.builds) >= maxLookups {
		clear(f.builds)
	}
	f.builds[id] = lookup{found, time.Now()}
	return found, err
}

// lookUp reads the list of a build, and verifies its signature if it must have one.
func (f *Files) lookUp(ctx context.Context, id string) (*list, error) {
	data, _, err := f.from.read(ctx, listName(id), maxList, "")
	if err != nil {
		return nil, err
	}
	if len(f.keys) > 0 {
		signed, _, err := f.from.read(ctx, signatureName(id), sign.MaxLen, "")
		if err == nil {
			_, _, err = openStatement(signed, id, sumOf(data), "of "+f.from.String(), f.keys)
		}
		if errors.Is(err, ErrUnknownKey) {
			err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
		if err != nil {
			return nil, err
		}
	}
	return parseList(f.from.String()+"/"+listName(id), id, data)
}

// Open returns a file of a build. The errors are those of Manifest, and a *SpaceError if there is no
// room for the file. A fetch goes on after ctx has ended, so that the same request succeeds later.
func (f *Files) Open(ctx context.Context, id, name string) (*os.File, *store.Manifest, store.File, error) {
	l, err := f.list(ctx, id)
	if err != nil {
		return nil, nil, store.File{}, err
	}
	want, ok := l.manifest.File(name)
	if !ok {
		return nil, l.manifest, want, fs.ErrNotExist
	}
	if file, err := f.openFetched(want); err == nil {
		return file, l.manifest, want, nil
	}
	if f.waiting.Load() >= maxFilesWaiting {
		return nil, l.manifest, want, ErrBusy
	}
	done := f.fetches.DoChan(want.SHA256, func() (any, error) {
		f.waiting.Add(1)
		defer f.waiting.Add(-1)
		f.turn.Lock()
		defer f.turn.Unlock()
		return nil, f.fetch(context.WithoutCancel(ctx), id, want)
	})
	select {
	case <-ctx.Done():
		return nil, l.manifest, want, errors.Join(ErrBusy, ctx.Err())
	case r := <-done:
		err = r.Err
	}
	var file *os.File
	if err == nil {
		file, err = f.openFetched(want)
	}
	if errors.Is(err, fs.ErrNotExist) { // pruned just now
		err = fmt.Errorf("the bucket lacks a part of the build %s: %v", id, err) //nolint:errorlint // the file does exist
	}
	return file, l.manifest, want, err
}

// openFetched opens a file that was fetched before.
func (f *Files) openFetched(want store.File) (*os.File, error) {
	if err := f.clean(); err != nil {
		return nil, err
	}
	folder, err := store.OpenFolder(f.dir, filesFolder)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return openLocal(folder, want, want.SHA256)
}

// fetch fetches a file.
func (f *Files) fetch(ctx context.Context, id string, want store.File) error {
	folder, err := store.MakeFolder(f.dir, filesFolder)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := f.makeRoom(id, want.Size); err != nil {
		return err
	}
	return f.from.fetch(ctx, want, folder, want.SHA256)
}

// makeRoom removes the oldest files from the folder until there is room for more bytes.
func (f *Files) makeRoom(id string, bytes int64) error {
	room := int64(defaultFilesBytes)
	if f.maxBytes > 0 {
		builds, err := treeSize(f.dir, exportsTree, indexesTree, stageFolder)
		if err != nil {
			return err
		}
		room = f.maxBytes - builds
	}
	if bytes > room {
		return &SpaceError{Build: id, Need: bytes, Limit: max(room, 0)}
	}
	dir := filepath.Join(f.dir, filesFolder)
	entries, err := os.ReadDir(dir)
	used := bytes
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // it may have been removed in the meantime
			files, used = append(files, info), used+info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for ; err == nil && used > room; files = files[1:] {
		used -= files[0].Size()
		err = os.Remove(filepath.Join(dir, files[0].Name()))
	}
	return err
}
