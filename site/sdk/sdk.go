// Package sdk contains the client libraries as archives that npm and pip can install from a
// URL.
//
// The repository has one archive for each version. Archives never change, because users' lock
// files contain their hashes. The tests of this package create them from the folders typescript
// and python, and check that they match.
package sdk

import (
	"crypto/sha256"
	"embed"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/semver"
)

// The languages of the libraries. Each is the last segment of the address of the newest version.
const (
	TypeScript = "typescript"
	Python     = "python"
)

// Archive is one version of a library.
type Archive struct {
	Language string
	Version  string // a semantic version, the same as that of the API description
	// File is the last segment of the address of this version, and Name the file name for
	// saving it.
	File, Name string
	Data       []byte // a gzipped tar
	SHA256     [sha256.Size]byte
}

//go:embed archives
var files embed.FS

// archives returns all archives by language, newest first. It reads them once, and only if they
// are needed, because they are several megabytes in size.
var archives = sync.OnceValue(read)

// Versions returns the archives of a language, newest first, or nil if there is no library for
// it. The caller must not modify them.
func Versions(language string) []Archive { return archives()[language] }

// Find returns the archive of a language that has the given file name.
func Find(language, file string) (Archive, bool) {
	for _, a := range archives()[language] {
		if a.File == file {
			return a, true
		}
	}
	return Archive{}, false
}

func read() map[string][]Archive {
	all := map[string][]Archive{}
	for _, language := range []string{Python, TypeScript} {
		entries, err := files.ReadDir(path.Join("archives", language))
		if err != nil {
			panic(err) // the files are embedded
		}
		for _, e := range entries {
			data, err := files.ReadFile(path.Join("archives", language, e.Name()))
			if err != nil {
				panic(err)
			}
			all[language] = append(all[language], archive(language, e.Name(), data))
		}
		slices.SortFunc(all[language], func(a, b Archive) int { return semver.Compare("v"+b.Version, "v"+a.Version) })
	}
	return all
}

// archive returns the Archive for a file name such as 1.2.3.tgz or kindex-1.2.3.tar.gz.
func archive(language, file string, data []byte) Archive {
	version := strings.TrimSuffix(file, ".tgz")
	if language == Python {
		version = strings.TrimSuffix(strings.TrimPrefix(file, "kindex-"), ".tar.gz")
	}
	return Archive{Language: language, Version: version, File: file, Name: "kindex-" + strings.TrimPrefix(file, "kindex-"),
		Data: data, SHA256: sha256.Sum256(data)}
}

//go:embed typescript/README.md python/README.md
var readmes embed.FS

// Readme returns the README of the library for a language, in Markdown.
func Readme(language string) ([]byte, error) { return readmes.ReadFile(language + "/README.md") }
