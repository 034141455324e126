package content

import (
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/ids"
	"kindex/exports/record"
)

// complainer adds a problem with a file.
type complainer func(r *file, severity yamldoc.Severity, path []string, message, suggestion string)

// crossCheckFacts finds identifiers that belong to two entities, and names of namespaces,
// providers and successors that do not exist.
func (f *Folder) crossCheckFacts(c *Content, complain complainer) {
	for _, list := range f.claims.ids {
		if len(list) < 2 {
			continue
		}
		slices.SortFunc(list, compareFiles)
		for _, r := range list[1:] {
			for _, id := range ownIDs(r.entity) {
				if others := f.claims.ids[idKey(r.entity, id)]; len(others) > 1 && others[0] == list[0] {
					complain(r, yamldoc.Error, []string{"ids", id.Namespace}, yamldoc.Quote(id.Value)+" is also an identifier of "+list[0].shown, "")
				}
			}
		}
	}
	var namespaces, providers []string
	for _, n := range c.Index.IDs {
		namespaces = append(namespaces, n.Name)
	}
	for _, p := range c.Providers {
		providers = append(providers, p.Slug)
	}
	namespaces = append(namespaces, ids.Names()...)
	slices.Sort(namespaces)
	for _, r := range f.order {
		if r.entity != nil {
			f.crossCheckNames(r, namespaces, providers, complain)
		}
	}
}

func (f *Folder) crossCheckNames(r *file, namespaces, providers []string, complain complainer) {
	e := r.entity
	for i, id := range e.IDs {
		if i > 0 && e.IDs[i-1].Namespace == id.Namespace {
			continue
		}
		if !slices.Contains(namespaces, id.Namespace) {
			complain(r, yamldoc.Error, []string{"ids", id.Namespace}, "unknown namespace; index.yaml can declare it", didyoumean.Name(id.Namespace, namespaces))
		}
	}
	for i := range e.Offers {
		if p := e.Offers[i].Provider; len(providers) > 0 && p != "" && !slices.Contains(providers, p) {
			complain(r, yamldoc.Error, f.pathOfOffer(r, &e.Offers[i], "provider"), yamldoc.Quote(p)+" is not in providers.yaml", didyoumean.Name(p, providers))
		}
	}
	if l := e.Lifecycle; l != nil && strings.Contains(l.ReplacedBy, "/") && l.ReplacedBy != e.Key() {
		if problem := f.successorProblem(e); problem != "" {
			complain(r, yamldoc.Error, []string{"lifecycle", "replacedBy"}, problem, "")
		}
	}
}

// successorProblem returns why an entity cannot be replaced by its successor, or "".
func (f *Folder) successorProblem(e *record.Entity) string {
	next := e.Lifecycle.ReplacedBy
	for seen := map[string]bool{e.Key(): true}; next != ""; {
		r := f.files[next+".yaml"]
		if r == nil {
			if next == e.Lifecycle.ReplacedBy {
				return yamldoc.Quote(next) + " does not exist"
			}
			return "" // a problem of another file
		}
		if seen[next] {
			return "leads back to " + next + "; a chain of successors must end"
		}
		seen[next] = true
		if next = ""; r.entity != nil && r.entity.Lifecycle != nil {
			next = r.entity.Lifecycle.ReplacedBy
		}
	}
	return ""
}

// pathOfOffer returns the path of a field of an offer in its file, which need not be sorted.
func (f *Folder) pathOfOffer(r *file, o *record.Offer, field string) []string {
	if data, err := readFile(r.path); err == nil {
		list, _ := yamldoc.ValueAt(yamldoc.Parse(r.shown, data, yamldoc.TextFields...).Value, []string{"offers"}).([]any)
		for i, v := range list {
			if m, _ := v.(map[string]any); yamldoc.Text(m["provider"]) == o.Provider && yamldoc.Text(m["id"]) == o.ID {
				return []string{"offers", strconv.Itoa(i), field}
			}
		}
	}
	return []string{"offers"}
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
