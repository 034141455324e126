package mirror

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"kindex/exports/store"
)

// The folders of an output folder; in each, builds/<id>/ has the files of a build.
const (
	exportsTree = "exports"
	indexesTree = "indexes"
)

// list is the list of the files of a build and of its search index: both manifests, as they are stored.
type list struct {
	data     []byte // as published
	sum      string // SHA-256 of data
	manifest *store.Manifest
	stored   map[string][]byte       // both manifests, by tree
	trees    map[string][]store.File // their files
	files    []store.File            // those of both; paths begin with exports/ or indexes/
}

func encodeList(manifest, index []byte) []byte {
	return fmt.Appendf(nil, "{\"manifest\":%s,\"index\":%s}\n", bytes.TrimSpace(manifest), bytes.TrimSpace(index))
}

// parseList is the inverse of encodeList. name is the name of the list in errors.
func parseList(name, id string, data []byte) (*list, error) {
	damage := func(problem string) error { return &store.DamageError{Path: name, Problem: problem} }
	if len(data) > maxList {
		return nil, damage(fmt.Sprintf("has %d bytes; the limit is %d", len(data), maxList))
	}
	var both struct{ Manifest, Index json.RawMessage }
	if err := json.Unmarshal(data, &both); err != nil {
		return nil, damage("is no list of the files of a build: " + err.Error())
	}
	if !bytes.Equal(encodeList(both.Manifest, both.Index), data) {
		return nil, damage("has other members than manifest and index")
	}
	l := &list{data: data, sum: sumOf(data), stored: map[string][]byte{
		exportsTree: append(both.Manifest, '\n'), indexesTree: append(both.Index, '\n')}}
	if v, err := store.FormatOf(both.Manifest); err == nil && v != store.FormatVersion {
		return nil, damage(fmt.Sprintf("has format version %d, but this program reads version %d; use a kindex of the version that published it", v, store.FormatVersion))
	}
	var err error
	if l.manifest, err = store.ParseManifest(l.stored[exportsTree], name); err != nil {
		return nil, err
	}
	var x store.IndexManifest
	if err := json.Unmarshal(both.Index, &x); err != nil {
		return nil, damage("has an invalid manifest of the index: " + err.Error())
	}
	if err := store.CheckFiles(x.Files); err != nil {
		return nil, damage(err.Error())
	}
	if l.manifest.ID != id || x.Build != id || x.IndexStub != l.manifest.Index {
		return nil, damage("is not that of build " + id + " and its index")
	}
	l.trees = map[string][]store.File{exportsTree: l.manifest.Files, indexesTree: x.Files}
	for tree, files := range l.trees {
		for _, f := range files {
			if f.Size > maxFile || f.Path == store.ManifestFile {
				return nil, damage("lists " + f.Path + ", which no build has")
			}
			f.Path = path.Join(tree, f.Path)
			l.files = append(l.files, f)
		}
	}
	return l, nil
}

// storedList returns the list of a build in an output folder as it is published. It reads no file but
// the manifests.
func storedList(dir, id string) ([]byte, error) {
	var stored [2][]byte
	for i, tree := range []string{exportsTree, indexesTree} {
		folder, err := store.OpenFolder(dir, tree, "builds", id)
		if err != nil {
			return nil, err
		}
		stored[i], err = store.ReadFile(folder, store.ManifestFile, maxList)
		if err = errors.Join(err, folder.Close()); err != nil {
			return nil, err
		}
	}
	return encodeList(stored[0], stored[1]), nil
}

func readList(dir, id string) (*list, error) {
	data, err := storedList(dir, id)
	if err != nil {
		return nil, err
	}
	return parseList("the list of the files of build "+id+" in "+dir, id, data)
}

// place returns where a file of the build is in an output folder.
func (l *list) place(f store.File) string {
	tree, rest, _ := strings.Cut(f.Path, "/")
	return path.Join(tree, "builds", l.manifest.ID, rest)
}

func (l *list) size() (sum int64) {
	for _, f := range l.files {
		sum += f.Size
	}
	return sum
}
