package manifest

import (
	"cmp"
	"net/url"
	"regexp"
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
	// npmArchive, forgeFile and forge match addresses without their scheme.
	npmArchive = lazily(`^(?:registry\.[^/]*|npm\.pkg\.github\.com)/((?:@[^/]+/)?[^/]+)/-/[^/]*?-([0-9][^/]*)\.tgz$`)
	forgeFile  = lazily(`^(?:api\.(github\.com)/repos|(?:codeload\.)?(github\.com|gitlab\.com|codeberg\.org|bitbucket\.org))/([^/]+/[^/]+)/` +
		`(?:archive(?:/refs/(?:heads|tags))?|tar\.gz|zip|zipball|tarball|releases/download|raw|blob|tree)/(.+?)(?:\.tar\.gz|\.zip|/.*)?$`)
	forge      = lazily(`^git(?:hub|lab)\.com/|\.git$`)
	hostName   = lazily(`^(?:www\.|ssh\.|altssh\.)?([^:]*)(?::(?:22|80|443)$)?(.*)$`)
	vcs        = lazily(`^(git|hg|svn|bzr)\+|^git:|^git@|^(?:git\+)?ssh:`)
	condaBuilt = lazily(`/feedstock_root/|/croot/|/conda-bld/`) // where conda builds what pip freeze then lists
	localPath  = lazily(`^(?:file:|link:|portal:|workspace:|exec:|\.{0,2}[/\\]|~[/\\]|\.{1,2}(?:\[.*)?$|[A-Za-z]:\\)`)
	variable   = lazily(`^\$|^%|^os\.environ/|\$\{|\{\{|\*`)
)

func isAddress(s string) bool {
	return strings.Contains(s, "://") || vcs().MatchString(s) || localPath().MatchString(s) || scp().MatchString(s) || wheel().MatchString(lastPart(s)) || source().MatchString(lastPart(s))
}

func lastPart(s string) string {
	s, _, _ = strings.Cut(s, "#")
	s, _, _ = strings.Cut(s, "?")
	return s[strings.LastIndexAny(s, `/\`)+1:]
}

// entry returns the entry for a package of a namespace.
func entry(namespace, name, version string, line int) Entry {
	return Entry{IDs: []string{namespace + ":" + name}, Name: name, Version: version, Line: line}
}

// as returns the entry with what identifies it and its version.
func (e Entry) as(id, version string) Entry {
	e.IDs, e.Version = []string{id}, version
	return e
}

// Why a package need not be the public one of its name. The place follows.
const (
	isLocal      = "comes from a local path: "
	isPrivate    = "comes from another registry: "
	setElsewhere = "is set elsewhere: " // by a program
)

// noted returns the entry with the reason why it is not looked up.
func (e Entry) noted(reason, place string) Entry {
	e.IDs, e.Note = nil, reason+place
	return e
}

func (e Entry) is(namespace string) bool {
	return len(e.IDs) > 0 && strings.HasPrefix(e.IDs[0], namespace+":")
}

// from returns the entry for a package that comes from an address, if the entry states the name of
// the package in a registry. A repository identifies a package better than its name; a
// package from a path need not be the public one.
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
		address, repository = "https://"+m[1]+"/"+m[2], true
	}
	u, err := url.Parse(address)
	local := err != nil || u.Host == "" || localPath().MatchString(address)
	place := "" // the host and the path
	if !local {
		place = hostName().ReplaceAllString(strings.ToLower(u.Host), "$1$2") + strings.TrimSuffix(u.Path, "/")
	}
	if at := strings.IndexByte(place, '@'); at >= 0 && (repository || strings.Contains(place, ".git@")) {
		place, e.Version = place[:at], place[at+1:]
	}
	python := len(e.IDs) == 0 || e.is("pypi")
	var m []string
	matches := func(pattern func() *regexp.Regexp, s string) bool {
		m = pattern().FindStringSubmatch(s)
		return m != nil
	}
	switch {
	case python && matches(wheel, lastPart(address)):
		return e.as("pypi:"+m[1], m[2])
	case !repository && matches(forgeFile, place):
		return e.as("https://"+m[1]+m[2]+"/"+m[3], m[4])
	case !local && (repository || forge().MatchString(place)):
		place, _, _ = strings.Cut(place, "/-/")
		query := u.Query()
		if e.Version = cmp.Or(e.Version, query.Get("rev")+query.Get("tag")+query.Get("branch"), values.Get("commit")); e.Version == "" && !strings.ContainsAny(fragment, "=&") {
			e.Version = fragment
		}
		return e.as("https://"+strings.TrimSuffix(place, ".git"), e.Version)
	case public(address) && matches(npmArchive, place):
		return e.as("npm:"+m[1], m[2])
	case python && matches(source, lastPart(address)):
		return e.as("pypi:"+m[1], m[2])
	case local && condaBuilt().MatchString(address) && len(e.IDs) > 0:
		return e
	case local && variable().MatchString(address) && !localPath().MatchString(address):
		return e.noted(setElsewhere, address)
	case local:
		return e.noted(isLocal, address)
	case len(e.IDs) == 0 && egg != "":
		return e.as("pypi:"+egg, e.Version)
	case len(e.IDs) == 0 || !python:
		return e.as("https://"+place, e.Version)
	}
	return e
}

var publicHosts = lazily(`^(?:pypi\.org|(?:test\.|upload\.)?pypi\.(?:org|python\.org)|files\.pythonhosted\.org|download\.pytorch\.org|pypi\.nvidia\.com|pypi\.ngc\.nvidia\.com|wheels\.vllm\.ai|` +
	`registry\.npmjs\.(?:org|com)|registry\.yarnpkg\.com|registry\.npmmirror\.com|(?:index\.|static\.)?crates\.io|github\.com/rust-lang/crates\.io-index|` +
	`pypi\.tuna\.tsinghua\.edu\.cn|mirrors?\.[a-z0-9.-]+|conda\.anaconda\.org|repo\.anaconda\.com|repo\.prefix\.dev|prefix\.dev)(?:[/:]|$)`)

// public reports whether a registry, by its address or its name, is a public one.
func public(registry string) bool {
	registry = strings.TrimPrefix(strings.TrimPrefix(scrub(registry), "registry+"), "sparse+")
	if _, rest, ok := strings.Cut(registry, "://"); ok {
		return publicHosts().MatchString(strings.ToLower(rest))
	}
	return registry == "" || strings.EqualFold(registry, "pypi") || registry == "crates-io" || registry == "npm"
}
