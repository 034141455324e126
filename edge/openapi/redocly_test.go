package openapi_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/openapi"
)

// redocly is the path of the linter, which is installed with the other Node dependencies.
const redocly = "../../site/node_modules/.bin/redocly"

// TestRedocly checks that Redocly finds a deliberate mistake and no other problem with its
// recommended rules.
func TestRedocly(t *testing.T) {
	suite.InTest(t)
	t.Parallel() // it mostly waits for Node
	if _, err := os.Stat(redocly); err != nil {
		suite.Missing(t, "@redocly/cli")
	}
	worse := bytes.Replace(openapi.YAML, []byte("      operationId: getEntity\n"), []byte("      operationId: listEntities\n"), 1)
	if found := lint(t, worse); len(found) != 1 || !strings.Contains(found[0], "operation-operationId-unique") {
		t.Errorf("besides a duplicate operationId, Redocly found %s", strings.Join(found, "\n"))
	}
}

// lint returns the errors and warnings that Redocly finds.
func lint(t *testing.T, description []byte) []string {
	t.Helper()
	program := suite.Must(filepath.Abs(redocly))(t)
	dir := t.TempDir() // contains no settings that could affect the result
	suite.Check(t, os.WriteFile(filepath.Join(dir, "openapi.yaml"), description, 0o644))
	cmd := exec.Command(program, "lint", "--extends=recommended", "--format=json", "--max-problems=1000", "openapi.yaml")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	failed := cmd.Run()
	var report struct {
		Totals   struct{ Errors, Warnings, Ignored int }
		Problems []struct {
			RuleID, Severity, Message string
			Location                  []struct{ Pointer string }
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatalf("%v: %v: %s%s", failed, err, stdout.Bytes(), stderr.Bytes())
	}
	var found []string
	for _, p := range report.Problems {
		found = append(found, p.Severity+" "+p.RuleID+": "+p.Message)
	}
	if sum := report.Totals.Errors + report.Totals.Warnings + report.Totals.Ignored; sum != len(found) || failed != nil && report.Totals.Errors == 0 {
		t.Fatalf("%v: %s%s", failed, stdout.Bytes(), stderr.Bytes())
	}
	return found
}
