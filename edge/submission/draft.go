package submission

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// InvalidError lists all problems with a submission, and the warnings that remain once they
// are fixed.
type InvalidError struct {
	Problems  []yamldoc.Problem
	Warnings  []yamldoc.Problem
	Unchanged bool // the only problem is that a correction changes nothing
}

// Error lists the problems by field.
func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Field + ": " + p.Message
	}
	return strings.Join(lines, "; ")
}

// Index is the index against which submissions are checked: the served build.
type Index interface {
	Kinds() *kinds.Set
	Categories() []record.Category
	// Find returns the current slug of the entity that has, or once had, this address.
	Find(typ, slug string) (now string, ok bool)
	// Deleted returns the day on which the entity with this address was deleted, or "" if
	// there was none.
	Deleted(typ, slug string) string
	// Named returns the entities of any type with the given name.
	Named(name string) []*record.Entity
	// Identified returns the entities of a type that have an identifier.
	Identified(typ string, id record.ID) []*record.Entity
	// FindAuthored returns the entity that has, or once had, this address, as its file states it, or
	// nil if there is none.
	FindAuthored(typ, slug string) (*record.Entity, error)
	// Addressed reports whether entities of a type have the URL of a page of their own.
	Addressed(typ string) bool
	// Near returns the key of the entity whose address is most similar, or "" if there is none.
	Near(typ, slug string) (key string)
	// Namespaces lists the namespaces of identifiers, built-in ones included.
	Namespaces() []string
	// Vocabulary returns the words for capabilities, tags and declared fields, or nil if all are allowed.
	Vocabulary() record.Vocabulary
	// Providers lists the providers of offers; it is empty if the index declares none.
	Providers() []string
}

// Draft is a valid submission.
type Draft struct {
	Entity   *record.Entity
	YAML     []byte         // the canonical file
	Before   *record.Entity // the entity that a correction changes, or nil for a new entity
	Changes  map[string]any // what a correction changes, as in yamlfmt.Merge
	Warnings []yamldoc.Problem
	Same     []string // the keys of entities that are probably the same project as a new one
}

// addressFields are the fields of a submission that are not in the file, because they
// determine its path.
var addressFields = []string{amends, "slug", "type"}

// Parse converts the fields of a JSON object (numbers as json.Number) to a draft: of a new
// entity or, with the field amends, of a correction. The error is an *InvalidError if the
// submission breaks the rules for files in git or the few additional rules for submissions, and
// a *TakenError if the index already has the entity.
func Parse(fields map[string]any, in Index) (*Draft, error) {
	p := parser{kinds: in.Kinds(), fields: map[string]any{}}
	p.take(fields)
	p.lost(nil, p.fields)
	p.renameCategory(in)
	if _, ok := fields[amends]; ok {
		return p.correction(fields, in)
	}
	typ, slug := p.typ(fields), p.slug(fields)
	if _, ok := fields["url"]; !ok && (typ == "" || in.Addressed(typ)) {
		p.problem("url", "is missing", "")
	}
	return p.draft(&Draft{}, typ, slug, p.fields, in)
}

func (p *parser) draft(d *Draft, typ, slug string, values map[string]any, in Index) (*Draft, error) {
	key := typ + "/" + slug
	e, data, found := content.ParseFields(p.kinds, key, typ, slug, values)
	p.addFound(d, found)
	switch {
	case e == nil:
		p.words(typ, in)
	case typ != "" && slug != "":
		taken := findSamePage(e, in)
		if d.Before == nil {
			taken = findExistingEntity(e, in)
		}
		if taken != nil {
			return nil, taken
		}
		among := findExisting{Index: in}
		if p.addFound(d, content.CheckSiblings(key, e, values, &among)); among.failed != nil {
			return nil, among.failed
		}
		d.Same = among.same
		if day := in.Deleted(typ, slug); day != "" && d.Before == nil {
			p.warn("slug", "%s was deleted on %s; this submission would restore it", key, day)
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	d.Entity, d.YAML, d.Warnings = e, data, p.warnings
	return d, nil
}

type parser struct {
	kinds    *kinds.Set
	fields   map[string]any // the fields of the file
	problems []yamldoc.Problem
	warnings []yamldoc.Problem
}

func (p *parser) err() error {
	if len(p.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(p.problems, func(a, b yamldoc.Problem) int { return strings.Compare(a.Field, b.Field) })
	return &InvalidError{Problems: p.problems, Warnings: p.warnings}
}

func (p *parser) problem(field, message, suggestion string) {
	p.add(yamldoc.Problem{Field: field, Message: message, Suggestion: suggestion})
}

func (p *parser) warn(field, format string, args ...any) {
	p.add(yamldoc.Problem{Severity: yamldoc.Warning, Field: field, Message: fmt.Sprintf(format, args...)})
}

func (p *parser) add(wrong yamldoc.Problem) {
	if wrong.Severity == yamldoc.Warning {
		p.warnings = append(p.warnings, wrong)
	} else {
		p.problems = append(p.problems, wrong)
	}
}

// addFound adds what package content found in the file of a draft. Warnings about fields that a
// correction leaves as they are do not concern the submitter.
func (p *parser) addFound(d *Draft, found []yamldoc.Problem) {
	for _, f := range found {
		field, _, _ := strings.Cut(strings.ReplaceAll(f.Field, "[", "."), ".")
		if _, changed := d.Changes[field]; changed || d.Before == nil || f.Severity != yamldoc.Warning {
			p.add(f)
		}
	}
}

func (p *parser) renameCategory(in Index) {
	old, _ := p.fields["category"].(string)
	for _, c := range in.Categories() {
		if slices.Contains(c.Formerly, strings.TrimSpace(old)) {
			p.fields["category"] = c.Slug
			p.warn("category", "%q is a former slug; the category is now %q, which the submission uses", old, c.Slug)
		}
	}
}

// words reports an unknown category, capability or tag even if other fields are invalid,
// because one attempt should reveal all problems.
func (p *parser) words(typ string, in Index) {
	e := &record.Entity{Kinds: p.kinds, Type: typ, Capabilities: yamldoc.Texts(p.fields["capabilities"]), Tags: yamldoc.Texts(p.fields["tags"])}
	e.Category, _ = p.fields["category"].(string)
	for _, wrong := range content.CheckSiblings(typ, e, nil, &findExisting{Index: in}) {
		field, _, _ := strings.Cut(wrong.Field, "[")
		invalid := slices.ContainsFunc(p.problems, func(f yamldoc.Problem) bool { return f.Field == wrong.Field })
		if !invalid && p.fields[field] != nil && slices.Contains([]string{"category", "capabilities", "tags"}, field) {
			p.add(wrong)
		}
	}
}

// lost rejects strings with the character that decoders substitute for invalid input.
// Otherwise the damage might go unnoticed until publication.
func (p *parser) lost(path []string, v any) {
	switch v := v.(type) {
	case string:
		if strings.ContainsRune(v, unicode.ReplacementChar) {
			p.problem(yamldoc.FieldName(path), "contains the character U+FFFD, which replaces a character that was not sent correctly", "")
		}
	case []any:
		for i, item := range v {
			p.lost(append(path, strconv.Itoa(i)), item)
		}
	case map[string]any:
		for name, item := range v {
			p.lost(append(path, name), item)
		}
	}
}

func (p *parser) typ(fields map[string]any) string {
	value, given := fields["type"]
	typ, ok := value.(string)
	switch {
	case !given:
		p.problem("type", "is missing; expected one of: "+strings.Join(p.kinds.Names(), ", "), "")
	case !ok || p.kinds.Kind(typ) == nil:
		p.problem("type", "is not one of "+strings.Join(p.kinds.Names(), ", "), didyoumean.Name(typ, p.kinds.Names()))
		return ""
	}
	return typ
}

// slug returns the slug in the submission or one derived from the name, or "" if it is
// invalid.
func (p *parser) slug(fields map[string]any) string {
	if value, given := fields["slug"]; given {
		slug, _ := value.(string)
		if !content.ValidSlug(slug) {
			p.problem("slug", "use lower-case letters and digits, separated by single hyphens, at most 100 characters", content.Slugify(slug))
			return ""
		}
		return p.notDevice(slug)
	}
	name, ok := fields["name"].(string)
	slug := content.Slugify(name)
	if ok && slug == "" {
		p.problem("slug", "is required, because the name has no Latin letters or digits to derive it from", "")
	}
	return p.notDevice(slug)
}

// notDevice returns the slug, or "" if it cannot be a file name on every operating system.
func (p *parser) notDevice(slug string) string {
	if device := content.DeviceName(slug); device != "" {
		p.problem("slug", fmt.Sprintf("%q%s", slug, device), "")
		return ""
	}
	return slug
}

// Slug returns the slug that a submission would have, or "" if it is invalid.
func Slug(fields map[string]any) string { return (&parser{}).slug(fields) }

// findExistingEntity returns a *TakenError if a new entity would duplicate an existing one.
func findExistingEntity(e *record.Entity, in Index) error {
	if now, ok := in.Find(e.Type, e.Slug); ok {
		taken := &TakenError{Type: e.Type, Slug: now}
		if now != e.Slug {
			taken.Formerly = e.Slug
		}
		return taken
	}
	return findSamePage(e, in)
}

// findSamePage returns a *TakenError if another entity has the same name and URL.
func findSamePage(e *record.Entity, in Index) error {
	for _, other := range in.Named(e.Name) {
		if other.Key() != e.Key() && other.URL != "" && record.NormalizeURL(other.URL) == record.NormalizeURL(e.URL) {
			return &TakenError{Type: other.Type, Slug: other.Slug, SamePage: true}
		}
	}
	return nil
}

// findExisting adapts an Index to the interface that package content needs.
type findExisting struct {
	Index
	failed error
	same   []string // the keys of entities that are probably the same project
}

// Declared implements content.Siblings. A build does not record whether its categories were
// declared. If each of them has only the title that follows from its slug, they are assumed
// to be undeclared. If that is wrong, the mistake is found when a submission is accepted.
func (a *findExisting) Declared() []record.Category {
	for _, c := range a.Categories() {
		if c.Description != "" || len(c.Formerly) > 0 || c.Title != content.TitleOf(c.Slug) && c.Title != c.Slug {
			return a.Categories()
		}
	}
	return nil
}

// WithSlug implements content.Siblings.
func (a *findExisting) WithSlug(typ, slug string) string {
	if now, ok := a.Find(typ, slug); ok && now == slug {
		return typ + "/" + slug
	}
	return ""
}

// OnceWithSlug implements content.Siblings.
func (a *findExisting) OnceWithSlug(typ, slug string, e *record.Entity) string {
	if now, ok := a.Find(typ, slug); ok && now != slug && now != e.Slug {
		return typ + "/" + now
	}
	return ""
}

// WithName implements content.Siblings.
func (a *findExisting) WithName(e *record.Entity) string {
	for _, other := range a.Named(e.Name) {
		if other.Type == e.Type && other.Slug != e.Slug {
			return other.Key()
		}
	}
	return ""
}

// WithID implements content.Siblings.
func (a *findExisting) WithID(e *record.Entity, id record.ID) string {
	return a.other(e, id, content.OwnsID)
}

// WithProject implements content.Siblings. It keeps what it returns in same.
func (a *findExisting) WithProject(e *record.Entity, id record.ID) string {
	key := a.other(e, id, func(other *record.Entity, id record.ID) bool {
		return record.Fold(other.Name) != record.Fold(e.Name) && content.ProjectKey(other, id) == content.ProjectKey(e, id)
	})
	if key != "" && !slices.Contains(a.same, key) {
		a.same = append(a.same, key)
	}
	return key
}

// other returns the key of an entity other than e that has an identifier and fits, or "".
func (a *findExisting) other(e *record.Entity, id record.ID, fits func(*record.Entity, record.ID) bool) string {
	for _, other := range a.Identified(e.Type, id) {
		if other.Slug != e.Slug && fits(other, id) {
			return other.Key()
		}
	}
	return ""
}

// Successor implements content.Siblings.
func (a *findExisting) Successor(key string) (next string, ok bool) {
	typ, slug, _ := strings.Cut(key, "/")
	e, err := a.FindAuthored(typ, slug)
	switch {
	case err != nil:
		a.failed = err
	case e == nil || e.Slug != slug:
		return "", false
	case e.Lifecycle != nil:
		next = e.Lifecycle.ReplacedBy
	}
	return next, true
}
