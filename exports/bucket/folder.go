package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"kindex/exports/store"
)

// folder is a bucket in a folder. Files are written under a temporary name, synced and renamed.
type folder struct{ dir string }

func openFolder(dir string) (*folder, error) {
	if dir == "" {
		return nil, errors.New("file: needs a folder, as in file:/srv/builds")
	}
	return &folder{dir: dir}, nil
}

// String implements Reader.
func (f *folder) String() string { return "file:" + f.dir }

func (f *folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// open opens the folder of an object, which it creates if create is set.
func (f *folder) open(name string, create bool) (dir *os.Root, base string, err error) {
	if err := checkName(name); err != nil {
		return nil, "", err
	}
	elements := strings.Split(name, "/")
	last := len(elements) - 1
	if create {
		dir, err = store.MakeFolder(f.dir, elements[:last]...)
	} else {
		dir, err = store.OpenFolder(f.dir, elements[:last]...)
	}
	return dir, elements[last], err
}

// Open implements Reader.
func (f *folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	dir, base, err := f.open(name, false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	file, _, err := store.OpenRegular(dir, base)
	if err != nil {
		return nil, err // not a nil *os.File
	}
	return file, nil
}

// Write implements Bucket.
func (f *folder) Write(_ context.Context, name string, data io.ReadSeeker, size int64) error {
	dir, base, err := f.open(name, true)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := store.ReplaceFrom(dir, base, io.LimitReader(data, size)); err != nil {
		return err
	}
	return store.SyncDir(dir.Name())
}

// Replace implements Bucket. Other processes that replace objects wait meanwhile.
func (f *folder) Replace(ctx context.Context, name string, data, old []byte) error {
	lock, err := store.AcquireLock(ctx, f.dir, func(*store.BusyError) {})
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }() // the lock is released at the latest when the process exits
	now, err := Read(ctx, f, name, maxReplaced)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	if missing != (old == nil) || !bytes.Equal(now, old) {
		return fmt.Errorf("%s %w", f.path(name), ErrConflict)
	}
	return f.Write(ctx, name, bytes.NewReader(data), int64(len(data)))
}

// List implements Bucket. Unfinished files have names that objects cannot have.
func (f *folder) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		root := f.path(strings.TrimSuffix(prefix, "/"))
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // nothing was written yet, or it was removed in the meantime
			}
			if err = errors.Join(err, ctx.Err()); err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(f.dir, path)
			name := filepath.ToSlash(rel)
			if err != nil || checkName(name) != nil || !d.Type().IsRegular() {
				return err
			}
			s, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && !yield(Info{name, s.Size(), s.ModTime()}, nil) {
				return fs.SkipAll
			}
			return err
		})
		if err != nil {
			yield(Info{}, err)
		}
	}
}

// Remove implements Bucket. It leaves empty folders, which another process may be about to use.
func (f *folder) Remove(_ context.Context, name string) error {
	dir, base, err := f.open(name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Remove(base); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
