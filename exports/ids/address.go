package ids

import (
	"net/url"
	"regexp"
	"strings"

	"kindex/exports/record"
)

// scpAddress matches the address of a git repository without a scheme.
var scpAddress = regexp.MustCompile(`^[A-Za-z0-9._-]+@([A-Za-z0-9.-]+):([^/:][^:]*)$`)

// isAddress reports whether a text is an address rather than an identifier.
func isAddress(text string) bool {
	return strings.Contains(text, "://") || scpAddress.MatchString(text)
}

// site is a part of a website whose paths contain identifiers.
type site struct {
	host      string
	prefix    string // of the path
	namespace string
	parts     int    // segments of the path that form the identifier
	prepend   string // what the identifier starts with
	separator string // between its segments, if not a slash
}

// sites are searched in order.
var sites = []site{
	{host: "github.com", namespace: "github", parts: 2},
	{host: "pypi.org", prefix: "project/", namespace: "pypi", parts: 1},
	{host: "pypi.org", prefix: "simple/", namespace: "pypi", parts: 1},
	{host: "npmjs.com", prefix: "package/@", namespace: "npm", parts: 2, prepend: "@"},
	{host: "npmjs.com", prefix: "package/", namespace: "npm", parts: 1},
	{host: "registry.npmjs.org", prefix: "@", namespace: "npm", parts: 2, prepend: "@"},
	{host: "registry.npmjs.org", namespace: "npm", parts: 1},
	{host: "crates.io", prefix: "crates/", namespace: "crates", parts: 1},
	{host: "docs.rs", prefix: "crate/", namespace: "crates", parts: 1},
	{host: "hub.docker.com", prefix: "r/", namespace: "docker", parts: 2},
	{host: "hub.docker.com", prefix: "_/", namespace: "docker", parts: 1},
	{host: "docker.io", namespace: "docker", parts: 2},
	{host: "anaconda.org", namespace: "conda", parts: 2},
	{host: "formulae.brew.sh", prefix: "formula/", namespace: "homebrew", parts: 1},
	{host: "formulae.brew.sh", prefix: "cask/", namespace: "homebrew", parts: 1},
	{host: "central.sonatype.com", prefix: "artifact/", namespace: "maven", parts: 2, separator: ":"},
	{host: "mvnrepository.com", prefix: "artifact/", namespace: "maven", parts: 2, separator: ":"},
	{host: "huggingface.co", prefix: "datasets/", namespace: "huggingface", parts: 2, prepend: "datasets/"},
	{host: "huggingface.co", prefix: "spaces/", namespace: "huggingface", parts: 2, prepend: "spaces/"},
	{host: "huggingface.co", prefix: "papers/", namespace: "arxiv", parts: 1},
	{host: "huggingface.co", namespace: "huggingface", parts: 2},
	{host: "huggingface.co", namespace: "huggingface", parts: 1},
	{host: "ollama.com", prefix: "library/", namespace: "ollama", parts: 1},
	{host: "openrouter.ai", namespace: "openrouter", parts: 2},
	{host: "arxiv.org", prefix: "abs/", namespace: "arxiv", parts: 2},
	{host: "arxiv.org", prefix: "abs/", namespace: "arxiv", parts: 1},
	{host: "arxiv.org", prefix: "pdf/", namespace: "arxiv", parts: 2},
	{host: "arxiv.org", prefix: "pdf/", namespace: "arxiv", parts: 1},
	{host: "arxiv.org", prefix: "html/", namespace: "arxiv", parts: 1},
}

// hostAliases maps hosts to the ones that sites lists.
var hostAliases = map[string]string{"hf.co": "huggingface.co", "export.arxiv.org": "arxiv.org", "dx.doi.org": "doi.org"}

// parseAddress returns the meanings of a web or repository address. The last one is the
// address itself, which a link of an entity can be.
func parseAddress(text string, known Known) (list []Reference) {
	if !strings.Contains(text, "://") {
		if m := scpAddress.FindStringSubmatch(text); m != nil {
			text = "https://" + m[1] + "/" + m[2]
		}
	}
	u, err := url.Parse(strings.TrimPrefix(text, "git+"))
	if err != nil || u.Host == "" {
		return nil
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if alias := hostAliases[host]; alias != "" {
		host = alias
	}
	path := strings.Trim(u.Path, "/")
	switch host {
	case "gitlab.com":
		project, _, _ := strings.Cut(path, "/-/")
		list = references("gitlab", strings.TrimSuffix(project, ".git"))
	case "pkg.go.dev":
		module, version, _ := strings.Cut(path, "@")
		version, _, _ = strings.Cut(version, "/")
		list = goReferences(module, version)
	case "doi.org":
		list = references("doi", path)
	default:
		list = onSite(host, path)
	}
	u.Scheme, u.User, u.Host = "https", nil, host
	address := record.NormalizeURL(u.String())
	if known != nil {
		if namespace, value, ok := known.IDOnPage(address); ok {
			list = append(list, references(namespace, value)...)
		}
	}
	return append(list, Reference{Namespace: URL, Value: address})
}

// onSite returns the identifiers in the path of a page on a host of sites.
func onSite(host, path string) (list []Reference) {
	for i := range sites {
		s := &sites[i]
		if s.host != host {
			continue
		}
		rest, ok := strings.CutPrefix(path, s.prefix)
		if !ok {
			continue
		}
		value, rest, ok := cutSegments(rest, s.parts)
		if !ok {
			continue
		}
		version := versionIn(rest)
		if rest != "" && version == "" && s.namespace == "huggingface" && s.parts == 1 {
			continue // the first segment is an owner
		}
		if s.separator != "" {
			value = strings.ReplaceAll(value, "/", s.separator)
		}
		value = s.prepend + value
		switch s.namespace {
		case "github":
			value = strings.TrimSuffix(value, ".git")
		case "docker", "ollama":
			if name, tag, ok := strings.Cut(value, ":"); ok {
				value, version = name, tag
			}
		case "arxiv":
			if r, ok := parsePaper(strings.TrimSuffix(value, ".pdf")); ok {
				return append(list, r)
			}
			continue
		}
		for _, r := range references(s.namespace, value) {
			r.Version = version
			list = append(list, r)
		}
		if s.prefix != "" {
			break
		}
	}
	return list
}

// cutSegments splits a path after its first n segments. The rest is empty or starts with a
// slash. ok is false if there are fewer segments.
func cutSegments(path string, n int) (first, rest string, ok bool) {
	end := -1 // of the segments so far
	for range n {
		if end == len(path) {
			return "", "", false
		}
		if i := strings.IndexByte(path[end+1:], '/'); i >= 0 {
			end += 1 + i
		} else {
			end = len(path)
		}
	}
	return path[:end], path[end:], true
}

// versionIn returns the version or revision that the rest of a path names, or "".
func versionIn(rest string) string {
	first, rest, more := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	switch first {
	case "v", "tree", "blob", "resolve", "commit":
		version, _, _ := strings.Cut(rest, "/")
		return version // "" if there are no more segments
	}
	if !more && first != "" && first[0] >= '0' && first[0] <= '9' {
		return first
	}
	return ""
}
