// Package ids defines the namespaces of an entity's identifiers in registries, on code
// hosts and at providers: their syntax, and which values are equal.
package ids

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"kindex/exports/kinds"
)

// Namespace is a registry, a code host or a provider that has its own identifiers.
type Namespace struct {
	Name  string // the key in ids
	Title string
	// Pattern matches valid values, and Hint describes them.
	Pattern *regexp.Regexp
	Hint    string
	// Page is the address of a value's page, with {id} for the value; "" if there is none.
	Page string
	// Shared reports whether several entities of a type may have the same value.
	Shared bool
	// FoldCase reports whether values that differ only in case are equal.
	FoldCase bool
}

var (
	twoParts = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9._-]+$`)
	parts    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9._-]+)+$`)
	word     = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	model    = regexp.MustCompile(`^[A-Za-z0-9@~][A-Za-z0-9._:/@+~-]*$`)
)

// Namespaces lists the built-in namespaces.
//
// The patterns follow the registries' documentation: PyPI
// https://packaging.python.org/specifications/name-normalization/, npm
// https://docs.npmjs.com/cli/configuring-npm/package-json#name, arXiv
// https://info.arxiv.org/help/arxiv_identifier.html, DOI
// https://www.crossref.org/blog/dois-and-matching-regular-expressions/.
var Namespaces = []Namespace{
	{"github", "GitHub", twoParts, "owner/name", "https://github.com/{id}", true, true},
	{"gitlab", "GitLab", parts, "group/name", "https://gitlab.com/{id}", true, true},
	{"pypi", "PyPI", word, "a project name such as scikit-learn", "https://pypi.org/project/{id}/", false, true},
	{"npm", "npm", regexp.MustCompile(`^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$`), "a package name such as @scope/name, in lower case", "https://www.npmjs.com/package/{id}", false, false},
	{"crates", "crates.io", regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`), "a crate name", "https://crates.io/crates/{id}", false, true},
	{"go", "Go", regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*\.[a-z]+(/[A-Za-z0-9._~-]+)*$`), "a module path such as example.org/module", "https://pkg.go.dev/{id}", false, false},
	{"maven", "Maven", regexp.MustCompile(`^[A-Za-z0-9._-]+:[A-Za-z0-9._-]+$`), "group:artifact", "", false, false},
	{"conda", "conda", regexp.MustCompile(`^([a-z0-9-]+/)?[a-z0-9_.-]+$`), "a package name, or channel/name", "", false, true},
	{"docker", "Docker Hub", regexp.MustCompile(`^[a-z0-9]+([._-][a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)?$`), "namespace/name in lower case", "https://hub.docker.com/r/{id}", false, false},
	{"homebrew", "Homebrew", regexp.MustCompile(`^[a-z0-9][a-z0-9@+._-]*$`), "the name of a formula or cask", "", false, false},
	{"huggingface", "Hugging Face", regexp.MustCompile(`^(datasets/|spaces/)?[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9._-]+)?$`), "owner/name", "https://huggingface.co/{id}", false, true},
	{"openrouter", "OpenRouter", model, "a model name such as lab/model", "https://openrouter.ai/{id}", false, false},
	{"litellm", "LiteLLM", model, "a model name", "", false, false},
	{"modelsdev", "models.dev", twoParts, "lab/model", "", false, false},
	{"bedrock", "Amazon Bedrock", model, "a model name", "", false, false},
	{"vertex", "Google Vertex AI", model, "a model name", "", false, false},
	{"azure", "Azure AI", model, "a model name", "", false, false},
	{"ollama", "Ollama", model, "a model name", "https://ollama.com/library/{id}", false, false},
	{"doi", "DOI", regexp.MustCompile(`^10\.[0-9]{4,9}/[^\s"<>]+$`), "a DOI such as 10.1000/182, without https://doi.org/", "https://doi.org/{id}", true, true},
	{"arxiv", "arXiv", regexp.MustCompile(`^([0-9]{4}\.[0-9]{4,5}|[a-z-]+(\.[A-Z]{2})?/[0-9]{7})$`), "an identifier such as 1706.03762, without a version", "https://arxiv.org/abs/{id}", true, false},
}

// Find returns the built-in namespace with a name, or nil if there is none.
func Find(name string) *Namespace {
	i := slices.IndexFunc(Namespaces, func(n Namespace) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return &Namespaces[i]
}

// In returns the namespace with a name that an index has: one that it declares, or a built-in one. It
// returns nil if there is none.
func In(declared *kinds.Set, name string) *Namespace {
	for _, n := range declared.IDs {
		if n.Name == name {
			return &Namespace{Name: n.Name, Title: n.Title, Page: n.Page}
		}
	}
	return Find(name)
}

// Address returns the address of a value's page, or "" if there is none.
func (n *Namespace) Address(value string) string {
	before, after, ok := strings.Cut(n.Page, "{id}")
	if !ok {
		return ""
	}
	if strings.ContainsAny(before, "?#") {
		return before + url.QueryEscape(value) + after
	}
	parts := strings.Split(value, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return before + strings.Join(parts, "/") + after
}

// Names returns the names of the built-in namespaces.
func Names() []string {
	names := make([]string, len(Namespaces))
	for i, n := range Namespaces {
		names[i] = n.Name
	}
	return names
}

var pypiSeparators = regexp.MustCompile(`[-_.]+`)

// Canonical returns the form in which values of a namespace are compared. For PyPI it is
// the normalized name, for crates.io the name with hyphens; neither registry has two
// projects with the same one.
func Canonical(namespace, value string) string {
	n := Find(namespace)
	if n != nil && n.FoldCase {
		value = strings.ToLower(value)
	}
	switch namespace {
	case "pypi":
		if !strings.ContainsAny(value, "_.") && !strings.Contains(value, "--") {
			return value
		}
		return pypiSeparators.ReplaceAllString(value, "-")
	case "crates":
		return strings.ReplaceAll(value, "_", "-")
	case "conda":
		return strings.TrimPrefix(value, "conda-forge/")
	case "docker":
		return strings.TrimPrefix(value, "library/")
	case AnyModel:
		return strings.ToLower(value) // providers write the same name differently
	}
	return value
}
