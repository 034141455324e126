package sdk_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

const typescriptReadme = "site/sdk/typescript/README.md"

// strictly contains the compiler settings for the programs in the README.
const strictly = `{
	"compilerOptions": {
		"target": "ES2022", "module": "NodeNext", "moduleResolution": "NodeNext", "lib": ["ES2022"], "types": ["node"],
		"strict": true, "skipLibCheck": true, "noUncheckedIndexedAccess": true, "outDir": "compiled"
	},
	"include": ["*.ts"]
}`

// TestTypeScriptReadme runs every code block in the README. As soon as the first one has installed
// the package, it compiles all programs strictly.
func TestTypeScriptReadme(t *testing.T) {
	suite.InTest(t)
	nodeModules(t)
	t.Parallel()
	e := edgetest.Start(t, edge.Options{LimitKey: 1000})
	p := &project{t.TempDir(), t.TempDir()}
	compiled := false
	edgetest.Examples(t, typescriptReadme, edgetest.Run{Edge: e, Dir: p.dir, Key: e.Key(t, "acme"),
		Programs: map[string][]string{"ts": {"bash", "-c", `exec node "compiled/${0%.ts}.js"`}},
		Except:   []edgetest.Exception{{Text: "<!doctype html>", Reason: "a browser opens it in TestTypeScript/browser"}},
		After: func(b edgetest.Block, printed string) {
			t.Logf("%d: %s", b.Line, printed)
			if !compiled {
				p.compileReadme(t, e)
				compiled = true
			}
		},
	})
}

// compileReadme compiles the programs in the README, under the names that edgetest.Examples gives
// them.
func (p *project) compileReadme(t *testing.T, e *edgetest.Edge) {
	t.Helper()
	write(t, filepath.Join(p.dir, "tsconfig.json"), strictly)
	for _, b := range edgetest.Blocks(t, typescriptReadme) {
		if b.Language == "ts" {
			write(t, filepath.Join(p.dir, fmt.Sprintf("block-%d.ts", b.Line)), strings.ReplaceAll(b.Text, "http://127.0.0.1:8080", e.URL))
		}
	}
	p.tsc(t, "tsconfig.json") // fails if there is no program
}
