package content

import (
	"reflect"
	"slices"
	"strconv"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/record"
	"kindex/exports/view"
)

// The kinds of values by which files refer to each other, or that must be unique.
const (
	byCategory  = iota
	byName      // of its type
	byFormer    // the address of an earlier slug
	byID        // of its type
	byProject   // a key of projects
	byTwin      // a name that the entity's name looks like
	byReference // the address of an entity that a field names
	bySuccessor // the address of the entity that replaces it
	byOffer     // the address of an offer
	bySeries    // of its offers
	claimKinds
)

// claim is a value of a kind.
type claim struct {
	kind int
	key  string
}

// claims lists the files that have a value, for each kind. With this index, the cost of
// checking an edited file against all others depends only on the edited file.
type claims [claimKinds]map[string][]*file

func newClaims() (c claims) {
	for kind := range c {
		c[kind] = map[string][]*file{}
	}
	return c
}

// each calls yield for every value that a file has.
func (c *claims) each(r *file, yield func(claim)) {
	e := r.entity
	if e == nil {
		return
	}
	yield(claim{byCategory, e.Category})
	if e.Name != "" {
		yield(claim{byName, nameKey(e)})
	}
	seen := map[string]bool{}
	for _, id := range ownIDs(e) {
		if key := idKey(e, id); !seen[key] {
			seen[key] = true
			yield(claim{byID, key})
		}
	}
	for _, p := range projects(e) {
		yield(claim{byProject, p.key})
	}
	for _, old := range e.FormerKeys() {
		if !seen[old] {
			seen[old] = true
			yield(claim{byFormer, old})
		}
	}
	if skeleton := latinSkeleton(e.Name); skeleton != "" {
		for _, typ := range e.Declared().Names() {
			yield(claim{byTwin, nameKey(&record.Entity{Type: typ, Name: skeleton})})
		}
	}
	if l := e.Lifecycle; l != nil && l.ReplacedBy != "" {
		yield(claim{bySuccessor, l.ReplacedBy})
	}
	for _, r := range e.References() {
		if !seen[r.Key] {
			seen[r.Key] = true
			yield(claim{byReference, r.Key})
		}
	}
	for i := range e.Offers {
		if key := e.Offers[i].Key(); i == 0 || key != e.Offers[i-1].Key() { // they are sorted
			yield(claim{byOffer, key})
		}
	}
	for _, key := range series(e) {
		yield(claim{bySeries, key})
	}
}

func (c *claims) add(r *file) {
	c.each(r, func(x claim) { c[x.kind][x.key] = append(c[x.kind][x.key], r) })
}

func (c *claims) remove(r *file) {
	c.each(r, func(x claim) {
		if left := slices.DeleteFunc(c[x.kind][x.key], func(y *file) bool { return y == r }); len(left) > 0 {
			c[x.kind][x.key] = left
		} else {
			delete(c[x.kind], x.key)
		}
	})
}

// sort sorts the files that have the same value, so that problems are reported for the later ones.
// The lists of categories may contain all files and are never sorted.
func (c *claims) sort(x claim) []*file {
	list := c[x.kind][x.key]
	if x.kind != byCategory && len(list) > 1 && !slices.IsSortedFunc(list, compareFiles) {
		slices.SortFunc(list, compareFiles)
	}
	return list
}

// crossChecks holds the problems between files: undeclared categories, earlier slugs claimed twice,
// duplicate names, and so on. After a change, only the files that it can affect are checked again.
type crossChecks struct {
	problems map[*file]yamldoc.Problems
	rules    rules // the rules that the files were last checked against
	words    *vocabulary
	checked  bool // whether all files have been checked against these rules

	// Changes since the last check: values that files have now or had before, and addresses.
	claims    map[claim]bool
	addresses map[string]bool
}

// note records that a file is about to be replaced, or has just been read.
func (b *crossChecks) note(c *claims, r *file) {
	delete(b.problems, r)
	if !b.checked {
		return // all files will be checked
	}
	b.addresses[r.typ+"/"+r.slug] = true
	c.each(r, func(x claim) { b.claims[x] = true })
}

// affected returns the files that must be checked because of the changes since the last check.
func (f *Folder) affected() map[*file]bool {
	files := map[*file]bool{}
	add := func(list []*file) {
		for _, r := range list {
			files[r] = true
		}
	}
	for x := range f.cross.claims {
		if slices.Contains([]int{byName, byFormer, byID, byProject, byOffer, bySeries}, x.kind) {
			add(f.claims.sort(x))
		}
		if x.kind == byName {
			add(f.claims[byTwin][x.key])
		}
	}
	var addresses []string
	for address := range f.cross.addresses {
		if r := f.files[address+".yaml"]; r != nil {
			files[r] = true
		}
		add(f.claims[byFormer][address])
		add(f.claims[byReference][address])
		addresses = append(addresses, address)
	}
	// A chain of successors may lead to one that has changed.
	for seen := f.cross.addresses; len(addresses) > 0; addresses = addresses[1:] {
		for _, r := range f.claims[bySuccessor][addresses[0]] {
			files[r] = true
			if address := r.typ + "/" + r.slug; !seen[address] {
				seen[address] = true
				addresses = append(addresses, address)
			}
		}
	}
	return files
}

// crossCheck returns the problems between files.
func (f *Folder) crossCheck(c *Content) (problems yamldoc.Problems) {
	b, now := &f.cross, rulesOf(c)
	if !b.checked || !reflect.DeepEqual(b.rules, now) {
		b.problems, b.rules, b.words, b.checked = map[*file]yamldoc.Problems{}, now, newVocabulary(now.vocabulary), true
		for kind := range f.claims {
			for key := range f.claims[kind] {
				f.claims.sort(claim{kind, key})
			}
		}
		for _, r := range f.files {
			f.checkFile(r)
		}
	} else {
		for r := range f.affected() {
			f.checkFile(r)
		}
	}
	b.claims, b.addresses = map[claim]bool{}, map[string]bool{}
	for _, list := range b.problems {
		problems = append(problems, list...)
	}
	return problems
}

// rules are what files are checked against, apart from other files.
type rules struct {
	categories []Category
	vocabulary *record.Vocabulary
	namespaces []string
	providers  []string
	today      string
}

func rulesOf(c *Content) rules {
	r := rules{categories: slices.Clone(c.Categories), vocabulary: c.Vocabulary, namespaces: namespacesOf(c.Kinds), today: today()}
	for _, p := range c.Providers {
		r.providers = append(r.providers, p.Slug)
	}
	return r
}

// checkFile finds the problems between a file and the others.
func (f *Folder) checkFile(r *file) {
	delete(f.cross.problems, r)
	e := r.entity
	if e == nil {
		return // it cannot be read
	}
	with := &f.cross.rules
	complain := func(severity yamldoc.Severity, path []string, message, suggestion string) {
		line, col := 1, 1
		if data, err := readFile(r.path); err == nil {
			line, col = yamldoc.Parse(r.shown, data, yamldoc.TextFields...).Locate(path, false)
		}
		f.cross.problems[r] = append(f.cross.problems[r], yamldoc.Problem{File: r.shown, Line: line, Column: col, Severity: severity,
			Field: yamldoc.FieldName(path), Message: message, Suggestion: suggestion})
	}
	if message, suggestion := wrongCategory(e.Category, with.categories); message != "" {
		complain(yamldoc.Error, []string{"category"}, message, suggestion)
	}
	f.cross.words.check(e, func(path []string, message, suggestion string) { complain(yamldoc.Error, path, message, suggestion) })
	f.checkFormer(r, complain)
	if list := f.claims[byName][nameKey(e)]; e.Name != "" && list[0] != r {
		complain(yamldoc.Warning, []string{"name"}, nameTaken(e.Name, list[0].shown), "")
	}
	message := lookAlike(e, func(typ, name string) string {
		list := f.claims[byName][nameKey(&record.Entity{Type: typ, Name: name})]
		if len(list) == 0 {
			return ""
		}
		return list[0].shown
	})
	if message != "" {
		complain(yamldoc.Warning, []string{"name"}, message, "")
	}
	f.checkIDs(r, complain)
	f.checkProjects(r, complain)
	f.checkShared(r, complain)
	f.checkSeries(r, complain)
	check := factCheck{namespaces: with.namespaces, providers: with.providers, today: with.today, successor: f.successor, near: f.near, add: complain,
		offer: func(o *record.Offer) int { return f.offerIndex(r, o) }}
	check.entity(e)
}

// complainer adds a problem with a file.
type complainer func(severity yamldoc.Severity, path []string, message, suggestion string)

// checkFormer finds earlier slugs that belong to another entity, or that another one claims too.
func (f *Folder) checkFormer(r *file, complain complainer) {
	for i, old := range r.entity.Formerly {
		if slices.Index(r.entity.Formerly, old) != i {
			continue // the schema reports duplicates
		}
		key := r.entity.FormerKeys()[i]
		path := []string{"formerly", indexStep(i)}
		list := f.claims[byFormer][key]
		at, _ := slices.BinarySearchFunc(list, r, compareFiles)
		if owner := f.files[key+".yaml"]; owner != nil && owner != r {
			complain(yamldoc.Error, path, slugTaken(old, owner.shown), "")
		} else if at > 0 {
			complain(yamldoc.Error, path, slugClaimed(old, list[at-1].shown), "")
		}
	}
}

// wrongCategory returns the reason an entity cannot be in a category, or "". declared
// contains the categories from categories.yaml.
func wrongCategory(category string, declared []Category) (message, suggestion string) {
	if category == view.AllBoard {
		return yamldoc.Quote(category) + reservedSlug, ""
	}
	is := func(c Category) bool { return c.Slug == category }
	if slices.ContainsFunc(declared, is) || !ValidSlug(category) {
		return "", ""
	}
	if device := DeviceName(category); device != "" {
		return yamldoc.Quote(category) + device, ""
	}
	if len(declared) == 0 {
		return "", ""
	}
	var slugs []string
	for _, c := range declared {
		if slices.Contains(c.Formerly, category) {
			return yamldoc.Quote(category) + " is the former slug of a category", c.Slug
		}
		slugs = append(slugs, c.Slug)
	}
	return yamldoc.Quote(category) + " is not in categories.yaml", didyoumean.Name(category, slugs)
}

func slugTaken(old, by string) string   { return yamldoc.Quote(old) + " is the slug of " + by }
func slugClaimed(old, by string) string { return yamldoc.Quote(old) + " is also claimed by " + by }
func nameTaken(name, by string) string  { return yamldoc.Quote(name) + " is also the name of " + by }

func idTaken(id record.ID, by string) string {
	return yamldoc.Quote(id.Value) + " is also an identifier of " + by
}

func nameKey(e *record.Entity) string { return e.Type + "/" + record.Fold(e.Name) }

// indexStep formats a list index as one element of a document path.
func indexStep(i int) string { return strconv.Itoa(i) }
