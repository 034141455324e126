package manifest

import (
	"cmp"
	"net/url"
	"strings"
)

var (
	// userinfo matches what precedes the @ of an address, as it is or encoded in a package URL.
	userinfo = lazily(`(?i)((?:^|[\s"'=]|:|%3A)(?:/|%2F){2})(?:[^\s/?#"'%]|%[^2\s/]|%2[^F\s/])*%?(?:@|%40)`)
	password = lazily(`(?i)((?:https?|ftp)://)[^\s/?#"'@:]*:[0-9]*[^0-9/\s"'@][^\s"'@]*@`) // with a slash in it
	account  = lazily(`(^|[\s"'=+])(?:[A-Za-z0-9_.%-]+(?::[^\s@/"']*)?@)+([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}[:/])`)
	secrets  = lazily(`(?i)((?:[?&;#]|%3F|%26)[^=&#\s%]*(?:token|key|secret|passw|pwd|signature|sig|auth|credential|session|jwt)[^=&#\s%]*(?:=|%3D))(?:[^&#\s"'%]|%[^2\s]|%2[^6\s])+`)
	inPath   = lazily(`(://[^\s"']*?/t/|://(?:dl\.cloudsmith\.io|[a-z0-9-]+\.fury\.io)/)[^/\s"']+`) // at Anaconda, Cloudsmith and Gemfury
	// tokens matches those that services recognize by their form.
	tokens = lazily(`\b(?:sk-(?:(?:ant|proj|or|svcacct|admin)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{20,})|(?:gh[pousr]|hf|npm|r8|gsk)_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|` +
		`glpat-[A-Za-z0-9_-]{16,}|pypi-Ag[A-Za-z0-9_-]{20,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30,}|xox[a-z]-[A-Za-z0-9-]{16,}|(?:xai|pplx|nvapi)-[A-Za-z0-9_-]{30,}|` +
		`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)`)
)

// shortestToken is the length of the shortest text that tokens matches.
const shortestToken = 19

// scrub removes user information and other secrets from a text.
func scrub(s string) string {
	if strings.ContainsAny(s, "@?&%") || strings.Contains(s, "://") {
		s = password().ReplaceAllString(s, "$1")
		s = userinfo().ReplaceAllString(s, "$1")
		s = account().ReplaceAllString(s, "$1$2")
		s = secrets().ReplaceAllString(s, "$1***")
		s = inPath().ReplaceAllString(s, "$1***")
	}
	if len(s) < shortestToken {
		return s
	}
	return tokens().ReplaceAllString(s, "***")
}

var (
	scp = lazily(`^(?:ssh://)?(?:[^@/\s]+@)?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+):([A-Za-z~_][^\s]*)$`)
	// wheel and source match the names of Python's archives, and condaArchive those of conda's.
	wheel        = lazily(`^([A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?)-([0-9][^-]*)(?:-[^-]+){3,4}\.whl$`)
	source       = lazily(`^([A-Za-z0-9][A-Za-z0-9._-]*?)-([0-9][A-Za-z0-9.+!_]*)\.(?:tar\.(?:gz|bz2|xz)|tgz|zip)$`)
	condaArchive = lazily(`^(.+)-([^-]+)-([^-]+)\.(?:conda|tar\.bz2)$`)
	npmArchive   = lazily(`^/?((?:@[^/]+/)?[^/]+)/-/[^/]*?-([0-9][^/]*)\.tgz$`)
	forgeFile    = lazily(`^/([^/]+/[^/]+)/(?:archive(?:/refs/(?:heads|tags))?|tar\.gz|zip|zipball|tarball|releases/download|raw|blob|tree)/(.+?)(?:\.tar\.gz|\.zip|/.*)?$`)
	hostName     = lazily(`^(?:www\.|ssh\.|altssh\.)?([^:]*)(?::(?:22|80|443)$)?(.*)$`)
	vcs          = lazily(`^(git|hg|svn|bzr)\+|^git:|^git@|^(?:git\+)?ssh:`)
	condaBuilt   = lazily(`/feedstock_root/|/croot/|/conda-bld/`) // where conda builds what pip freeze then lists
	localPath    = lazily(`^(?:file:|link:|portal:|workspace:|exec:|\.{0,2}[/\\]|~[/\\]|\.{1,2}(?:\[.*)?$|[A-Za-z]:\\)`)
)

func isAddress(s string) bool {
	return strings.Contains(s, "://") || vcs().MatchString(s) || localPath().MatchString(s) || scp().MatchString(s) || wheel().MatchString(lastPart(s)) || source().MatchString(lastPart(s))
}

func lastPart(s string) string {
	s, _, _ = strings.Cut(s, "#")
	s, _, _ = strings.Cut(s, "?")
	return s[strings.LastIndexAny(s, `/\`)+1:]
}

// local returns the entry for a package at a path: it need not be the public one of its name.
func (e Entry) local(path string) Entry {
	e.ID, e.Also, e.Note = "", nil, "comes from a local path: "+path
	return e
}

// from returns the entry for a package that comes from an address, if the entry states the name of
// the package in a registry. A repository identifies a package better than its name; a
// package from a path is local.
func (e Entry) from(address string) Entry {
	address = scrub(strings.Trim(strings.TrimSpace(address), `"'`))
	given := address
	address, fragment, _ := strings.Cut(address, "#")
	values, _ := url.ParseQuery(fragment)
	egg, _, _ := strings.Cut(values.Get("egg"), "[")
	e.Name = cmp.Or(e.Name, egg, given)
	repository := vcs().MatchString(address)
	address = strings.TrimPrefix(address, "git+")
	if m := scp().FindStringSubmatch(address); m != nil {
		address = "https://" + m[1] + "/" + m[2]
		repository = true
	}
	file := lastPart(address)
	python := e.ID == "" || strings.HasPrefix(e.ID, "pypi:")
	if m := wheel().FindStringSubmatch(file); m != nil && python {
		e.ID, e.Version = "pypi:"+m[1], m[2]
		return e
	}
	u, err := url.Parse(address)
	local := err != nil || u.Host == "" || localPath().MatchString(address)
	host, path := "", ""
	if !local {
		host, path = hostName().ReplaceAllString(strings.ToLower(u.Host), "$1$2"), strings.TrimSuffix(u.Path, "/")
	}
	if at := strings.IndexByte(path, '@'); at >= 0 && (repository || strings.Contains(path, ".git@")) {
		path, e.Version = path[:at], path[at+1:]
	}
	m := forgeFile().FindStringSubmatch(path)
	if host == "api.github.com" {
		m = forgeFile().FindStringSubmatch(strings.TrimPrefix(path, "/repos"))
	}
	switch {
	case local:
	case m != nil && (host == "api.github.com" || !repository && (host == "github.com" || host == "codeload.github.com" || host == "gitlab.com" || host == "codeberg.org" || host == "bitbucket.org")):
		return e.repository("https://"+strings.TrimPrefix(strings.TrimPrefix(host, "codeload."), "api.")+"/"+m[1], m[2])
	case host != "api.github.com" && (repository || strings.HasSuffix(path, ".git") || host == "github.com" || host == "gitlab.com"):
		path, _, _ = strings.Cut(path, "/-/")
		if query := u.Query(); e.Version == "" {
			e.Version = query.Get("rev") + query.Get("tag") + query.Get("branch")
		}
		if e.Version = cmp.Or(e.Version, values.Get("commit")); e.Version == "" && !strings.ContainsAny(fragment, "=&") {
			e.Version = fragment
		}
		return e.repository("https://"+host+strings.TrimSuffix(path, ".git"), e.Version)
	}
	if m := npmArchive().FindStringSubmatch(path); m != nil && (strings.HasPrefix(host, "registry.") || host == "npm.pkg.github.com") && public(address) {
		e.ID, e.Version = "npm:"+m[1], m[2]
		return e
	}
	if m := source().FindStringSubmatch(file); m != nil && python {
		e.ID, e.Version = "pypi:"+m[1], m[2]
		return e
	}
	switch {
	case local && condaBuilt().MatchString(address) && e.ID != "":
		return e
	case local && variable().MatchString(address) && !localPath().MatchString(address):
		return e.elsewhere(address)
	case local:
		return e.local(address)
	case e.ID == "" && egg != "":
		e.ID = "pypi:" + egg
	case e.ID == "" || !python:
		e.ID = "https://" + host + path
	}
	return e
}

func (e Entry) repository(address, version string) Entry {
	e.ID, e.Also, e.Version = address, nil, version
	return e
}

var publicHosts = lazily(`^(?:pypi\.org|(?:test\.|upload\.)?pypi\.(?:org|python\.org)|files\.pythonhosted\.org|download\.pytorch\.org|pypi\.nvidia\.com|pypi\.ngc\.nvidia\.com|wheels\.vllm\.ai|` +
	`registry\.npmjs\.(?:org|com)|registry\.yarnpkg\.com|registry\.npmmirror\.com|(?:index\.|static\.)?crates\.io|github\.com/rust-lang/crates\.io-index|` +
	`pypi\.tuna\.tsinghua\.edu\.cn|mirrors?\.[a-z0-9.-]+|conda\.anaconda\.org|repo\.anaconda\.com|repo\.prefix\.dev|prefix\.dev)(?:[/:]|$)`)

func public(registry string) bool {
	registry = strings.TrimPrefix(strings.TrimPrefix(scrub(registry), "registry+"), "sparse+")
	if !strings.Contains(registry, "://") {
		return registry == "" || strings.EqualFold(registry, "pypi") || registry == "crates-io" || registry == "npm"
	}
	_, rest, _ := strings.Cut(registry, "://")
	return publicHosts().MatchString(strings.ToLower(rest))
}

// in returns the entry for a package in a registry, which is not looked up unless it is public.
func (e Entry) in(registry string) Entry {
	if !public(registry) {
		e.ID, e.Also, e.Note = "", nil, "comes from another registry: "+registry
	}
	return e
}
