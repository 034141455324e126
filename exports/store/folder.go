package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// An output folder may be in a clone of a repository with arbitrary content,
// including symbolic links. Kindex never creates links, so it reads, writes and
// removes files under an output folder without following links. The output folder
// itself may be a link, because a user of this machine chose it.

// LinkError reports a symbolic link under an output folder or a content folder.
type LinkError struct{ Path string }

// Error implements error.
func (e *LinkError) Error() string {
	return e.Path + " is a symbolic link, and kindex does not follow links inside the folders it is given: remove it, " +
		"or specify the folder to use directly (which may be a link)"
}

// The folders of builds and of their search indexes under an output folder, as path elements.
var (
	buildsFolder  = []string{"exports", "builds"}
	indexesFolder = []string{"indexes", "builds"}
)

// OpenFolder opens a folder under root, one path element after another. It returns
// a *LinkError if one of the names is a symbolic link, and fs.ErrNotExist if the
// folder does not exist. The caller must close it.
func OpenFolder(root string, names ...string) (*os.Root, error) {
	return openFolder(root, false, names)
}

// MakeFolder is like OpenFolder, but creates missing folders, including root.
func MakeFolder(root string, names ...string) (*os.Root, error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	return openFolder(root, true, names)
}

func openFolder(root string, create bool, names []string) (*os.Root, error) {
	dir, err := os.OpenRoot(root)
	for _, name := range names {
		if err != nil {
			return nil, err
		}
		if create {
			if err = dir.Mkdir(name, 0o755); errors.Is(err, fs.ErrExist) {
				err = nil
			}
		}
		var inner *os.Root
		if err == nil {
			inner, err = openSubfolder(dir, name)
		}
		err = errors.Join(err, dir.Close())
		dir = inner
	}
	return dir, err
}

// openSubfolder opens a folder in dir. It returns a *LinkError if the name is a
// symbolic link.
func openSubfolder(dir *os.Root, name string) (*os.Root, error) {
	expected, err := lstatFolder(dir, name)
	if err != nil {
		return nil, err
	}
	inner, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if actual, err := inner.Stat("."); err != nil || !os.SameFile(expected, actual) { // replaced by a link in the meantime
		return nil, errors.Join(&LinkError{filepath.Join(dir.Name(), name)}, inner.Close())
	}
	return inner, nil
}

// lstatFolder returns information about a folder in dir. It returns an error if
// name is not a folder.
func lstatFolder(dir *os.Root, name string) (fs.FileInfo, error) {
	info, err := dir.Lstat(name)
	switch path := filepath.Join(dir.Name(), name); {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &LinkError{path}
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a folder, but kindex needs a folder with this name: remove it", path)
	}
	return info, nil
}

// OpenRegular opens a regular file under a folder that OpenFolder opened. name is a
// slash-separated path. OpenRegular returns fs.ErrNotExist if there is none, and a *DamageError if
// the path leads out of the folder, through a link, or to anything other than a regular file.
func OpenRegular(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	for try := 1; ; try++ {
		f, info, err := openRegularOnce(dir, name)
		// A builder may have replaced the file by renaming, so try again. No builder does
		// that a hundred times in a row.
		if !errors.Is(err, errReplaced) || try == 100 {
			return f, info, err
		}
	}
}

var errReplaced = errors.New("was replaced while being opened")

func openRegularOnce(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	path := joinPath(dir, name)
	damage := func(problem string) (*os.File, fs.FileInfo, error) {
		return nil, nil, &DamageError{Path: path, Problem: problem}
	}
	if !ValidPath(name) {
		return damage("is not a valid file name in a build")
	}
	var info fs.FileInfo
	for end := 0; end < len(name); end++ {
		rest := strings.IndexByte(name[end:], '/')
		if end += rest; rest < 0 {
			end = len(name)
		}
		var err error
		if info, err = dir.Lstat(filepath.FromSlash(name[:end])); errors.Is(err, fs.ErrNotExist) {
			return nil, nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		} else if err != nil {
			return nil, nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return damage("is a symbolic link or is reached through one, but builds contain no links: remove it and build again")
		}
	}
	if !info.Mode().IsRegular() {
		return damage("is not a regular file")
	}
	f, err := dir.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, nil, err
	}
	actual, err := f.Stat()
	if err == nil && !os.SameFile(info, actual) {
		err = fmt.Errorf("%s %w", path, errReplaced)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, actual, nil
}

func readLimited(dir *os.Root, name string, maxLen int64) ([]byte, error) {
	f, info, err := OpenRegular(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > maxLen {
		return nil, &DamageError{Path: joinPath(dir, name), Problem: fmt.Sprintf("has %d bytes; the limit is %d", info.Size(), maxLen)}
	}
	return io.ReadAll(io.LimitReader(f, maxLen))
}

// WriteFile atomically writes a file in a folder that exists.
func WriteFile(path string, data []byte) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return ReplaceFile(dir, filepath.Base(path), data)
}

// ReplaceFile atomically replaces the content of a file in a folder. The
// replacement is durable once the folder is synced. If name is a link, the link
// is replaced.
func ReplaceFile(dir *os.Root, name string, data []byte) error {
	return ReplaceFrom(dir, name, bytes.NewReader(data))
}

// ReplaceFrom is like ReplaceFile, but reads the new content.
func ReplaceFrom(dir *os.Root, name string, data io.Reader) error {
	part := temporaryName()
	f, err := dir.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, data)
	if err = errors.Join(err, f.Chmod(0o644), fsync(f), f.Close()); err == nil {
		err = dir.Rename(part, name)
	}
	if err != nil {
		return errors.Join(err, dir.Remove(part))
	}
	return nil
}

// SyncTree syncs every file and folder under dir to disk.
func SyncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return SyncDir(path)
	})
}

// SyncDir syncs the entries of a folder to disk, or a file.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(fsync(f), f.Close())
}

// fsync syncs an open file or folder to disk. Tests replace it to see what is
// synced.
var fsync = (*os.File).Sync

// temporaryPrefix is the prefix of the names of unfinished files and folders. A builder
// that holds the lock removes those left by killed builders.
const temporaryPrefix = ".tmp-"

var temporaryFile = regexp.MustCompile(`^\.tmp-[0-9a-f]{16}$`)

func temporaryName() string {
	return fmt.Sprintf("%s%016x", temporaryPrefix, rand.Uint64()) //nolint:gosec // not a secret: callers fail if the name exists
}

// TemporaryDir creates a temporary folder in a folder that MakeFolder opened. If it
// is left behind, RemoveLeftovers removes it later.
func TemporaryDir(in *os.Root) (name string, err error) {
	name = temporaryName()
	if err := in.Mkdir(name, 0o755); err != nil {
		return "", err
	}
	return name, in.Chmod(name, 0o755)
}

// Clean removes what killed programs left in the folders of an output folder. The caller must hold its lock. People
// may keep files of their own in the output folder itself, so only files with the names of unfinished ones are removed
// there.
func Clean(root string) error {
	err := eachIn(root, nil, func(dir *os.Root, e fs.DirEntry) error {
		if e.Type().IsRegular() && temporaryFile.MatchString(e.Name()) {
			return dir.Remove(e.Name())
		}
		return nil
	})
	return errors.Join(err, RemoveLeftovers(root, "exports"), RemoveLeftovers(root, "exports", "builds"),
		RemoveLeftovers(root, statementsFolder...), RemoveLeftovers(root, "indexes", "builds"))
}

// RemoveLeftovers deletes the temporary files and folders that killed builders left in one of
// the folders that they write to. The caller must hold the lock of the output folder. root
// and names have the same meaning as in OpenFolder.
func RemoveLeftovers(root string, names ...string) error {
	return eachIn(root, names, func(dir *os.Root, e fs.DirEntry) error {
		if strings.HasPrefix(e.Name(), temporaryPrefix) {
			return dir.RemoveAll(e.Name())
		}
		return nil
	})
}

// eachIn calls do for everything in a folder until it fails. root and names have the same meaning as in OpenFolder.
// A folder that does not exist is empty.
func eachIn(root string, names []string, do func(dir *os.Root, e fs.DirEntry) error) error {
	dir, err := OpenFolder(root, names...)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := fs.ReadDir(dir.FS(), ".")
	for i := 0; err == nil && i < len(entries); i++ {
		err = do(dir, entries[i])
	}
	return err
}

// joinPath returns the path of a file in a folder, for messages. name is a
// slash-separated path.
func joinPath(dir *os.Root, name string) string {
	return filepath.Join(dir.Name(), filepath.FromSlash(name))
}
