package ids

import (
	"strings"

	packageurl "github.com/package-url/packageurl-go"
)

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
