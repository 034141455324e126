package manifest

import (
	"cmp"
	"net/url"
	"strings"
)

var (
	shorthand  = lazily(`^(?:(github|gitlab|bitbucket|gist):)?([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)(?:#(.*))?$`)
	npmVersion = lazily(`^[0-9^~<>=*xv|]`)
	imported   = lazily(`^(npm:|jsr:)/?((?:@[^/@]+/)?[^/@]+)(?:@([^/]+))?`)
	cdnName    = lazily(`^https?://(?:esm\.sh|cdn\.jsdelivr\.net/npm|unpkg\.com|cdn\.skypack\.dev|esm\.run)/(?:v[0-9]+/)?((?:@[^/@]+/)?[^/@?]+)(?:@([^/?]+))?`)
)

// npmEntry returns the entry for a package of npm whose version is a range, an alias, an address or
// a path (https://docs.npmjs.com/cli/configuring-npm/package-json#dependencies).
func npmEntry(name, spec string, line int) Entry {
	e := Entry{ID: "npm:" + name, Name: name, Version: spec, Line: line}
	scheme, rest, _ := strings.Cut(spec, ":")
	switch {
	case scheme == "npm": // another name, or none
		if npmVersion().MatchString(rest) {
			e.Version = rest
			return e
		}
		alias := npmAt(rest, line)
		alias.Name = name
		return alias
	case scheme == "patch":
		inner, _, _ := strings.Cut(rest, "#")
		if inner, err := url.PathUnescape(inner); err == nil {
			return npmAt(inner, line)
		}
	case scheme == "jsr":
		e.ID, e.Version = "jsr:"+name, rest
		if !npmVersion().MatchString(rest) {
			other := npmAt(rest, line)
			e.ID, e.Version = "jsr"+strings.TrimPrefix(other.ID, "npm"), other.Version
		}
	case scheme == "catalog" && strings.Contains(spec, ":"): // the version is in another file
		e.Version = ""
	case localPath().MatchString(spec):
		e.Version = ""
		return e.local(spec)
	case shorthand().MatchString(spec):
		m := shorthand().FindStringSubmatch(spec)
		host := map[string]string{"gitlab": "gitlab.com/", "bitbucket": "bitbucket.org/"}[m[1]]
		if host == "" {
			host = "github.com/"
		}
		return e.repository("https://"+host+m[2], m[3])
	case scheme == "gist":
		return e.repository("https://gist.github.com/"+rest, "")
	case isAddress(spec):
		e.Version = ""
		return e.from(spec)
	}
	return e
}

func npmAt(s string, line int) Entry {
	s = strings.TrimPrefix(s, "npm:")
	at := strings.IndexByte(s[min(1, len(s)):], '@') + 1
	if isAddress(s) && (at <= 0 || !strings.Contains(s, "@npm:") && strings.Contains(s[:at], "/") && s[0] != '@') || at <= 0 {
		if isAddress(s) {
			return Entry{ID: "npm:", Line: line}.from(s)
		}
		return npmEntry(s, "", line)
	}
	return npmEntry(s[:at], s[at+1:], line)
}

var overridden = lazily(`^(?:.*?[>/])??((?:@[^/@>]+/)?[^/@>]+)(?:@[^/]*)?$`)

// npmKeys are the tables of package.json whose keys are the names of packages.
var npmKeys = []string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"}

// packageJSON reads package.json, with the catalogs of Bun.
func (f *file) packageJSON(root *node) {
	f.npmTables(root)
	f.catalogs(root.get("workspaces"))
}

func (f *file) npmTables(root *node) {
	for _, key := range npmKeys {
		for _, m := range root.all(key) {
			f.npmMember(m, m.key)
		}
	}
	for _, table := range [][]string{{"overrides"}, {"resolutions"}, {"pnpm", "overrides"}} {
		f.overrides(root.get(table...))
	}
}

// catalogs reads the versions that the parts of a project share.
func (f *file) catalogs(root *node) {
	for _, path := range []string{"catalog.*", "catalogs.*.*"} {
		root.each(path, func(n *node) { f.npmMember(n, n.key) })
	}
}

// npmMember adds a package of a table, which is a table itself in what npm lists.
func (f *file) npmMember(m *node, name string) {
	if version := m.str("version"); m.kind == table && version != "" {
		f.lockedNPM(m, name, version)
		f.npmTables(m)
		return
	}
	if m.kind > other {
		f.unreadable(m.line, name+": not a version")
		return
	}
	f.add(npmEntry(name, m.text, m.line))
}

func (f *file) overrides(n *node) {
	for _, m := range n.all() {
		match := overridden().FindStringSubmatch(m.key)
		switch {
		case m.kind == table:
			f.overrides(m)
		case match != nil && match[1] != "." && !strings.HasPrefix(m.text, "$"):
			f.npmMember(m, match[1])
		}
	}
}

// lockJS reads the lock files of npm, pnpm and Bun, which differ by the keys of the packages, such as
// "node_modules/name" and "name@1.0.0", and by their values. Version 1 of npm's, and files of which nothing is
// installed, have only tables like those of package.json.
func (f *file) lockJS(root *node) {
	packages, before := root.get("packages"), len(f.reader.Entries)
	for _, m := range packages.all() {
		switch at := strings.LastIndex(m.key, "node_modules/"); {
		case m.kind == list && len(m.items) > 0 && m.items[0].kind == text:
			f.add(npmAt(m.items[0].text, m.items[0].line))
		case m.kind == list:
			f.unreadable(m.line, m.key+": not a package")
		case at >= 0 && m.str("link") == "true":
			f.add(Entry{Name: m.key[at+len("node_modules/"):], Line: m.line}.local(m.str("resolved")))
		case at >= 0:
			f.lockedNPM(m, cmp.Or(m.str("name"), m.key[at+len("node_modules/"):]), m.str("version"))
		case pnpmKey().MatchString(m.key):
			f.pnpmPackage(m)
		}
	}
	installed := len(f.reader.Entries) > before
	for _, key := range npmKeys {
		for _, path := range []string{key + ".*", "importers.*." + key + ".*"} {
			root.each(path, func(m *node) { f.direct(m, installed) })
		}
	}
	if len(f.reader.Entries) == before { // only the project itself and its parts
		f.npmTables(packages.get(""))
		root.each("workspaces.*", f.npmTables)
	}
	if len(f.reader.Entries) == before && root.get("lockfileVersion") == nil {
		f.otherData(root)
	}
}

// direct adds a direct dependency that is not among the packages, where pnpm has none from a path.
func (f *file) direct(m *node, installed bool) {
	version, _, _ := strings.Cut(m.str("version")+m.str(), "(")
	ofPNPM := m.kind != table || m.get("specifier") != nil
	switch {
	case ofPNPM && (localPath().MatchString(version) || !installed && npmVersion().MatchString(version)):
		f.add(npmEntry(m.key, version, m.line))
	case installed:
	case ofPNPM:
		f.add(npmAt(version, m.line))
	default:
		f.npmMember(m, m.key)
	}
}

var (
	pnpmPath = lazily(`^/((?:@[^/]+/)?[^/@]+)/([^/_(]+)`) // of old versions
	pnpmKey  = lazily(`^(?:/|(?:@[^/]+/)?[^/@]+@)`)
)

func (f *file) pnpmPackage(m *node) {
	key, _, _ := strings.Cut(m.key, "(")
	e := npmAt(strings.TrimPrefix(key, "/"), m.line)
	if old := pnpmPath().FindStringSubmatch(key); old != nil {
		e = npmEntry(old[1], old[2], m.line)
	}
	if name := m.str("name"); name != "" && !strings.HasPrefix(e.ID, "https:") {
		e = npmEntry(name, m.str("version"), m.line)
		if address := m.str("resolution", "tarball") + m.str("resolution", "repo"); address != "" {
			e = e.from(address)
		}
	}
	f.add(e)
}

// lockedNPM adds a package of a lock file, which comes from a repository or from a registry.
func (f *file) lockedNPM(m *node, name, version string) {
	line := m.line
	if v := m.get("version"); v != nil {
		line = v.line
	}
	if resolved := m.str("resolved"); vcs().MatchString(resolved) || strings.HasPrefix(resolved, "file:") {
		version = resolved
	}
	f.add(npmEntry(name, version, line))
}

// parseYarn reads yarn.lock: the form of version 1, and that of later ones.
func parseYarn(f *file) {
	key, line, values := "", 0, map[string]string{}
	end := func() {
		name, _, _ := strings.Cut(key, ",")
		name = strings.Trim(name, `"`)
		if resolution := values["resolution"]; resolution != "" {
			name = resolution
		}
		if key != "" && name != "__metadata" {
			e := npmAt(strings.Replace(name, "@workspace:", "@file:", 1), line)
			if values["version"] != "" && strings.HasPrefix(e.ID, "npm:") {
				e.Version = values["version"]
			}
			f.add(e)
		}
		key, values = "", map[string]string{}
	}
	n := 0
	for text := range strings.Lines(f.data) {
		n++
		text = strings.TrimRight(text, "\r\n \t")
		field, value, _ := strings.Cut(strings.TrimPrefix(text, "  "), " ")
		switch {
		case text == "" || text[0] == '#':
		case text[0] != ' ':
			end()
			key, line = strings.Trim(text, `":`), n
		case field != "" && key != "":
			values[strings.TrimSuffix(field, ":")] = strings.Trim(value, `" `)
		}
	}
	end()
}

// denoKey matches the name and the version of a package, which its peers follow.
var denoKey = lazily(`^((?:@[^/]+/)?[^@]+)@([^_]+)`)

func (f *file) denoLock(root *node) {
	for _, path := range [][]string{{"npm"}, {"npm", "packages"}, {"packages", "npm"}} {
		for _, m := range root.all(path...) {
			if p := denoKey().FindStringSubmatch(m.key); p != nil {
				f.add(npmEntry(p[1], p[2], m.line))
			}
		}
	}
	for _, path := range [][]string{{"jsr"}, {"packages", "jsr"}} {
		for _, m := range root.all(path...) {
			f.specifier(&node{text: "jsr:" + m.key, line: m.line})
		}
	}
	seen := map[string]bool{}
	for _, m := range root.all("remote") {
		e := Entry{ID: m.key, Line: m.line}.from(m.key)
		if c := cdnName().FindStringSubmatch(m.key); c != nil {
			e = npmEntry(c[1], c[2], m.line)
		} else {
			e.ID = e.ID[:len(e.ID)-len(lastPart(e.ID))]
		}
		if !seen[e.ID+e.Version] {
			seen[e.ID+e.Version] = true
			f.add(e)
		}
	}
}

func (f *file) specifier(n *node) {
	switch c := cdnName().FindStringSubmatch(n.text); {
	case n.kind > other:
		f.unreadable(n.line, n.key+": not an import")
	case c != nil:
		f.add(npmEntry(c[1], c[2], n.line))
	case imported().MatchString(n.text):
		m := imported().FindStringSubmatch(n.text)
		f.add(Entry{ID: m[1] + m[2], Name: m[2], Version: m[3], Line: n.line})
	case strings.HasPrefix(n.text, "node:"):
	default:
		f.add(Entry{Line: n.line}.from(n.text))
	}
}
