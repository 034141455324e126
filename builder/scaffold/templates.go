// Package scaffold contains the files for a new index and writes them to a folder.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
func (o Options) Plural() string { return kinds.Plural(o.KindTitle()) }

//go:embed pull_requests.md
var pullRequests string

// PullRequests returns the part of the README about the workflow that checks pull requests.
func (o Options) PullRequests() string { return pullRequests }

// render returns the files of a new index by path.
func render(o Options) (map[string][]byte, error) {
	list, declared := map[string][]byte{}, kinds.Default()
	if err := read(list, files, "files", o); err != nil {
		return nil, err
	}
	if o.Kind == "" {
		list["content/scoring.yaml"] = slices.Concat([]byte(scoringHead), score.Default)
	} else if err := withKind(list, o, &declared); err != nil {
		return nil, err
	}
	for name, data := range list {
		if path.Ext(name) != ".yaml" || !strings.HasPrefix(name, "content/") {
			continue
		}
		formatted, err := yamlfmt.Format(declared, name, data)
		if err != nil {
			return nil, optionError(err, name, data)
		}
		list[name] = formatted
	}
	return list, nil
}

// read adds the files of an embedded folder to a list.
func read(list map[string][]byte, from embed.FS, folder string, o Options) error {
	return fs.WalkDir(from, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := from.ReadFile(name)
		target, templated := strings.CutSuffix(strings.TrimPrefix(name, folder+"/"), ".tmpl")
		if err == nil && templated {
			data, err = execute(name, string(data), o)
		}
		list[target] = data
		return err
	})
}

// withKind makes the files those of an index with a kind of its own. What is about tools and models is left
// out: the examples, and the collection of their figures.
func withKind(list map[string][]byte, o Options, declared **kinds.Set) error {
	if !content.ValidSlug(o.Kind) {
		return &OptionError{"kind", "use words of lower-case letters and digits, with single hyphens between them"}
	}
	maps.DeleteFunc(list, func(name string, _ []byte) bool {
		return name == "content/README.md" || name == ".github/workflows/collect.yml" ||
			strings.HasPrefix(name, "content/tool/") || strings.HasPrefix(name, "content/model/")
	})
	err := read(list, own, "own", o)
	if err != nil {
		return err
	}
	var problems yamldoc.Problems
	if *declared, problems = content.ParseKinds(content.KindsFile, list["content/kinds.yaml"]); problems != nil {
		return &OptionError{"kind", yamldoc.Quote(o.Kind) + " cannot be the name of a kind: " + problems[0].Text()}
	}
	list["content/"+o.Kind+"/example.yaml"] = list["content/example.yaml"]
	delete(list, "content/example.yaml")
	return nil
}

// optionError turns a problem in index.yaml, which has the values of options, into an *OptionError.
func optionError(err error, name string, data []byte) error {
	var problems yamldoc.Problems
	if !errors.As(err, &problems) || len(problems) == 0 || name != "content/index.yaml" {
		return err
	}
	p, lines := problems[0], bytes.Split(data, []byte("\n"))
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
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"yaml":     func(s string) string { return string(jsonenc.AppendString(nil, s)) }, // Format removes unnecessary quotes
		"markdown": func(s string) string { return markup.ReplaceAllString(s, `\$0`) },
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, o)
	return b.Bytes(), err
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
// .git. Nothing is created before the files have been checked, and no file is overwritten.
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
	tmp, err := os.MkdirTemp("", "kindex-init-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	for name, data := range list {
		name = filepath.Join(tmp, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, data, 0o666)); err != nil {
			return nil, err
		}
	}
	if err := check(filepath.Join(tmp, "content"), list); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(list)), os.CopyFS(dir, os.DirFS(tmp))
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

// check validates the content.
func check(dir string, list map[string][]byte) error {
	_, problems, err := content.Load(dir, nil)
	if err != nil || len(problems) == 0 {
		return err
	}
	for name, data := range list {
		if strings.HasSuffix(problems[0].File, "/"+name) {
			return optionError(problems, name, data)
		}
	}
	return problems
}
