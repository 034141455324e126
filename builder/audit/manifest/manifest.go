// Package manifest reads which packages and models a project uses from the files that say
// so: requirements and lock files, package manifests, bills of materials, configurations, and plain
// lists.
//
// Everything that a file names becomes an entry, or is listed as unreadable with the reason; the
// rest of the file is still read.
//
// The files are not trusted. Their sizes, depths and numbers of entries are limited, a panic in a
// parser makes the file unreadable, nothing is fetched, included files must be below the folder of the
// file that includes them, and credentials in addresses do not leave the package.
package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Limits for the files of one Reader.
const (
	MaxFileSize   = 20 << 20
	MaxEntries    = 50_000
	maxUnreadable = 1000
	maxIncludes   = 100
	maxDepth      = 10
	maxFiles      = 2000 // in folders
	maxVisited    = 200_000
	maxName       = 1000 // length of an identifier or a version in bytes
	maxReason     = 1000
	maxLine       = 64 << 10
	maxOthers     = 10        // other identifiers of an entry, and channels of conda
	maxBytes      = 200 << 20 // of all files
)

// Entry is a package or model that a file names.
type Entry struct {
	// ID identifies it, such as pypi:torch or a package URL. It is "" if the file only
	// names something without saying where it comes from, or says that it is not public.
	ID      string
	Also    []string // other identifiers to look up if the index does not know ID
	Name    string   // as the file writes it
	Version string   // the version or range of versions, "" if any
	Note    string   // why there is no ID, or ""
	File    string   // as it was given to Read; for an included file, in the same form
	Line    int      // from 1, or 0 if unknown
}

// Unreadable is a file or a part of it that cannot be read.
type Unreadable struct {
	File   string `json:"file"`
	Line   int    `json:"line"` // 0 if unknown
	Reason string `json:"reason"`
}

// Reader reads files and counts their entries.
type Reader struct {
	Stdin io.Reader // read for the name -

	Entries    []Entry      // of all files that were read
	Unreadable []Unreadable // what could not be read
	Files      int          // how many were given or found in folders

	includes int
	bytes    int
	full     bool
	given    []string        // absolute paths
	read     map[string]bool // absolute paths
}

// file is a file while it is being read.
type file struct {
	reader *Reader
	root   *os.Root // the folder that includes must not leave; nil if there is none
	name   string   // within root, with slashes
	shown  string   // for messages and entries
	data   string
	open   []string // the files that include this one

	registries map[string]string // addresses of registries by their names in the file
	sources    map[string]*node  // where packages come from, by their names
	channels   []string          // of conda
	within     string            // the path of the file's values in another file; see each
}

// add adds an entry of the file.
func (f *file) add(e Entry) {
	r := f.reader
	e.ID, e.Version, e.Note, e.Name = scrub(e.ID), scrub(e.Version), scrub(e.Note), scrub(cmp.Or(e.Name, e.ID))
	switch {
	case r.full:
	case len(r.Entries) >= MaxEntries:
		r.full = true
		f.unreadable(e.Line, fmt.Sprintf("more than %d packages in all files; the rest was not read", MaxEntries))
	case len(e.ID) > maxName || len(e.Name) > maxName || len(e.Version) > maxName || len(e.Note) > maxName:
		f.unreadable(e.Line, fmt.Sprintf("a name or version is longer than %d bytes", maxName))
	default:
		e.File, e.Also = f.shown, e.Also[:min(len(e.Also), maxOthers)]
		r.Entries = append(r.Entries, e)
	}
}

// unreadable adds a part of the file that cannot be read. line is 0 if it is unknown.
func (f *file) unreadable(line int, reason string) {
	if reason = scrub(reason); len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + " …"
	}
	u := Unreadable{f.shown, line, reason}
	if n := len(f.reader.Unreadable); n < maxUnreadable {
		f.reader.Unreadable = append(f.reader.Unreadable, u)
	} else if n == maxUnreadable {
		f.reader.Unreadable = append(f.reader.Unreadable, Unreadable{f.shown, line, "too much cannot be read; the rest is not listed"})
	}
}

// lazily returns a function that compiles a regular expression at its first call: most commands
// need none of these.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// formats are the kinds of files, by their names. The first that fits counts.
var formats = []struct {
	name  func() *regexp.Regexp
	parse func(*file)
	found bool // whether it is read in folders
}{
	{lazily(`^(?:package\.json)$`), parseJSON, true},
	{lazily(`^(?:(package-lock|npm-shrinkwrap)\.json)$`), parseJSON, true},
	{lazily(`^(?:pnpm-(lock|workspace)\.ya?ml|pixi\.lock)$`), parseYAML, true},
	{lazily(`^(?:conda-.*\.lock)$`), parseText, true},
	{lazily(`^(?:yarn\.lock)$`), parseYarn, true},
	{lazily(`^(?:bun\.lock)$`), parseJSON, true},
	{lazily(`^(?:bun\.lockb)$`), parseText, true}, // unreadable, because it is not text
	{lazily(`^(?:deno\.(jsonc?|lock)|import_map\.json)$`), parseJSON, true},
	{lazily(`^(?:go\.mod)$`), parseGoMod, true},
	{lazily(`^(?:(Cargo|pyproject|pixi|hatch|uv|pylock(\..+)?)\.toml|Pipfile)$`), parseTOML, true},
	{lazily(`^(?:.*\.versions\.toml)$`), parseTOML, true},
	{lazily(`^(?:.*\.gradle(\.kts)?)$`), parseGradle, true},
	{lazily(`^(?:(Cargo|poetry|uv|pdm)\.lock)$`), parseTOML, true},
	{lazily(`^(?:Pipfile\.lock)$`), parseJSON, true},
	{lazily(`^(?:setup\.cfg)$`), parseSetupCfg, true},
	{lazily(`^(?:(.*[-._])?(environment|conda|env|promptfoo(config)?|litellm([-_]config)?|(docker-)?compose)([-._].*)?\.ya?ml)$`), parseYAML, true},
	{lazily(`^(?:(?i)(.*[-_.])?(requirements|constraints).*\.(txt|in)|requirements/.*\.(txt|in))$`), parseRequirements, true},
	{lazily(`^(?:(?i)(.*[-._])?(Dockerfile|Containerfile)([-._].*)?)$`), parseDockerfile, true},
	{lazily(`^(?:\.env(\..*|rc)?|.*\.env|env\.(example|sample|template|local)|\.dev\.vars)$`), parseEnv, true},
	{lazily(`^(?:(?i).*\.ipynb)$`), parseJSON, true},
	{lazily(`^(?:(?i).*(\.spdx|\.cdx|bom)\.json)$`), parseJSON, true},
	{lazily(`^(?:(?i)(.*\.cdx|s?bom|pom)\.xml)$`), parseXML, true},
	{lazily(`^(?:(?i).*\.spdx)$`), parseTagValue, true},
	{lazily(`^(?:(?i).*\.jsonc?)$`), parseJSON, false},
	{lazily(`^(?:(?i).*\.xml)$`), parseXML, false},
	{lazily(`^(?:(?i).*\.ya?ml)$`), parseYAML, false},
	{lazily(`^(?:(?i).*\.toml)$`), parseTOML, false},
	{lazily(`^(?:(?i).*\.(txt|list|ids|in))$`), parseText, false},
	{lazily(`^(?:(?i).*\.lock)$`), parseAny, false},
}

const seeHelp = "; kindex audit --help lists the supported files"

// parserOf returns the parser of a file by its path, or nil. In folders, only files whose name tells their
// format are read.
func parserOf(name string, inFolder bool) func(*file) {
	base := path.Base(name)
	if path.Base(path.Dir(name)) == "requirements" { // requirements/base.txt
		base = "requirements/" + base
	}
	for _, format := range formats {
		if format.name().MatchString(base) {
			if inFolder && !format.found {
				return nil
			}
			return format.parse
		}
	}
	return nil
}

// Read reads files, which are recognized by their names; all files of known names in folders; and, for
// the name -, standard input, which is recognized by its content. Each file is read once.
func (r *Reader) Read(names ...string) {
	r.read = map[string]bool{}
	for _, name := range names {
		if full, err := filepath.Abs(name); err == nil {
			r.given = append(r.given, full)
		}
	}
	for _, name := range names {
		r.readOne(name)
	}
}

// gives reports whether a file or a folder above it was given.
func (r *Reader) gives(full string) bool {
	return slices.ContainsFunc(r.given, func(g string) bool { return full == g || strings.HasPrefix(full, g+string(filepath.Separator)) })
}

func (r *Reader) readOne(name string) {
	f := &file{reader: r, shown: filepath.ToSlash(name)}
	if name == "-" {
		r.Files++
		data, err := io.ReadAll(io.LimitReader(r.Stdin, MaxFileSize+1))
		f.parse(data, err, parseAny)
		return
	}
	info, err := os.Stat(name)
	folder := name
	if err == nil && !info.IsDir() {
		folder = filepath.Dir(name)
	}
	if err == nil {
		f.root, err = os.OpenRoot(folder)
	}
	if err != nil {
		r.Files++
		f.unreadable(0, reason(err))
		return
	}
	defer f.root.Close()
	if info.IsDir() {
		r.readFolder(f)
		return
	}
	r.Files++
	f.name = filepath.Base(name)
	full, _ := filepath.Abs(name)
	if parser := parserOf(filepath.ToSlash(full), false); parser != nil {
		f.load(parser)
	} else {
		f.unreadable(0, "not a supported file"+seeHelp)
	}
}

// skipped are folders with copies of packages and with what was built.
var skipped = map[string]bool{"node_modules": true, "vendor": true, "venv": true, "site-packages": true, "__pycache__": true, "target": true, "dist": true, "build": true}

// readFolder reads the files of known formats in a folder and those below it.
func (r *Reader) readFolder(at *file) {
	visited, before := 0, r.Files
	within := "" // the folder's name, which can be requirements
	if full, err := filepath.Abs(at.root.Name()); err == nil {
		within = filepath.Base(full)
	}
	err := fs.WalkDir(at.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		f := &file{reader: r, root: at.root, name: name, shown: path.Join(at.shown, name)}
		visited++
		switch {
		case err != nil:
			f.unreadable(0, reason(err))
			return nil
		case visited > maxVisited || r.Files-before >= maxFiles:
			at.unreadable(0, fmt.Sprintf("more than %d files, or %d that can be read; the rest was not read", maxVisited, maxFiles))
			return fs.SkipAll
		case d.IsDir() && name != "." && (skipped[d.Name()] || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		if parser := parserOf(path.Join(within, name), true); parser != nil {
			r.Files++
			f.load(parser)
		}
		return nil
	})
	if err != nil {
		at.unreadable(0, reason(err))
	} else if r.Files == before {
		at.unreadable(0, "has no supported file"+seeHelp)
	}
}

// load reads the file unless it was read before, and parses it.
func (f *file) load(parser func(*file)) {
	r := f.reader
	full, err := filepath.Abs(filepath.Join(f.root.Name(), filepath.FromSlash(f.name)))
	if err == nil && (r.read[full] || r.full) {
		return
	}
	r.read[full] = true
	var data []byte
	if err == nil {
		data, err = f.contents()
	}
	f.parse(data, err, parser)
}

// contents returns at most one byte more than a file may have.
func (f *file) contents() ([]byte, error) {
	info, err := f.root.Stat(filepath.FromSlash(f.name))
	if err == nil && !info.Mode().IsRegular() { // reading a pipe could take forever
		err = errors.New("not a regular file")
	}
	if err != nil {
		return nil, err
	}
	in, err := f.root.Open(filepath.FromSlash(f.name))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, MaxFileSize+1))
}

// parse parses what was read, in the order of its lines.
func (f *file) parse(data []byte, err error, parser func(*file)) {
	if err == nil && len(data) > MaxFileSize {
		err = fmt.Errorf("larger than %d MiB", MaxFileSize>>20)
	}
	if f.reader.bytes += len(data); err == nil && f.reader.bytes > maxBytes {
		err = fmt.Errorf("all files together are larger than %d MiB", maxBytes>>20)
	}
	if err == nil {
		f.data, err = decode(data)
	}
	if err != nil {
		f.unreadable(0, reason(err))
		return
	}
	defer func() {
		if r := recover(); r != nil {
			f.unreadable(0, fmt.Sprintf("cannot be read: %v", r))
		}
	}()
	start := len(f.reader.Entries)
	parser(f)
	if added := f.reader.Entries[start:]; !slices.ContainsFunc(added, func(e Entry) bool { return e.File != f.shown }) {
		slices.SortStableFunc(added, func(a, b Entry) int { return cmp.Compare(a.Line, b.Line) })
	}
}

// decode returns text as UTF-8: it can also be UTF-16, as Windows PowerShell writes it, or in one byte for
// each letter.
func decode(data []byte) (string, error) {
	text := string(data)
	var out []byte
	var err error
	switch {
	case strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff"):
		out, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(data)
	case strings.ContainsRune(text, 0):
		return "", errors.New("not a text file")
	case strings.ToValidUTF8(text, "") == text:
		return strings.TrimPrefix(text, "\ufeff"), nil
	default:
		out, err = charmap.Windows1252.NewDecoder().Bytes(data)
	}
	return string(out), err
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
func (f *file) include(name string, line int) {
	unquoted := strings.NewReplacer(`"`, "", "'", "", `\ `, " ").Replace(name)
	name = path.Clean(path.Join(path.Dir(f.name), filepath.ToSlash(unquoted)))
	switch {
	case unquoted == "":
		f.unreadable(line, "includes a file without a name")
	case strings.Contains(unquoted, "://"):
		f.unreadable(line, "includes a file from the web; nothing is downloaded")
	case f.root == nil:
		f.unreadable(line, "includes a file, but has no folder")
	case !filepath.IsLocal(filepath.FromSlash(name)):
		if full, err := filepath.Abs(filepath.Join(f.root.Name(), filepath.FromSlash(name))); err != nil || !f.reader.gives(full) {
			f.unreadable(line, "includes a file outside its folder; audit that file too")
		}
	case len(f.open) >= maxDepth:
		f.unreadable(line, fmt.Sprintf("includes are nested more than %d deep", maxDepth))
	case f.reader.includes >= maxIncludes:
		f.unreadable(line, fmt.Sprintf("more than %d included files", maxIncludes))
	default:
		if _, err := f.root.Stat(filepath.FromSlash(name)); err != nil {
			f.unreadable(line, "includes "+unquoted+": "+reason(err))
			return
		}
		f.reader.includes++
		inner := &file{reader: f.reader, root: f.root, name: name, open: append(slices.Clip(f.open), f.name),
			shown: path.Join(strings.TrimSuffix(f.shown, f.name), name)}
		if strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml") { // of conda env create
			inner.load(parseYAML)
			return
		}
		inner.load(parseRequirements)
	}
}
