package sdk_test

import (
	"path/filepath"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

const typescriptReadme = "site/sdk/typescript/README.md"

// TestTypeScriptReadme runs every block of the page, the programs compiled strictly
// against what its first block installs.
func TestTypeScriptReadme(t *testing.T) {
	suite.InTest(t)
	needNodePrograms(t)
	t.Parallel()
	e := edgetest.Start(t, edge.Options{LimitKey: 1000})
	script, err := filepath.Abs("testdata/typescript/run.mjs")
	if err != nil {
		t.Fatal(err)
	}
	edgetest.Examples(t, typescriptReadme, edgetest.Run{Edge: e, Key: e.Key(t, "acme"), Env: []string{"SITE=" + filepath.Join(edgetest.Root(t), "site")},
		Programs: map[string][]string{"ts": {"node", script}},
		Except:   []edgetest.Exception{{Text: "<!doctype html>", Reason: "a browser opens it in TestTypeScriptBrowser"}},
		After:    func(b edgetest.Block, printed string) { t.Logf("%d: %s", b.Line, printed) },
	})
}
