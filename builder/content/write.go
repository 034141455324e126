package content

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"

	"kindex/exports/store"
)

// WriteEntity atomically writes an entity file into a content folder, which is created if
// missing. If replace is set, it replaces an existing file or link; otherwise it returns an
// fs.ErrExist error. It is an error if the type folder is a link. So nothing is ever written
// outside the content folder, whatever a cloned repository contains.
func WriteEntity(dir, typ, slug string, data []byte, replace bool) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	folder, err := openType(dir, typ)
	if err != nil {
		return err
	}
	defer folder.Close()
	name := slug + ".yaml"
	part := fmt.Sprintf(".%s.%016x.part", name, rand.Uint64()) //nolint:gosec // the name need not be secret, because O_EXCL detects a clash; readers ignore hidden files
	f, err := folder.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil && replace {
		err = folder.Rename(part, name)
	} else if err == nil {
		err = createAs(folder, part, name, data)
	}
	if err != nil || !replace {
		err = errors.Join(err, folder.Remove(part))
	}
	return err
}

// createAs gives a file a new name, which must not exist yet. On a file system without hard
// links, it writes the contents again under the new name.
func createAs(folder *os.Root, part, name string, data []byte) error {
	err := folder.Link(part, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, folder.Remove(name))
	}
	return err
}

// openType opens the folder for a type, creating it if necessary.
func openType(dir, typ string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.Mkdir(typ, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return store.OpenFolder(dir, typ)
}
