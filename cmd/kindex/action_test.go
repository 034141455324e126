package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"kindex/builder/suite"
)

// compositeAction is a composite action of GitHub. Unknown keys are errors.
type compositeAction struct {
	Name, Description string
	Inputs            map[string]struct {
		Description, Default string
		Required             bool
	}
	Runs struct {
		Using string
		Steps []workflowStep
	}
}

// readAction reads the action for other people's indexes, and returns its steps by name.
func readAction(t *testing.T) map[string]workflowStep {
	t.Helper()
	data := suite.Must(os.ReadFile(filepath.Join(suite.Root(t), ".github", "actions", "validate", "action.yml")))(t)
	var a compositeAction
	suite.Check(t, yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&a))
	if a.Runs.Using != "composite" || a.Name == "" || a.Description == "" || !a.Inputs["version"].Required || a.Inputs["content"].Default != "content" {
		t.Errorf("%+v", a)
	}
	steps := map[string]workflowStep{}
	for _, s := range a.Runs.Steps {
		if s.Shell != "bash" || s.Run == "" || strings.Contains(s.Run, "${{") {
			t.Errorf("%+v", s)
		}
		if (s.Env["GH_TOKEN"] == "${{ github.token }}") != (s.Name == "Comment") {
			t.Errorf("the step %s has the wrong secrets: %v", s.Name, s.Env)
		}
		steps[s.Name] = s
	}
	if len(steps) != 4 {
		t.Fatalf("%+v", steps)
	}
	return steps
}

// serveRelease serves files over https, by path.
func serveRelease(t *testing.T, files map[string]string) *httptest.Server {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	return s
}

// TestActionInstall downloads released programs. One whose SHA-256 is not the expected one must
// neither run nor be installed.
func TestActionInstall(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	install := readAction(t)["Install kindex"].Run
	name, trace := "kindex-linux-"+runtime.GOARCH, filepath.Join(t.TempDir(), "ran")
	program := "#!/bin/sh\ntouch '" + trace + "'\necho kindex v1.2.3\n"
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(program)))
	wrong := strings.Repeat("0", 64)
	s := serveRelease(t, map[string]string{
		"/o/kindex/releases/download/v1.2.3/" + name:    program,
		"/o/kindex/releases/download/v1.2.3/SHA256SUMS": wrong + "  other\n" + sum + "  " + name + "\n" + wrong + "  " + name + ".txt\n",
		"/altered/" + name:      program + "# more\n",
		"/altered/SHA256SUMS":   sum + " *" + name + "\n",
		"/unlisted/" + name:     program,
		"/unlisted/SHA256SUMS":  sum + "  kindex-plan9-mips\n",
		"/broken/" + name:       program,
		"/broken/SHA256SUMS":    "<html>" + sum + "  " + name + "</html>\n",
		"/twice/" + name:        program,
		"/twice/SHA256SUMS":     sum + "  " + name + "\n" + wrong + "  " + name + "\n",
		"/without-sums/" + name: program,
		"/o/kindex/releases/download/v1.2.3/other/" + name: program,
	})
	for what, c := range map[string]struct {
		version, sha256, url, repository string
		says                             string // "" if it must be installed
	}{
		"a published sum":      {"v1.2.3", "", "", "o/kindex", ""},
		"a given sum":          {"v1.2.3", sum, "", "o/kindex", ""},
		"in capitals":          {"v1.2.3", strings.ToUpper(sum), "", "o/kindex", ""},
		"no sums, but one":     {"v1.2.3", sum, s.URL + "/without-sums/", "", ""},
		"a wrong sum":          {"v1.2.3", wrong, "", "o/kindex", "The SHA-256 of " + name + " does not match the expected value"},
		"half a sum":           {"v1.2.3", sum[:32], "", "o/kindex", "The SHA-256 of"},
		"an altered program":   {"v1.2.3", "", s.URL + "/altered", "", "The SHA-256 of"},
		"altered, a given sum": {"v1.2.3", sum, s.URL + "/altered", "", "The SHA-256 of"},
		"not in the sums":      {"v1.2.3", "", s.URL + "/unlisted", "", "The SHA-256 of"},
		"a page for the sums":  {"v1.2.3", "", s.URL + "/broken", "", "The SHA-256 of"},
		"two sums":             {"v1.2.3", "", s.URL + "/twice", "", "The SHA-256 of"},
		"no sums":              {"v1.2.3", "", s.URL + "/without-sums", "", "/SHA256SUMS could not be downloaded."},
		"no such release":      {"v9", "", "", "o/kindex", "could not be downloaded."},
		"no https":             {"v1.2.3", sum, "http://127.0.0.1:1", "", "could not be downloaded."},
		"no place":             {"v1.2.3", sum, "", "", "Set the input url"},
		"no version":           {"", sum, "", "o/kindex", "The input version must be the tag"},
		"a path as version":    {"../v1.2.3", sum, "", "o/kindex", "The input version must be the tag"},
		"another path":         {"v1.2.3/other", sum, "", "o/kindex", "The input version must be the tag"},
	} {
		_ = os.Remove(trace)
		r := newRunner(t, t.TempDir(), "VERSION="+c.version, "SHA256="+c.sha256, "URL="+c.url, "REPOSITORY="+c.repository, "GITHUB_SERVER_URL="+s.URL, "CURL_CA_BUNDLE="+authority(t, s))
		out, err := r.run(install)
		_, ran := os.Stat(trace)
		_, added := os.Stat(filepath.Join(r.temp, "path"))
		_, installed := os.Stat(filepath.Join(r.temp, "kindex-bin", "kindex"))
		if ok := c.says == ""; (err == nil) != ok || (ran == nil) != ok || (added == nil) != ok || (installed == nil) != ok || !ok && !strings.Contains(out, "::error title=kindex cannot be installed::") || !strings.Contains(out, c.says) {
			t.Errorf("%s: %v, ran: %v, added: %v, installed: %v\n%s", what, err, ran, added, installed, out)
		}
	}
}

// TestAction runs the action on a pull request with a problem, and then without. Comparing and
// commenting are the same steps as in the workflow of a new index, which TestStarterComment and
// TestStarterInjection run.
func TestAction(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	steps := readAction(t)
	p := newPullRequest(t, "main")
	if got := strings.ReplaceAll(steps["Compare"].Run, `"$CONTENT"`, "content"); got != p.compare || steps["Comment"].Run != p.comment {
		t.Fatalf("the action compares or comments unlike the workflow of a new index:\n%s\n%s", got, steps["Comment"].Run)
	}
	program := programScript(t)
	name := "kindex-linux-" + runtime.GOARCH
	s := serveRelease(t, map[string]string{"/" + name: program, "/SHA256SUMS": fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(program)), name)})
	run := func() (out string, checked error) {
		r := newRunner(t, p.dir, "VERSION=v1", "SHA256=", "URL="+s.URL, "REPOSITORY=", "CURL_CA_BUNDLE="+authority(t, s), "CONTENT=content", "GITHUB_BASE_REF=main",
			"GH_TOKEN=write", "PULL_REQUEST=7", "GITHUB_REPOSITORY=o/r", "FAKE_COMMENTS="+p.comments)
		if out, err := r.run(steps["Install kindex"].Run); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, checked = r.run(steps["Validate"].Run)
		_, compared := r.run(steps["Compare"].Run)
		if r.output("compared") != "yes" || (compared == nil) != (checked == nil) {
			t.Errorf("%v, %v", checked, compared)
		}
		if out, err := r.run(steps["Comment"].Run); err != nil || out != "" {
			t.Errorf("%v\n%s", err, out)
		}
		return out, checked
	}
	p.push("content/tool/igraph.yaml", "name: igraph\n")
	if out, err := run(); err == nil || !strings.Contains(out, "::error file=content/tool/igraph.yaml,line=1,col=1,") {
		t.Errorf("%v\n%s", err, out)
	}
	p.push("content/tool/igraph.yaml", "name: igraph\ncategory: graphs\ndescription: Analyses networks.\n")
	if out, err := run(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if text := readText(t, p.comments); strings.Count(text, "kindex diff: 1 created") != 1 || strings.Contains(text, "has errors") {
		t.Errorf("%s", text)
	}
}
