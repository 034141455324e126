package manifest

import (
	"regexp"
	"strings"
)

// requirementKeys are the arrays of pyproject.toml that contain requirements: of the project
// (PEP 621), of its groups (PEP 735), of its build, and of two tools.
var requirementKeys = regexp.MustCompile(`^(project\.dependencies|project\.optional-dependencies\..+|dependency-groups\.[^.]+|build-system\.requires|tool\.pdm\.dev-dependencies\..+|tool\.uv\.dev-dependencies)$`)

// poetryKeys are the tables of pyproject.toml that map names to versions.
var poetryKeys = regexp.MustCompile(`^tool\.poetry\.((dev-)?dependencies|group\.[^.]+\.dependencies)$`)

// parsePyproject reads pyproject.toml.
func parsePyproject(f *file) error {
	poetry := f.tableReader("pypi", func(table string) bool { return poetryKeys.MatchString(table) })
	err := f.readTOML(func(v *tomlValue) error {
		if !requirementKeys.MatchString(v.key()) {
			return poetry.visit(v)
		}
		if err := poetry.end(); err != nil {
			return err
		}
		e, ok := parseRequirement(v.text, v.line)
		if !ok {
			return f.wrong(v.line, "not a requirement; expected a name such as torch>=2.3")
		}
		return f.add(e)
	})
	if err != nil {
		return err
	}
	return poetry.end()
}

// parsePipfile reads Pipfile, whose tables map names to versions.
func parsePipfile(f *file) error {
	t := f.tableReader("pypi", func(table string) bool { return table == "packages" || table == "dev-packages" })
	if err := f.readTOML(t.visit); err != nil {
		return err
	}
	return t.end()
}

// tableReader reads tables whose keys are names of packages, and whose values are versions
// or tables with a version.
type tableReader struct {
	file      *file
	namespace string
	isTable   func(table string) bool
	current   Entry
	key       string
	local     bool // the current package is part of the project
}

func (f *file) tableReader(namespace string, isTable func(string) bool) *tableReader {
	return &tableReader{file: f, namespace: namespace, isTable: isTable}
}

// visit reads one string. The strings of a package's table follow each other.
func (t *tableReader) visit(v *tomlValue) error {
	n := len(v.path)
	for depth := max(1, n-2); depth < n; depth++ { // name = version, or name.field = value
		if !t.isTable(strings.Join(v.path[:depth], ".")) {
			continue
		}
		name := v.path[depth]
		if key := strings.Join(v.path[:depth+1], "\x00"); key != t.key {
			if err := t.end(); err != nil {
				return err
			}
			t.key, t.current = key, Entry{ID: t.namespace + ":" + name, Name: name, Line: v.line}
		}
		field := "version"
		if depth+1 < n {
			field = v.path[depth+1]
		}
		t.set(field, v.text)
		return nil
	}
	return nil
}

func (t *tableReader) set(field, text string) {
	switch field {
	case "version":
		if text != "*" {
			t.current.Version = text
		}
	case "git":
		t.current.ID = text
	case "path":
		t.local = true
	case "package": // the real name of a renamed crate
		if t.namespace == "crates" {
			t.current.ID = t.namespace + ":" + text
		}
	}
}

// end adds the last package.
func (t *tableReader) end() error {
	key, e, local := t.key, t.current, t.local
	t.key, t.current, t.local = "", Entry{}, false
	if key == "" || local || t.namespace == "pypi" && e.Name == "python" {
		return nil
	}
	return t.file.add(e)
}

// lockParser returns a parser of lock files that list packages as [[package]] tables, which
// start with the name.
func lockParser(namespace string) func(*file) error {
	return func(f *file) error {
		var e Entry
		// Cargo states no source for packages of the project, uv another kind of source.
		local := false
		end := func() error {
			if e.Name == "" || local {
				return nil
			}
			return f.add(e)
		}
		err := f.readTOML(func(v *tomlValue) error {
			switch v.key() {
			case "package.name":
				if err := end(); err != nil {
					return err
				}
				e, local = Entry{ID: namespace + ":" + v.text, Name: v.text, Line: v.line}, namespace == "crates"
			case "package.version":
				e.Version = v.text
			case "package.source":
				local = false
			case "package.source.virtual", "package.source.editable", "package.source.directory":
				local = true
			}
			return nil
		})
		if err != nil {
			return err
		}
		return end()
	}
}

// parsePipfileLock reads Pipfile.lock.
func parsePipfileLock(f *file) error {
	return f.readJSON(func(v *jsonValue) error {
		if len(v.path) != 3 || v.path[2] != "version" || v.path[0] != "default" && v.path[0] != "develop" {
			return nil
		}
		return f.add(Entry{ID: "pypi:" + v.path[1], Name: v.path[1], Version: strings.TrimPrefix(v.text, "=="), Line: v.line})
	})
}

// parseCargo reads Cargo.toml.
func parseCargo(f *file) error {
	t := f.tableReader("crates", func(table string) bool {
		last := table[strings.LastIndexByte(table, '.')+1:]
		return strings.HasSuffix(last, "dependencies") && (last == "dependencies" || last == "dev-dependencies" || last == "build-dependencies")
	})
	if err := f.readTOML(t.visit); err != nil {
		return err
	}
	return t.end()
}
