package manifest

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// elements returns the elements of a list, or the value itself.
func elements(n *node) []*node {
	switch {
	case n == nil:
		return nil
	case n.kind == list:
		return n.items
	}
	return []*node{n}
}

// rule says how the value at a path of a file is read; see node.each.
type rule struct {
	path string
	read func(f *file, n *node)
}

func rules(read func(f *file, n *node), paths string) (list []rule) {
	for _, path := range strings.Fields(paths) {
		list = append(list, rule{path, read})
	}
	return list
}

// tomlRules are the tables and arrays of TOML files that name packages: those of pyproject.toml
// (PEP 621, PEP 735 and the tools), pixi.toml, Pipfile, Cargo.toml and pylock.toml (PEP 751).
var tomlRules = map[string][]rule{
	"pyproject": slices.Concat(
		rules((*file).requirements, `build-system.requires project.dependencies project.optional-dependencies.* dependency-groups.*
			tool.pdm.dev-dependencies.* tool.uv.dev-dependencies tool.uv.constraint-dependencies tool.uv.override-dependencies
			tool.uv.build-constraint-dependencies tool.uv.extra-build-dependencies.* tool.rye.dev-dependencies tool.hatch.build.dependencies tool.hatch.build.targets.*.dependencies
			tool.hatch.build.hooks.*.dependencies tool.hatch.build.targets.*.hooks.*.dependencies
			tool.hatch.envs.*.dependencies tool.hatch.envs.*.extra-dependencies tool.hatch.env.requires
			tool.flit.metadata.requires tool.flit.metadata.dev-requires tool.flit.metadata.requires-extra.*`),
		rules(named("pypi"), `tool.poetry.dependencies tool.poetry.dev-dependencies tool.poetry.group.*.dependencies tool.poetry.requires-plugins
			tool.pdm.overrides tool.pdm.resolution.overrides
			tool.pixi.pypi-options.dependency-overrides tool.pixi.pypi-dependencies tool.pixi.feature.*.pypi-dependencies tool.pixi.target.*.pypi-dependencies tool.pixi.feature.*.target.*.pypi-dependencies`),
		rules(named("conda"), `tool.pixi.dependencies tool.pixi.host-dependencies tool.pixi.build-dependencies tool.pixi.feature.*.dependencies
			tool.pixi.target.*.dependencies tool.pixi.feature.*.target.*.dependencies
			tool.pixi.package.run-dependencies tool.pixi.package.host-dependencies tool.pixi.package.build-dependencies`),
		rules((*file).included, `tool.setuptools.dynamic.dependencies.file tool.setuptools.dynamic.optional-dependencies.*.file
			tool.hatch.metadata.hooks.requirements_txt.files tool.hatch.metadata.hooks.requirements_txt.filename`),
	),
	"Pipfile": rules(named("pypi"), `*`),
	"pylock":  rules(locked("pypi"), `packages`),
	"Cargo": rules(named("crates"), `dependencies dev-dependencies build-dependencies dev_dependencies build_dependencies target.*.dependencies target.*.dev-dependencies
		target.*.build-dependencies workspace.dependencies patch.* replace`),
}

// parseTOML reads a TOML file. Its name, or else its tables, say which rules hold.
func parseTOML(f *file) {
	root := f.tree(tomlSyntax)
	base := lastPart(f.shown)
	has := func(keys ...string) bool { return root.get(keys...) != nil }
	var form string
	switch {
	case lockNames[base] != "" || root.get("package") != nil && root.get("package").kind == list:
		locked(lockNamespace(base, root))(f, root.get("package"))
		return
	case strings.HasPrefix(base, "pylock.") || has("packages") && has("lock-version"):
		if form = "pylock"; !has("lock-version") && !has("packages") {
			f.unreadable(0, "not a lock file of PEP 751: it has no packages")
		}
	case base == "Pipfile" || has("dev-packages") || has("packages") && root.get("packages").kind == table:
		form = "Pipfile"
	case base == "pixi.toml" || has("workspace", "channels") || has("project", "channels"):
		form, root = "pyproject", within(root, "tool", "pixi")
	case base == "uv.toml" || base == "hatch.toml":
		form, root = "pyproject", within(root, "tool", strings.TrimSuffix(base, ".toml"))
	case base == "pyproject.toml" || has("project") || has("tool") || has("build-system"):
		form = "pyproject"
	case has("libraries") && (has("versions") || strings.HasSuffix(base, ".versions.toml")):
		f.versionCatalog(root)
		return
	case base == "Cargo.toml" || has("dependencies") || has("workspace"):
		form = "Cargo"
	default:
		f.settings(root)
		return
	}
	f.registries, f.sources = map[string]string{}, map[string]*node{}
	for _, path := range []string{"tool.poetry.source", "tool.pdm.source", "tool.uv.index", "source"} {
		root.each(path, func(n *node) { f.registries[n.str("name")] = n.str("url") })
	}
	for _, m := range root.all("tool", "uv", "sources") {
		f.sources[strings.ToLower(m.key)] = m
	}
	for _, path := range []string{"tool.pixi.channels", "tool.pixi.project.channels", "tool.pixi.workspace.channels"} {
		f.addChannels(root, path)
	}
	if form == "Cargo" {
		for _, m := range root.all("workspace", "dependencies") {
			f.sources[m.key] = m
		}
	}
	for _, r := range tomlRules[form] {
		if strings.HasPrefix(r.path, "tool.") && !strings.HasPrefix(r.path, "tool.uv.") {
			f.sources = nil // those of uv
		}
		root.each(r.path, func(n *node) { r.read(f, n) })
	}
	f.dynamic(root)
}

// dynamic lists dependencies as unreadable that are neither in the file nor in one that it names.
func (f *file) dynamic(root *node) {
	if root.get("tool", "hatch", "metadata", "hooks") != nil || root.get("tool", "poetry", "dependencies") != nil {
		return
	}
	for _, key := range []string{"dependencies", "optional-dependencies"} {
		dynamic := root.all("project", "dynamic")
		i := slices.IndexFunc(dynamic, func(n *node) bool { return n.text == key })
		if at := root.get("tool", "setuptools", "dynamic", key); i >= 0 && (at == nil || at.get("attr") != nil) {
			f.unreadable(dynamic[i].line, key+" are computed when the project is built")
		}
	}
}

// within returns a table that has a value at a path.
func within(n *node, keys ...string) *node {
	for _, key := range slices.Backward(keys) {
		inner := *n
		inner.key = key
		n = &node{kind: table, items: []*node{&inner}}
	}
	return n
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

// included reads the requirements files that a table names.
func (f *file) included(n *node) {
	for _, m := range elements(n) {
		f.include(m.text, m.line)
	}
}

// noTables are the tables of Pipfile that do not contain packages.
var noTables = map[string]bool{"source": true, "requires": true, "pipenv": true, "scripts": true}

// named returns a reader of a table whose keys are names of packages in a namespace.
func named(namespace string) func(*file, *node) {
	return func(f *file, n *node) {
		if namespace == "pypi" && noTables[n.key] || n.kind != table {
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
				case v.kind <= other && namespace == "conda":
					f.condaEntry("", e.Name, v.text, v.line)
				case v.kind <= other:
					e.Version = pythonVersion(v.text)
					f.addRequirement(e)
				default:
					f.unreadable(v.line, m.key+": not a version")
				}
			}
		}
	}
}

// sourced returns an entry with the version of a package and where it comes from, which is a table
// in many forms: of manifests and lock files of Python and Rust.
func (f *file) sourced(e Entry, n *node) Entry {
	namespace, _, _ := strings.Cut(e.ID, ":")
	repository, archive, place, registry, ref := "", "", "", "", ""
	set := func(to *string, n *node) {
		if n.kind == text || n.kind == table {
			*to = n.str() + n.str("url") + n.str("path")
		}
	}
	var read func(n *node)
	read = func(n *node) {
		kind := n.str("type")
		for _, m := range n.items {
			switch m.key {
			case "version":
				if e.Version = m.text; namespace == "pypi" {
					e.Version = pythonVersion(m.text)
				} else if m.text == "*" {
					e.Version = ""
				}
			case "package": // the name of a renamed crate
				if namespace == "crates" {
					e.ID = "crates:" + m.text
				}
			case "git", "hg", "svn", "bzr":
				set(&repository, m)
			case "rev", "tag", "branch", "ref", "commit-id", "resolved_reference":
				ref = m.text
			case "file", "url":
				switch kind {
				case "legacy":
					set(&registry, m)
				case "git", "hg", "svn", "bzr":
					set(&repository, m)
				case "directory", "file":
					set(&place, m)
				default:
					set(&archive, m)
				}
			case "path", "editable", "directory", "virtual":
				if set(&place, m); m.kind == other && m.text == "true" {
					place = "."
				}
			case "workspace":
				if namespace != "crates" {
					place = "."
				}
			case "index", "registry", "registry-index":
				set(&registry, m)
			case "channel":
				if namespace == "conda" {
					f.condaID(&e, m.text)
				}
			case "source":
				switch {
				case m.kind == table:
					read(m)
				case strings.HasPrefix(m.text, "git+"):
					set(&repository, m)
				default:
					set(&registry, m)
				}
			case "vcs", "archive":
				read(m)
			}
		}
	}
	read(n)
	if namespace == "crates" && n.str("workspace") == "true" {
		if root := f.sources[e.Name]; root != nil { // with the version
			for _, v := range elements(root) {
				if v.kind == table {
					return f.sourced(e, v)
				}
				e.Version = v.text
			}
		}
	}
	if address := f.registries[registry]; address != "" {
		registry = address
	}
	switch {
	case repository != "":
		e = e.from("git+" + strings.TrimPrefix(repository, "git+"))
		if ref != "" {
			e.Version = ref
		}
		return e
	case place != "" && !wheel().MatchString(lastPart(place)):
		return e.local(place)
	case archive+place != "" && registry == "":
		return e.from(archive + place)
	}
	return e.in(registry)
}

// lockNames are lock files that list packages as [[package]] tables, and the namespaces of those.
var lockNames = map[string]string{"Cargo.lock": "crates", "poetry.lock": "pypi", "uv.lock": "pypi", "pdm.lock": "pypi"}

// lockNamespace returns the namespace of the packages in a lock file, which can have another name.
func lockNamespace(base string, root *node) string {
	if namespace := lockNames[base]; namespace != "" {
		return namespace
	}
	isPython := func(n *node) bool {
		source := n.get("source")
		return source != nil && source.kind == table || n.get("files") != nil || n.get("wheels") != nil || n.get("python-versions") != nil
	}
	if root.get("requires-python") != nil || root.get("metadata", "content-hash") != nil || root.get("metadata", "content_hash") != nil || slices.ContainsFunc(root.all("package"), isPython) {
		return "pypi"
	}
	return "crates"
}

// locked returns a reader of a list of tables with the names, versions and sources of packages.
func locked(namespace string) func(*file, *node) {
	return func(f *file, n *node) {
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
}

// pipfileLock reads Pipfile.lock, whose categories are tables.
func (f *file) pipfileLock(root *node) {
	f.registries = map[string]string{}
	root.each("_meta.sources", func(n *node) { f.registries[n.str("name")] = n.str("url") })
	for _, category := range root.all() {
		if category.key != "_meta" {
			named("pypi")(f, category)
		}
	}
}

var goLine = lazily(`^.*:([0-9]+)(?::[0-9]+)?: `)

// parseGoMod reads go.mod and applies its replace directives.
func parseGoMod(f *file) {
	lines := strings.SplitAfter(f.data, "\n")
	var m *modfile.File
	for range maxFaults {
		var err error
		if m, err = modfile.Parse("go.mod", []byte(strings.Join(lines, "")), nil); err == nil {
			break
		}
		var wrong modfile.ErrorList
		if !errors.As(err, &wrong) || len(wrong) == 0 || wrong[0].Pos.Line < 1 || wrong[0].Pos.Line > len(lines) || len(f.data) > 1<<20 || strings.TrimSpace(lines[wrong[0].Pos.Line-1]) == "" {
			f.unreadable(0, goLine().ReplaceAllString(err.Error(), ""))
			return
		}
		f.unreadable(wrong[0].Pos.Line, goLine().ReplaceAllString(wrong[0].Error(), ""))
		lines[wrong[0].Pos.Line-1] = "\n"
	}
	if m == nil {
		return
	}
	replaced := map[module.Version]module.Version{}
	for _, r := range m.Replace {
		replaced[r.Old] = r.New
	}
	for _, r := range m.Require {
		used := r.Mod
		for _, old := range []module.Version{r.Mod, {Path: r.Mod.Path}} {
			if by, ok := replaced[old]; ok {
				used = by
				break
			}
		}
		e := Entry{ID: "go:" + used.Path, Name: used.Path, Version: used.Version, Line: r.Syntax.Start.Line}
		if modfile.IsDirectoryPath(used.Path) {
			e.Name = r.Mod.Path
			e = e.local(used.Path)
		}
		f.add(e)
	}
}
