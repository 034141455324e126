package manifest

import (
	"cmp"
	"slices"
	"strings"
)

// bom says where the packages of a bill of materials are, and their versions, package URLs and addresses. Packages
// can contain others.
type bom struct{ packages, version, purls, addresses string }

var (
	cycloneDX = bom{"components", "version", "purl", "externalReferences.url externalReferences.reference.url"}
	spdx2     = bom{"packages", "versionInfo", "externalRefs.referenceLocator purl", "downloadLocation"}
	spdx3     = bom{"@graph", "software_packageVersion", "software_packageUrl externalIdentifier.identifier", ""}
)

// read adds the packages and services, but not the project that they are of, unless it is a model.
func (b bom) readFile(f *file, root *node) {
	project := map[string]bool{}
	for _, n := range root.at("documentDescribes") {
		project[n.text] = true
	}
	for _, n := range root.at("relationships") {
		project[n.str("relatedSpdxElement")] = n.str("relationshipType") == "DESCRIBES" || project[n.str("relatedSpdxElement")]
	}
	packages := root.all(b.packages)
	if main := root.get("metadata", "component"); isModel(main) {
		packages = append([]*node{main}, packages...)
	} else if main != nil {
		b.readFile(f, main)
	}
	for _, p := range packages {
		if b != spdx3 || strings.HasSuffix(p.str("type")+p.str("@type"), "Package") {
			b.add(f, p, project[p.str("SPDXID")])
			b.readFile(f, p)
		}
	}
	for _, m := range root.all("services") {
		if name := m.get("name"); name != nil {
			f.add(Entry{Name: name.text, Line: name.line, Note: "is a service"})
		}
	}
}

func isModel(p *node) bool {
	return p.str("type") == "machine-learning-model" || strings.HasPrefix(p.str("type")+p.str("@type"), "ai_")
}

// namePrefixes are those of names in bills of materials without package URLs.
var namePrefixes = map[string]string{"pip": "pypi", "pypi": "pypi", "npm": "npm", "go": "go", "rust": "crates", "cargo": "crates", "maven": "maven", "conda": "conda", "docker": "docker"}

// add adds a package, unless it has no name. Its package URLs identify it better than what else it has; those of
// registries come before generic ones. A project is listed only if it has one.
func (b bom) add(f *file, p *node, project bool) {
	e := Entry{Name: strings.TrimPrefix(p.str("group")+"/"+p.str("name"), "/"), Version: p.str(b.version), Line: p.line}
	if name := p.get("name"); name != nil {
		e.Line = name.line
	}
	purls := slices.DeleteFunc(p.at(b.purls), func(n *node) bool { return !strings.HasPrefix(n.text, "pkg:") })
	slices.SortStableFunc(purls, func(a, b *node) int {
		return cmp.Compare(strings.Count(a.text, "pkg:generic/"), strings.Count(b.text, "pkg:generic/"))
	})
	for _, purl := range purls {
		e.IDs, e.Line = append(e.IDs, purl.str()), purls[0].line
	}
	prefix, name, _ := strings.Cut(e.Name, ":")
	switch {
	case len(purls) > 0:
	case project:
		return
	case isModel(p) && e.Name != "":
		e.IDs = []string{e.Name}
	case namePrefixes[prefix] != "":
		e.IDs = []string{namePrefixes[prefix] + ":" + name}
	}
	for _, n := range p.at(b.addresses) {
		if strings.Contains(n.text, "://") && (isModel(p) || b == spdx2) {
			e.IDs = append(e.IDs, Entry{IDs: []string{"url:"}}.from(n.text).IDs...)
		}
	}
	if len(e.IDs) == 0 {
		e.Note = "has no package URL"
	}
	if e.Name != "" || len(e.IDs) > 0 {
		f.add(e)
	}
}

// listing adds the packages that a program lists as JSON, as pip list, conda list and pipdeptree do.
func (f *file) listing(root *node) {
	for _, m := range root.items {
		name := m.str("name")
		switch p := m.get("package"); {
		case p.str("package_name") != "":
			f.add(entry("pypi", p.str("package_name"), p.str("installed_version"), p.line))
		case m.kind == text:
			f.listed(m.text, m.line)
		case name == "" && m.str("id") != "":
			f.model(m.str("id"), m.get("id").line)
		case name == "":
			if !f.purls(m) {
				m.deep(f.setting)
			}
		case m.get("channel") != nil || m.get("build_string") != nil:
			f.add(f.conda(m.str("channel"), name, m.str("version"), m.get("name").line))
		default:
			f.add(entry("pypi", name, m.str("version"), m.get("name").line))
		}
	}
	if len(root.items) > 0 && len(f.reader.Entries) == f.start {
		f.unreadable(0, namesNothing)
	}
}

// purls adds the package URLs in any data, and reports whether there are some.
func (f *file) purls(n *node) bool {
	before := len(f.reader.Entries)
	n.deep(func(n *node) {
		i := slices.IndexFunc(n.items, func(m *node) bool { return m.kind == text && strings.HasPrefix(m.text, "pkg:") })
		if i >= 0 {
			f.add(Entry{IDs: []string{n.items[i].text}, Version: n.str("version"), Line: n.items[i].line})
		}
	})
	return len(f.reader.Entries) > before
}

// spdxTags are the names in JSON of what a package has in the form tag: value.
var spdxTags = map[string]string{"PackageName": "name", "SPDXID": "SPDXID", "PackageVersion": "versionInfo", "PackageDownloadLocation": "downloadLocation", "ExternalRef": "purl"}

func parseTagValue(f *file) {
	root, packages, p := &node{kind: table}, &node{key: "packages", kind: list}, &node{}
	within := false // a text of several lines, which can look like tags
	for n, line := range f.lines(f.data, plain) {
		if open, end := strings.LastIndex(line, "<text>"), strings.LastIndex(line, "</text>"); within || open > end {
			within = end < 0 || open > end
			continue
		}
		tag, value, _ := strings.Cut(line, ":")
		words := strings.Fields(value)
		switch {
		case tag == "PackageName":
			p = &node{kind: table, line: n}
			packages.items = append(packages.items, p)
		case tag == "FileName" || tag == "SnippetSPDXID":
			p = &node{} // what follows is not about a package
		case tag == "Relationship" && len(words) == 3 && words[1] == "DESCRIBES":
			root.items = append(root.items, &node{key: "documentDescribes", text: words[2]})
		case tag == "ExternalRef" && len(words) > 2:
			value = strings.Join(words[2:], " ")
		}
		if key := spdxTags[tag]; key != "" {
			p.items = append(p.items, &node{key: key, text: strings.TrimSpace(value), line: n})
		}
	}
	root.items = append(root.items, packages)
	spdx2.readFile(f, root)
}
