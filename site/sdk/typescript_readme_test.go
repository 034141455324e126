package sdk_test

import (
	"fmt"
	"path/filepath"
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
		"strict": true, "skipLibCheck": true, "noUncheckedIndexedAccess": true, "noEmit": true
	},
	"include": ["*.ts"]
}`

// TestTypeScriptReadme runs every code block in the README, and compiles its programs strictly
// against the packages that its first block installs.
func TestTypeScriptReadme(t *testing.T) {
	suite.InTest(t)
	nodeModules(t)
	t.Parallel()
	e := edgetest.Start(t, edge.Options{LimitKey: 1000})
	script, err := filepath.Abs("testdata/typescript/run.mjs")
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t.TempDir(), t.TempDir()}
	edgetest.Examples(t, typescriptReadme, edgetest.Run{Edge: e, Dir: p.dir, Key: e.Key(t, "acme"), Env: []string{"SITE=" + filepath.Join(edgetest.Root(t), "site")},
		Programs: map[string][]string{"ts": {"node", script}},
		Except:   []edgetest.Exception{{Text: "<!doctype html>", Reason: "a browser opens it in TestTypeScript/browser"}},
		After: func(b edgetest.Block, printed string) {
			t.Logf("%d: %s", b.Line, printed)
			if b.Language == "ts" {
				write(t, filepath.Join(p.dir, fmt.Sprintf("line%d.ts", b.Line)), b.Text)
			}
		},
	})
	write(t, filepath.Join(p.dir, "tsconfig.json"), strictly)
	p.tsc(t, "tsconfig.json") // fails if there is no program
}
