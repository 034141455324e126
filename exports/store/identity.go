package store

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Identity is the metadata of a file that changes whenever its bytes do. No program can set the
// time of the last change, so as long as a file has the same identity, it need not be read again.
type Identity struct {
	Device, Inode uint64
	Size          int64
	Modified      int64 // when the bytes were last written, in Unix nanoseconds
	Changed       int64 // when the bytes or the metadata last changed, in Unix nanoseconds
}

// IdentityOf returns the identity of a regular file. ok is false if the system does not provide
// all of it: on Windows, and on file systems such as FAT, which do not store when a file changed.
func IdentityOf(info fs.FileInfo) (id Identity, ok bool) {
	if !info.Mode().IsRegular() {
		return Identity{}, false
	}
	id, ok = identityOf(info)
	// FAT stores times in units of a hundredth of a second or more. On other file systems, such a time
	// is a rare coincidence, which only means that the file is read again.
	const coarse = 10_000_000
	if !ok || id.Inode == 0 || id.Changed%coarse == 0 {
		return Identity{}, false
	}
	return id, true
}

// Identities holds the identities of the files of a folder by slash-separated path. Files that have
// none are missing.
type Identities map[string]Identity

// ReadIdentities returns the identities of all files of a build or an index, given its folder.
func ReadIdentities(dir string) (Identities, error) {
	r, err := OpenFiles(dir)
	if err != nil {
		return nil, err
	}
	return identitiesIn(r)
}

// CacheIdentities returns the identities of the caches of a build.
func CacheIdentities(root, id string) (Identities, error) {
	dir, err := OpenFolder(root, slices.Concat(cachesFolder, []string{id})...)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return identitiesIn(dir)
}

// identitiesIn returns the identities of all files in a folder, and closes it.
func identitiesIn(r *os.Root) (Identities, error) {
	defer r.Close()
	ids := Identities{}
	return ids, eachFile(r, func(name string, info fs.FileInfo) {
		if id, ok := IdentityOf(info); ok && validPath(name) {
			ids[name] = id
		}
	})
}

// eachFile calls yield with everything in a folder that is not a folder.
func eachFile(dir *os.Root, yield func(name string, info fs.FileInfo)) error {
	return fs.WalkDir(dir.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			yield(name, info)
		}
		return err
	})
}

// VerifyKnown is like Verify, but reads only files whose identity differs from the known one, and does
// not recreate the files that are not stored: their content follows from that of the stored ones. This
// is enough for a build that a builder on this machine wrote, which recorded the identities. known may
// be nil.
func VerifyKnown(dir string, known Identities) (*Manifest, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	return m, VerifyKnownFiles(dir, m.Files, ManifestFile, known)
}

// VerifyKnownFiles is like VerifyFiles, but reads as little as VerifyKnown.
func VerifyKnownFiles(dir string, files []File, manifest string, known Identities) error {
	r, err := OpenFiles(dir)
	if err != nil {
		return err
	}
	defer r.Close()
	there := map[string]fs.FileInfo{}
	if err := eachFile(r, func(name string, info fs.FileInfo) { there[name] = info }); err != nil {
		return err
	}
	var changed []File
	for _, f := range files {
		info := there[f.Path]
		delete(there, f.Path)
		if info == nil && Unstored(files, f.Path) || info != nil && known.has(f, info) {
			continue
		}
		changed = append(changed, f)
	}
	slices.SortFunc(changed, func(a, b File) int { return cmp.Compare(b.Size, a.Size) }) // so that all processors finish at the same time
	var problems []error
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range changed {
		g.Go(func() error {
			if err := verifyFile(r, files, f); err != nil {
				mu.Lock()
				defer mu.Unlock()
				problems = append(problems, err)
			}
			return nil
		})
	}
	_ = g.Wait() // the functions store their errors in problems
	delete(there, manifest)
	for name := range there {
		problems = append(problems, &DamageError{Path: joinPath(r, name), Problem: "is not listed in the manifest"})
	}
	return errors.Join(problems...)
}

// has reports whether a file of a build has its known identity.
func (i Identities) has(f File, info fs.FileInfo) bool {
	id, ok := IdentityOf(info)
	return ok && id.Size == f.Size && i[f.Path] == id
}

// String returns the identity in the form that ParseIdentity reads.
func (id Identity) String() string {
	return fmt.Sprintf("%d %d %d %d %d", id.Device, id.Inode, id.Size, id.Modified, id.Changed)
}

// ParseIdentity reads an identity that String returned.
func ParseIdentity(s string) (id Identity, err error) {
	fields := strings.Split(s, " ")
	if len(fields) != 5 {
		return id, fmt.Errorf("%q is not the identity of a file", s)
	}
	var errs [5]error
	id.Device, errs[0] = strconv.ParseUint(fields[0], 10, 64)
	id.Inode, errs[1] = strconv.ParseUint(fields[1], 10, 64)
	id.Size, errs[2] = strconv.ParseInt(fields[2], 10, 64)
	id.Modified, errs[3] = strconv.ParseInt(fields[3], 10, 64)
	id.Changed, errs[4] = strconv.ParseInt(fields[4], 10, 64)
	return id, errors.Join(errs[:]...)
}

// Caches are files that only the next build on this machine reads, such as the identities of files.
// They are in a folder for each build.
var cachesFolder = []string{"exports", "caches"}

// WriteCache writes a cache of a build, and syncs it: what a power failure leaves of a file may have
// the right identity but the wrong bytes.
func WriteCache(root, id, name string, data []byte) error {
	dir, err := MakeFolder(root, slices.Concat(cachesFolder, []string{id})...)
	if err != nil {
		return err
	}
	return errors.Join(ReplaceFile(dir, name, data), dir.Close())
}

// ReadCache reads a cache of a build of at most maxLen bytes. It also returns the cache's identity,
// which is zero if it has none. It returns fs.ErrNotExist if there is no such cache.
func ReadCache(root, id, name string, maxLen int64) (data []byte, identity Identity, err error) {
	dir, err := OpenFolder(root, slices.Concat(cachesFolder, []string{id})...)
	if err != nil {
		return nil, identity, err
	}
	defer dir.Close()
	f, info, err := openRegular(dir, name)
	if err != nil {
		return nil, identity, err
	}
	defer f.Close()
	if info.Size() > maxLen {
		return nil, identity, &DamageError{Path: joinPath(dir, name), Problem: fmt.Sprintf("has %d bytes; the limit is %d", info.Size(), maxLen)}
	}
	identity, _ = IdentityOf(info)
	data = make([]byte, info.Size())
	_, err = io.ReadFull(f, data)
	return data, identity, err
}

// PruneCaches removes the caches of all builds but one.
func PruneCaches(root, id string) error {
	dir, err := OpenFolder(root, cachesFolder...)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := fs.ReadDir(dir.FS(), ".")
	for _, e := range entries {
		if e.Name() != id {
			err = errors.Join(err, dir.RemoveAll(e.Name()))
		}
	}
	return err
}
