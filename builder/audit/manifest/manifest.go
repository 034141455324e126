// Package manifest reads which packages and models a project uses from the files that say
// so: requirements and lock files, package manifests, bills of materials, and plain lists.
//
// The files are not trusted. Their sizes, depths and numbers of entries are limited, a panic
// in a parser becomes an error for the file, nothing is fetched, and included files must be below
// the folder of the file that includes them.
package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Limits for the files of one Reader.
const (
	MaxFileSize = 20 << 20
	MaxEntries  = 50_000
	maxIncludes = 100
	maxDepth    = 10
	maxName     = 1000 // length of an identifier or a version in bytes
)

// Entry is a package or model that a file names.
type Entry struct {
	// ID identifies it, such as pypi:torch or a package URL. It is "" if the file only
	// names something without saying where it comes from.
	ID      string
	Name    string // as the file writes it
	Version string // the version or range of versions, "" if any
	File    string // as it was given to Read; for an included file, in the same form
	Line    int    // from 1, or 0 if unknown
}

// Reader reads files and counts their entries.
type Reader struct {
	entries  []Entry
	includes int
}

// Entries returns the entries of all files that were read.
func (r *Reader) Entries() []Entry { return r.entries }

// file is a file while it is being read.
type file struct {
	reader *Reader
	root   *os.Root // the folder that includes must not leave
	name   string   // within root, with slashes
	shown  string   // for messages and entries
	data   []byte
	open   []string // the files that include this one
}

// add adds an entry of the file.
func (f *file) add(e Entry) error {
	if len(f.reader.entries) >= MaxEntries {
		return fmt.Errorf("more than %d packages in all files", MaxEntries)
	}
	if len(e.ID) > maxName || len(e.Name) > maxName || len(e.Version) > maxName {
		return f.wrong(e.Line, fmt.Sprintf("a name or version is longer than %d bytes", maxName))
	}
	e.File, e.Name = f.shown, cmp.Or(e.Name, e.ID)
	f.reader.entries = append(f.reader.entries, e)
	return nil
}

// wrong returns an error at a line, which is 0 if it is unknown.
func (f *file) wrong(line int, message string) error {
	if line > 0 {
		return fmt.Errorf("%s:%d: %s", f.shown, line, message)
	}
	return fmt.Errorf("%s: %s", f.shown, message)
}

// formats map the names of files to their parsers; the first match wins.
var formats = []struct {
	pattern *regexp.Regexp
	parse   func(*file) error
}{
	{regexp.MustCompile(`^package\.json$`), parsePackageJSON},
	{regexp.MustCompile(`^(package-lock|npm-shrinkwrap)\.json$`), parsePackageLock},
	{regexp.MustCompile(`^go\.mod$`), parseGoMod},
	{regexp.MustCompile(`^Cargo\.toml$`), parseCargo},
	{regexp.MustCompile(`^Cargo\.lock$`), lockParser("crates")},
	{regexp.MustCompile(`^pyproject\.toml$`), parsePyproject},
	{regexp.MustCompile(`^(poetry|uv|pdm)\.lock$`), lockParser("pypi")},
	{regexp.MustCompile(`^Pipfile$`), parsePipfile},
	{regexp.MustCompile(`^Pipfile\.lock$`), parsePipfileLock},
	{regexp.MustCompile(`^(.*[-._])?environment([-._].*)?\.ya?ml$`), parseEnvironment},
	{regexp.MustCompile(`(?i)(requirements|constraints).*\.(txt|in)$|^requirements[/\\]`), parseRequirements},
	{regexp.MustCompile(`(?i)\.spdx$`), parseTagValue},
	{regexp.MustCompile(`(?i)\.json$`), parseJSONBOM},
	{regexp.MustCompile(`(?i)\.xml$`), parseXMLBOM},
	{regexp.MustCompile(`(?i)\.(txt|list|ids)$`), parseList},
}

// Supported describes the files that Read can read.
const Supported = "requirements*.txt, pyproject.toml, poetry.lock, uv.lock, pdm.lock, Pipfile, Pipfile.lock, package.json, package-lock.json, npm-shrinkwrap.json, go.mod, Cargo.toml, Cargo.lock, environment.yml, CycloneDX (*.json, *.xml), SPDX (*.json, *.spdx), or a list of identifiers, one per line (*.txt)"

// Read reads a file, which is recognized by its name.
func (r *Reader) Read(name string) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer root.Close()
	f := &file{reader: r, root: root, name: filepath.Base(name), shown: filepath.ToSlash(name)}
	base := f.name
	if filepath.Base(filepath.Dir(name)) == "requirements" { // requirements/base.txt
		base = "requirements-" + base
	}
	for _, format := range formats {
		if format.pattern.MatchString(base) {
			return f.parse(format.parse)
		}
	}
	return fmt.Errorf("%s: not a supported file; expected one of: %s", f.shown, Supported)
}

// parse reads the file and calls its parser.
func (f *file) parse(parser func(*file) error) (err error) {
	if f.data, err = f.load(); err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = f.wrong(0, fmt.Sprintf("cannot be read: %v", r))
		}
	}()
	return parser(f)
}

// load returns the content of the file, without a byte order mark.
func (f *file) load() ([]byte, error) {
	info, err := f.root.Stat(filepath.FromSlash(f.name))
	switch {
	case err != nil:
		return nil, f.wrong(0, reason(err))
	case !info.Mode().IsRegular(): // reading a pipe could take forever
		return nil, f.wrong(0, "not a regular file")
	}
	in, err := f.root.Open(filepath.FromSlash(f.name))
	if err != nil {
		return nil, f.wrong(0, reason(err))
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, MaxFileSize+1))
	switch {
	case err != nil:
		return nil, f.wrong(0, reason(err))
	case len(data) > MaxFileSize:
		return nil, f.wrong(0, fmt.Sprintf("larger than %d MiB", MaxFileSize>>20))
	}
	return []byte(strings.TrimPrefix(string(data), "\ufeff")), nil
}

// reason returns the message of a file system error without the path.
func reason(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// include reads a file that this one includes.
func (f *file) include(name string, line int) error {
	name = path.Clean(path.Join(path.Dir(f.name), filepath.ToSlash(name)))
	switch {
	case !filepath.IsLocal(filepath.FromSlash(name)):
		return f.wrong(line, "includes a file outside its folder; audit that file separately")
	case len(f.open) >= maxDepth:
		return f.wrong(line, fmt.Sprintf("includes are nested more than %d deep", maxDepth))
	case f.reader.includes >= maxIncludes:
		return f.wrong(line, fmt.Sprintf("more than %d included files", maxIncludes))
	}
	for _, open := range append(f.open, f.name) {
		if open == name {
			return nil // pip ignores a file that includes itself, too
		}
	}
	f.reader.includes++
	inner := &file{reader: f.reader, root: f.root, name: name, open: append(f.open[:len(f.open):len(f.open)], f.name),
		shown: path.Join(strings.TrimSuffix(f.shown, f.name), name)}
	if err := inner.parse(parseRequirements); err != nil {
		return fmt.Errorf("included by %s:%d: %w", f.shown, line, err)
	}
	return nil
}

// full returns an error if a file with this many entries must exceed the limit. A file can
// list each entry twice.
func (f *file) full(entries int) error {
	if entries > 2*MaxEntries {
		return fmt.Errorf("more than %d packages in all files", MaxEntries)
	}
	return nil
}
