package main

import (
	"slices"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// TestAuditGuide runs the examples in site/docs/audit.md.
func TestAuditGuide(t *testing.T) {
	suite.InTest(t)
	edgetest.Examples(t, "site/docs/audit.md", edgetest.Run{Edge: edgetest.Start(t, edge.Options{Dir: edgetest.Built(t)}), Dir: checkout(t, edgetest.Content(t)),
		Env: append(slices.Clone(programEnvironment), "KINDEX_AS_OF="+edgetest.Today().Format(time.DateOnly), "GITHUB_STEP_SUMMARY=", "GITHUB_WORKSPACE="),
		Except: []edgetest.Exception{
			{Text: "runs-on: ubuntu-latest", Reason: "a workflow for GitHub; testdata/script/audit.txtar runs its command"},
		}})
}
