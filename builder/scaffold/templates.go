// Package scaffold holds the files of a new index, and lays them out in a folder.
package scaffold

import (
	"bytes"
	"embed"
	"encoding/json"
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
	"kindex/exports/score"
)

// files holds the files as they are to be, but for those that end in .tmpl. The
// prefix all: is for the names that begin with a dot.
//
//go:embed all:files
var files embed.FS

// Options are what somebody may say about a new index.
type Options struct {
	Title       string // of the index; required
	Description string // one sentence, or ""
}

// file is one file of a new index. Its path has slashes.
type file struct {
	path string
	data []byte
}

// render returns the files of a new index, sorted by path.
func render(o Options) ([]file, error) {
	list := []file{{"content/scoring.yaml", slices.Concat([]byte(scoringHead), score.Default)}}
	err := fs.WalkDir(files, "files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		target, templated := strings.CutSuffix(strings.TrimPrefix(name, "files/"), ".tmpl")
		if templated {
			if data, err = execute(name, string(data), o); err != nil {
				return err
			}
		}
		list = append(list, file{target, data})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, f := range list {
		if path.Ext(f.path) != ".yaml" || !strings.HasPrefix(f.path, "content/") {
			continue
		}
		if list[i].data, err = yamlfmt.Format(f.path, f.data); err != nil {
			return nil, optionError(err, f)
		}
	}
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

// optionError says which option is to blame for a problem. Only index.yaml holds what
// somebody chose.
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

// scoringHead tells the owner of a new index that the formula is theirs.
const scoringHead = `# The formula of this index. It is the one that is built into kindex, for you to
# change; give it a new version then. kindex validate says whether it is right.
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

// yamlText writes a text as a YAML scalar: in double quotes YAML reads what JSON
// reads. The form that content has takes the quotes away where it needs none.
func yamlText(s string) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(s)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// markdownText writes a text so that Markdown shows it as it is.
func markdownText(s string) string {
	return markup.ReplaceAllString(s, `\$0`)
}

var markup = regexp.MustCompile("[\\\\`*_{}\\[\\]<>()#+!|&~$]")

// NotEmptyError says that a folder holds something already.
type NotEmptyError struct {
	Dir   string
	Names []string // what it holds, sorted
}

// Error names the first of what is in the way.
func (e *NotEmptyError) Error() string {
	const most = 3
	names, more := e.Names, ""
	if len(names) > most+1 {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	return fmt.Sprintf("%s is not empty, it holds %s%s; name a folder that is empty or that there is not yet", e.Dir, strings.Join(names, ", "), more)
}

// OptionError says that an option cannot be what it is.
type OptionError struct {
	Option  string // title or description
	Message string
}

// Error is the message after the name of the option.
func (e *OptionError) Error() string { return e.Option + ": " + e.Message }

// Write makes the files of a new index in dir, and dir itself where it is not
// there. It returns the paths of the files below dir, with slashes, sorted. A
// folder that holds anything but a .git is a *NotEmptyError, an option that
// index.yaml cannot hold is an *OptionError. After an error nothing is left of
// what was written.
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
			_ = os.Remove(made[i]) // what somebody else has put in meanwhile keeps it there
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

// checkEmpty tells whether an index may be made in dir.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if e.Name() != ".git" {
			names = append(names, e.Name())
		}
	}
	if len(names) > 0 {
		return &NotEmptyError{dir, names}
	}
	return nil
}

// missingDirs lists the folders that have to be made so that dir is there, dir
// first.
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

// check holds the new content to what every content is held to.
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

// moveAll moves what is in one folder to another one that has none of it. Where
// it cannot move all, it moves back what it has moved.
func moveAll(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for i, e := range entries {
		target := filepath.Join(to, e.Name())
		if _, err = os.Lstat(target); err == nil {
			err = &NotEmptyError{to, []string{e.Name()}} // it came while the files were written
		} else if errors.Is(err, fs.ErrNotExist) {
			err = os.Rename(filepath.Join(from, e.Name()), target)
		}
		if err != nil {
			for _, moved := range entries[:i] {
				err = errors.Join(err, os.Rename(filepath.Join(to, moved.Name()), filepath.Join(from, moved.Name())))
			}
			return err
		}
	}
	return nil
}
