package manifest

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// pyproject reads pyproject.toml. Only the packages of its standard arrays can have a source in a table of uv.
func (f *file) pyproject(root *node) {
	rules{
		{"tool.poetry.source tool.pdm.source tool.uv.index", (*file).addRegistry},
		{"tool.uv.sources", (*file).addSources},
		{"tool.pixi.channels tool.pixi.project.channels tool.pixi.workspace.channels", (*file).addChannel},
		{`build-system.requires project.dependencies project.optional-dependencies.* dependency-groups.*
			tool.uv.dev-dependencies`, (*file).requirementNode},
	}.readFile(f, root)
	clear(f.sources)
	rules{
		{`tool.uv.constraint-dependencies tool.uv.override-dependencies tool.uv.build-constraint-dependencies
			tool.uv.extra-build-dependencies.* tool.pdm.dev-dependencies.* tool.rye.dev-dependencies
			tool.hatch.build.dependencies tool.hatch.build.targets.*.dependencies
			tool.hatch.build.hooks.*.dependencies tool.hatch.build.targets.*.hooks.*.dependencies
			tool.hatch.envs.*.dependencies tool.hatch.envs.*.extra-dependencies tool.hatch.env.requires
			tool.flit.metadata.requires tool.flit.metadata.dev-requires tool.flit.metadata.requires-extra.*`, (*file).requirementNode},
		{`tool.poetry.dependencies tool.poetry.dev-dependencies tool.poetry.group.*.dependencies tool.poetry.requires-plugins
			tool.pdm.overrides tool.pdm.resolution.overrides
			tool.pixi.pypi-options.dependency-overrides tool.pixi.pypi-dependencies tool.pixi.feature.*.pypi-dependencies
			tool.pixi.target.*.pypi-dependencies tool.pixi.feature.*.target.*.pypi-dependencies`, named("pypi")},
		{`tool.pixi.dependencies tool.pixi.host-dependencies tool.pixi.build-dependencies tool.pixi.feature.*.dependencies
			tool.pixi.target.*.dependencies tool.pixi.feature.*.target.*.dependencies
			tool.pixi.package.run-dependencies tool.pixi.package.host-dependencies tool.pixi.package.build-dependencies`, named("conda")},
		{`tool.setuptools.dynamic.dependencies.file tool.setuptools.dynamic.optional-dependencies.*.file
			tool.hatch.metadata.hooks.requirements_txt.files tool.hatch.metadata.hooks.requirements_txt.filename`, func(f *file, n *node) { f.include(n.text, n.line) }},
	}.readFile(f, root)
	if root.get("tool", "hatch", "metadata", "hooks") == nil && root.get("tool", "poetry", "dependencies") == nil {
		f.dynamic(root)
	}
}

// ofTool reads a file that is the table of a tool in pyproject.toml.
func ofTool(name string) func(*file, *node) {
	return func(f *file, root *node) {
		tool := &node{key: "tool", kind: table, items: []*node{{key: name, kind: table, items: root.items}}}
		f.pyproject(&node{kind: table, items: []*node{tool}})
	}
}

func (f *file) addRegistry(n *node) { f.registries[n.str("name")] = n.str("url") }

func (f *file) addSources(n *node) {
	for _, m := range n.items {
		f.sources[strings.ToLower(m.key)] = m
	}
}

// dynamic lists dependencies as unreadable that are neither in the file nor in one that it names.
func (f *file) dynamic(root *node) {
	for _, n := range root.all("project", "dynamic") {
		computed := root.get("tool", "setuptools", "dynamic", n.text)
		if strings.HasSuffix(n.text, "dependencies") && (computed == nil || computed.get("attr") != nil) {
			f.unreadable(n.line, n.text+" are computed when the project is built")
		}
	}
}

// requirementNode reads an element of a list of requirements. A group can include another one, which is read too.
func (f *file) requirementNode(n *node) {
	switch {
	case n.kind == text:
		f.requirement(n.text, n.line)
	case n.get("include-group") == nil:
		f.unreadable(n.line, "not a requirement; expected a name such as torch>=2.3")
	}
}

// noTables are the tables of Pipfile that do not contain packages.
var noTables = map[string]bool{"source": true, "requires": true, "pipenv": true, "scripts": true, "_meta": true}

// named returns a reader of a table whose keys are names of packages in a namespace.
func named(namespace string) func(*file, *node) {
	return func(f *file, n *node) {
		for _, m := range n.items {
			if namespace == "pypi" && (noTables[n.key] || m.key == "python") {
				continue
			}
			for _, v := range m.elements() { // several versions, for several environments
				f.dependency(namespace, m.key, v)
			}
		}
	}
}

// dependency adds a package, with a version or with a table that says where it comes from.
func (f *file) dependency(namespace, name string, v *node) {
	line := v.line
	if shared := f.sources[strings.ToLower(name)]; shared != nil && namespace == "crates" && v.str("workspace") == "true" { // with the version
		v = shared
	}
	e := entry(namespace, name, pythonVersion(v.text), line)
	switch {
	case namespace == "npm" && v.str("version") != "": // in what npm lists and locks, with the packages below it
		f.add(lockedNPM(name, v))
		f.packageJSON(v)
	case v.kind == table && namespace != "npm":
		f.add(f.sourced(e, v))
	case v.kind > other:
		f.unreadable(line, name+": not a version")
	case namespace == "conda":
		f.add(f.conda("", name, v.text, line))
	case namespace == "npm":
		f.add(npmEntry(name, v.text, line))
	default:
		f.addRequirement(e)
	}
}

// place returns the first member that is a text, or a table with an address.
func (n *node) place(keys ...string) string {
	for _, key := range keys {
		if m := n.get(key); m != nil && (m.kind == text || m.kind == table) {
			return m.str() + m.str("url") + m.str("path")
		}
	}
	return ""
}

// sourced returns an entry with the version of a package and where it comes from, which is a table
// in many forms: of manifests and lock files of Python and Rust.
func (f *file) sourced(e Entry, n *node) Entry {
	e.Version = pythonVersion(n.str("version"))
	switch {
	case e.is("crates") && n.str("package") != "":
		e.IDs[0] = "crates:" + n.str("package") // of a renamed crate
	case e.is("conda"):
		e = f.conda(n.str("channel"), e.Name, n.str("version"), e.Line)
	}
	at := &node{kind: table, items: slices.Concat(n.items, n.all("source"), n.all("vcs"), n.all("archive"))}
	repository, path, address := at.place("git", "hg", "svn", "bzr"), at.place("path", "editable", "directory", "virtual"), at.place("file", "url")
	registry := cmp.Or(n.str("source"), at.place("index", "registry", "registry-index"))
	switch at.str("type") {
	case "legacy":
		registry, address = address, ""
	case "git", "hg", "svn", "bzr":
		repository, address = address, ""
	case "directory", "file":
		path, address = address, ""
	}
	if strings.HasPrefix(registry, "git+") {
		repository = registry
	}
	if at.str("editable") == "true" && path == "" || !e.is("crates") && n.get("workspace") != nil {
		path = "."
	}
	registry = cmp.Or(f.registries[registry], registry)
	switch {
	case repository != "":
		e = e.from("git+" + strings.TrimPrefix(repository, "git+"))
		e.Version = cmp.Or(at.str("resolved_reference"), at.str("commit-id"), at.str("rev"), at.str("tag"), at.str("branch"), at.str("ref"), e.Version)
	case path != "" && !wheel().MatchString(lastPart(path)):
		return e.noted(isLocal, path)
	case address+path != "" && registry == "":
		return e.from(address + path)
	case !public(registry):
		return e.noted(isPrivate, registry)
	}
	return e
}

// lock reads a lock file of Rust or of Python, which can have another name.
func (f *file) lock(root *node) {
	namespace := "crates"
	of := root.at("requires-python metadata.content-hash metadata.content_hash package.source.* package.files package.wheels package.python-versions")
	if !f.has(root, "=Cargo.lock") && (len(of) > 0 || f.has(root, "=poetry.lock =uv.lock =pdm.lock")) {
		namespace = "pypi"
	}
	f.locked(namespace, root.get("package"))
}

func (f *file) pylock(root *node) {
	if root.get("packages") == nil && root.get("lock-version") == nil {
		f.unreadable(0, "not a lock file of PEP 751: it has no packages")
	}
	f.locked("pypi", root.get("packages"))
}

func (f *file) locked(namespace string, n *node) {
	for _, m := range n.elements() {
		name := m.str("name")
		if name == "" {
			f.unreadable(m.line, "a package without a name")
			continue
		}
		e := f.sourced(entry(namespace, name, "", m.get("name").line), m)
		if namespace == "crates" && m.get("source") == nil { // so Cargo writes packages of the project
			e = e.noted("is part of the project", "")
		}
		f.add(e)
	}
}

var goLine = lazily(`^.*:([0-9]+)(?::[0-9]+)?: `)

// parseGoMod reads which modules go.mod requires, or has replaced them by.
func parseGoMod(f *file) {
	var m *modfile.File
	f.eachTry(true, func(data []byte) (line int, err error) {
		if m, err = modfile.Parse("go.mod", data, nil); err == nil {
			return 0, nil
		}
		if wrong := (modfile.ErrorList)(nil); errors.As(err, &wrong) && len(wrong) > 0 {
			line, err = wrong[0].Pos.Line, &wrong[0]
		}
		return line, errors.New(goLine().ReplaceAllString(err.Error(), ""))
	})
	if m == nil {
		return
	}
	replaced := map[module.Version]module.Version{}
	for _, r := range m.Replace {
		replaced[r.Old] = r.New
	}
	for _, r := range m.Require {
		used := cmp.Or(replaced[r.Mod], replaced[module.Version{Path: r.Mod.Path}], r.Mod)
		e := entry("go", used.Path, used.Version, r.Syntax.Start.Line)
		if modfile.IsDirectoryPath(used.Path) {
			e.Name = r.Mod.Path
			e = e.noted(isLocal, used.Path)
		}
		f.add(e)
	}
}

var property = lazily(`\$\{([^{}]+)\}`)

// pom reads the dependencies of pom.xml, whose properties stand for parts of them.
func (f *file) pom(root *node) {
	values := map[string]string{"project.groupId": root.str("groupId"), "project.version": root.str("version")}
	for _, m := range root.all("properties") {
		values[m.key] = strings.TrimSpace(m.text)
	}
	expand := func(s string) string {
		return property().ReplaceAllStringFunc(s, func(found string) string { return cmp.Or(values[found[2:len(found)-1]], found) })
	}
	root.deep(func(n *node) {
		if n.key != "dependency" || n.str("artifactId") == "" {
			return
		}
		group, name := expand(n.str("groupId")), expand(n.str("artifactId"))
		e := Entry{IDs: []string{"maven:" + group + ":" + name}, Name: name, Version: expand(n.str("version")), Line: n.get("artifactId").line}
		if variable().MatchString(group + name) {
			e = e.noted(setElsewhere, group+":"+name)
		}
		f.add(e)
	})
}
