package manifest

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// sourcedRules are the arrays of pyproject.toml whose packages can have a source in a table of uv.
func sourcedRules() rules {
	return rules{{`build-system.requires project.dependencies project.optional-dependencies.* dependency-groups.*
		tool.uv.dev-dependencies`, (*file).requirements}}
}

// toolRules are the tables and arrays of the tools, in pyproject.toml and in files of their own.
func toolRules() rules {
	return rules{
		{`tool.uv.constraint-dependencies tool.uv.override-dependencies tool.uv.build-constraint-dependencies
			tool.uv.extra-build-dependencies.* tool.pdm.dev-dependencies.* tool.rye.dev-dependencies
			tool.hatch.build.dependencies tool.hatch.build.targets.*.dependencies
			tool.hatch.build.hooks.*.dependencies tool.hatch.build.targets.*.hooks.*.dependencies
			tool.hatch.envs.*.dependencies tool.hatch.envs.*.extra-dependencies tool.hatch.env.requires
			tool.flit.metadata.requires tool.flit.metadata.dev-requires tool.flit.metadata.requires-extra.*`, (*file).requirements},
		{`tool.poetry.dependencies tool.poetry.dev-dependencies tool.poetry.group.*.dependencies tool.poetry.requires-plugins
			tool.pdm.overrides tool.pdm.resolution.overrides
			tool.pixi.pypi-options.dependency-overrides tool.pixi.pypi-dependencies tool.pixi.feature.*.pypi-dependencies
			tool.pixi.target.*.pypi-dependencies tool.pixi.feature.*.target.*.pypi-dependencies`, named("pypi")},
		{`tool.pixi.dependencies tool.pixi.host-dependencies tool.pixi.build-dependencies tool.pixi.feature.*.dependencies
			tool.pixi.target.*.dependencies tool.pixi.feature.*.target.*.dependencies
			tool.pixi.package.run-dependencies tool.pixi.package.host-dependencies tool.pixi.package.build-dependencies`, named("conda")},
		{`tool.setuptools.dynamic.dependencies.file tool.setuptools.dynamic.optional-dependencies.*.file
			tool.hatch.metadata.hooks.requirements_txt.files tool.hatch.metadata.hooks.requirements_txt.filename`, (*file).included},
	}
}

// pyproject returns a reader of a file that is pyproject.toml, or a part of it.
func pyproject(within string) func(*file, *node) {
	return func(f *file, root *node) {
		f.within, f.sources = within, map[string]*node{}
		f.addRegistries(root, "tool.poetry.source", "tool.pdm.source", "tool.uv.index")
		f.each(root, "tool.uv.sources", func(n *node) {
			for _, m := range n.items {
				f.sources[strings.ToLower(m.key)] = m
			}
		})
		for _, path := range []string{"tool.pixi.channels", "tool.pixi.project.channels", "tool.pixi.workspace.channels"} {
			f.each(root, path, f.addChannel)
		}
		sourcedRules().read(f, root)
		f.sources = nil
		toolRules().read(f, root)
		if root.get("tool", "hatch", "metadata", "hooks") == nil && root.get("tool", "poetry", "dependencies") == nil {
			f.dynamic(root)
		}
	}
}

func (f *file) addRegistries(root *node, paths ...string) {
	f.registries = map[string]string{}
	for _, path := range paths {
		f.each(root, path, func(n *node) { f.registries[n.str("name")] = n.str("url") })
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

// requirements reads a list of requirements. A group can include another one, which is read too.
func (f *file) requirements(n *node) {
	for _, m := range elements(n) {
		switch {
		case m.kind == text:
			f.requirement(m.text, m.line)
		case m.get("include-group") == nil:
			f.unreadable(m.line, "not a requirement; expected a name such as torch>=2.3")
		}
	}
}

func (f *file) included(n *node) {
	for _, m := range elements(n) {
		f.include(m.text, m.line)
	}
}

func (f *file) pipfile(root *node) {
	f.addRegistries(root, "source", "_meta.sources")
	rules{{"*", named("pypi")}}.read(f, root)
}

func (f *file) cargo(root *node) {
	f.sources = map[string]*node{}
	for _, m := range root.all("workspace", "dependencies") {
		f.sources[m.key] = m
	}
	rules{{`dependencies dev-dependencies build-dependencies dev_dependencies build_dependencies target.*.dependencies target.*.dev-dependencies
		target.*.build-dependencies workspace.dependencies patch.* replace`, named("crates")}}.read(f, root)
}

// noTables are the tables of Pipfile that do not contain packages.
var noTables = map[string]bool{"source": true, "requires": true, "pipenv": true, "scripts": true, "_meta": true}

// named returns a reader of a table whose keys are names of packages in a namespace.
func named(namespace string) func(*file, *node) {
	return func(f *file, n *node) {
		if namespace == "pypi" && noTables[n.key] {
			return
		}
		for _, m := range n.items {
			if namespace == "pypi" && m.key == "python" {
				continue
			}
			for _, v := range elements(m) { // several versions, for several environments
				e := Entry{ID: namespace + ":" + m.key, Name: m.key, Line: v.line}
				switch {
				case v.kind == table:
					f.add(f.sourced(e, v))
				case v.kind > other:
					f.unreadable(v.line, m.key+": not a version")
				case namespace == "conda":
					f.condaEntry("", e.Name, v.text, v.line)
				default:
					e.Version = pythonVersion(v.text)
					f.addRequirement(e)
				}
			}
		}
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
	namespace, _, _ := strings.Cut(e.ID, ":")
	if root := f.sources[e.Name]; root != nil && namespace == "crates" && n.str("workspace") == "true" { // with the version
		n = &node{kind: table, items: []*node{{key: "version", text: root.text}}}
		if root.kind == table {
			n = root
		}
	}
	e.Version = strings.TrimPrefix(n.str("version"), "*")
	switch namespace {
	case "pypi":
		e.Version = pythonVersion(e.Version)
	case "crates":
		if name := n.str("package"); name != "" { // of a renamed crate
			e.ID = "crates:" + name
		}
	case "conda":
		if channel := n.str("channel"); channel != "" {
			f.condaID(&e, channel)
		}
	}
	at := &node{kind: table, items: slices.Concat(n.items, n.all("source"), n.all("vcs"), n.all("archive"))}
	repository, place, registry := at.place("git", "hg", "svn", "bzr"), at.place("path", "editable", "directory", "virtual"), at.place("index", "registry", "registry-index")
	archive := ""
	switch address := at.place("file", "url"); at.str("type") {
	case "legacy":
		registry = address
	case "git", "hg", "svn", "bzr":
		repository = address
	case "directory", "file":
		place = address
	default:
		archive = address
	}
	switch source := n.str("source"); {
	case strings.HasPrefix(source, "git+"):
		repository = source
	case source != "":
		registry = source
	}
	if at.str("editable") == "true" && place == "" || namespace != "crates" && n.get("workspace") != nil {
		place = "."
	}
	if address := f.registries[registry]; address != "" {
		registry = address
	}
	switch {
	case repository != "":
		e = e.from("git+" + strings.TrimPrefix(repository, "git+"))
		for _, key := range []string{"resolved_reference", "commit-id", "rev", "tag", "branch", "ref"} {
			if ref := at.str(key); ref != "" {
				e.Version = ref
				break
			}
		}
		return e
	case place != "" && !wheel().MatchString(lastPart(place)):
		return e.local(place)
	case archive+place != "" && registry == "":
		return e.from(archive + place)
	}
	return e.in(registry)
}

// lockNamespace returns the namespace of the packages in a lock file, which can have another name.
func lockNamespace(f *file, root *node) string {
	python := f.has(root, "=poetry.lock") || f.has(root, "=uv.lock") || f.has(root, "=pdm.lock") || f.has(root, "requires-python") ||
		f.has(root, "metadata.content-hash") || f.has(root, "metadata.content_hash")
	for _, n := range root.all("package") {
		python = python || f.has(n, "source{}") || f.has(n, "files") || f.has(n, "wheels") || f.has(n, "python-versions")
	}
	if python && !f.has(root, "=Cargo.lock") {
		return "pypi"
	}
	return "crates"
}

func (f *file) pylock(root *node) {
	if root.get("packages") == nil && root.get("lock-version") == nil {
		f.unreadable(0, "not a lock file of PEP 751: it has no packages")
	}
	f.locked("pypi", root.get("packages"))
}

func (f *file) locked(namespace string, n *node) {
	for _, m := range elements(n) {
		name := m.str("name")
		if name == "" {
			f.unreadable(m.line, "a package without a name")
			continue
		}
		e := f.sourced(Entry{ID: namespace + ":" + name, Name: name, Line: m.get("name").line}, m)
		if namespace == "crates" && m.get("source") == nil { // so Cargo writes packages of the project
			e.ID, e.Note = "", "is part of the project"
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
		e := Entry{ID: "go:" + used.Path, Name: used.Path, Version: used.Version, Line: r.Syntax.Start.Line}
		if modfile.IsDirectoryPath(used.Path) {
			e.Name = r.Mod.Path
			e = e.local(used.Path)
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
		e := Entry{ID: "maven:" + group + ":" + name, Name: name, Version: expand(n.str("version")), Line: n.get("artifactId").line}
		if variable().MatchString(group + name) {
			e = e.elsewhere(group + ":" + name)
		}
		f.add(e)
	})
}
