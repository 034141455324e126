// Package docs_test runs the commands and programs in the guides.
package docs_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

func TestMain(m *testing.M) { edgetest.Main(m) }

// workplace is a folder in which Node finds the npm packages installed for the tests.
func workplace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	installed := suite.NodeModules(t, "@duckdb/node-api")
	suite.Check(t, os.Symlink(installed, filepath.Join(dir, "node_modules")))
	return dir
}

// place consists of a folder that contains the programs from the page, and the edge that
// these programs query.
type place struct {
	t    *testing.T
	edge *edgetest.Edge
	key  string
	dir  string
}

// start creates a place with the content for tests.
func start(t *testing.T, wrap ...func(http.Handler) http.Handler) *place {
	t.Helper()
	return startWith(t, edge.Options{LimitKey: 10_000}, wrap...)
}

func startWith(t *testing.T, o edge.Options, wrap ...func(http.Handler) http.Handler) *place {
	t.Helper()
	e := edgetest.Start(t, o, wrap...)
	p := &place{t: t, edge: e, key: e.Key(t, "ada"), dir: workplace(t)}
	for _, b := range edgetest.Blocks(t, pipelines) {
		if b.File != "" {
			p.write(b.File, e.Example(t, pipelines, b.File))
		}
	}
	// Recipes normally wait before retrying, but not here.
	p.write("bin/sleep", "#!/bin/sh\nexit 0\n")
	suite.Check(t, os.Chmod(filepath.Join(p.dir, "bin/sleep"), 0o755))
	return p
}

func (p *place) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	suite.Check(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	suite.Check(p.t, os.WriteFile(path, []byte(text), 0o644))
}

func (p *place) read(name string) string {
	p.t.Helper()
	b := suite.Must(os.ReadFile(filepath.Join(p.dir, name)))(p.t)
	return string(b)
}

func (p *place) size(name string) int64 { p.t.Helper(); return int64(len(p.read(name))) }

// there returns the files in the folder that match a pattern.
func (p *place) there(pattern string) []string {
	return suite.Must(filepath.Glob(filepath.Join(p.dir, pattern)))(p.t)
}

// command runs a program in the folder.
func (p *place) command(args ...string) *exec.Cmd {
	program := args[0]
	if program == "python3" {
		program = suite.Python(p.t, program)
	}
	cmd := exec.CommandContext(p.t.Context(), program, args[1:]...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "KEY="+p.key, "no_proxy=127.0.0.1", "PATH="+filepath.Join(p.dir, "bin")+":"+os.Getenv("PATH"))
	return cmd
}

// run runs a program and returns its output and its error.
func (p *place) run(args ...string) (stdout string, err error) {
	var out, errs bytes.Buffer
	cmd := p.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("%s: %w\n%s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String(), err
}

// must runs a program that must succeed.
func (p *place) must(args ...string) string {
	p.t.Helper()
	return suite.Must(p.run(args...))(p.t)
}

// fails runs a program that must fail, and returns its output.
func (p *place) fails(args ...string) string {
	p.t.Helper()
	out, err := p.run(args...)
	if err == nil {
		p.t.Fatalf("%v succeeds: %s", args, out)
	}
	return err.Error()
}

// get sends a request to the edge.
func (p *place) get(path string) []byte {
	p.t.Helper()
	req := suite.Must(http.NewRequestWithContext(p.t.Context(), "GET", p.edge.URL+path, nil))(p.t)
	req.Header.Set("x-api-key", p.key)
	res := suite.Must(http.DefaultClient.Do(req))(p.t)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %d %v %s", path, res.StatusCode, err, body)
	}
	return body
}

// fresh downloads the JSONL export of all entities and returns its rows.
func (p *place) fresh() []map[string]any {
	p.t.Helper()
	return objects(p.t, p.get("/api/export/entities?format=jsonl"))
}
