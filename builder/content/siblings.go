package content

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// Siblings looks up the entities against which another one is checked. Methods that begin with With or Once return the
// name of the entity found in messages, or "".
type Siblings interface {
	// Declared lists the valid categories; if empty, every category is valid.
	Declared() []record.Category
	// WithSlug returns the entity with a slug.
	WithSlug(typ, slug string) string
	// OnceWithSlug returns an entity other than e that previously had the slug.
	OnceWithSlug(typ, slug string, e *record.Entity) string
	// WithName returns an entity other than e with the same type and name.
	WithName(e *record.Entity) string
	// WithID returns an entity other than e that has the same type and the given identifier.
	WithID(e *record.Entity, id record.ID) string
	// WithProject returns an entity other than e and with another name that has the same ProjectKey.
	WithProject(e *record.Entity, id record.ID) string
	// Successor returns the key of the entity that replaces the one with the given key, or
	// "", and reports whether the one with the given key exists. If not, next is the most
	// similar key, or "".
	Successor(key string) (next string, ok bool)
	// Namespaces lists the names of all namespaces of identifiers.
	Namespaces() []string
	// Vocabulary returns the words for capabilities, tags and declared fields; if nil, every word is valid.
	Vocabulary() record.Vocabulary
	// Providers lists the valid providers of offers; if empty, every provider is valid.
	Providers() []string
}

// CheckSiblings returns the conflicts between an entity and its siblings. path is used only
// in messages. fields are the fields of the entity's file, whose offers need not be sorted.
func CheckSiblings(path string, e *record.Entity, fields map[string]any, siblings Siblings) yamldoc.Problems {
	d := yamldoc.New(path)
	d.Value = fields
	c := siblingCheck{siblings, newVocabulary(siblings.Vocabulary(), e.Declared()), d}
	c.check(e)
	return d.Problems
}

// siblingCheck checks entities against their siblings, and adds the problems to the document of the entity's file.
type siblingCheck struct {
	Siblings
	words vocabulary
	d     *yamldoc.Document
}

func (c *siblingCheck) suggest(path []string, message, suggestion string) {
	c.d.AddAt(path, false, yamldoc.Problem{Message: message, Suggestion: suggestion})
}

// offerPath returns the path of a field of an offer in its file, which need not be sorted.
func (c *siblingCheck) offerPath(o *record.Offer, field string) []string {
	list, _ := yamldoc.ValueAt(c.d.Value, []string{"offers"}).([]any)
	for i, v := range list {
		if m, _ := v.(map[string]any); yamldoc.Text(m["provider"]) == o.Provider && yamldoc.Text(m["id"]) == o.ID {
			return []string{"offers", strconv.Itoa(i), field}
		}
	}
	return []string{"offers"}
}

func (c *siblingCheck) check(e *record.Entity) {
	if message, suggestion := wrongCategory(e.Category, c.Declared()); message != "" {
		c.suggest([]string{"category"}, message, suggestion)
	}
	c.checkWords("capabilities", e.Capabilities)
	c.checkWords("tags", e.Tags)
	for _, v := range e.Values {
		switch value := v.Value.(type) {
		case string:
			if message, suggestion := c.words.wrong(v.Field.Path, value); message != "" {
				c.suggest(strings.Split(v.Field.Path, "."), message, suggestion)
			}
		case []string:
			c.checkWords(v.Field.Path, value)
		}
	}
	c.addresses(e)
	if by := c.WithName(e); e.Name != "" && by != "" {
		c.d.Warn([]string{"name"}, yamldoc.Quote(e.Name)+" is also the name of "+by)
	}
	seen, told := map[string]bool{}, map[string]bool{}
	for _, id := range ownIDs(e) {
		key := idKey(e, id)
		if by := c.WithID(e, id); by != "" && !seen[key] {
			c.d.Fail([]string{"ids", id.Namespace}, yamldoc.Quote(id.Value)+" is also an identifier of "+by)
			told[ProjectKey(e, id)] = true
		}
		seen[key] = true
	}
	c.projects(e, told)
	c.references(e)
}

// projects warns of identifiers of which another entity is probably the same project, except for those with a
// key in told.
func (c *siblingCheck) projects(e *record.Entity, told map[string]bool) {
	for _, id := range e.IDs {
		key := ProjectKey(e, id)
		if key == "" || told[key] {
			continue
		}
		told[key] = true
		by := c.WithProject(e, id)
		if by == "" {
			continue // a warning about the name is enough
		}
		path := []string{"ids", id.Namespace}
		if slices.Contains(record.LinkedIDs(e.Links), id) {
			path = []string{"links", map[string]string{"github": "repository", "pypi": "package"}[id.Namespace]}
		}
		c.d.Warn(path, yamldoc.Quote(id.Value)+" is also of "+by+"; are both the same?")
	}
}

func (c *siblingCheck) addresses(e *record.Entity) {
	for i, old := range e.Formerly {
		if slices.Index(e.Formerly, old) != i {
			continue // the schema reports duplicates
		}
		field := []string{"formerly", strconv.Itoa(i)}
		typ, slug, _ := strings.Cut(e.FormerKeys()[i], "/")
		if owner := c.WithSlug(typ, slug); owner != "" && typ+"/"+slug != e.Key() {
			c.d.Fail(field, yamldoc.Quote(old)+" is the slug of "+owner)
		} else if by := c.OnceWithSlug(typ, slug, e); by != "" {
			c.d.Fail(field, yamldoc.Quote(old)+" is also claimed by "+by)
		}
	}
	if by := c.OnceWithSlug(e.Type, e.Slug, e); by != "" {
		c.d.Fail([]string{"slug"}, yamldoc.Quote(e.Slug)+" is an earlier slug of "+by)
	}
}

// references checks what the facts of an entity refer to: namespaces, providers and other entities.
func (c *siblingCheck) references(e *record.Entity) {
	namespaces, providers := c.Namespaces(), c.Providers()
	for i, id := range e.IDs {
		if i > 0 && e.IDs[i-1].Namespace == id.Namespace {
			continue
		}
		if !slices.Contains(namespaces, id.Namespace) {
			c.suggest([]string{"ids", id.Namespace}, "unknown namespace; kinds.yaml can declare it", didyoumean.Name(id.Namespace, namespaces))
		}
	}
	for i := range e.Offers {
		if p := e.Offers[i].Provider; len(providers) > 0 && p != "" && !slices.Contains(providers, p) {
			c.suggest(c.offerPath(&e.Offers[i], "provider"), yamldoc.Quote(p)+" is not in providers.yaml", didyoumean.Name(p, providers))
		}
	}
	for _, r := range e.References() {
		near, exists := c.Successor(r.Key)
		if exists {
			continue
		}
		path := strings.Split(r.Field.Path, ".")
		if r.Index >= 0 {
			path = append(path, strconv.Itoa(r.Index))
		}
		c.suggest(path, yamldoc.Quote(r.Key)+" does not exist", near)
	}
	l := e.Lifecycle
	if l == nil {
		return
	}
	path := []string{"lifecycle", "replacedBy"}
	if near, exists := c.Successor(l.ReplacedBy); !exists && strings.Contains(l.ReplacedBy, "/") {
		c.suggest(path, yamldoc.Quote(l.ReplacedBy)+" does not exist", near)
	} else if problem := c.successorProblem(e); problem != "" {
		c.d.Fail(path, problem)
	}
	// Only warnings depend on the day, never the content of a build. The status is due for two weeks before it is one,
	// because it also stops changes of other files, whose authors cannot know about it.
	due := time.Now().UTC().AddDate(0, 0, -14).Format(time.DateOnly)
	if _, err := record.DayNumber(l.Retires); err == nil && l.Retires != "" && l.Retires < due && e.Status != record.Withdrawn {
		c.d.Warn([]string{"lifecycle", "retires"}, l.Retires+" has passed, but status is "+e.Status+"; set status to withdrawn, or correct the date")
	}
}

// successorProblem returns why an entity cannot be replaced by its successor, or "".
func (c *siblingCheck) successorProblem(e *record.Entity) string {
	next := e.Lifecycle.ReplacedBy
	if !strings.Contains(next, "/") || next == e.Key() {
		return "" // reported already
	}
	for seen := map[string]bool{e.Key(): true}; next != ""; {
		if seen[next] {
			return "leads back to " + next + "; a chain of successors must end"
		}
		seen[next] = true
		after, ok := c.Successor(next)
		switch {
		case !ok:
			return "" // reported already, or a problem of another file
		}
		next = after
	}
	return ""
}

// OwnsID reports whether an entity has an identifier that no other entity of the type may have.
func OwnsID(e *record.Entity, id record.ID) bool {
	return slices.ContainsFunc(ownIDs(e), func(own record.ID) bool { return idKey(e, own) == idKey(e, id) })
}

// ownIDs returns the identifiers that no other entity of the type may have. Several may have the same link.
func ownIDs(e *record.Entity) (list []record.ID) {
	linked := record.LinkedIDs(e.Links)
	for _, id := range e.IDs {
		if n := ids.Find(id.Namespace); (n == nil || !n.Shared) && !slices.Contains(linked, id) {
			list = append(list, id)
		}
	}
	return list
}

func idKey(e *record.Entity, id record.ID) string {
	return e.Type + "\x00" + id.Namespace + "\x00" + ids.Canonical(id.Namespace, id.Value)
}

// vocabulary has, by the path of a field, the slug of each word by slug or synonym. A nil one allows all words.
type vocabulary map[string]map[string]string

func newVocabulary(v record.Vocabulary, declared *kinds.Set) vocabulary {
	index := func(words []record.Word) map[string]string {
		of := make(map[string]string, len(words))
		for _, w := range words {
			of[w.Slug] = w.Slug
			for _, s := range w.Synonyms {
				of[s] = w.Slug
			}
		}
		return of
	}
	words := vocabulary{"capabilities": index(v[record.CapabilityWords]), "tags": index(v[record.TagWords])}
	for _, f := range declared.Leaves() {
		if f.Vocabulary != "" {
			words[f.Path] = index(v[f.Vocabulary])
		}
	}
	return words
}

func (c *siblingCheck) checkWords(field string, values []string) {
	for i, value := range values {
		if message, suggestion := c.words.wrong(field, value); message != "" {
			c.suggest(append(strings.Split(field, "."), strconv.Itoa(i)), message, suggestion)
		}
	}
}

// wrong returns the reason an entity cannot have a word in a field, or "". Tags that are not listed are allowed.
func (v vocabulary) wrong(field, value string) (message, suggestion string) {
	words := v[field]
	switch slug := words[value]; {
	case slug != "" && slug != value:
		return yamldoc.Quote(value) + " is only a synonym in vocabulary.yaml", slug
	case slug == "" && field != "tags" && len(words) > 0 && ValidSlug(value):
		return yamldoc.Quote(value) + " is not in vocabulary.yaml", words[didyoumean.Name(value, slices.Sorted(maps.Keys(words)))]
	}
	return "", ""
}

// maxSynonymWords is the maximum number of words in a phrase.
const maxSynonymWords = 6

// checkSynonyms refuses entries that occur in two groups, so that it is unclear what they mean, or have no words.
func checkSynonyms(d *yamldoc.Document) {
	groups, _ := yamldoc.ValueAt(d.Value, []string{"synonyms"}).([]any)
	first := map[string]int{} // by folded entry: its group
	for i, group := range groups {
		entries, _ := group.([]any)
		for j, entry := range entries {
			path := []string{"synonyms", strconv.Itoa(i), strconv.Itoa(j)}
			text, ok := entry.(string)
			if !ok || d.Reported(path...) {
				continue
			}
			words := strings.FieldsFunc(record.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
			key := strings.Join(words, " ")
			before, seen := first[key]
			message := ""
			switch {
			case key == "":
				message = " has no letters or digits"
			case len(words) > maxSynonymWords:
				message = " has more than " + strconv.Itoa(maxSynonymWords) + " words"
			case seen && before == i:
				message = givenTwice
			case seen:
				message = " is also in synonyms[" + strconv.Itoa(before) + "]; merge the groups, or remove it from one"
			}
			if message != "" {
				d.Fail(path, yamldoc.Quote(text)+message)
			} else {
				first[key] = i
			}
		}
	}
}
