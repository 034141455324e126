package content

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// project is an identifier that two entities may have, but with which another one is probably the
// same project.
type project struct {
	key string
	id  record.ID
}

// projects returns the package of an entity, whose link others may have too, and the repositories
// of an entity, with its name without spaces and punctuation: one repository may contain several.
func projects(e *record.Entity) (list []project) {
	for _, id := range e.IDs {
		p := project{idKey(e, id), id}
		switch {
		case id.Namespace == "github" || id.Namespace == "gitlab":
			p.key += "\x00" + record.FoldName(e.Name)
		case id.Namespace != "pypi" || hasBlock(e, kinds.Offers): // models have the packages of tools
			continue
		}
		if !slices.ContainsFunc(list, func(other project) bool { return other.key == p.key }) {
			list = append(list, p)
		}
	}
	return list
}

// checkProjects finds entities that are probably in another file too.
func (a *among) checkProjects(r *file, complain complainer) {
	for _, p := range projects(r.entity) {
		first := a.claims[byProject][p.key][0]
		if first == r || nameKey(first.entity) == nameKey(r.entity) {
			continue // a warning about the name is enough
		}
		if owners := a.claims[byID][idKey(r.entity, p.id)]; slices.Contains(owners, r) && owners[0] != r {
			continue // an error
		}
		path := []string{"ids", p.id.Namespace}
		if slices.Contains(record.LinkedIDs(r.entity.Links), p.id) {
			path = []string{"links", map[string]string{"github": "repository", "pypi": "package"}[p.id.Namespace]}
		}
		complain(yamldoc.Warning, path, yamldoc.Quote(p.id.Value)+" is also of "+first.shown+"; are both the same?", "")
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
			path := []string{"offers"}
			if at := c.offer(&e.Offers[i]); at >= 0 {
				path = append(path, strconv.Itoa(at), "provider")
			}
			c.add(yamldoc.Error, path, yamldoc.Quote(p)+" is not in providers.yaml", didyoumean.Name(p, providers))
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
	if strings.Contains(l.ReplacedBy, "/") && l.ReplacedBy != e.Key() {
		if problem := c.successorProblem(e); problem != "" {
			c.add(yamldoc.Error, []string{"lifecycle", "replacedBy"}, problem, "")
		}
	}
	if _, err := record.DayNumber(l.Retires); err == nil && l.Retires != "" && l.Retires < today() && e.Status != record.Withdrawn {
		c.add(yamldoc.Warning, []string{"lifecycle", "retires"},
			l.Retires+" has passed, but status is "+e.Status+"; set status to withdrawn, or correct the date", "")
	}
}

// successorProblem returns why an entity cannot be replaced by its successor, or "".
func (c *siblingCheck) successorProblem(e *record.Entity) string {
	next := e.Lifecycle.ReplacedBy
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

// today returns the current date in UTC. Only warnings depend on it, never the content of a
// build.
func today() string { return time.Now().UTC().Format(time.DateOnly) }

// namespacesOf lists the built-in namespaces and those that an index declares, sorted.
func namespacesOf(declared *kinds.Set) []string {
	names := ids.Names()
	for _, n := range declared.IDs {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names
}

// offerIndex returns the index of an offer among the fields of an entity, or -1.
func offerIndex(fields map[string]any, o *record.Offer) int {
	list, _ := fields["offers"].([]any)
	return slices.IndexFunc(list, func(v any) bool {
		m, _ := v.(map[string]any)
		return yamldoc.Text(m["provider"]) == o.Provider && yamldoc.Text(m["id"]) == o.ID
	})
}

// ownIDs returns the identifiers that no other entity of the type may have. Those that
// follow from links are not among them: two entities may have the same link.
func ownIDs(e *record.Entity) (list []record.ID) {
	linked := record.LinkedIDs(e.Links)
	for _, id := range e.IDs {
		if n := ids.Find(id.Namespace); (n == nil || !n.Shared) && !slices.Contains(linked, id) {
			list = append(list, id)
		}
	}
	return list
}

// idKey returns the key by which identifiers of a type are compared.
func idKey(e *record.Entity, id record.ID) string {
	return e.Type + "\x00" + id.Namespace + "\x00" + ids.Canonical(id.Namespace, id.Value)
}
