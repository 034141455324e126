package record

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// ID is the identifier of an entity in a registry or at a provider.
type ID struct {
	Namespace string // such as pypi
	Value     string
}

// IDsIn returns the identifiers in a namespace.
func (e *Entity) IDsIn(namespace string) []string { return idsIn(e.IDs, namespace) }

func idsIn(ids []ID, namespace string) (values []string) {
	for _, id := range ids {
		if id.Namespace == namespace {
			values = append(values, id.Value)
		}
	}
	return values
}

// SortIDs sorts identifiers by namespace. Those in one namespace keep their order.
func SortIDs(ids []ID) {
	slices.SortStableFunc(ids, func(a, b ID) int { return strings.Compare(a.Namespace, b.Namespace) })
}

// linkedID matches the values that LinkedIDs takes from addresses.
var linkedID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9._-]+)?$`)

// LinkedIDs returns the identifiers that follow from the links of an entity: its GitHub
// repository and its PyPI project. An entity has them unless its file states others.
func LinkedIDs(links []Link) (list []ID) {
	for _, l := range links {
		var id ID
		switch l.Name {
		case "repository":
			id = ID{"github", pathUnder(l.URL, "github.com", "", 2)}
		case "package":
			id = ID{"pypi", pathUnder(l.URL, "pypi.org", "project/", 1)}
		}
		if linkedID.MatchString(id.Value) {
			list = append(list, id)
		}
	}
	SortIDs(list)
	return list
}

// pathUnder returns the path of an address on a host, without a prefix, if it has the given
// number of parts, or else "".
func pathUnder(address, host, prefix string, parts int) string {
	u, err := url.Parse(address)
	if err != nil || strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") != host {
		return ""
	}
	path, ok := strings.CutPrefix(strings.Trim(u.Path, "/"), prefix)
	if path = strings.TrimSuffix(path, ".git"); !ok || strings.Count(path, "/") != parts-1 {
		return ""
	}
	return path
}

// NormalizeURL returns the form in which URLs are compared, so that two URLs of the
// same page are equal: without the scheme, "www.", the default port, trailing
// slashes or ".git". Case is ignored in the host, and in the path on the two code
// hosts that ignore it.
func NormalizeURL(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" {
		return strings.ToLower(s)
	}
	host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	host = strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80")
	path := strings.TrimRight(u.EscapedPath(), "/")
	path = strings.TrimRight(strings.TrimSuffix(path, ".git"), "/")
	if host == "github.com" || host == "gitlab.com" {
		path = strings.ToLower(path)
	}
	plain := host + path
	if u.RawQuery != "" {
		plain += "?" + u.RawQuery
	}
	if u.Fragment != "" {
		plain += "#" + u.EscapedFragment()
	}
	return plain
}
