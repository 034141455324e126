package manifest

import (
	"strings"
)

// cycloneDX adds the components of a bill of materials and, if it is a model, what it describes.
func (f *file) cycloneDX(root *node) {
	if main := root.get("metadata", "component"); main.str("type") == "machine-learning-model" {
		f.component(main)
	} else {
		f.components(main)
	}
	f.components(root)
	for _, m := range root.all("services") {
		if name := m.str("name"); name != "" {
			f.add(Entry{Name: name, Line: m.get("name").line, Note: "is a service"})
		}
	}
}

func (f *file) components(n *node) {
	for _, c := range n.all("components") {
		f.component(c)
	}
}

func (f *file) component(c *node) {
	group, name := c.str("group"), c.str("name")
	e := Entry{ID: c.str("purl"), Name: strings.TrimPrefix(group+"/"+name, "/"), Version: c.str("version"), Line: c.line}
	if e.ID != "" {
		e.Line = c.get("purl").line
	} else if c.get("name") != nil {
		e.Line = c.get("name").line
	}
	if e.ID == "" && c.str("type") == "machine-learning-model" {
		e.ID = e.Name
		for _, r := range c.all("externalReferences") {
			if address := r.str("url"); address != "" {
				e.Also = append(e.Also, scrub(address))
			}
		}
	}
	if e.ID == "" {
		e.Note = "has no package URL"
	}
	if e.Name != "" || e.ID != "" {
		f.add(e)
	}
	f.components(c)
}

// spdxPrefixes are those of names in bills of materials without package URLs.
var spdxPrefixes = map[string]string{"pip": "pypi", "pypi": "pypi", "npm": "npm", "go": "go", "rust": "crates", "cargo": "crates", "maven": "maven", "conda": "conda", "docker": "docker"}

// spdx adds the packages of SPDX 2, but not the project that they are of.
func (f *file) spdx(root *node) {
	described := map[string]bool{}
	for _, m := range root.all("documentDescribes") {
		described[m.text] = true
	}
	for _, r := range root.all("relationships") {
		if r.str("relationshipType") == "DESCRIBES" {
			described[r.str("relatedSpdxElement")] = true
		}
	}
	for _, p := range root.all("packages") {
		e := Entry{Name: p.str("name"), Version: p.str("versionInfo"), Line: p.line}
		if n := p.get("name"); n != nil {
			e.Line = n.line
		}
		for _, ref := range p.all("externalRefs") {
			if t := ref.str("referenceType"); t == "purl" || strings.HasSuffix(t, "/purl") {
				e.addPackageURL(ref.get("referenceLocator"))
			}
		}
		if e.ID == "" && described[p.str("SPDXID")] {
			continue
		}
		if from := p.str("downloadLocation"); strings.Contains(from, "://") {
			e.Also = append(e.Also, Entry{ID: "url:"}.from(from).ID)
		}
		if prefix, name, ok := strings.Cut(e.Name, ":"); ok && spdxPrefixes[prefix] != "" && e.ID == "" {
			e.ID = spdxPrefixes[prefix] + ":" + name
		}
		f.addFirst(e)
	}
}

// addPackageURL adds a package URL. Those of registries come before generic ones.
func (e *Entry) addPackageURL(n *node) {
	purl := n.str()
	switch {
	case purl == "":
	case e.ID == "":
		e.ID, e.Line = purl, n.line
	case strings.HasPrefix(e.ID, "pkg:generic/"):
		e.ID, e.Also, e.Line = purl, append(e.Also, e.ID), n.line
	default:
		e.Also = append(e.Also, purl)
	}
}

// addFirst adds an entry whose identifier may be among the others.
func (f *file) addFirst(e Entry) {
	if e.ID == "" && len(e.Also) > 0 {
		e.ID, e.Also = e.Also[0], e.Also[1:]
	}
	if e.ID == "" {
		e.Note = "has no package URL"
	}
	f.add(e)
}

// spdx3 adds the packages of SPDX 3.
func (f *file) spdx3(root *node) {
	for _, p := range root.all("@graph") {
		t := p.str("type") + p.str("@type")
		if !strings.HasSuffix(t, "Package") {
			continue
		}
		e := Entry{Name: p.str("name"), Version: p.str("software_packageVersion"), Line: p.line}
		e.addPackageURL(p.get("software_packageUrl"))
		for _, id := range p.all("externalIdentifier") {
			if id.str("externalIdentifierType") == "packageUrl" {
				e.addPackageURL(id.get("identifier"))
			}
		}
		if e.ID == "" && strings.HasPrefix(t, "ai_") {
			e.ID = e.Name
		}
		f.addFirst(e)
	}
}

// listing adds the packages that a program lists as JSON, as pip list, conda list and pipdeptree do.
func (f *file) listing(root *node) {
	before := len(f.reader.entries)
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
			before := len(f.reader.entries)
			if m.deep(f.withPackageURL); len(f.reader.entries) == before {
				m.deep(f.setting)
			}
		case m.get("channel") != nil || m.get("build_string") != nil:
			f.condaEntry(m.str("channel"), name, m.str("version"), m.get("name").line)
		default:
			f.add(Entry{ID: "pypi:" + name, Name: name, Version: m.str("version"), Line: m.get("name").line})
		}
	}
	if len(root.items) > 0 && len(f.reader.entries) == before {
		f.unreadable(0, namesNothing)
	}
}

// withPackageURL adds the package of a table that has a package URL.
func (f *file) withPackageURL(n *node) {
	for _, m := range n.items {
		if m.kind == text && strings.HasPrefix(m.text, "pkg:") {
			f.add(Entry{ID: m.text, Name: m.text, Version: n.str("version"), Line: m.line})
			return
		}
	}
}

// parseTagValue reads SPDX in the form tag: value.
func parseTagValue(f *file) {
	root := &node{kind: table, items: []*node{{key: "packages", kind: list}, {key: "relationships", kind: list}}}
	var p *node
	within := false // a text of several lines, which can look like tags
	for n, line := range f.lines(f.data, false) {
		if open, end := strings.LastIndex(line, "<text>"), strings.LastIndex(line, "</text>"); within || open > end {
			within = end < 0 || open > end
			continue
		}
		tag, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		member := func(key, value string) *node { return &node{key: key, text: value, line: n} }
		fields := strings.Fields(value)
		switch {
		case tag == "PackageName":
			p = &node{kind: table, line: n, items: []*node{member("name", value), {key: "externalRefs", kind: list}}}
			root.items[0].items = append(root.items[0].items, p)
		case tag == "Relationship" && len(fields) == 3:
			root.items[1].items = append(root.items[1].items, &node{kind: table, items: []*node{member("relationshipType", fields[1]), member("relatedSpdxElement", fields[2])}})
		case p == nil:
		case tag == "SPDXID":
			p.items = append(p.items, member("SPDXID", value))
		case tag == "PackageVersion":
			p.items = append(p.items, member("versionInfo", value))
		case tag == "PackageDownloadLocation":
			p.items = append(p.items, member("downloadLocation", value))
		case tag == "ExternalRef" && len(fields) > 2:
			p.items[1].items = append(p.items[1].items, &node{kind: table, items: []*node{member("referenceType", fields[1]), member("referenceLocator", strings.Join(fields[2:], " "))}})
		case tag == "FileName" || tag == "SnippetSPDXID":
			p = nil
		}
	}
	f.spdx(root)
}
