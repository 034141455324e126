package content

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// list returns the files in the folder and its type folders, without their contents.
func (f *Folder) list() (files []*file, err error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &missingFolderError{fmt.Sprintf("%s: no such folder; specify the folder that contains kinds.yaml or categories.yaml", f.dir)}
	}
	if err != nil {
		return nil, err
	}
	typed := false
	for _, e := range entries {
		typ, inner := "", []os.DirEntry{e}
		if f.declared.set.Kind(e.Name()) != nil && e.IsDir() {
			typ, typed = e.Name(), true
			if inner, err = os.ReadDir(filepath.Join(f.dir, typ)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		for _, e := range inner {
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // it has just been deleted
			}
			if err != nil {
				return nil, err
			}
			if r := f.classify(typ, info); r != nil {
				files = append(files, r)
			}
		}
	}
	if inner := filepath.Join(f.dir, "content"); !typed && holdsContent(inner) {
		return nil, fmt.Errorf("%s: contains no entity files; did you mean %s?", f.dir, inner)
	}
	return files, nil
}

// missingFolderError is an fs.ErrNotExist error for a content folder, with a hint on what to do.
type missingFolderError struct{ message string }

// Error implements error.
func (e *missingFolderError) Error() string { return e.message }

// Is makes errors.Is recognize fs.ErrNotExist.
func (e *missingFolderError) Is(target error) bool { return target == fs.ErrNotExist }

// holdsContent reports whether a folder contains a kinds.yaml or the folder of a kind that needs none.
func holdsContent(dir string) bool {
	return slices.ContainsFunc(append(kinds.Default().Names(), KindsFile), func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// classify determines whether a file in a type folder or, if that is "", in the content folder is an entity
// file, a root file or a misplaced file, which has a problem. It returns nil for what must be ignored.
func (f *Folder) classify(typ string, info fs.FileInfo) *file {
	base := info.Name()
	r := &file{name: path.Join(typ, base), shown: shownPath(f.dir, typ, base), info: info}
	var message, suggestion string
	counts := schema.IsRootFile(base)
	if typ == "" {
		message, suggestion = f.misplaced(base, info)
	} else {
		message, suggestion, counts = notEntityFile(typ, base, info)
	}
	switch {
	case message != "":
		r.problems = yamldoc.Problems{{File: r.shown, Line: 1, Column: 1, Severity: yamldoc.Error, Message: message, Suggestion: suggestion}}
	case !counts:
		return nil
	case typ != "":
		r.typ, r.slug = typ, strings.TrimSuffix(base, ".yaml")
	}
	return r
}

// misplaced returns the reason a file or folder must not be next to the type folders, or "".
func (f *Folder) misplaced(name string, info fs.FileInfo) (message, suggestion string) {
	declared := f.declared.set
	switch {
	case gitNames[strings.ToLower(name)]:
		return "has a name that git uses for its own files, so git could treat this folder as a repository and run commands from its settings; rename or remove it", ""
	case info.IsDir() && name != ".git" && holdsRepository(filepath.Join(f.dir, name)):
		return "is a git repository inside the content, and its settings could run commands; remove it", ""
	case strings.HasPrefix(name, "."):
	case declared.Kind(name) != nil:
		if !info.IsDir() {
			return "must be a folder of entity files, not a file or a link", ""
		}
	case schema.IsRootFile(name):
		if !info.Mode().IsRegular() {
			return "must be a regular file, not a link", ""
		}
	case info.IsDir():
		inner, _ := os.ReadDir(filepath.Join(f.dir, name))
		if slices.ContainsFunc(inner, func(e os.DirEntry) bool { return IsYAML(e.Name()) }) {
			return "is not an entity type; expected one of: " + strings.Join(declared.Names(), ", ") + "; kinds.yaml can declare it", didyoumean.Name(name, declared.Names())
		}
	case IsYAML(name):
		return "does not belong in a content folder; expected one of: " + strings.Join(schema.RootFiles, ", "), didyoumean.Name(name, schema.RootFiles)
	}
	return "", ""
}

// gitNames lists the names by which git recognizes a repository or reads its settings (gitrepository-layout(5)), in
// lower case, because some file systems ignore case.
var gitNames = map[string]bool{"head": true, "config": true, "config.worktree": true, "commondir": true, "objects": true,
	"refs": true, "packed-refs": true}

// isDotGit reports whether some file system treats a name as .git. Some file systems ignore
// case, those of Windows have short names, and those of macOS ignore certain characters.
func isDotGit(name string) bool {
	name = strings.ToLower(strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name), " ."))
	return name == ".git" || name == "git~1"
}

// holdsRepository reports whether git would find a repository in a folder.
func holdsRepository(dir string) bool {
	entries, err := os.ReadDir(dir)
	found := map[string]bool{}
	for _, e := range entries {
		found[strings.ToLower(e.Name())] = true
		if isDotGit(e.Name()) {
			return true
		}
	}
	return err == nil && found["head"] && (found["commondir"] || found["objects"] && found["refs"])
}

// notEntityFile returns the reason an entry of a type folder is not an entity file, or "". ok is false if it must be ignored.
func notEntityFile(typ, name string, info fs.FileInfo) (message, suggestion string, ok bool) {
	slug, yml := strings.CutSuffix(name, ".yaml")
	switch {
	case isDotGit(name):
		return "is a git repository inside the content, and its settings could run commands; remove it", "", true
	case strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"):
		return "", "", false // files created by editors and file managers
	case info.IsDir():
		return "is a folder; entity files must be directly in " + typ + "/", "", true
	case !yml && IsYAML(name):
		return "entity files must end in .yaml", strings.TrimSuffix(name, filepath.Ext(name)) + ".yaml", true
	case !yml:
		return "is not an entity file (<slug>.yaml)", "", true
	case !info.Mode().IsRegular():
		return "must be a regular file, not a link", "", true
	case !ValidSlug(slug):
		return yamldoc.Quote(slug) + " is not a slug: use lower-case letters and digits, separated by single hyphens, at most 100 characters", strings.TrimPrefix(Slugify(slug)+".yaml", ".yaml"), true
	case DeviceName(slug) != "":
		return yamldoc.Quote(slug) + DeviceName(slug), slug + "-" + typ + ".yaml", true
	}
	return "", "", true
}

// shownPath returns a path for messages: as the user entered it, but with forward slashes.
func shownPath(parts ...string) string { return filepath.ToSlash(filepath.Join(parts...)) }

// IsYAML reports whether a file name has a YAML extension.
func IsYAML(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}

// Slugify derives a slug of at most 100 characters from a name: lower-case letters without accents and digits, with single
// hyphens for everything else. It returns "" if nothing is left.
func Slugify(name string) string {
	words := strings.FieldsFunc(record.Fold(name), func(r rune) bool { return r < '0' || r > '9' && r < 'a' || r > 'z' })
	slug := strings.Join(words, "-")
	return strings.TrimSuffix(slug[:min(len(slug), 100)], "-")
}
