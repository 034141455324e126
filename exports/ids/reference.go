package ids

import (
	"regexp"
	"strings"

	packageurl "github.com/package-url/packageurl-go"

	"kindex/exports/record"
)

// The prefixes of references that are not namespaces of their own.
const (
	// AnyModel is for the identifier of a model at any provider or model hub.
	AnyModel = "model"
	// URL is for a web address in the form of record.NormalizeURL.
	URL = "url"
)

// Reference is an identifier as a text states it.
type Reference struct {
	// Namespace is a namespace, the slug of a provider of offers, AnyModel or URL.
	Namespace string
	Value     string // in the form of Canonical
	// Version and Qualifiers are what else the text states, or "". Qualifiers are those
	// of a package URL.
	Version, Qualifiers string
}

// String returns the reference as namespace:id, without its version.
func (r Reference) String() string { return r.Namespace + ":" + r.Value }

// Known reports to Parse which names an index has in addition to the built-in namespaces.
type Known interface {
	// IsIDNamespace reports whether a name is a declared namespace or the slug of a provider.
	IsIDNamespace(name string) bool
	// IDOnPage returns the identifier in a declared namespace whose page has an address.
	IDOnPage(address string) (namespace, value string, ok bool)
}

// modelNamespaces are the namespaces whose identifiers are names of models.
var modelNamespaces = map[string]bool{
	"huggingface": true, "openrouter": true, "litellm": true, "modelsdev": true,
	"bedrock": true, "vertex": true, "azure": true, "ollama": true,
}

// NamesModels reports whether the identifiers in a namespace are the names of models. Those
// in declared namespaces can be.
func NamesModels(namespace string) bool {
	return modelNamespaces[namespace] || Find(namespace) == nil && namespace != URL
}

// Parse returns what a text can refer to, the most likely first: a package URL, the address
// of a repository, a package, a model or a paper, namespace:id, a DOI, an arXiv identifier,
// or the name of a model at a provider. It returns nil for a package URL that is invalid and
// for text without any meaning.
func Parse(text string, known Known) []Reference {
	text = strings.TrimSpace(text)
	switch prefix, rest, colon := strings.Cut(text, ":"); {
	case text == "":
		return nil
	case colon && strings.EqualFold(prefix, "pkg"):
		return parsePackageURL(text)
	case isAddress(text):
		return parseAddress(text, known)
	case colon && isPrefix(strings.ToLower(prefix), known):
		list := parseNamespaced(strings.ToLower(prefix), strings.TrimSpace(rest))
		return append(list, references(AnyModel, text)...) // names of models can contain colons
	}
	if r, ok := parsePaper(text); ok {
		return alternatives(r)
	}
	if list := parseAddress("https://"+text, nil); len(list) > 1 { // more than the address itself
		return append(list, modelNames(text, known)...)
	}
	return modelNames(text, known)
}

func isPrefix(name string, known Known) bool {
	return name == AnyModel || name == URL || Find(name) != nil || known != nil && known.IsIDNamespace(name)
}

// parseNamespaced returns the meaning of namespace:id.
func parseNamespaced(namespace, value string) []Reference {
	switch namespace {
	case AnyModel:
		return modelNames(value, nil)
	case URL:
		return []Reference{{Namespace: URL, Value: record.NormalizeURL("https://" + value)}}
	case "go":
		return goReferences(value, "")
	case "arxiv", "doi":
		if r, ok := parsePaper(value); ok && r.Namespace == namespace {
			return alternatives(r)
		}
		return nil
	}
	return references(namespace, value)
}

// newReference returns a reference if the value is valid in its namespace.
func newReference(namespace, value string) (Reference, bool) {
	if namespace == "conda" {
		value = strings.ToLower(value) // as conda does
	}
	if n := Find(namespace); value == "" || n != nil && !n.Pattern.MatchString(value) {
		return Reference{}, false
	}
	return Reference{Namespace: namespace, Value: Canonical(namespace, value)}, true
}

// modelNames returns the meanings of a model's name at a provider. A name can start with
// the provider.
func modelNames(text string, known Known) []Reference {
	if !model.MatchString(text) {
		return nil
	}
	list := []Reference{{Namespace: AnyModel, Value: Canonical(AnyModel, text)}}
	if provider, rest, ok := strings.Cut(text, "/"); ok && rest != "" && isPrefix(strings.ToLower(provider), known) {
		list = append(list, Reference{Namespace: strings.ToLower(provider), Value: Canonical(strings.ToLower(provider), rest)})
	}
	return list
}

var (
	arxivText = regexp.MustCompile(`^(?i:arxiv:)?([0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7})(?:v([0-9]+))?$`)
	arxivDOI  = regexp.MustCompile(`^10\.48550/arxiv\.(.+)$`)
)

// parsePaper reads a DOI or an arXiv identifier, which can have a version. arXiv registers a
// DOI for each of its papers (https://info.arxiv.org/help/doi.html).
func parsePaper(text string) (Reference, bool) {
	if m := arxivText.FindStringSubmatch(text); m != nil {
		r, ok := newReference("arxiv", m[1])
		r.Version = m[2]
		return r, ok
	}
	if strings.HasPrefix(text, "10.") {
		return newReference("doi", text)
	}
	return Reference{}, false
}

// publicChannels are channels of conda whose packages have the same names.
var publicChannels = map[string]bool{
	"conda-forge": true, "defaults": true, "main": true, "anaconda": true, "pytorch": true, "nvidia": true, "bioconda": true,
	"huggingface": true, "fastai": true, "intel": true, "rapidsai": true, "dglteam": true, "pyg": true, "xformers": true,
}

// PublicChannel reports whether a package in a channel of conda has the name that it has elsewhere.
func PublicChannel(name string) bool { return publicChannels[strings.ToLower(name)] }

// alternatives returns a reference and what else names the same thing: for the DOI of a paper
// that arXiv registered, the paper; for a package in a public channel, the package.
func alternatives(r Reference) []Reference {
	list := []Reference{r}
	switch r.Namespace {
	case "doi":
		if m := arxivDOI.FindStringSubmatch(r.Value); m != nil {
			if paper, ok := newReference("arxiv", m[1]); ok {
				list = append(list, paper)
			}
		}
	case "conda":
		if channel, name, ok := strings.Cut(r.Value, "/"); ok && publicChannels[channel] {
			list = append(list, Reference{Namespace: "conda", Value: name})
		}
	}
	return list
}

var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// goReferences returns the meanings of a Go module path: the module, the same module
// without its major version, and the repository on GitHub or GitLab that contains it.
func goReferences(path, version string) (list []Reference) {
	if r, ok := newReference("go", path); ok {
		r.Version = version
		list = append(list, r)
		if short := majorVersion.ReplaceAllString(r.Value, ""); short != r.Value {
			list = append(list, Reference{Namespace: "go", Value: short, Version: version})
		}
	}
	host, rest, _ := strings.Cut(path, "/")
	namespace := strings.TrimSuffix(host, ".com")
	if namespace != "github" && namespace != "gitlab" {
		return list
	}
	if parts := strings.SplitN(rest, "/", 3); len(parts) > 1 {
		if r, ok := newReference(namespace, parts[0]+"/"+parts[1]); ok {
			r.Version = version
			list = append(list, r)
		}
	}
	return list
}

// purlNamespaces maps types of package URLs to namespaces with another name
// (https://github.com/package-url/purl-spec/tree/main/types).
var purlNamespaces = map[string]string{"cargo": "crates", "golang": "go", "brew": "homebrew"}

// parsePackageURL returns the meanings of a package URL. Its version and qualifiers do
// not identify the package, except for the channel of a conda package.
func parsePackageURL(text string) (list []Reference) {
	p, err := packageurl.FromString(text)
	if err != nil {
		return nil
	}
	namespace := p.Type
	if other := purlNamespaces[p.Type]; other != "" {
		namespace = other
	}
	value := strings.TrimPrefix(p.Namespace+"/"+p.Name, "/")
	switch namespace {
	case "go":
		list = goReferences(strings.TrimSuffix(value+"/"+p.Subpath, "/"), "")
		if p.Subpath != "" {
			list = append(list, goReferences(value, "")...)
		}
	case "maven":
		list = references(namespace, p.Namespace+":"+p.Name)
	case "pypi":
		name, _, _ := strings.Cut(value, "[") // extras
		list = references(namespace, name)
	case "docker", "oci":
		list = references("docker", imageName(value, p.Qualifiers.Map()["repository_url"]))
	case "conda":
		if channel := p.Qualifiers.Map()["channel"]; channel != "" {
			list = references(namespace, channel+"/"+value)
		}
		list = append(list, references(namespace, value)...)
	default:
		list = references(namespace, value)
	}
	for i := range list {
		list[i].Version, list[i].Qualifiers = p.Version, p.Qualifiers.String()
	}
	return list
}

// imageName returns the name of an image at Docker Hub, or "" if it is at another registry.
func imageName(name, repository string) string {
	if repository != "" {
		if repository = strings.Trim(repository, "/"); repository != name && !strings.HasSuffix(repository, "/"+name) {
			repository += "/" + name
		}
		name = repository
	}
	host, rest, ok := strings.Cut(strings.TrimPrefix(name, "https://"), "/")
	switch {
	case !ok || !strings.ContainsAny(host, ".:"):
		return name
	case host == "docker.io" || host == "index.docker.io" || host == "registry-1.docker.io" || host == "hub.docker.com":
		return rest
	}
	return ""
}

// references returns the reference to a value, if it is valid, as a list.
func references(namespace, value string) []Reference {
	if r, ok := newReference(namespace, value); ok {
		return alternatives(r)
	}
	return nil
}
