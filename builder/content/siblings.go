package content

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"kindex/builder/content/yamldoc"
	"kindex/exports/board"
	"kindex/exports/didyoumean"
	"kindex/exports/ids"
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
	// Successor returns the key of the entity that replaces the one with the given key, or
	// "", and reports whether the one with the given key exists.
	Successor(key string) (next string, ok bool)
	// Namespaces lists the names of all namespaces of identifiers.
	Namespaces() []string
	// Vocabulary returns the words for capabilities and tags; if nil, every word is valid.
	Vocabulary() *record.Vocabulary
	// Providers lists the valid providers of offers; if empty, every provider is valid.
	Providers() []string
}

// CheckSiblings returns the conflicts between an entity and its siblings. path is used only
// in messages. fields are the fields of the entity's file, whose offers need not be sorted.
func CheckSiblings(path string, e *record.Entity, fields map[string]any, siblings Siblings) (problems yamldoc.Problems) {
	c := siblingCheck{Siblings: siblings, words: newVocabulary(siblings.Vocabulary()), near: func(string) string { return "" },
		fields: func() map[string]any { return fields },
		add: func(severity yamldoc.Severity, field []string, message, suggestion string) {
			problems = append(problems, yamldoc.Problem{File: path, Line: 1, Column: 1, Severity: severity,
				Field: yamldoc.FieldName(field), Message: message, Suggestion: suggestion})
		}}
	c.check(e)
	return problems
}

// siblingCheck checks entities against their siblings.
type siblingCheck struct {
	Siblings
	words  *vocabulary
	near   func(key string) string // the key of the entity whose address is most similar, or ""
	fields func() map[string]any   // of the entity's file
	add    func(severity yamldoc.Severity, path []string, message, suggestion string)
}

// offerPath returns the path of a field of an offer in its file, which need not be sorted.
func (c *siblingCheck) offerPath(o *record.Offer, field string) []string {
	list, _ := c.fields()["offers"].([]any)
	for i, v := range list {
		if m, _ := v.(map[string]any); yamldoc.Text(m["provider"]) == o.Provider && yamldoc.Text(m["id"]) == o.ID {
			return []string{"offers", strconv.Itoa(i), field}
		}
	}
	return []string{"offers"}
}

func (c *siblingCheck) check(e *record.Entity) {
	if message, suggestion := wrongCategory(e.Category, c.Declared()); message != "" {
		c.add(yamldoc.Error, []string{"category"}, message, suggestion)
	}
	c.words.check(e, func(path []string, message, suggestion string) { c.add(yamldoc.Error, path, message, suggestion) })
	c.addresses(e)
	if by := c.WithName(e); e.Name != "" && by != "" {
		c.add(yamldoc.Warning, []string{"name"}, yamldoc.Quote(e.Name)+" is also the name of "+by, "")
	}
	seen := map[string]bool{}
	for _, id := range ownIDs(e) {
		key := idKey(e, id)
		if by := c.WithID(e, id); by != "" && !seen[key] {
			c.add(yamldoc.Error, []string{"ids", id.Namespace}, yamldoc.Quote(id.Value)+" is also an identifier of "+by, "")
		}
		seen[key] = true
	}
	c.references(e)
}

func (c *siblingCheck) addresses(e *record.Entity) {
	for i, old := range e.Formerly {
		if slices.Index(e.Formerly, old) != i {
			continue // the schema reports duplicates
		}
		field := []string{"formerly", strconv.Itoa(i)}
		typ, slug, _ := strings.Cut(e.FormerKeys()[i], "/")
		if owner := c.WithSlug(typ, slug); owner != "" && typ+"/"+slug != e.Key() {
			c.add(yamldoc.Error, field, yamldoc.Quote(old)+" is the slug of "+owner, "")
		} else if by := c.OnceWithSlug(typ, slug, e); by != "" {
			c.add(yamldoc.Error, field, yamldoc.Quote(old)+" is also claimed by "+by, "")
		}
	}
	if by := c.OnceWithSlug(e.Type, e.Slug, e); by != "" {
		c.add(yamldoc.Error, []string{"slug"}, yamldoc.Quote(e.Slug)+" is an earlier slug of "+by, "")
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
			c.add(yamldoc.Error, []string{"ids", id.Namespace}, "unknown namespace; kinds.yaml can declare it", didyoumean.Name(id.Namespace, namespaces))
		}
	}
	for i := range e.Offers {
		if p := e.Offers[i].Provider; len(providers) > 0 && p != "" && !slices.Contains(providers, p) {
			c.add(yamldoc.Error, c.offerPath(&e.Offers[i], "provider"), yamldoc.Quote(p)+" is not in providers.yaml", didyoumean.Name(p, providers))
		}
	}
	for _, r := range e.References() {
		if _, exists := c.Successor(r.Key); exists {
			continue
		}
		path := strings.Split(r.Field.Path, ".")
		if r.Index >= 0 {
			path = append(path, strconv.Itoa(r.Index))
		}
		c.add(yamldoc.Error, path, yamldoc.Quote(r.Key)+" does not exist", c.near(r.Key))
	}
	l := e.Lifecycle
	if l == nil {
		return
	}
	if problem := c.successorProblem(e); problem != "" {
		c.add(yamldoc.Error, []string{"lifecycle", "replacedBy"}, problem, "")
	}
	today := time.Now().UTC().Format(time.DateOnly) // only warnings depend on it, never the content of a build
	if _, err := record.DayNumber(l.Retires); err == nil && l.Retires != "" && l.Retires < today && e.Status != record.Withdrawn {
		c.add(yamldoc.Warning, []string{"lifecycle", "retires"},
			l.Retires+" has passed, but status is "+e.Status+"; set status to withdrawn, or correct the date", "")
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
		if !ok && next == e.Lifecycle.ReplacedBy {
			return yamldoc.Quote(next) + " does not exist"
		}
		next = after // if a later one does not exist, that is a problem of another file
	}
	return ""
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

// vocabulary looks up the words of a record.Vocabulary.
type vocabulary struct {
	capabilities, tags map[string]string // by slug or synonym: the slug
	known              []string          // the words for capabilities, for suggestions
}

// newVocabulary returns nil if there is no vocabulary.
func newVocabulary(v *record.Vocabulary) *vocabulary {
	if v == nil {
		return nil
	}
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
	words := &vocabulary{capabilities: index(v.Capabilities), tags: index(v.Tags)}
	for w := range words.capabilities {
		words.known = append(words.known, w)
	}
	slices.Sort(words.known)
	return words
}

// check calls add with the problems in an entity's capabilities and tags. A nil vocabulary allows all words.
func (v *vocabulary) check(e *record.Entity, add func(path []string, message, suggestion string)) {
	if v == nil {
		return
	}
	check := func(field string, values []string, wrong func(string) (message, suggestion string)) {
		for i, value := range values {
			if message, suggestion := wrong(value); message != "" {
				add([]string{field, strconv.Itoa(i)}, message, suggestion)
			}
		}
	}
	check("capabilities", e.Capabilities, v.wrongCapability)
	check("tags", e.Tags, v.wrongTag)
}

// checkBoard calls add with the problems in the conditions of a board, as check does.
func (v *vocabulary) checkBoard(b *board.Board, add func(path []string, message, suggestion string)) {
	if v == nil {
		return
	}
	for name, wrong := range map[string]func(string) (message, suggestion string){"capability": v.wrongCapability, "tag": v.wrongTag} {
		for i, alternative := range b.Where[name] {
			for value := range strings.SplitSeq(alternative, ",") {
				if message, suggestion := wrong(value); message != "" {
					add([]string{"where", name, strconv.Itoa(i)}, message, suggestion)
				}
			}
		}
	}
}

// wrongCapability returns the reason an entity cannot have a capability, or "".
func (v *vocabulary) wrongCapability(value string) (message, suggestion string) {
	if len(v.capabilities) == 0 || v.capabilities[value] != "" || !ValidSlug(value) {
		return wrongSynonym(value, v.capabilities)
	}
	return yamldoc.Quote(value) + " is not in vocabulary.yaml", v.capabilities[didyoumean.Name(value, v.known)]
}

func (v *vocabulary) wrongTag(value string) (message, suggestion string) {
	return wrongSynonym(value, v.tags)
}

func wrongSynonym(value string, words map[string]string) (message, suggestion string) {
	if slug := words[value]; slug != "" && slug != value {
		return yamldoc.Quote(value) + " is only a synonym in vocabulary.yaml", slug
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
