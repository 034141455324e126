package manifest

import (
	"path"
	"slices"
	"strings"
)

type form struct {
	// has are alternatives, one of which recognizes the form: a file name such as =*.lock, the
	// path of a value with [] or {} if it must be a list or a table, or several of these joined by +.
	has  string
	read func(f *file, root *node)
}

// dataForms are the forms of JSON and YAML: of package managers, bills of materials and what
// programs list. The rest are configurations.
func dataForms() []form {
	return []form{
		{"=package.json", (*file).packageJSON},
		{"bomFormat specVersion", (*file).cycloneDX},
		{"spdxVersion", (*file).spdx},
		{"@graph", (*file).spdx3},
		{"sbom", func(f *file, root *node) { f.read(root.get("sbom"), dataForms()) }},           // of GitHub's interface
		{"predicate", func(f *file, root *node) { f.read(root.get("predicate"), dataForms()) }}, // of an attestation
		{"cells", (*file).notebook},
		{"_meta.pipfile-spec =Pipfile.lock", (*file).pipfile},
		{"channels dependencies[]", (*file).environment},
		{"package[]", (*file).condaLock},
		{"environments+packages", rules{
			{"packages.conda", func(f *file, n *node) { f.condaSpec(n.text, n.line) }},
			{"packages.pypi", func(f *file, n *node) { f.requirement(n.text, n.line) }},
		}.read}, // pixi.lock
		{"lockfileVersion importers =package-lock.json =npm-shrinkwrap.json", (*file).lockJS},
		{"npm jsr specifiers remote packages.specifiers", (*file).denoLock},
		{"=pnpm-workspace.* packages+catalog packages+catalogs", func(f *file, root *node) {
			f.catalogs(root)
			f.overrides(root.get("overrides"))
		}},
		{"pip_version", rules{{"installed.metadata install.metadata", func(f *file, n *node) { f.locked("pypi", n) }}}.read},
		{"dependencies devDependencies peerDependencies optionalDependencies overrides resolutions workspaces.catalog workspaces.catalogs", (*file).packageJSON},
		{"imports scopes =deno.* =import_map.json", rules{{"imports.*", (*file).specifier}, {"scopes.*.*", (*file).specifier}}.read},
		{"object+data[]", func(f *file, root *node) { f.listing(root.get("data")) }}, // the models of a provider
		{"packages{}", (*file).lockJS},
		{"", (*file).otherData},
	}
}

func tomlForms() []form {
	return []form{
		{"=Cargo.lock =poetry.lock =uv.lock =pdm.lock package[]", func(f *file, root *node) { f.locked(lockNamespace(f, root), root.get("package")) }},
		{"=pylock.* packages+lock-version", (*file).pylock},
		{"=Pipfile dev-packages packages{}", (*file).pipfile},
		{"=pixi.toml workspace.channels project.channels", pyproject("tool.pixi.")},
		{"=uv.toml", pyproject("tool.uv.")},
		{"=hatch.toml", pyproject("tool.hatch.")},
		{"=pyproject.toml project tool build-system", pyproject("")},
		{"=Cargo.toml dependencies workspace", (*file).cargo},
		{"", (*file).settings},
	}
}

func parseJSON(f *file) { f.read(f.tree((*builder).json, false), dataForms()) }

func parseYAML(f *file) { f.read(f.tree((*builder).yaml, true), dataForms()) }

func parseTOML(f *file) { f.read(f.tree((*builder).toml, true), tomlForms()) }

func parseXML(f *file) {
	switch root := f.tree((*builder).xml, false); {
	case root.get("bom") != nil:
		f.cycloneDX(root.get("bom"))
	case root.get("project") != nil:
		f.pom(root.get("project"))
	case len(root.all()) > 0:
		f.unreadable(0, "neither CycloneDX nor pom.xml"+seeHelp)
	}
}

func (f *file) read(root *node, forms []form) {
	i := slices.IndexFunc(forms, func(form form) bool {
		return form.has == "" || slices.ContainsFunc(strings.Fields(form.has), func(all string) bool {
			return !slices.ContainsFunc(strings.Split(all, "+"), func(one string) bool { return !f.has(root, one) })
		})
	})
	if root != nil {
		forms[i].read(f, root)
	}
}

// has reports whether a file has a name or a value; see form.
func (f *file) has(root *node, what string) bool {
	if pattern, ok := strings.CutPrefix(what, "="); ok {
		matched, _ := path.Match(pattern, lastPart(f.shown))
		return matched
	}
	keys := strings.Split(strings.TrimRight(what, "[]{}"), ".")
	n := root.get(keys...)
	return n != nil && (!strings.HasSuffix(what, "[]") || n.kind == list) && (!strings.HasSuffix(what, "{}") || n.kind == table)
}

// rule says how the value at a path of a file is read; see node.each.
type rule struct {
	path string
	read func(f *file, n *node)
}

type rules []rule

func (list rules) read(f *file, root *node) {
	for _, r := range list {
		for _, path := range strings.Fields(r.path) {
			f.each(root, path, func(n *node) { r.read(f, n) })
		}
	}
}

// each calls visit with the values at a path. The file can be a part of the one that the path is of.
func (f *file) each(root *node, path string, visit func(*node)) {
	if path, ok := strings.CutPrefix(path, f.within); ok {
		root.each(path, visit)
	}
}

func elements(n *node) []*node {
	switch {
	case n == nil:
		return nil
	case n.kind == list:
		return n.items
	}
	return []*node{n}
}

// otherData reads what a program lists, or the package URLs of any data, or else a configuration.
func (f *file) otherData(root *node) {
	if root.kind == list {
		f.listing(root)
		return
	}
	before := len(f.reader.Entries)
	if root.deep(f.withPackageURL); len(f.reader.Entries) == before {
		f.settings(root)
	}
}
