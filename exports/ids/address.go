package ids

import (
	"net/url"
	"regexp"
	"strings"

	"kindex/exports/record"
)

// scpAddress matches the address of a git repository without a scheme.
var scpAddress = regexp.MustCompile(`^[A-Za-z0-9._-]+@([A-Za-z0-9.-]+):([^/:][^:]*)$`)

func isAddress(text string) bool {
	return strings.Contains(text, "://") || scpAddress.MatchString(text)
}

// sites are the parts of websites whose paths contain identifiers: the start of an address, and the number of
// segments after it that form an identifier. They are searched in order.
var sites = []struct {
	prefix, namespace string
	segments          int
}{
	{"github.com/", "github", 2},
	{"pypi.org/project/", "pypi", 1},
	{"pypi.org/simple/", "pypi", 1},
	{"npmjs.com/package/", "npm", 1},
	{"registry.npmjs.org/", "npm", 1},
	{"crates.io/crates/", "crates", 1},
	{"docs.rs/crate/", "crates", 1},
	{"hub.docker.com/r/", "docker", 2},
	{"hub.docker.com/_/", "docker", 1},
	{"docker.io/", "docker", 2},
	{"anaconda.org/", "conda", 2},
	{"formulae.brew.sh/formula/", "homebrew", 1},
	{"formulae.brew.sh/cask/", "homebrew", 1},
	{"central.sonatype.com/artifact/", "maven", 2},
	{"mvnrepository.com/artifact/", "maven", 2},
	{"huggingface.co/papers/", "arxiv", 1},
	{"huggingface.co/", "huggingface", 2},
	{"huggingface.co/", "huggingface", 1},
	{"ollama.com/library/", "ollama", 1},
	{"openrouter.ai/", "openrouter", 2},
	{"arxiv.org/abs/", "arxiv", 2},
	{"arxiv.org/abs/", "arxiv", 1},
	{"arxiv.org/pdf/", "arxiv", 2},
	{"arxiv.org/pdf/", "arxiv", 1},
	{"arxiv.org/html/", "arxiv", 1},
}

// extraSegment matches identifiers that have a segment more than others at the same site.
var extraSegment = regexp.MustCompile(`^(?:@|datasets/|spaces/)`)

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
		list = onSite(host + "/" + path)
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

// onSite returns the identifiers in the address of a page, without its scheme.
func onSite(address string) (list []Reference) {
	for _, s := range sites {
		rest, ok := strings.CutPrefix(address, s.prefix)
		n := s.segments
		if extraSegment.MatchString(rest) {
			n++
		}
		segments := strings.SplitN(rest, "/", n+1)
		if !ok || len(segments) < n {
			continue
		}
		value, version := strings.Join(segments[:n], "/"), ""
		if len(segments) > n {
			if version = versionIn(segments[n]); version == "" && s.namespace == "huggingface" && s.segments == 1 {
				continue // the first segment is an owner
			}
		}
		switch s.namespace {
		case "github":
			value = strings.TrimSuffix(value, ".git")
		case "maven":
			value = strings.ReplaceAll(value, "/", ":")
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
		if s.namespace != "huggingface" {
			break
		}
	}
	return list
}

// versionIn returns the version or revision that the rest of a path names, or "".
func versionIn(rest string) string {
	first, rest, more := strings.Cut(rest, "/")
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
