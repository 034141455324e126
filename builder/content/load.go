// Package content reads the YAML that the index is made of: entity files,
// categories.yaml, scoring.yaml and index.yaml. It is strict, it reports every
// problem of every file at once with its place, and it is the one validator for
// the command line, for continuous integration and for submissions.
package content

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"kindex/exports"
	"kindex/exports/nearest"
)

// Content is a content folder, read and checked.
type Content struct {
	Entities   []*exports.Entity // sorted by type and slug
	Categories []Category        // of categories.yaml, else those that entities name
	Index      Index

	Scoring     []byte // scoring.yaml as JSON, nil without one
	ScoringText []byte // scoring.yaml as it is
	ScoringPath string
}

// source is one entity file that was found.
type source struct {
	path, shown, typ, slug string
}

// Load reads the content folder dir. All problems are returned, warnings too;
// the content is usable only where none of them is an error. err is for what
// keeps the folder from being read at all. progress, if not nil, is called
// after each file, from several goroutines.
func Load(dir string, progress func(done, total int)) (c *Content, problems Problems, err error) {
	sources, problems, err := find(dir)
	if err != nil {
		return nil, nil, err
	}
	c = &Content{}
	more, err := c.loadRootFiles(dir)
	if err != nil {
		return nil, nil, err
	}
	problems = append(problems, more...)
	entities, found, err := parseAll(sources, progress)
	if err != nil {
		return nil, nil, err
	}
	for i, e := range entities {
		problems = append(problems, found[i]...)
		if n, _ := found[i].Count(); n == 0 {
			c.Entities = append(c.Entities, e)
		}
	}
	problems = append(problems, c.checkTogether(sources, entities)...)
	c.completeCategories()
	problems.sort()
	return c, problems, nil
}

// find lists the entity files of a content folder, sorted by type and slug.
func find(dir string) ([]source, Problems, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: there is no such folder; name the one that holds %s", dir, strings.Join(exports.Types, "/, ")+"/")
	}
	if err != nil {
		return nil, nil, err
	}
	var sources []source
	var problems Problems
	complain := func(path, message, suggestion string) {
		problems = append(problems, Problem{File: path, Line: 1, Column: 1, Severity: Error, Message: message, Suggestion: suggestion})
	}
	for _, e := range entries {
		name, path := e.Name(), shownPath(dir, e.Name())
		switch {
		case strings.HasPrefix(name, "."):
		case slices.Contains(exports.Types, name):
			if !e.IsDir() {
				complain(path, "must be a folder of entity files, not a file or a link", "")
				continue
			}
			if sources, err = findType(dir, name, sources, complain); err != nil {
				return nil, nil, err
			}
		case e.IsDir() && !slices.Contains(rootFiles, name):
			if holdsYAML(filepath.Join(dir, name)) {
				complain(path, "is not a type of entity; known are "+strings.Join(exports.Types, ", "), nearest.Name(name, exports.Types))
			}
		case slices.Contains(rootFiles, name):
			if !e.Type().IsRegular() {
				complain(path, "must be a regular file, not a link", "")
			}
		case isYAML(name):
			complain(path, "is not a file of a content folder; known are "+strings.Join(rootFiles, ", "), nearest.Name(name, rootFiles))
		}
	}
	if inner := filepath.Join(dir, "content"); len(sources) == 0 && holdsTypes(inner) {
		return nil, nil, fmt.Errorf("%s: holds no entity files; did you mean %s?", dir, inner)
	}
	if len(sources) == 0 && len(problems) == 0 {
		return nil, nil, fmt.Errorf("%s: holds no entity files (%s/<slug>.yaml)", dir, strings.Join(exports.Types, "/<slug>.yaml, "))
	}
	return sources, problems, nil
}

// holdsTypes tells whether a folder has a folder of entities in it.
func holdsTypes(dir string) bool {
	return slices.ContainsFunc(exports.Types, func(t string) bool {
		info, err := os.Stat(filepath.Join(dir, t))
		return err == nil && info.IsDir()
	})
}

func findType(dir, typ string, sources []source, complain func(path, message, suggestion string)) ([]source, error) {
	entries, err := os.ReadDir(filepath.Join(dir, typ))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		path := shownPath(dir, typ, name)
		slug, yml := strings.CutSuffix(name, ".yaml")
		switch {
		case strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~"):
			continue // what editors and file managers leave
		case e.IsDir():
			complain(path, "is a folder; entity files lie directly in "+typ+"/", "")
		case !yml && isYAML(name):
			complain(path, "entity files end in .yaml", strings.TrimSuffix(name, filepath.Ext(name))+".yaml")
		case !yml:
			complain(path, "is not an entity file (<slug>.yaml)", "")
		case !e.Type().IsRegular():
			complain(path, "must be a regular file, not a link", "")
		case !ValidSlug(slug):
			complain(path, shown(slug)+" is not a slug: use lower-case letters and digits, joined by single hyphens, at most 100 characters", guessSlug(slug))
		default:
			sources = append(sources, source{filepath.Join(dir, typ, name), path, typ, slug})
		}
	}
	slices.SortFunc(sources, func(a, b source) int { return strings.Compare(a.typ+"\x00"+a.slug, b.typ+"\x00"+b.slug) })
	return sources, nil
}

// shownPath is how messages name a file: as the person would from where they
// are, with slashes.
func shownPath(parts ...string) string { return filepath.ToSlash(filepath.Join(parts...)) }

func isYAML(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}

func holdsYAML(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isYAML(e.Name()) })
}

func guessSlug(s string) string {
	if g := Slugify(s); g != "" {
		return g + ".yaml"
	}
	return ""
}

// Slugify makes a slug from a name: accents dropped, letters lowered, all else
// joined by single hyphens. It is "" where nothing is left.
func Slugify(name string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range exports.Fold(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if hyphen && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			hyphen = false
		} else {
			hyphen = true
		}
		if b.Len() == 100 {
			break
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}

// parseAll reads files on all processors, and returns for each what could be
// read of it, nil for nothing, and what is wrong with it.
func parseAll(sources []source, progress func(done, total int)) ([]*exports.Entity, []Problems, error) {
	entities := make([]*exports.Entity, len(sources))
	found := make([]Problems, len(sources))
	failed := make([]error, len(sources))
	next := make(chan int, 256)
	var done atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				data, err := readFile(sources[i].path)
				if err != nil {
					failed[i] = err
				} else {
					entities[i], found[i] = parseEntity(sources[i].shown, sources[i].typ, sources[i].slug, data)
				}
				if n := int(done.Add(1)); progress != nil {
					progress(n, len(sources))
				}
			}
		})
	}
	for i := range sources {
		next <- i
	}
	close(next)
	wg.Wait()
	return entities, found, errors.Join(failed...)
}

// checkTogether finds what is wrong between files: categories that nobody
// declared, earlier slugs claimed twice, names given twice.
func (c *Content) checkTogether(sources []source, entities []*exports.Entity) Problems {
	var problems Problems
	at := map[string]string{} // key → file
	for _, s := range sources {
		at[s.typ+"/"+s.slug] = s.shown
	}
	complain := func(i int, severity Severity, path []string, message, suggestion string) {
		s := sources[i]
		line, col := 1, 1
		if data, err := readFile(s.path); err == nil {
			line, col = parseDocument(s.shown, data, "version").locate(path, false)
		}
		problems = append(problems, Problem{File: s.shown, Line: line, Column: col, Severity: severity,
			Field: FieldName(path), Message: message, Suggestion: suggestion})
	}
	declared := map[string]bool{}
	var slugs []string
	for _, cat := range c.Categories {
		declared[cat.Slug] = true
		slugs = append(slugs, cat.Slug)
	}
	former, names := map[string]string{}, map[string]string{}
	for i, e := range entities {
		if e == nil {
			continue
		}
		if e.Category == exports.AllBoard {
			complain(i, Error, []string{"category"}, shown(e.Category)+reserved, "")
		} else if len(declared) > 0 && !declared[e.Category] && ValidSlug(e.Category) {
			complain(i, Error, []string{"category"}, shown(e.Category)+" is not in categories.yaml", nearest.Name(e.Category, slugs))
		}
		for j, old := range e.Formerly {
			key, path := e.Type+"/"+old, []string{"formerly", fmt.Sprint(j)}
			if file, ok := at[key]; ok && old != e.Slug {
				complain(i, Error, path, shown(old)+" is the slug of "+file, "")
			} else if file, ok := former[key]; ok && file != sources[i].shown {
				complain(i, Error, path, shown(old)+" is claimed by "+file+" too", "")
			}
			former[key] = sources[i].shown
		}
		if e.Name == "" {
			continue
		}
		name := e.Type + "/" + exports.Fold(e.Name)
		if file, ok := names[name]; ok {
			complain(i, Warning, []string{"name"}, shown(e.Name)+" is the name of "+file+" too", "")
		} else {
			names[name] = sources[i].shown
		}
	}
	return problems
}
