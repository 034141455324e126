package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWholeIsComplete: every test that does less with the race detector is run
// without it by make whole.
func TestWholeIsComplete(t *testing.T) {
	root := filepath.Join("..", "..")
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^WHOLE := (.+)$`).FindSubmatch(makefile)
	line := regexp.MustCompile(`(?m)^.*-run '\$\(WHOLE\)' (.*?) \|`).FindSubmatch(makefile)
	if names == nil || line == nil {
		t.Fatal("the Makefile has no target whole")
	}
	runs, rooms := regexp.MustCompile(string(names[1])), strings.Fields(string(line[1]))
	found := 0
	for dir, tests := range shorterWithRace(t, root) {
		for _, name := range tests {
			if found++; !runs.MatchString(name) || !slices.Contains(rooms, "./"+dir) {
				t.Errorf("%s of %s does less with the race detector, and make whole does not run it: add it to WHOLE in the Makefile", name, dir)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d tests that do less with the race detector were found", found)
	}
}

// shorterWithRace lists, by folder, the tests that ask for the race detector, in
// person or through a function of their package.
func shorterWithRace(t *testing.T, root string) map[string][]string {
	t.Helper()
	calls := map[string]map[string][]string{} // by folder and function, the names in its body
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if calls[dir] == nil {
			calls[dir] = map[string][]string{}
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				ast.Inspect(f, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && id != f.Name {
						calls[dir][f.Name.Name] = append(calls[dir][f.Name.Name], id.Name)
					}
					return true
				})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string][]string{}
	for dir, funcs := range calls {
		ask := map[string]bool{"raceEnabled": true}
		for before := 0; before != len(ask); {
			before = len(ask)
			for name, uses := range funcs {
				if slices.ContainsFunc(uses, func(u string) bool { return ask[u] }) {
					ask[name] = true
				}
			}
		}
		for name := range ask {
			if strings.HasPrefix(name, "Test") {
				tests[filepath.ToSlash(dir)] = append(tests[filepath.ToSlash(dir)], name)
			}
		}
	}
	return tests
}
