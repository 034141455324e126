// Package sdk contains the client libraries as they are distributed: archives that npm
// and pip install from an address.
//
// The archives are files of the repository, one for each version, and never change:
// lock files of those who use them hold their hashes. They are made from the folders
// typescript and python by the tests of this package, which also compare them.
package sdk

import (
	"crypto/sha256"
	"embed"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Languages that there are libraries for. Each is the last part of an address.
const (
	TypeScript = "typescript"
	Python     = "python"
)

// Archive is one version of a library.
type Archive struct {
	Language string
	Version  string // semantic, that of the description of the interface
	// File is the last part of the address of this version, and Name what the file
	// is called where it is kept.
	File, Name string
	Data       []byte // a gzipped tar
	SHA256     [sha256.Size]byte
}

//go:embed archives
var files embed.FS

// archives are all there are, by language, the newest first.
var archives = read()

// Versions returns the archives of a language, the newest first, none for a language
// that there is no library for. The caller does not change them.
func Versions(language string) []Archive { return archives[language] }

// Find returns the archive with a file name of a language.
func Find(language, file string) (Archive, bool) {
	for _, a := range archives[language] {
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
			panic(err) // it is compiled in
		}
		for _, e := range entries {
			data, err := files.ReadFile(path.Join("archives", language, e.Name()))
			if err != nil {
				panic(err)
			}
			all[language] = append(all[language], archive(language, e.Name(), data))
		}
		newestFirst(all[language])
	}
	return all
}

// archive is one by its file name: 1.2.3.tgz, kindex-1.2.3.tar.gz.
func archive(language, file string, data []byte) Archive {
	version := strings.TrimSuffix(file, ".tgz")
	if language == Python {
		version = strings.TrimSuffix(strings.TrimPrefix(file, "kindex-"), ".tar.gz")
	}
	return Archive{Language: language, Version: version, File: file, Name: "kindex-" + strings.TrimPrefix(file, "kindex-"),
		Data: data, SHA256: sha256.Sum256(data)}
}

func newestFirst(list []Archive) {
	slices.SortFunc(list, func(a, b Archive) int { return slices.Compare(numbers(b.Version), numbers(a.Version)) })
}

// numbers are the parts of a version, to be compared.
func numbers(version string) []int {
	var list []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			panic("sdk: " + version + " is not a version")
		}
		list = append(list, n)
	}
	return list
}
