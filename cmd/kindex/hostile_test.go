package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"kindex/exports/store"
	"kindex/indexes"
)

// forgebuild FILE OLD NEW replaces a string in a file of a folder's published build. Like
// an attacker who knows the format, it then updates sizes, checksums, ID, folder names and
// pointer to match. FILE is exports/<file> or indexes/<file>, relative to the folder named
// by $FORGE; if OLD is "-", NEW is prepended. The file manifest.json can be changed in the
// same way.
func cmdForgeBuild(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 3, "forgebuild FILE OLD NEW")
	out := ts.MkAbs(ts.Getenv("FORGE"))
	part, name, _ := strings.Cut(args[0], "/")
	replace := func(data []byte) []byte {
		if args[1] == "-" {
			return append([]byte(args[2]), data...)
		}
		if !strings.Contains(string(data), args[1]) {
			ts.Fatalf("%s does not contain %q", args[0], args[1])
		}
		return []byte(strings.ReplaceAll(string(data), args[1], args[2]))
	}
	ts.Check(forgeBuild(out, part == "indexes", name, replace))
}

// forgeBuild changes a file in the published build of an output folder, or in its index,
// and updates the ID to match.
func forgeBuild(out string, inIndex bool, name string, change func([]byte) []byte) error {
	id, err := store.Current(out)
	if err != nil {
		return err
	}
	builds := store.BuildsDir(out)
	folder, index := filepath.Join(builds, id), indexes.Dir(out, id)
	at := folder
	if inIndex {
		at = index
	}
	path := filepath.Join(at, filepath.FromSlash(name))
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, ".gz") {
		change = insideGzip(change)
	}
	if err := os.WriteFile(path, change(data), 0o644); err != nil {
		return err
	}
	var m store.Manifest
	var x store.IndexManifest
	err = errors.Join(readJSON(filepath.Join(folder, "manifest.json"), &m), readJSON(filepath.Join(index, "manifest.json"), &x),
		describeAgain(folder, m.Files), describeAgain(index, x.Files))
	if err != nil {
		return err
	}
	m.ID = ""
	slices.SortFunc(m.Files, func(a, b store.File) int { return strings.Compare(a.Path, b.Path) })
	encoded, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(append(encoded, '\n'))
	m.ID = strings.ReplaceAll(m.AsOf[:10], "-", "") + "-" + hex.EncodeToString(sum[:8])
	x.Build = m.ID
	return errors.Join(writeJSON(filepath.Join(folder, "manifest.json"), m), writeJSON(filepath.Join(index, "manifest.json"), x),
		renameIf(folder, filepath.Join(builds, m.ID)), renameIf(index, indexes.Dir(out, m.ID)),
		os.WriteFile(filepath.Join(out, "exports", "current"), []byte(m.ID+"\n"), 0o644))
}

// insideGzip returns a function that changes the content of a gzip file.
func insideGzip(change func([]byte) []byte) func([]byte) []byte {
	return func(file []byte) []byte {
		r, err := gzip.NewReader(bytes.NewReader(file))
		if err != nil {
			return file
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return file
		}
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		if _, err = w.Write(change(data)); err != nil || w.Close() != nil {
			return file
		}
		return out.Bytes()
	}
}

// describeAgain updates the sizes and checksums in a manifest's entries to match the files;
// entries for missing files are kept.
func describeAgain(dir string, files []store.File) error {
	for i := range files {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(files[i].Path)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		files[i].Size, files[i].SHA256 = int64(len(data)), hex.EncodeToString(sum[:])
	}
	return nil
}

func readJSON(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

func renameIf(from, to string) error {
	if from == to {
		return nil
	}
	return os.Rename(from, to)
}
