package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
	"kindex/edge/edgetest"
)

// TestAutomationGuide runs the examples in site/docs/automation.md.
func TestAutomationGuide(t *testing.T) {
	suite.InTest(t)
	edgetest.Examples(t, "site/docs/automation.md", edgetest.Run{Dir: checkout(t, edgetest.Content(t)), Env: programEnvironment,
		Except: []edgetest.Exception{
			{Text: "runs-on: ubuntu-latest", Reason: "a workflow for GitHub; TestAction runs its steps"},
			{Text: "kindex check links", Reason: "it needs the network; TestCheckLinks runs it without"},
		}})
}

// TestCheckLinks follows a dead link, which is the only thing that makes the command fail.
func TestCheckLinks(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" || !strings.HasPrefix(r.UserAgent(), "kindex/") {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer s.Close()
	dir := filepath.Join(t.TempDir(), "content")
	text := "name: A\ndescription: What it is.\ncategory: things\nurl: " + s.URL + "/\nlinks:\n  paper: " + s.URL + "/paper\n"
	writeFile(t, filepath.Join(dir, "tool", "a.yaml"), text)
	check := func(args ...string) (code int, out string) {
		cmd := program(append([]string{"check", "links", "--content", dir, "--rate", "100", "--allow", "127.0.0.0/8"}, args...)...)
		text, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), string(text)
	}
	want := "dead: " + s.URL + "/paper (status 404 Not Found): tool/a links.paper\n2 links: 1 alive, 1 dead, 0 unclear; 3 requests\n"
	if code, out := check(); code != cli.ExitProblem || out != want {
		t.Errorf("%d %s", code, out)
	}
	if code, out := check("--max-requests", "1"); code != cli.ExitOK || out != "2 links: 1 alive, 0 dead, 0 unclear, 1 not checked; 1 request\n" {
		t.Errorf("%d %s", code, out)
	}
}
