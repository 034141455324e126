package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestPlatforms checks the types of the program as it is compiled for other systems. No file is
// specific to a processor, so one platform of each system is enough; that
// of macOS, which differs less from Linux, is checked in make soak. Compiling the program for a platform takes
// minutes; in make soak, the tests of cmd/dist compile it for all.
func TestPlatforms(t *testing.T) {
	suite.InTest(t)
	for _, platform := range suite.Pick([]string{"windows/amd64"}, []string{"windows/amd64", "darwin/arm64"}) {
		t.Run(platform, func(t *testing.T) {
			checked := 0
			for _, err := range typeErrors(t, platform, suite.Root(t), "./cmd/kindex", func() { checked++ }) {
				t.Error(err)
			}
			if checked < 50 {
				t.Errorf("only %d of our packages were checked", checked)
			}
		})
	}
}

// platformPackage is a package as go list -json describes it.
type platformPackage struct {
	Dir, ImportPath string
	GoFiles         []string
	ImportMap       map[string]string // how std names its vendored packages
	Module          *struct{ Main bool }
}

// typeErrors returns the type errors that a package and its dependencies in the main module have on
// a platform. It checks all packages from source, which needs no build cache, but of other modules
// only the declarations. It calls own for each package of the main module.
func typeErrors(t *testing.T, platform, dir, pattern string, own func()) (found []error) {
	t.Helper()
	system, processor, _ := strings.Cut(platform, "/")
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,ImportPath,GoFiles,ImportMap,Module", pattern)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	for list := json.NewDecoder(bytes.NewReader(out)); ; { // dependencies come first
		var p platformPackage
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		isOwn := p.Module != nil && p.Module.Main
		config := types.Config{
			Importer:         importMap{p.ImportMap, done},
			Sizes:            types.SizesFor("gc", processor),
			IgnoreFuncBodies: !isOwn,
			Error: func(err error) {
				if isOwn {
					found = append(found, err)
				}
			},
		}
		if isOwn {
			own()
		}
		fset := token.NewFileSet()
		done[p.ImportPath], _ = config.Check(p.ImportPath, fset, parse(t, fset, p), nil) // Error gets the errors
	}
}

// parse parses the files of a package.
func parse(t *testing.T, fset *token.FileSet, p platformPackage) (files []*ast.File) {
	t.Helper()
	for _, name := range p.GoFiles {
		f := suite.Must(parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution))(t)
		files = append(files, f)
	}
	return files
}

// importMap imports packages that have been checked before.
type importMap struct {
	names map[string]string
	done  map[string]*types.Package
}

// Import returns a package by the path that a file imports it by.
func (m importMap) Import(path string) (*types.Package, error) {
	if mapped, ok := m.names[path]; ok {
		path = mapped
	}
	if p := m.done[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("not platformPackage: " + path)
}
