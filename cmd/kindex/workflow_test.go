package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"kindex/builder/suite"
)

// workflow is the part of a GitHub Actions workflow that the tests understand. Unknown keys
// are errors.
type workflow struct {
	Name        string
	On          map[string]any
	Permissions map[string]string
	Concurrency struct {
		Group            string
		CancelInProgress bool `yaml:"cancel-in-progress"`
	}
	Env      map[string]string
	Defaults struct{ Run struct{ Shell string } }
	Jobs     map[string]struct {
		RunsOn         string `yaml:"runs-on"`
		Container      struct{ Image, Options string }
		TimeoutMinutes int `yaml:"timeout-minutes"`
		Needs, If      string
		Permissions    map[string]string
		Env            map[string]string
		Outputs        map[string]string
		Steps          []workflowStep
	}
}

type workflowStep struct {
	Name, ID, If, Uses, Run, Shell string
	With                           map[string]any
	Env                            map[string]string
}

// pinnedAction matches an action at a fixed commit. A tag is not enough: whoever controls
// the action's repository can move the tag, and thereby change what runs here.
var pinnedAction = regexp.MustCompile(`^[a-z0-9-]+(/[a-z0-9-]+)+@[0-9a-f]{40}$`)

func readWorkflow(t *testing.T, path string) *workflow {
	t.Helper()
	data := suite.Must(os.ReadFile(path))(t)
	var w workflow
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&w); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(w.On) == 0 || len(w.Permissions) != 1 || w.Permissions["contents"] != "read" || w.Concurrency.Group == "" || len(w.Jobs) == 0 {
		t.Fatalf("%s: %+v", path, w)
	}
	for _, j := range w.Jobs {
		if j.RunsOn == "" || j.TimeoutMinutes < 1 || len(j.Steps) < 2 || w.Jobs["content"].Permissions != nil {
			t.Fatalf("%s: %+v", path, j)
		}
		for _, s := range j.Steps {
			if (s.Uses == "") == (s.Run == "") {
				t.Errorf("%s: a step has either uses or run: %+v", path, s)
			}
			if s.Uses != "" && !pinnedAction.MatchString(s.Uses) {
				t.Errorf("%s: %s is not pinned; name the commit: owner/name@40 hexadecimal digits # tag", path, s.Uses)
			}
			if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != false {
				t.Errorf("%s: %s leaves its token readable by later steps", path, s.Uses)
			}
			if strings.Contains(s.Run, "${{") {
				t.Errorf("%s: the value of ${{ }} becomes part of the script: %s", path, s.Run)
			}
		}
	}
	return &w
}

// runner executes the run steps of a job the way GitHub's runner does.
type runner struct {
	t          *testing.T
	dir, temp  string
	env        []string
	installDir string // added to the path by a step
}

func newRunner(t *testing.T, dir string, env ...string) *runner {
	temp := t.TempDir()
	return &runner{t: t, dir: dir, temp: temp, env: append(append(os.Environ(), programEnvironment...), append(env, "CI=true",
		"RUNNER_TEMP="+temp, "GITHUB_WORKSPACE="+dir, "GITHUB_PATH="+filepath.Join(temp, "path"), "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary.md"),
		"GITHUB_OUTPUT="+filepath.Join(temp, "output"))...)}
}

// run executes a step like "shell: bash".
func (r *runner) run(script string) (output string, err error) {
	r.t.Helper()
	file := filepath.Join(r.temp, "step.sh")
	suite.Check(r.t, os.WriteFile(file, []byte(script), 0o644))
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", file)
	cmd.Dir, cmd.Env = r.dir, r.env
	if added, err := os.ReadFile(filepath.Join(r.temp, "path")); err == nil {
		r.installDir = strings.TrimSpace(string(added))
		cmd.Env = append(cmd.Env, "PATH="+r.installDir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestOurWorkflow runs this repository's check of content, which is also make content, on the
// content for tests.
func TestOurWorkflow(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	root, dir := suite.Root(t), t.TempDir()
	w := readWorkflow(t, filepath.Join(root, ".github", "workflows", "validate.yml"))
	if _, ok := w.On["pull_request"]; !ok {
		t.Errorf("%+v", w)
	}
	suite.CopyContent(t, filepath.Join(dir, "content"))
	program, err := exec.LookPath("kindex")
	suite.Check(t, errors.Join(err, os.Mkdir(filepath.Join(dir, "bin"), 0o755), os.Symlink(program, filepath.Join(dir, "bin", "kindex")),
		os.Symlink(filepath.Join(root, "Makefile"), filepath.Join(dir, "Makefile"))))
	r := newRunner(t, dir)
	var checks []workflowStep
	for _, s := range w.Jobs["content"].Steps {
		if s.Run == "" {
			continue
		}
		s.Run = strings.NewReplacer("go run ./cmd/kindex", "kindex", "make content", "make -o build GO=true content").Replace(s.Run)
		checks = append(checks, s)
		if out, err := r.run(s.Run); err != nil {
			t.Errorf("%s: %v\n%s", s.Run, err, out)
		}
	}
	if len(checks) != 2 {
		t.Fatalf("%d checks", len(checks))
	}
	failsForMistakes(t, r, checks)
	for _, c := range []struct{ file, text, says string }{
		{"tool/odd.yaml", "description: Fields in another order.\nname: Odd\ncategory: nlp\n", "run: make fmt"},
		{"model/gone.yaml", "name: Gone\nstatus: deprecated\ndescription: A model that is no longer sold.\ncategory: language\nids:\n  openrouter: gone/gone\n", "retired models without"},
		{"boards.yaml", "boards:\n  - slug: few\n    title: Few\n    description: Nothing has so many stars.\n    type: tool\n    where: {signal: \"stars>=100000000\"}\n", "the board few is not published"},
	} {
		path := filepath.Join(dir, "content", c.file)
		was, _ := os.ReadFile(path) // nil for a new file
		suite.Check(t, os.WriteFile(path, []byte(c.text), 0o644))
		if out, err := r.run(checks[1].Run); err == nil || !strings.Contains(out, c.says) {
			t.Errorf("%s: %v, does not say %q:\n%s", c.file, err, c.says, out)
		}
		restore := os.Remove(path)
		if was != nil {
			restore = os.WriteFile(path, was, 0o644)
		}
		if restore != nil {
			t.Fatal(restore)
		}
	}
}

// TestStarterWorkflow runs the workflow of a new index. Until the workflow specifies where
// to get kindex, it must fail and state the reason; after that, it must run its checks.
func TestStarterWorkflow(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	dir := newIndex(t)
	w := readWorkflow(t, filepath.Join(dir, ".github", "workflows", "validate.yml"))
	if _, ok := w.On["pull_request"]; !ok {
		t.Errorf("%+v", w)
	}
	if _, ok := w.On["push"]; !ok || w.Defaults.Run.Shell != "bash" || w.Env["KINDEX_INSTALL"] != "" || w.Env["KINDEX_SHA256"] != "" {
		t.Fatalf("%+v", w)
	}
	var install workflowStep
	var checks []workflowStep
	for _, s := range w.Jobs["content"].Steps {
		switch {
		case s.ID == "install":
			install = s
		case s.ID == "diff": // TestStarterComment runs it
		case s.Run != "":
			checks = append(checks, s)
		}
	}
	server, digest := serveProgram(t)
	for name, c := range map[string]struct {
		install, sha256 string
		ok              bool
		says            string
	}{
		"unset":     {"", "", false, "::error file=.github/workflows/validate.yml,title=kindex cannot be installed::Set KINDEX_INSTALL in .github/workflows/validate.yml to the address of kindex"},
		"no https":  {"http://127.0.0.1/kindex", "", false, "::error "},
		"source":    {sourceRepository(t) + "#v1.0", "", true, "kindex of the tag"},
		"newest":    {sourceRepository(t), "", true, "kindex of the branch"},
		"no tag":    {sourceRepository(t) + "#v9", "", false, "v9"},
		"program":   {server.URL + "/kindex", "", true, "kindex (devel)"},
		"digest":    {server.URL + "/kindex", digest, true, "kindex: OK"},
		"other":     {server.URL + "/kindex", strings.Repeat("0", 64), false, "kindex: FAILED"},
		"not found": {server.URL + "/other", "", false, "404"},
	} {
		r := newRunner(t, dir, "KINDEX_INSTALL="+c.install, "KINDEX_SHA256="+c.sha256, "CURL_CA_BUNDLE="+authority(t, server), "GOFLAGS=", "GOWORK=off")
		out, err := r.run(install.Run)
		if (err == nil) != c.ok || !strings.Contains(out, c.says) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		_, err = os.Stat(filepath.Join(r.temp, "path"))
		suite.Equal(t, err == nil, c.ok, name, "on the path")
		if name != "digest" {
			continue
		}
		for _, s := range checks {
			if out, err := r.run(s.Run); err != nil || r.installDir == "" {
				t.Errorf("%s: %v\n%s", s.Run, err, out)
			}
		}
		failsForMistakes(t, r, checks)
	}
	suite.Equal(t, len(checks), 3)
}

// failsForMistakes checks that the workflow's checks fail for an invalid file.
func failsForMistakes(t *testing.T, r *runner, checks []workflowStep) {
	path := filepath.Join(r.dir, "content", "tool", "wrong.yaml")
	suite.Check(t, os.WriteFile(path, []byte("category: graphs\nname: Wrong\n"), 0o644))
	defer os.Remove(path)
	annotated := false
	for _, s := range checks {
		out, err := r.run(s.Run)
		if err == nil {
			t.Errorf("%s accepts a file without a description and with unordered fields", s.Run)
		}
		annotated = annotated || strings.Contains(out, "::error file=content/tool/wrong.yaml,line=1,col=1,")
	}
	if !annotated {
		t.Error("no check names the invalid file")
	}
}

// newIndex creates a new index in a temporary folder.
func newIndex(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mine")
	succeed(t, "init", dir)
	return dir
}

// programScript returns a script that starts this program, for tests that download it: the program
// itself is large.
func programScript(t *testing.T) string {
	t.Helper()
	path := suite.Must(exec.LookPath("kindex"))(t)
	return "#!/bin/sh\nexec '" + path + "' \"$@\"\n"
}

// serveProgram serves programScript for download.
func serveProgram(t *testing.T) (s *httptest.Server, digest string) {
	t.Helper()
	data := []byte(programScript(t))
	s = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/kindex" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(s.Close)
	return s, fmt.Sprintf("%x", sha256.Sum256(data))
}

// authority writes the server's certificate, so that curl can trust it, and returns the
// file.
func authority(t *testing.T, s *httptest.Server) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.pem")
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	suite.Check(t, os.WriteFile(path, data, 0o644))
	return path
}

// sourceRepository creates a git repository that contains a small program in place of
// kindex. It has two versions, and the earlier one is tagged v1.0.
func sourceRepository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "source.git")
	script := `
mkdir -p "$1/cmd/kindex" && cd "$1" && git init -q -b main
printf 'module kindex\n\ngo 1.26\n' > go.mod
printf 'package main\n\nfunc main() { println("kindex of the tag") }\n' > cmd/kindex/main.go
git add . && git commit -qm 1 && git tag v1.0
sed -i 's/the tag/the branch/' cmd/kindex/main.go && git commit -qam 2
`
	shell(t, "", script, dir)
	return dir
}

// TestNightlyWorkflow checks that make soak runs each night.
func TestNightlyWorkflow(t *testing.T) {
	w := readWorkflow(t, filepath.Join(suite.Root(t), ".github", "workflows", "nightly.yml"))
	steps := w.Jobs["soak"].Steps
	if _, ok := w.On["schedule"]; !ok || len(steps) == 0 || steps[len(steps)-1].Run != "make soak" {
		t.Errorf("%+v", w)
	}
}
