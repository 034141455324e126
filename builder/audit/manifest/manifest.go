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
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Limits for the files of one Reader.
const (
	MaxFileSize   = 20 << 20
	MaxEntries    = 50_000
	maxUnreadable = 1000
	maxDepth      = 10   // of includes
	maxFiles      = 2000 // in one folder
	maxName       = 1000 // length of an identifier or a version in bytes
	maxReason     = 1000
	maxLine       = 64 << 10
	maxOthers     = 10        // other identifiers of an entry, and channels of conda
	maxBytes      = 200 << 20 // of all files
)

// Entry is a package or model that a file names.
type Entry struct {
	// IDs identify it, the best first, such as pypi:torch or a package URL. There are none if the file only
	// names something without saying where it comes from, or says that it is not public.
	IDs     []string
	Name    string // as the file writes it
	Version string // the version or range of versions, "" if any
	Note    string // why there are no IDs, or ""
	File    string // as it was given to Read; for an included file, in the same form
	Line    int    // from 1, or 0 if unknown
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

	bytes int
	full  bool
	given []string        // absolute paths
	read  map[string]bool // absolute paths
}

// file is a file while it is being read.
type file struct {
	reader *Reader
	root   *os.Root // the folder that includes must not leave; nil if there is none
	name   string   // within root, with slashes
	shown  string   // for messages and entries
	data   string
	depth  int // of the includes that led to it
	start  int // how many entries there were before it

	registries map[string]string // addresses of registries by their names in the file
	sources    map[string]*node  // where packages come from, by their names
	channels   []string          // of conda
}

func (f *file) add(e Entry) {
	r := f.reader
	var ids []string
	for _, id := range e.IDs[:min(len(e.IDs), 1+maxOthers)] {
		ids = append(ids, scrub(id))
	}
	first := append(ids, "")[0]
	e = Entry{ids, scrub(cmp.Or(e.Name, first)), scrub(e.Version), scrub(e.Note), f.shown, e.Line}
	switch {
	case r.full:
	case len(r.Entries) >= MaxEntries:
		r.full = true
		f.unreadable(e.Line, fmt.Sprintf("more than %d packages in all files; the rest was not read", MaxEntries))
	case max(len(first), len(e.Name), len(e.Version), len(e.Note)) > maxName:
		f.unreadable(e.Line, fmt.Sprintf("a name or version is longer than %d bytes", maxName))
	default:
		r.Entries = append(r.Entries, e)
	}
}

// unreadable adds a part of the file that cannot be read. line is 0 if it is unknown.
func (f *file) unreadable(line int, reason string) {
	n := len(f.reader.Unreadable)
	if n > maxUnreadable {
		return
	}
	if reason = scrub(reason); len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + " …"
	}
	if n == maxUnreadable {
		reason = "too much cannot be read; the rest is not listed"
	}
	f.reader.Unreadable = append(f.reader.Unreadable, Unreadable{f.shown, line, reason})
}

// lazily compiles a regular expression at the first call: most commands need none of these.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// format is a kind of files.
type format struct {
	found func() *regexp.Regexp // matches names that are also read in folders
	given func() *regexp.Regexp // matches names that are read only if they are given
	start func() *regexp.Regexp // matches the start of a line of a file without a known name
	parse func(*file)           // nil if the content decides
}

// formats are the kinds of files. The first with a name that is read in folders counts, or else the first other one;
// without a name, the first with such a line.
var formats []format

func init() { // and not where it is declared, because files include others
	for _, f := range []struct {
		parse               func(*file)
		found, given, start string
	}{
		{parseJSON, `package\.json|(package-lock|npm-shrinkwrap)\.json|bun\.lock|deno\.(jsonc?|lock)|import_map\.json|Pipfile\.lock|` +
			`(?i:.*\.ipynb|.*(\.spdx|\.cdx|bom)\.json)`, `.*\.jsonc?`, `\A\s*\{`},
		{parseXML, `(?i)(.*\.cdx|s?bom|pom)\.xml`, `.*\.xml`, `\A\s*<`},
		{parseTagValue, `(?i).*\.spdx`, ``, `SPDXVersion:`},
		{parseGoMod, `go\.mod`, ``, `module \S+\s*$(?s:.*^(?:go [0-9]|require ))`},
		{parseYarn, `yarn\.lock`, ``, `# yarn lockfile|__metadata:`},
		{parseSetupCfg, `setup\.cfg`, ``, `install_requires\s*=|\[options\]`},
		{parseTOML, `(Cargo|pyproject|pixi|hatch|uv|pylock(\..+)?)\.toml|Pipfile|(Cargo|poetry|uv|pdm)\.lock`, `.*\.toml`, `\[\[?["A-Za-z0-9_. -]+\]\]?\s*(?:#.*)?$`},
		{parseJSON, ``, ``, `\A\s*\[`},
		{parseRequirements, `(?i)(.*[-_.])?(requirements|constraints).*\.(txt|in)|requirements/.*\.(txt|in)`, ``, `\z.`},
		{parseDockerfile, `(?i)(.*[-._])?(Dockerfile|Containerfile)([-._].*)?`, ``, `(?i:FROM) \S+`},
		{parseYAML, `pnpm-(lock|workspace)\.ya?ml|pixi\.lock|` +
			`(.*[-._])?(environment|conda|env|promptfoo(config)?|litellm([-_]config)?|(docker-)?compose)([-._].*)?\.ya?ml`, `.*\.ya?ml`,
			`(?:dependencies|channels|model_list|providers|targets|prompts|package|packages|environments|services|catalogs?|overrides|lockfileVersion):`},
		{parseEnv, `\.env(\..*|rc)?|.*\.env|env\.(example|sample|template|local)|\.dev\.vars`, ``, `\z.`},
		{parseText, `conda-.*\.lock|bun\.lockb`, `.*\.(txt|list|ids|in)`, ``}, // bun.lockb is unreadable, because it is not text
		{nil, ``, `.*\.lock`, `\z.`},
	} {
		formats = append(formats, format{lazily(`^(?:` + f.found + `)$`), lazily(`(?i)^(?:` + f.given + `)$`), lazily(`(?m)^(?:` + f.start + `)`), f.parse})
	}
}

const seeHelp = "; kindex audit --help lists the supported files"

// formatOf returns the format of a file by its path, or nil.
func formatOf(name string, inFolder bool) *format {
	base := path.Base(name)
	if path.Base(path.Dir(name)) == "requirements" { // requirements/base.txt
		base = "requirements/" + base
	}
	i := slices.IndexFunc(formats, func(f format) bool { return f.found().MatchString(base) })
	if i < 0 && !inFolder {
		i = slices.IndexFunc(formats, func(f format) bool { return f.given().MatchString(base) })
	}
	if i < 0 {
		return nil
	}
	return &formats[i]
}

// Read reads files, which are recognized by their names; all files of known names in folders; and, for
// the name -, standard input, which is recognized by its content. Each file is read once.
func (r *Reader) Read(names ...string) {
	r.read = map[string]bool{}
	for _, name := range names {
		r.given = append(r.given, absolute(name))
	}
	for _, name := range names {
		f := &file{reader: r, shown: filepath.ToSlash(name)}
		if name == "-" {
			r.Files++
			f.parse(r.Stdin, nil)
		} else if err := f.readGiven(name); err != nil {
			r.Files++
			f.unreadable(0, reason(err))
		}
	}
}

// absolute returns the absolute path of a file or, if the working directory is gone, the path.
func absolute(name string) string {
	if full, err := filepath.Abs(name); err == nil {
		return full
	}
	return name
}

// gives reports whether a file or a folder above it was given.
func (r *Reader) gives(full string) bool {
	return slices.ContainsFunc(r.given, func(g string) bool { return full == g || strings.HasPrefix(full, g+string(filepath.Separator)) })
}

// skipped are folders with copies of packages and with what was built.
var skipped = map[string]bool{"node_modules": true, "vendor": true, "venv": true, "site-packages": true, "__pycache__": true, "target": true, "dist": true, "build": true}

// readGiven reads a file, or the files of known formats in a folder and those below it.
func (f *file) readGiven(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	folder, start := name, "."
	if !info.IsDir() {
		folder, start = filepath.Dir(name), filepath.Base(name)
	}
	if f.root, err = os.OpenRoot(folder); err != nil {
		return err
	}
	defer f.root.Close()
	before := f.reader.Files
	within := filepath.Base(absolute(folder)) // which can be requirements
	err = fs.WalkDir(f.root.FS(), start, func(name string, d fs.DirEntry, err error) error {
		inner := &file{reader: f.reader, root: f.root, name: name, shown: f.shown}
		if info.IsDir() {
			inner.shown = path.Join(f.shown, name)
		}
		format := formatOf(path.Join(within, name), info.IsDir())
		switch {
		case err != nil && !info.IsDir():
			return err
		case err != nil:
			inner.unreadable(0, reason(err))
		case d.IsDir() && name != "." && (skipped[d.Name()] || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !info.IsDir() && format == nil:
			return errors.New("not a supported file" + seeHelp)
		case d.IsDir() || format == nil:
		case f.reader.Files-before >= maxFiles:
			f.unreadable(0, fmt.Sprintf("more than %d files that can be read; the rest was not read", maxFiles))
			return fs.SkipAll
		default:
			f.reader.Files++
			inner.load(format.parse)
		}
		return nil
	})
	if info.IsDir() && f.reader.Files == before {
		f.unreadable(0, "has no supported file"+seeHelp)
	}
	return err
}

// load reads the file unless it was read before, and parses it.
func (f *file) load(parser func(*file)) {
	full := absolute(filepath.Join(f.root.Name(), f.name))
	if f.reader.read[full] || f.reader.full {
		return
	}
	f.reader.read[full] = true
	info, err := f.root.Stat(f.name)
	if err == nil && !info.Mode().IsRegular() { // reading a pipe could take forever
		err = errors.New("not a regular file")
	}
	var in *os.File
	if err == nil {
		in, err = f.root.Open(f.name)
	}
	if err != nil {
		f.unreadable(0, reason(err))
		return
	}
	defer in.Close()
	f.parse(in, parser)
}

// parse reads a file and parses it, in the order of its lines. Without a parser, its content decides.
func (f *file) parse(in io.Reader, parser func(*file)) {
	data, err := io.ReadAll(io.LimitReader(in, MaxFileSize+1))
	f.reader.bytes += len(data)
	switch {
	case err != nil:
	case len(data) > MaxFileSize:
		err = fmt.Errorf("larger than %d MiB", MaxFileSize>>20)
	case f.reader.bytes > maxBytes:
		err = fmt.Errorf("all files together are larger than %d MiB", maxBytes>>20)
	default:
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
	if parser == nil {
		parser = formats[slices.IndexFunc(formats, func(c format) bool { return c.start().MatchString(f.data) })].parse
	}
	f.start, f.registries, f.sources = len(f.reader.Entries), map[string]string{}, map[string]*node{}
	parser(f)
	if added := f.reader.Entries[f.start:]; !slices.ContainsFunc(added, func(e Entry) bool { return e.File != f.shown }) {
		slices.SortStableFunc(added, func(a, b Entry) int { return cmp.Compare(a.Line, b.Line) })
	}
}

// decode returns text as UTF-8, with the ends of lines of Unix. Windows PowerShell writes UTF-16.
func decode(data []byte) (_ string, err error) {
	text := string(data)
	switch {
	case strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff"):
		text, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().String(text)
	case strings.ContainsRune(text, 0):
		return "", errors.New("not a text file")
	case !utf8.ValidString(text):
		text, err = charmap.Windows1252.NewDecoder().String(text)
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	return strings.ReplaceAll(text, "\r", "\n"), err
}

func reason(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

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
	case !filepath.IsLocal(name):
		if !f.reader.gives(absolute(filepath.Join(f.root.Name(), name))) {
			f.unreadable(line, "includes a file outside its folder; audit that file too")
		}
	case f.depth >= maxDepth:
		f.unreadable(line, fmt.Sprintf("includes are nested more than %d deep", maxDepth))
	default:
		if _, err := f.root.Stat(name); err != nil {
			f.unreadable(line, "includes "+unquoted+": "+reason(err))
			return
		}
		parser := parseRequirements
		if strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml") { // of conda env create
			parser = parseYAML
		}
		shown := path.Join(strings.TrimSuffix(f.shown, f.name), name)
		(&file{reader: f.reader, root: f.root, name: name, shown: shown, depth: f.depth + 1}).load(parser)
	}
}
