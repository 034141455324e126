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

	mu       sync.Mutex
	missing  map[string]time.Time // builds that the bucket did not have, and when
	lists    map[string]*list     // of builds
	verified map[string]bool      // hashes of files that were verified by this process
}

// filesFolder is the folder in an output folder that Files uses. Each file has its SHA-256 as its name.
const filesFolder = ".kindex-files"

// Limits of Files.
const (
	defaultFilesBytes       = 1 << 30     // if there is no limit for the output folder
	maxFilesWaiting         = 16          // files that wait while another one is fetched
	missingTTL              = time.Minute // how long a missing build is not looked up again
	maxMissing              = 4096        // builds that are remembered as missing
	maxLists                = 32          // builds whose lists are kept in memory
	lookupRate, lookupBurst = 5, 50       // lookups of builds that may be missing, per second
)

// ErrBusy means that a file cannot be read at the moment; the same request may succeed later.
var ErrBusy = errors.New("too many files of old builds are being fetched")

// NewFiles returns a Files for an output folder whose builds are in a bucket. The folder may take
// maxBytes, or any number of bytes if that is 0. If there are keys, builds that are not signed with
// one of them are treated as missing.
func NewFiles(from bucket.Reader, dir string, maxBytes int64, keys []note.Verifier) *Files {
	return &Files{from: &remote{Reader: from}, dir: dir, maxBytes: maxBytes, keys: keys, lookups: rate.NewLimiter(lookupRate, lookupBurst),
		missing: map[string]time.Time{}, lists: map[string]*list{}, verified: map[string]bool{}}
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
	return !store.ValidID(id) || f.lists[id] != nil || time.Since(f.missing[id]) < missingTTL
}

func (f *Files) list(ctx context.Context, id string) (*list, error) {
	if !store.ValidID(id) {
		return nil, fs.ErrNotExist
	}
	f.mu.Lock()
	l, at := f.lists[id], f.missing[id]
	f.mu.Unlock()
	if l != nil {
		return l, nil
	}
	if time.Since(at) < missingTTL {
		return nil, fs.ErrNotExist
	}
	if !f.lookups.Allow() {
		return nil, fmt.Errorf("build %s: %w", id, ErrBusy)
	}
	l, err := f.lookUp(ctx, id)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if len(f.missing) >= maxMissing {
			clear(f.missing)
		}
		f.missing[id] = time.Now()
	case err == nil:
		if len(f.lists) >= maxLists {
			clear(f.lists)
		}
		f.lists[id] = l
	}
	return l, err
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
			_, _, err = openStatement(signed, id, sumOf(data), f.from.String(), f.keys)
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
	if file, err := f.openCached(want); err == nil {
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
		file, err = f.openCached(want)
	}
	if errors.Is(err, fs.ErrNotExist) { // pruned just now
		err = fmt.Errorf("the bucket lacks a part of the build %s: %v", id, err) //nolint:errorlint // the file does exist
	}
	return file, l.manifest, want, err
}

// openCached opens a file that was fetched before. It is verified once by each process.
func (f *Files) openCached(want store.File) (*os.File, error) {
	folder, err := store.OpenFolder(f.dir, filesFolder)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	file, err := openLocal(folder, want, want.SHA256)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	verified := f.verified[want.SHA256]
	f.mu.Unlock()
	if verified {
		return file, nil
	}
	if !isSame(file, want) {
		return nil, errors.Join(&DamageError{file.Name()}, file.Close())
	}
	f.mu.Lock()
	f.verified[want.SHA256] = true
	f.mu.Unlock()
	if _, err := file.Seek(0, 0); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
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
	for _, oldest := range files {
		if err != nil || used <= room {
			break
		}
		err = os.Remove(filepath.Join(dir, oldest.Name()))
		used -= oldest.Size()
	}
	return err
}
