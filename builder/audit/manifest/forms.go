package manifest

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// form is a kind of JSON, YAML or TOML, which its names and values tell apart.
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
		{"bomFormat specVersion", cycloneDX.readFile},
		{"spdxVersion", spdx2.readFile},
		{"@graph", spdx3.readFile},
		{"cells", rules{{"cells", (*file).cell}}.readFile},
		{"_meta.pipfile-spec =Pipfile.lock", pipfile.readFile},
		{"channels dependencies[]", (*file).environment},
		{"package[]", rules{{"package", (*file).condaLocked}}.readFile},
		{"environments+packages", rules{
			{"packages.conda", func(f *file, n *node) { f.condaSpec(n.text, n.line) }},
			{"packages.pypi", func(f *file, n *node) { f.requirement(n.text, n.line) }},
		}.readFile}, // pixi.lock
		{"lockfileVersion importers =package-lock.json =npm-shrinkwrap.json", (*file).lockJS},
		{"npm jsr specifiers remote packages.specifiers", (*file).denoLock},
		{"=pnpm-workspace.* packages+catalog packages+catalogs", (*file).packageJSON},
		{"pip_version", rules{{"installed.metadata install.metadata", func(f *file, n *node) { f.locked("pypi", n) }}}.readFile},
		{"dependencies devDependencies peerDependencies optionalDependencies overrides resolutions workspaces.catalog workspaces.catalogs", (*file).packageJSON},
		{"imports scopes =deno.* =import_map.json", rules{{"imports.* scopes.*.*", (*file).specifier}}.readFile},
		{"object+data[]", func(f *file, root *node) { f.listing(root.get("data")) }}, // the models of a provider
		{"packages{}", (*file).lockJS},
		{"", (*file).otherData},
	}
}

var pipfile = rules{{"source _meta.sources", (*file).addRegistry}, {"*", named("pypi")}}

func tomlForms() []form {
	return []form{
		{"=Cargo.lock =poetry.lock =uv.lock =pdm.lock package[]", (*file).lock},
		{"=pylock.* packages+lock-version", (*file).pylock},
		{"=Pipfile dev-packages packages{}", pipfile.readFile},
		{"=pixi.toml workspace.channels project.channels", ofTool("pixi")},
		{"=uv.toml", ofTool("uv")},
		{"=hatch.toml", ofTool("hatch")},
		{"=pyproject.toml project tool build-system", (*file).pyproject},
		{"=Cargo.toml dependencies workspace", rules{
			{"workspace.dependencies", (*file).addSources},
			{`dependencies dev-dependencies build-dependencies dev_dependencies build_dependencies target.*.dependencies target.*.dev-dependencies
				target.*.build-dependencies workspace.dependencies patch.* replace`, named("crates")},
		}.readFile},
		{"", (*file).settings},
	}
}

func xmlForms() []form {
	return []form{
		{"bom", func(f *file, root *node) { cycloneDX.readFile(f, root.get("bom")) }},
		{"project", func(f *file, root *node) { f.pom(root.get("project")) }},
		{"", func(f *file, root *node) {
			if len(root.items) > 0 {
				f.unreadable(0, "neither CycloneDX nor pom.xml"+seeHelp)
			}
		}},
	}
}

func parseJSON(f *file) { f.read(f.tree((*builder).json, false), dataForms()) }

func parseYAML(f *file) { f.read(f.tree((*builder).yaml, true), dataForms()) }

func parseTOML(f *file) { f.read(f.tree((*builder).toml, true), tomlForms()) }

func parseXML(f *file) { f.read(f.tree((*builder).xml, false), xmlForms()) }

// read reads a value, or the bill of materials in an answer of GitHub or in an attestation.
func (f *file) read(root *node, forms []form) {
	if root == nil {
		return
	}
	root = cmp.Or(root.get("sbom"), root.get("predicate"), root)
	i := slices.IndexFunc(forms, func(form form) bool { return form.has == "" || f.has(root, form.has) })
	forms[i].read(f, root)
}

// has reports whether a file has one of the names and values of a form.
func (f *file) has(root *node, alternatives string) bool {
	return slices.ContainsFunc(strings.Fields(alternatives), func(all string) bool {
		return !slices.ContainsFunc(strings.Split(all, "+"), func(one string) bool { return !f.hasOne(root, one) })
	})
}

func (f *file) hasOne(root *node, what string) bool {
	if pattern, ok := strings.CutPrefix(what, "="); ok {
		matched, _ := path.Match(pattern, lastPart(f.shown))
		return matched
	}
	n := root.get(strings.Split(strings.TrimRight(what, "[]{}"), ".")...)
	return n != nil && (!strings.HasSuffix(what, "[]") || n.kind == list) && (!strings.HasSuffix(what, "{}") || n.kind == table)
}

// rules say how the values at paths of a file are read.
type rules []struct {
	paths string
	read  func(f *file, n *node)
}

func (list rules) readFile(f *file, root *node) {
	for _, r := range list {
		for _, n := range root.at(r.paths) {
			r.read(f, n)
		}
	}
}

// otherData reads what a program lists, or the package URLs of any data, or else a configuration.
func (f *file) otherData(root *node) {
	if root.kind == list {
		f.listing(root)
		return
	}
	if !f.purls(root) {
		f.settings(root)
	}
}
