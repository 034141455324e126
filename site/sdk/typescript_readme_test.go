package sdk_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

const typescriptReadme = "site/sdk/typescript/README.md"

// typescriptFromReadme runs every code block in the README, and returns the project into which the
// first one has installed the client. As soon as it has, all programs are compiled.
func typescriptFromReadme(t *testing.T) *project {
	t.Helper()
	e := edgetest.Start(t, edge.Options{LimitKey: 1000})
	p := &project{t.TempDir(), t.TempDir()}
	compiled := false
	edgetest.Examples(t, typescriptReadme, edgetest.Run{Edge: e, Dir: p.dir, Key: e.Key(t, "acme"),
		Programs: map[string][]string{"ts": {"bash", "-c", `exec node "${0%.ts}.js"`}},
		Except:   []edgetest.Exception{{Text: "<!doctype html>", Reason: "a browser opens it in TestTypeScript/browser"}},
		After: func(b edgetest.Block, printed string) {
			t.Logf("%d: %s", b.Line, printed)
			if !compiled {
				p.compile(t, e)
				compiled = true
			}
		},
	})
	return p
}

// compile compiles the programs in the README, under the names that edgetest.Examples gives them,
// and those in testdata against the installed client and its declarations. Programs for browsers
// are compiled without Node's declarations. Checking the types takes longer than all programs, so make test
// repeats it only if the sources are not those that -update has recorded.
func (p *project) compile(t *testing.T, e *edgetest.Edge) {
	t.Helper()
	for _, b := range edgetest.Blocks(t, typescriptReadme) {
		if b.Language == "ts" {
			write(t, filepath.Join(p.dir, fmt.Sprintf("block-%d.ts", b.Line)), strings.ReplaceAll(b.Text, "http://127.0.0.1:8080", e.URL))
		}
	}
	suite.Check(t, os.CopyFS(p.dir, os.DirFS(filepath.Join("testdata", "typescript"))))
	const checkedAs = "testdata/checked.txt"
	sources := sourceHash(t, "typescript", "testdata/typescript", "../package-lock.json", "../../edge/openapi/openapi.yaml") + "\n"
	types := filepath.Join(nodeModules(t), "@types")
	if checked, err := os.ReadFile(checkedAs); err == nil && string(checked) == sources && !suite.Soaking() && !suite.Updating() {
		types = ""
	}
	args := []string{filepath.Join("testdata", "typescript", "programs.mjs"), types}
	for _, config := range []string{"tsconfig.json", "tsconfig.browser.json"} {
		args = append(args, filepath.Join(p.dir, config))
	}
	suite.Output(t, exec.Command("node", args...)) // fails if a configuration selects no program
	if suite.Updating() {
		write(t, checkedAs, sources)
	}
}
