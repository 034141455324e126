package main

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// TestAuditGuide runs the examples in site/docs/audit.md.
func TestAuditGuide(t *testing.T) {
	suite.InTest(t)
	dir, out := checkout(t), t.TempDir()
	if _, err := builder.Build(t.Context(), builder.Options{Content: filepath.Join(dir, "content"), Out: out, AsOf: readmeDay, Keep: 1}); err != nil {
		t.Fatal(err)
	}
	edgetest.Examples(t, "site/docs/audit.md", edgetest.Run{Edge: edgetest.Start(t, edge.Options{Dir: out}), Dir: dir,
		Env: append(slices.Clone(programEnvironment), "KINDEX_AS_OF="+readmeDay.Format(time.DateOnly), "GITHUB_STEP_SUMMARY=", "GITHUB_WORKSPACE="),
		Except: []edgetest.Exception{
			{Text: "runs-on: ubuntu-latest", Reason: "a workflow for GitHub; testdata/script/audit.txtar runs its command"},
		}})
}
