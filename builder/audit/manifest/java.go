package manifest

import (
	"regexp"
	"strings"
)

var (
	property    = lazily(`\$\{([^{}]+)\}`)
	declared    = lazily(`(?i)(?:implementation|api|compile|runtime|classpath|kapt|ksp|processor|platform|only)\b`)
	coordinates = lazily(`["']([A-Za-z0-9_.${}-]+:[A-Za-z0-9_.${}-]+(?::[^"'\s]*)?)["']`)
	mapped      = lazily(`group\s*[:=]\s*["']([^"']+)["']\s*,\s*name\s*[:=]\s*["']([^"']+)["'](?:\s*,\s*version\s*[:=]\s*["']([^"']+)["'])?`)
	slashes     = lazily(`(?:^|\s)//.*$`)
)

// coordinates adds a package of Maven. Its name can have parts that are set elsewhere.
func (f *file) coordinates(group, name, version string, line int) {
	version, _, _ = strings.Cut(version, "@") // and the kind of file
	e := Entry{ID: "maven:" + group + ":" + name, Name: name, Version: version, Line: line}
	if variable().MatchString(group + name) {
		e = e.elsewhere(group + ":" + name)
	}
	f.add(e)
}

// pom reads the dependencies of pom.xml, whose properties stand for parts of them.
func (f *file) pom(root *node) {
	values := map[string]string{}
	for _, m := range root.all("properties") {
		values[m.key] = strings.TrimSpace(m.text)
	}
	for _, key := range []string{"groupId", "version"} {
		if value := root.str(key); value != "" {
			values["project."+key] = value
		}
	}
	expand := func(s string) string {
		return property().ReplaceAllStringFunc(s, func(found string) string {
			if value, ok := values[found[2:len(found)-1]]; ok {
				return value
			}
			return found
		})
	}
	root.deep(func(n *node) {
		if name := n.str("artifactId"); n.key == "dependency" && name != "" {
			f.coordinates(expand(n.str("groupId")), expand(name), expand(n.str("version")), n.get("artifactId").line)
		}
	})
}

// versionCatalog reads the libraries of a version catalog of Gradle.
func (f *file) versionCatalog(root *node) {
	for _, m := range root.all("libraries") {
		parts := strings.SplitN(m.text, ":", 3)
		if m.kind == table {
			parts = strings.SplitN(m.str("module"), ":", 2)
			if m.str("module") == "" {
				parts = []string{m.str("group"), m.str("name")}
			}
			parts = append(parts, m.str("version")+root.str("versions", m.str("version", "ref")))
		}
		if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
			f.unreadable(m.line, m.key+": not a library; expected group:name:version")
			continue
		}
		f.coordinates(parts[0], parts[1], strings.Join(parts[2:], ""), m.line)
	}
}

// parseGradle reads the packages that a build of Gradle declares with their names. Those of a version
// catalog are in a file of their own.
func parseGradle(f *file) {
	n := 0
	for line := range strings.Lines(f.data) {
		n++
		line = slashes().ReplaceAllString(strings.TrimRight(line, "\r\n"), "")
		if !declared().MatchString(line) {
			continue
		}
		for _, pattern := range []*regexp.Regexp{coordinates(), mapped()} {
			for _, m := range pattern.FindAllStringSubmatch(line, -1) {
				parts := m[1:]
				if len(parts) == 1 {
					parts = append(strings.SplitN(m[1], ":", 3), "")
				}
				f.coordinates(parts[0], parts[1], parts[2], n)
			}
		}
	}
}
