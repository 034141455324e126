package content

import (
	"crypto/sha1"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/board"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/quality"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/store"
	"kindex/exports/view"
)

// Index is the content of index.yaml.
type Index struct {
	Title       string         `json:"title"`
	Description string         `json:"description"`
	URL         string         `json:"url"`        // the public address of the service, or ""
	Repository  string         `json:"repository"` // the web address of the content's repository, without a trailing slash or .git, or ""
	Branch      string         `json:"branch"`     // the branch of that repository; "" means MainBranch
	License     string         `json:"license"`
	Sources     []store.Source `json:"sources"`
}

// Declared returns the kinds of the content; kinds.Default if there is no content.
func (c *Content) Declared() *kinds.Set {
	if c == nil || c.Kinds == nil {
		return kinds.Default()
	}
	return c.Kinds
}

// MainBranch is the branch on which the content is edited, unless index.yaml specifies
// another one.
const MainBranch = "main"

// readRoot reads the files next to the type folders. Boards are checked later, because they depend on the entities. If
// kinds.yaml has errors, it reads nothing else, and the content has no Blobs: all else depends on it.
func (f *Folder) readRoot() (c *Content, problems yamldoc.Problems, err error) {
	c = &Content{Kinds: f.declared.set}
	if f.declared.problems.HasErrors() {
		return c, f.declared.problems, nil
	}
	var categories struct{ Categories []record.Category }
	var providers struct{ Providers pricing.Providers }
	var synonyms struct{ Synonyms [][]string }
	into := map[string]any{"categories.yaml": &categories, "collect.yaml": &c.Collect, "index.yaml": &c.Index,
		"providers.yaml": &providers, "synonyms.yaml": &synonyms, "vocabulary.yaml": &c.Vocabulary}
	c.Blobs = map[string][sha1.Size]byte{}
	for _, name := range append(slices.Clone(schema.RootFiles), schema.StatusFile) {
		shown := shownPath(f.dir, name)
		data, err := readRegular(filepath.Join(f.dir, name), max(yamldoc.MaxFileSize, quality.MaxStatusFile))
		if err != nil {
			return nil, nil, err
		}
		if data == nil {
			continue
		}
		c.Blobs[name] = gitBlobName(data)
		switch name {
		case KindsFile: // it has been parsed already
			c.KindsText = data
			continue
		case schema.StatusFile:
			if c.Status, err = quality.ParseStatus(data); err != nil {
				problems = append(problems, yamldoc.Problem{File: shown, Line: 1, Column: 1, Severity: yamldoc.Error,
					Message: safetext.Escape(err.Error()) + "; kindex collect writes this file: restore it, or delete it"})
			}
			continue
		}
		asJSON, found := parseChecked(shown, data, schema.Of(c.Kinds, strings.TrimSuffix(name, ".yaml")))
		problems = append(problems, found...)
		switch {
		case found.HasErrors() && name == "categories.yaml":
			c.BoardsFile = RootFile{} // its conditions would be checked against other categories
		case found.HasErrors():
		case name == "scoring.yaml":
			c.Scoring, c.ScoringFile = asJSON, RootFile{shown, data}
		case name == "boards.yaml":
			c.BoardsFile = RootFile{shown, data}
		default:
			if err := json.Unmarshal(asJSON, into[name]); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	problems = append(problems, c.checkWordLists(shownPath(f.dir, KindsFile))...)
	c.Categories, c.Providers, c.Synonyms = categories.Categories, providers.Providers, synonyms.Synonyms
	c.Index.Repository = schema.RepositoryURL(c.Index.Repository)
	return c, problems, nil
}

// checkWordLists warns of lists that fields name and that vocabulary.yaml, unless it has errors, lacks.
func (c *Content) checkWordLists(path string) yamldoc.Problems {
	var d *yamldoc.Document
	if _, there := c.Blobs["vocabulary.yaml"]; there && c.Vocabulary == nil {
		return nil
	}
	for _, f := range c.Kinds.Leaves() {
		if f.Vocabulary == "" || c.Vocabulary[f.Vocabulary] != nil {
			continue
		}
		if d == nil {
			d = yamldoc.Parse(path, c.KindsText)
		}
		d.AddAt(append(f.Declaration(), "vocabulary"), false, yamldoc.Problem{Severity: yamldoc.Warning, Message: "vocabulary.yaml has no list " + yamldoc.Quote(f.Vocabulary) + ", so every word is valid",
			Suggestion: didyoumean.Name(f.Vocabulary, slices.Sorted(maps.Keys(c.Vocabulary)))})
	}
	if d == nil {
		return nil
	}
	return d.Report()
}

// gitBlobName returns the git blob name of a file: the SHA-1 of a header and its bytes.
func gitBlobName(data []byte) [sha1.Size]byte {
	return sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...))
}

// readFile reads a file or, if it is larger than limit, enough of it to detect that.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// readRegular is like readFile, but returns nil for a file that is missing or, which is reported, no regular file.
func readRegular(path string, limit int64) ([]byte, error) {
	if info, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil, nil
	}
	return readFile(path, limit)
}

// reservedSlug is the message for a category with the slug of the overall leaderboard.
const reservedSlug = " is reserved for the overall leaderboard; use another slug"

// checkNames refuses entries of a list with the same slug or other field, and other names of entries that another
// one has too: as its slug, which isSlug says, or as another name, which isOther says of $slug. forbidden, if not
// nil, returns why no entry can have a name, or "".
func checkNames(d *yamldoc.Document, list, field, others, isSlug, isOther string, forbidden func(name string) string) {
	entries, _ := yamldoc.ValueAt(d.Value, []string{list}).([]any)
	of := make(map[string]string, len(entries)) // by name: the slug of its entry
	check := func(path []string, name, message string) {
		if message == "" && forbidden != nil {
			message = forbidden(name)
		}
		if message != "" {
			d.Fail(path, yamldoc.Quote(name)+message)
		}
	}
	slugs := make([]string, len(entries))
	for i, entry := range entries {
		slug, ok := yamldoc.ValueAt(entry, []string{field}).(string)
		message := ""
		if ok && of[slug] != "" {
			message = givenTwice
		}
		check([]string{list, strconv.Itoa(i), field}, slug, message)
		slugs[i], of[slug] = slug, slug
	}
	for i, entry := range entries {
		own := map[string]bool{} // the schema reports duplicates within a list
		for j, name := range yamldoc.Texts(yamldoc.ValueAt(entry, []string{others})) {
			message := ""
			if of[name] == name {
				message = isSlug
			} else if of[name] != "" && !own[name] {
				message = strings.ReplaceAll(isOther, "$slug", yamldoc.Quote(of[name]))
			}
			check([]string{list, strconv.Itoa(i), others, strconv.Itoa(j)}, name, message)
			if own[name] = true; of[name] == "" {
				of[name] = slugs[i]
			}
		}
	}
}

// forbiddenCategory returns why no category can have a slug, or "".
func forbiddenCategory(slug string) string {
	if slug == view.AllBoard {
		return reservedSlug
	}
	return DeviceName(slug)
}

// givenTwice follows a value in the message about a duplicate.
const givenTwice = " is given twice"

// checkLists refuses lists of collect.yaml outside the folder of the content, and names of built-in sources.
func checkLists(d *yamldoc.Document) {
	files, _ := yamldoc.ValueAt(d.Value, []string{"files"}).([]any)
	for i := range files {
		for _, field := range []string{"path", "map"} {
			at := []string{"files", strconv.Itoa(i), field}
			path, ok := yamldoc.ValueAt(d.Value, at).(string)
			if ok && (!filepath.IsLocal(path) || strings.ContainsAny(path, `\:`)) {
				d.Fail(at, yamldoc.Quote(path)+" is not a path inside the folder that contains the content; use one such as lists/tools.csv")
			}
		}
		at := []string{"files", strconv.Itoa(i)}
		list, _ := files[i].(map[string]any)
		address, _ := list["url"].(string)
		switch many := list["names"] != nil || list["index"] != nil; {
		case (list["path"] == nil) == (list["url"] == nil):
			d.Fail(at, "needs either path or url")
		case many != strings.Contains(address, "{}"):
			d.Fail(at, "needs {} in url together with names or index, for each name")
		}
		at = append(at, "name")
		if name, _ := yamldoc.ValueAt(d.Value, at).(string); slices.Contains(builtInSources, name) {
			d.Fail(at, yamldoc.Quote(name)+" is the name of a built-in source; use another one")
		}
	}
}

// builtInSources lists the sources that are not files.
var builtInSources = []string{"file", "github", "huggingface", "modelsdev", "npm", "pypi"}

// ParseScoring checks a scoring file against its schema and returns it as JSON.
func ParseScoring(declared *kinds.Set, path string, data []byte) ([]byte, yamldoc.Problems) {
	return parseChecked(path, data, schema.Of(declared, "scoring"))
}

// RootFile is a file next to the type folders, in which problems are found later.
type RootFile struct {
	Path string // as shown in messages
	Text []byte // nil if there is no such file, or if it does not match its schema
}

// Problem returns an error in a field of the file.
func (f *RootFile) Problem(message string, path ...string) yamldoc.Problem {
	d := yamldoc.Parse(f.Path, f.Text)
	d.Fail(path, message)
	return d.Problems[len(d.Problems)-1]
}

// parse reads a YAML file and checks it against its schema. fields is nil if there are none.
func parse(path string, data []byte, s *schema.Schema) (d *yamldoc.Document, fields map[string]any) {
	d = yamldoc.Parse(path, data)
	d.WarnOfCutText(data)
	fields, ok := d.Fields()
	if ok {
		s.Check(d)
	}
	return d, fields
}

// parseChecked is like parse, but also makes the checks that a schema cannot express, and returns the file as JSON.
func parseChecked(path string, data []byte, s *schema.Schema) ([]byte, yamldoc.Problems) {
	d, fields := parse(path, data, s)
	if fields == nil {
		return nil, d.Report()
	}
	switch s.Name {
	case "categories":
		checkNames(d, "categories", "slug", "formerly", " is the slug of a category; list only earlier slugs",
			" is also a former slug of another category", forbiddenCategory) // former ones have addresses, too
	case "providers":
		checkNames(d, "providers", "slug", "", "", "", nil)
	case "synonyms":
		checkSynonyms(d)
	case "vocabulary":
		for list := range fields {
			checkNames(d, list, "slug", "synonyms", " is a slug of this list, so it cannot be a synonym", " is also a synonym of $slug", nil)
		}
	case "collect":
		checkNames(d, "files", "name", "", "", "", nil)
		checkLists(d)
	}
	asJSON, err := json.Marshal(fields)
	if err != nil {
		d.Add(1, 1, yamldoc.Problem{Message: err.Error()})
	}
	return asJSON, d.Report()
}

// TitleOf returns a title for the slug of an undeclared category.
func TitleOf(slug string) string {
	s := strings.ReplaceAll(slug, "-", " ")
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// parseBoards reads boards.yaml, which matches its schema, and checks its slugs, conditions and formulas.
func (c *Content) parseBoards() (yamldoc.Problems, error) {
	if c.BoardsFile.Text == nil {
		return nil, nil
	}
	d := yamldoc.Parse(c.BoardsFile.Path, c.BoardsFile.Text)
	list, _ := yamldoc.ValueAt(d.Value, []string{"boards"}).([]any)
	var categories, former []string
	for i := range c.Categories {
		categories = append(categories, c.Categories[i].Slug)
		former = append(former, c.Categories[i].Formerly...)
	}
	words := newVocabulary(c.Vocabulary, c.Kinds)
	filters := map[string]string{"capability": "capabilities", "tag": "tags"}
	for _, f := range c.Kinds.Leaves() {
		filters[f.Query] = f.Path
	}
	seen := map[string]bool{}
	for i, item := range list {
		b, err := parseBoard(item)
		if err != nil {
			return nil, fmt.Errorf("%s: boards[%d]: %w", c.BoardsFile.Path, i, err)
		}
		at := func(path ...string) []string { return append([]string{"boards", strconv.Itoa(i)}, path...) }
		c.checkBoardSlug(d, at("slug"), b.Slug, categories, former, seen)
		mistakes := b.Check(c.Kinds, categories)
		for name, field := range filters {
			for j, alternative := range b.Where[name] {
				for value := range strings.SplitSeq(alternative, ",") {
					if message, suggestion := words.wrong(field, value); message != "" {
						mistakes = append(mistakes, &kinds.Error{Path: []string{"where", name, strconv.Itoa(j)}, Message: message, Suggestion: suggestion})
					}
				}
			}
		}
		for _, m := range mistakes {
			path := at(m.Path...)
			if _, isList := yamldoc.ValueAt(item, m.Path[:len(m.Path)-1]).([]any); m.Path[0] == "where" && len(m.Path) == 3 && !isList {
				path = at(m.Path[:2]...) // a single value has no index
			}
			d.AddAt(path, false, yamldoc.Problem{Message: m.Message, Suggestion: m.Suggestion})
		}
		c.Boards = append(c.Boards, b)
	}
	problems := d.Report()
	if len(problems) > 0 {
		c.Boards = nil
	}
	return problems, nil
}

// checkBoardSlug refuses the slug of a board if a leaderboard with this name exists already.
func (c *Content) checkBoardSlug(d *yamldoc.Document, path []string, slug string, categories, former []string, seen map[string]bool) {
	add := func(message, suggestion string) {
		d.AddAt(path, false, yamldoc.Problem{Message: yamldoc.Quote(slug) + message, Suggestion: suggestion})
	}
	switch {
	case seen[slug]:
		add(givenTwice, "")
	case forbiddenCategory(slug) != "":
		add(forbiddenCategory(slug), "")
	case slices.Contains(categories, slug):
		other := slug + "-board"
		for seen[other] || slices.Contains(categories, other) {
			other += "-2"
		}
		add(" is the slug of a category, which has a leaderboard of its own; use another slug", other)
	case slices.Contains(former, slug):
		add(" is the former slug of a category; use another slug", "")
	}
	seen[slug] = true
}

// parseBoard converts the fields of a board. They match the schema.
func parseBoard(item any) (*board.Board, error) {
	fields, _ := item.(map[string]any)
	own := map[string]any{}
	maps.Copy(own, fields)
	conditions := map[string][]string{}
	set, _ := fields["where"].(map[string]any)
	for name, value := range set {
		values, isList := value.([]any)
		if !isList {
			values = []any{value}
		}
		for _, v := range values {
			text := fmt.Sprint(v) // text, a whole number, true or false
			if x, ok := v.(float64); ok {
				text = strconv.FormatFloat(x, 'f', -1, 64)
			}
			conditions[name] = append(conditions[name], text)
		}
	}
	own["where"] = conditions
	asJSON, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	b := new(board.Board)
	return b, json.Unmarshal(asJSON, b)
}
