// Package scaffold contains the files for a new index and writes them to a folder.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
	"kindex/exports/score"
)

// files contains the files of a new index. Files whose names end in .tmpl are templates; all
// others are copied verbatim. The prefix all: includes names that start with a dot.
//
//go:embed all:files
var files embed.FS

// own contains the files of a new index with a kind of its own, which it has instead of those with the same
// paths in files, and of the examples.
//
//go:embed all:own
var own embed.FS

// Options configures a new index.
type Options struct {
	Title       string // title of the index; required
	Description string // one sentence, or ""
	Kind        string // the name of a kind of its own, or "" for tools and models
}

// KindTitle returns the title of the kind: Test glaze for test-glaze.
func (o Options) KindTitle() string {
	words := strings.ReplaceAll(o.Kind, "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// Plural returns the title of several of the kind.
func (o Options) Plural() string { return o.KindTitle() + "s" }

// file is one file of a new index. Its path is slash-separated.
type file struct {
	path string
	data []byte
}

// render returns the files of a new index, sorted by path.
func render(o Options) ([]file, error) {
	list, err := read(files, "files", o)
	if err != nil {
		return nil, err
	}
	declared := kinds.Default()
	if o.Kind == "" {
		list = append(list, file{"content/scoring.yaml", slices.Concat([]byte(scoringHead), score.Default)})
	} else if list, declared, err = withKind(list, o); err != nil {
		return nil, err
	}
	for i, f := range list {
		if path.Ext(f.path) != ".yaml" || !strings.HasPrefix(f.path, "content/") {
			continue
		}
		if list[i].data, err = yamlfmt.Format(declared, f.path, f.data); err != nil {
			return nil, optionError(err, f)
		}
	}
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

// read returns the files of an embedded folder.
func read(from embed.FS, folder string, o Options) (list []file, err error) {
	err = fs.WalkDir(from, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := from.ReadFile(name)
		if err != nil {
			return err
		}
		target, templated := strings.CutSuffix(strings.TrimPrefix(name, folder+"/"), ".tmpl")
		if templated {
			if data, err = execute(name, string(data), o); err != nil {
				return err
			}
		}
		list = append(list, file{target, data})
		return nil
	})
	return list, err
}

// withKind returns the files of an index with a kind of its own, and what it declares. What is about tools and
// models is left out: the examples, and the collection of their figures.
func withKind(list []file, o Options) ([]file, *kinds.Set, error) {
	if !content.ValidSlug(o.Kind) {
		return nil, nil, &OptionError{"kind", "use words of lower-case letters and digits, with single hyphens between them"}
	}
	more, err := read(own, "own", o)
	if err != nil {
		return nil, nil, err
	}
	var declared *kinds.Set
	replaced := map[string]bool{"content/README.md": true, ".github/workflows/collect.yml": true}
	for i, f := range more {
		replaced[f.path] = true
		switch f.path {
		case "content/kinds.yaml":
			if declared, err = kinds.Parse(f.data); err != nil {
				return nil, nil, &OptionError{"kind", yamldoc.Quote(o.Kind) + " cannot be the name of a kind: " + err.Error()}
			}
		case "content/example.yaml":
			more[i].path = "content/" + o.Kind + "/example.yaml"
		}
	}
	list = slices.DeleteFunc(list, func(f file) bool {
		return replaced[f.path] || strings.HasPrefix(f.path, "content/tool/") || strings.HasPrefix(f.path, "content/model/")
	})
	return append(list, more...), declared, nil
}

// optionError turns a problem into an *OptionError for the option that caused the problem.
// Only index.yaml contains values of options.
func optionError(err error, f file) error {
	var problems yamldoc.Problems
	if !errors.As(err, &problems) || len(problems) == 0 || f.path != "content/index.yaml" {
		return err
	}
	p, lines := problems[0], bytes.Split(f.data, []byte("\n"))
	if p.Line >= 1 && p.Line <= len(lines) && bytes.HasPrefix(lines[p.Line-1], []byte("description:")) {
		return &OptionError{"description", p.Text()}
	}
	return &OptionError{"title", p.Text()}
}

// scoringHead is the comment at the top of scoring.yaml in a new index.
const scoringHead = `# The scoring formula of this index, a copy of the one built into kindex. If you change
# it, also change its version. kindex validate checks it.
#
`

func execute(name, text string, o Options) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{"yaml": yamlText, "markdown": markdownText}).Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, o)
	return b.Bytes(), err
}

// yamlText writes a string as a YAML scalar: a JSON string is also valid YAML, and the
// formatter removes unnecessary quotes.
func yamlText(s string) string { return string(jsonenc.AppendString(nil, s)) }

// markdownText escapes a string so that Markdown shows it verbatim.
func markdownText(s string) string {
	return markup.ReplaceAllString(s, `\$0`)
}

var markup = regexp.MustCompile("[\\\\`*_{}\\[\\]<>()#+!|&~$]")

// OptionError is the error for an invalid option.
type OptionError struct {
	Option  string // title or description
	Message string
}

// Error returns the option and the message.
func (e *OptionError) Error() string { return e.Option + ": " + e.Message }

// Write creates the files of a new index in dir, which is created if missing. It returns
// the slash-separated paths of the files relative to dir, sorted. It returns an *OptionError
// if an option is not valid in index.yaml, and an error if the folder contains anything but
// .git. After an error, no new files remain, unless it is about moving them to their places.
func Write(dir string, o Options) (written []string, err error) {
	for name, text := range map[string]string{"title": o.Title, "description": o.Description} {
		if !utf8.ValidString(text) {
			return nil, &OptionError{name, "is not UTF-8"}
		}
	}
	if err := checkEmpty(dir); err != nil {
		return nil, err
	}
	list, err := render(o)
	if err != nil {
		return nil, err
	}
	made := missingDirs(dir)
	defer func() {
		for i := 0; err != nil && i < len(made); i++ {
			_ = os.Remove(made[i]) // fails if another process has added files to the folder
		}
	}()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(dir, ".tmp-kindex-init-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	for _, f := range list {
		if err := writeFile(filepath.Join(tmp, filepath.FromSlash(f.path)), f.data); err != nil {
			return nil, err
		}
		written = append(written, f.path)
	}
	if err := check(filepath.Join(tmp, "content"), list); err != nil {
		return nil, err
	}
	return written, moveAll(tmp, dir)
}

// checkEmpty returns an error if an index cannot be created in dir. It lists the first few entries.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.Name() != ".git" {
			names = append(names, e.Name())
		}
	}
	if err != nil || len(names) == 0 {
		return err
	}
	const most = 3
	more := ""
	if len(names) > most+1 {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	return fmt.Errorf("%s is not empty: it contains %s%s; use an empty or new folder", dir, strings.Join(names, ", "), more)
}

// missingDirs lists the folders that must be created for dir to exist, starting with dir
// itself.
func missingDirs(dir string) (list []string) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); err == nil || d == filepath.Dir(d) {
			return list
		}
		list = append(list, d)
	}
}

func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// check validates the new content.
func check(dir string, list []file) error {
	_, problems, err := content.Load(dir, nil)
	if err != nil || len(problems) == 0 {
		return err
	}
	for _, f := range list {
		if path.Base(f.path) == path.Base(problems[0].File) {
			return optionError(problems, f)
		}
	}
	return problems
}

// moveAll moves all entries of a folder to another one. from is in to, where nothing else may be but
// .git: somebody could have created something while the files were being written.
func moveAll(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(to, e.Name())); err == nil {
			return fmt.Errorf("%s was created in %s while the files were being written; use an empty or new folder", e.Name(), to)
		}
	}
	for _, e := range entries {
		err = errors.Join(err, os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())))
	}
	return err
}
