package manifest

import (
	"cmp"
	"slices"
	"strings"
)

// cycloneDX adds the components of a bill of materials and, if it is a model, what it describes.
func (f *file) cycloneDX(root *node) {
	if main := root.get("metadata", "component"); main.str("type") == "machine-learning-model" {
		f.components(&node{items: []*node{main}})
	} else {
		f.components(main.get("components"))
	}
	f.components(root.get("components"))
	for _, m := range root.all("services") {
		if name := m.str("name"); name != "" {
			f.add(Entry{Name: name, Line: m.get("name").line, Note: "is a service"})
		}
	}
}

func (f *file) components(n *node) {
	for _, c := range n.all() {
		e := Entry{Name: strings.TrimPrefix(c.str("group")+"/"+c.str("name"), "/"), Version: c.str("version")}
		if c.str("type") == "machine-learning-model" {
			e.ID = e.Name
			c.each("externalReferences.url", func(n *node) { e.Also = append(e.Also, scrub(n.text)) })
		}
		f.described(e, c, c.get("purl"))
		f.components(c.get("components"))
	}
}

// described adds an entry of a bill of materials. Its package URLs identify it better than what it has; those of registries
// come before generic ones.
func (f *file) described(e Entry, n *node, purls ...*node) {
	e.Line = n.line
	if name := n.get("name"); name != nil {
		e.Line = name.line
	}
	purls = slices.DeleteFunc(purls, func(n *node) bool { return n.str() == "" })
	slices.SortStableFunc(purls, func(a, b *node) int {
		return cmp.Compare(strings.Count(a.text, "pkg:generic/"), strings.Count(b.text, "pkg:generic/"))
	})
	for _, purl := range slices.Backward(purls) {
		e.Also = append([]string{purl.str()}, e.Also...)
	}
	if len(purls) > 0 {
		e.ID, e.Line = "", purls[0].line
	}
	if e.ID == "" && len(e.Also) > 0 {
		e.ID, e.Also = e.Also[0], e.Also[1:]
	}
	if e.ID == "" {
		e.Note = "has no package URL"
	}
	if e.Name != "" || e.ID != "" {
		f.add(e)
	}
}

// spdxPrefixes are those of names in bills of materials without package URLs.
var spdxPrefixes = map[string]string{"pip": "pypi", "pypi": "pypi", "npm": "npm", "go": "go", "rust": "crates", "cargo": "crates", "maven": "maven", "conda": "conda", "docker": "docker"}

// spdx adds the packages of SPDX 2, but not the project that they are of.
func (f *file) spdx(root *node) {
	described := map[string]bool{}
	root.each("documentDescribes", func(n *node) { described[n.text] = true })
	root.each("relationships", func(n *node) {
		if n.str("relationshipType") == "DESCRIBES" {
			described[n.str("relatedSpdxElement")] = true
		}
	})
	root.each("packages", func(p *node) {
		e := Entry{Name: p.str("name"), Version: p.str("versionInfo")}
		var purls []*node
		p.each("externalRefs", func(ref *node) {
			if t := ref.str("referenceType"); t == "purl" || strings.HasSuffix(t, "/purl") {
				purls = append(purls, ref.get("referenceLocator"))
			}
		})
		if len(purls) == 0 && described[p.str("SPDXID")] {
			return
		}
		if from := p.str("downloadLocation"); strings.Contains(from, "://") {
			e.Also = append(e.Also, Entry{ID: "url:"}.from(from).ID)
		}
		if prefix, name, ok := strings.Cut(e.Name, ":"); ok && spdxPrefixes[prefix] != "" {
			e.ID = spdxPrefixes[prefix] + ":" + name
		}
		f.described(e, p, purls...)
	})
}

func (f *file) spdx3(root *node) {
	root.each("@graph", func(p *node) {
		t := p.str("type") + p.str("@type")
		if !strings.HasSuffix(t, "Package") {
			return
		}
		e := Entry{Name: p.str("name"), Version: p.str("software_packageVersion")}
		if strings.HasPrefix(t, "ai_") {
			e.ID = e.Name
		}
		purls := []*node{p.get("software_packageUrl")}
		p.each("externalIdentifier", func(id *node) {
			if id.str("externalIdentifierType") == "packageUrl" {
				purls = append(purls, id.get("identifier"))
			}
		})
		f.described(e, p, purls...)
	})
}

// listing adds the packages that a program lists as JSON, as pip list, conda list and pipdeptree do.
func (f *file) listing(root *node) {
	before := len(f.reader.Entries)
	for _, m := range root.items {
		if p := m.get("package"); p.str("package_name") != "" {
			f.add(Entry{ID: "pypi:" + p.str("package_name"), Name: p.str("package_name"), Version: p.str("installed_version"), Line: p.line})
			continue
		}
		name := m.str("name")
		switch {
		case m.kind == text:
			f.listed(m.text, m.line)
		case name == "" && m.str("id") != "":
			f.model(m.str("id"), m.get("id").line)
		case name == "":
			before := len(f.reader.Entries)
			if m.deep(f.withPackageURL); len(f.reader.Entries) == before {
				m.deep(f.setting)
			}
		case m.get("channel") != nil || m.get("build_string") != nil:
			f.condaEntry(m.str("channel"), name, m.str("version"), m.get("name").line)
		default:
			f.add(Entry{ID: "pypi:" + name, Name: name, Version: m.str("version"), Line: m.get("name").line})
		}
	}
	if len(root.items) > 0 && len(f.reader.Entries) == before {
		f.unreadable(0, namesNothing)
	}
}

func (f *file) withPackageURL(n *node) {
	for _, m := range n.items {
		if m.kind == text && strings.HasPrefix(m.text, "pkg:") {
			f.add(Entry{ID: m.text, Name: m.text, Version: n.str("version"), Line: m.line})
			return
		}
	}
}

// spdxTags are the names in JSON of what a package has in the form tag: value.
var spdxTags = map[string]string{"PackageName": "name", "SPDXID": "SPDXID", "PackageVersion": "versionInfo", "PackageDownloadLocation": "downloadLocation"}

func parseTagValue(f *file) {
	packages, relationships := &node{key: "packages", kind: list}, &node{key: "relationships", kind: list}
	p := &node{}    // what precedes the packages, or follows them
	within := false // a text of several lines, which can look like tags
	for n, line := range f.lines(f.data, false) {
		if open, end := strings.LastIndex(line, "<text>"), strings.LastIndex(line, "</text>"); within || open > end {
			within = end < 0 || open > end
			continue
		}
		tag, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		fields := strings.Fields(value)
		pair := func(first, other, second string) *node {
			return &node{kind: table, items: []*node{{key: first, text: fields[1]}, {key: other, text: second, line: n}}}
		}
		switch tag {
		case "PackageName":
			p = &node{kind: table, line: n}
			packages.items = append(packages.items, p)
		case "FileName", "SnippetSPDXID":
			p = &node{}
		case "Relationship":
			if len(fields) == 3 {
				relationships.items = append(relationships.items, pair("relationshipType", "relatedSpdxElement", fields[2]))
			}
		case "ExternalRef":
			if len(fields) > 2 {
				ref := pair("referenceType", "referenceLocator", strings.Join(fields[2:], " "))
				p.items = append(p.items, &node{key: "externalRefs", kind: list, items: []*node{ref}})
			}
		}
		if key := spdxTags[tag]; key != "" {
			p.items = append(p.items, &node{key: key, text: value, line: n})
		}
	}
	f.spdx(&node{kind: table, items: []*node{packages, relationships}})
}
