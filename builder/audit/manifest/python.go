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
	case "package": // the real name of a renamed crate
		if t.namespace == "crates" {
			t.current.ID = t.namespace + ":" + text
		}
	}
}

// end adds the last package.
func (t *tableReader) end() error {
	key, e := t.key, t.current
	t.key, t.current = "", Entry{}
	if key == "" || t.namespace == "pypi" && e.Name == "python" {
		return nil
	}
	return t.file.add(e)
}

// lockParser returns a parser of lock files that list packages as [[package]] tables with a
// name and a version.
func lockParser(namespace string) func(*file) error {
	return func(f *file) error {
		var e Entry
		item := -1
		end := func() error {
			if e.Name == "" {
				return nil
			}
			return f.add(e)
		}
		err := f.readTOML(func(v *tomlValue) error {
			key := v.key()
			if key != "package.name" && key != "package.version" {
				return nil
			}
			if v.item != item {
				if err := end(); err != nil {
					return err
				}
				item, e = v.item, Entry{Line: v.line}
			}
			if key == "package.name" {
				e.ID, e.Name, e.Line = namespace+":"+v.text, v.text, v.line
			} else {
				e.Version = v.text
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
