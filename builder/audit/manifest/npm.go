package manifest

import (
	"cmp"
	"net/url"
	"strings"
)

var (
	shorthand  = lazily(`^(?:(?:(github|gitlab|bitbucket):)?([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)|(gist):([^#]*))(?:#(.*))?$`)
	forges     = map[string]string{"": "github.com", "github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org", "gist": "gist.github.com"}
	npmVersion = lazily(`^[0-9^~<>=*xv|]`)
	imported   = lazily(`^(npm:|jsr:)/?((?:@[^/@]+/)?[^/@]+)(?:@([^/]+))?`)
	cdnName    = lazily(`^https?://(?:esm\.sh|cdn\.jsdelivr\.net/npm|unpkg\.com|cdn\.skypack\.dev|esm\.run)/(?:v[0-9]+/)?((?:@[^/@]+/)?[^/@?]+)(?:@([^/?]+))?`)
)

// npmEntry returns the entry for a package of npm whose version is a range, an alias, an address or
// a path (https://docs.npmjs.com/cli/configuring-npm/package-json#dependencies).
func npmEntry(name, spec string, line int) Entry {
	e := entry("npm", name, spec, line)
	scheme, rest, _ := strings.Cut(spec, ":")
	switch {
	case scheme == "npm" && npmVersion().MatchString(rest):
		e.Version = rest
	case scheme == "npm":
		e = npmAt(rest, line)
		e.Name = name
	case scheme == "patch":
		inner, _, _ := strings.Cut(rest, "#")
		if inner, err := url.PathUnescape(inner); err == nil {
			return npmAt(inner, line)
		}
	case scheme == "jsr":
		if !npmVersion().MatchString(rest) {
			name, rest = cutVersion(rest)
		}
		return e.as("jsr:"+name, rest)
	case scheme == "catalog" && strings.Contains(spec, ":"): // the version is in another file
		e.Version = ""
	case !localPath().MatchString(spec) && shorthand().MatchString(spec):
		m := shorthand().FindStringSubmatch(spec)
		return e.as("https://"+forges[m[1]+m[3]]+"/"+m[2]+m[4], m[5])
	case isAddress(spec):
		e.Version = ""
		return e.from(spec)
	}
	return e
}

// cutVersion divides name@version, whose name can start with @.
func cutVersion(s string) (name, version string) {
	if at := strings.IndexByte(s[min(1, len(s)):], '@') + 1; at > 0 {
		return s[:at], s[at+1:]
	}
	return s, ""
}

func npmAt(s string, line int) Entry {
	s = strings.TrimPrefix(s, "npm:")
	name, version := cutVersion(s)
	if isAddress(s) && (name == s || !strings.Contains(s, "@npm:") && strings.Contains(name, "/") && s[0] != '@') {
		return Entry{IDs: []string{"npm:"}, Line: line}.from(s)
	}
	return npmEntry(name, version, line)
}

// npmKeys are the tables of package.json whose keys are the names of packages.
const npmKeys = "dependencies devDependencies peerDependencies optionalDependencies"

// packageJSON reads the tables of package.json and of pnpm-workspace.yaml, with the versions that the parts of a
// project share.
func (f *file) packageJSON(root *node) {
	rules{
		{npmKeys + " catalog catalogs.* workspaces.catalog workspaces.catalogs.*", named("npm")},
		{"overrides resolutions pnpm.overrides", (*file).overrides},
	}.readFile(f, root)
}

// lockedNPM returns the entry for a package of a lock file, which comes from a registry or from an address.
func lockedNPM(name string, m *node) Entry {
	version, _, _ := strings.Cut(m.str("version"), "(") // without the peers of pnpm
	line := m.line
	if v := m.get("version"); v != nil {
		line = v.line
	}
	if resolved := m.str("resolved"); vcs().MatchString(resolved) || strings.HasPrefix(resolved, "file:") {
		version = resolved
	}
	e := npmEntry(name, version, line)
	if m.get("specifier") != nil && !npmVersion().MatchString(version) && !localPath().MatchString(version) {
		e = npmAt(version, line) // an alias of pnpm
	}
	if address := m.str("resolution", "tarball") + m.str("resolution", "repo"); address != "" {
		e = e.from(address)
	}
	return e
}

// overridden matches the package of an override, which others and its version can precede and follow.
var overridden = lazily(`^(?:.*?[>/])??((?:@[^/@>]+/)?[^/@>]+)(?:@[^/]*)?$`)

func (f *file) overrides(n *node) {
	for _, m := range n.items {
		match := overridden().FindStringSubmatch(m.key)
		switch {
		case m.kind == table:
			f.overrides(m)
		case match != nil && match[1] != "." && !strings.HasPrefix(m.text, "$"):
			f.dependency("npm", match[1], m)
		}
	}
}

// lockJS reads the lock files of npm, pnpm and Bun. Version 1 of npm's, and files of which nothing is
// installed, have only tables like those of package.json.
func (f *file) lockJS(root *node) {
	for _, m := range root.all("packages") {
		f.lockedJS(m)
	}
	installed := len(f.reader.Entries) > f.start
	for _, part := range append(root.at("importers.*"), root) {
		for _, m := range part.members(npmKeys) {
			if !installed || strings.HasPrefix(m.str("version")+m.str(), "link:") {
				f.dependency("npm", m.key, m)
			}
		}
	}
	if len(f.reader.Entries) > f.start {
		return
	}
	for _, m := range append(root.at("workspaces.*"), root.all("packages")...) { // only the project itself and its parts
		f.packageJSON(m)
	}
	if len(f.reader.Entries) == f.start && root.get("lockfileVersion") == nil {
		f.otherData(root)
	}
}

var (
	installedAt = lazily(`^(?:.*/)?node_modules/(.*)$`)      // of npm
	pnpmPath    = lazily(`^/((?:@[^/]+/)?[^/@]+)/([^/_(]+)`) // of old versions
	pnpmKey     = lazily(`^(?:/|(?:@[^/]+/)?[^/@]+@)`)
)

// lockedJS adds a package of a lock file. Its key is a path such as node_modules/name, or name@1.0.0; its value
// is a table or, of Bun, a list.
func (f *file) lockedJS(m *node) {
	key, _, _ := strings.Cut(m.key, "(")
	e := npmAt(strings.TrimPrefix(key, "/"), m.line)
	switch at := installedAt().FindStringSubmatch(m.key); {
	case m.kind == list && len(m.items) > 0 && m.items[0].kind == text:
		e = npmAt(m.items[0].text, m.items[0].line)
	case m.kind == list:
		f.unreadable(m.line, m.key+": not a package")
		return
	case at != nil && m.str("link") == "true":
		e = entry("npm", at[1], "", m.line).noted(isLocal, m.str("resolved"))
	case at != nil:
		e = lockedNPM(cmp.Or(m.str("name"), at[1]), m)
	case m.get("resolution") == nil && !pnpmKey().MatchString(m.key):
		return // a part of the project
	case m.str("name") != "" && e.is("npm"):
		e = lockedNPM(m.str("name"), m)
	case pnpmPath().MatchString(key):
		old := pnpmPath().FindStringSubmatch(key)
		e = npmEntry(old[1], old[2], m.line)
	}
	f.add(e)
}

var (
	// yarnEntry matches an entry of yarn.lock: the first of its keys, and its values.
	yarnEntry = lazily(`(?m)^"?([^\s#"][^,"\n]*?):?[ \t]*(?:[",].*)?(?:\n|\z)((?:[ \t].*\n?|\n)*)`)
	yarnValue = lazily(`(?m)^  (version|resolution):? "?([^"\n]*)"?[ \t]*$`)
)

// parseYarn reads yarn.lock: the form of version 1, and that of later ones.
func parseYarn(f *file) {
	lineOf := lineCounter([]byte(f.data))
	for _, m := range yarnEntry().FindAllStringSubmatchIndex(f.data, -1) {
		name, values := f.data[m[2]:m[3]], map[string]string{}
		for _, v := range yarnValue().FindAllStringSubmatch(f.data[m[4]:m[5]], -1) {
			values[v[1]] = v[2]
		}
		e := npmAt(strings.Replace(cmp.Or(values["resolution"], name), "@workspace:", "@file:", 1), lineOf(m[0]))
		if e.is("npm") {
			e.Version = cmp.Or(values["version"], e.Version)
		}
		if name != "__metadata" {
			f.add(e)
		}
	}
}

// denoKey matches the name and the version of a package, which its peers follow.
var denoKey = lazily(`^((?:@[^/]+/)?[^@]+@[^_]+)`)

func (f *file) denoLock(root *node) {
	for _, m := range root.members("npm npm.packages packages.npm") {
		if key := denoKey().FindString(m.key); key != "" {
			f.add(npmAt(key, m.line))
		}
	}
	for _, m := range root.members("jsr packages.jsr") {
		f.specifier(&node{text: "jsr:" + m.key, line: m.line})
	}
	seen := map[string]bool{}
	for _, m := range root.all("remote") {
		e := remote(m.key, m.line)
		if e.is("https") {
			e.IDs[0] = strings.TrimSuffix(e.IDs[0], lastPart(e.IDs[0]))
		}
		if id := strings.Join(e.IDs, "") + e.Version; !seen[id] {
			seen[id] = true
			f.add(e)
		}
	}
}

// remote returns the entry for an import from an address, which can be that of a package of npm.
func remote(address string, line int) Entry {
	if c := cdnName().FindStringSubmatch(address); c != nil {
		return npmEntry(c[1], c[2], line)
	}
	return Entry{Line: line}.from(address)
}

func (f *file) specifier(n *node) {
	m := imported().FindStringSubmatch(n.text)
	switch {
	case n.kind > other:
		f.unreadable(n.line, n.key+": not an import")
	case m != nil:
		f.add(Entry{IDs: []string{m[1] + m[2]}, Name: m[2], Version: m[3], Line: n.line})
	case !strings.HasPrefix(n.text, "node:"):
		f.add(remote(n.text, n.line))
	}
}
