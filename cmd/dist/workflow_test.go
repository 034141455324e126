package main

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-containerregistry/pkg/registry"

	"kindex/builder/suite"
)

// releaseWorkflow is the part of .github/workflows/release.yml that the test runs.
type releaseWorkflow struct {
	On          map[string]struct{ Tags []string }
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Steps       []struct {
			Name, Uses, Run string
			With            map[string]any
			Env             map[string]string
		}
	}
}

// TestReleaseWorkflow runs the job that publishes, with a fake gh and a registry of its own.
func TestReleaseWorkflow(t *testing.T) {
	dir := releaseFiles(t)
	var w releaseWorkflow
	suite.Check(t, yaml.Unmarshal(read(t, filepath.Join(suite.Root(t), ".github", "workflows", "release.yml")), &w))
	if len(w.On["push"].Tags) != 1 || len(w.Permissions) != 1 || w.Permissions["contents"] != "read" || w.Jobs["dist"].Permissions != nil || len(w.Jobs["publish"].Permissions) != 2 {
		t.Fatalf("%+v", w)
	}
	pinned := regexp.MustCompile(`^[a-z0-9-]+/[a-z0-9-]+@[0-9a-f]{40}$`)
	steps := map[string]string{}
	for _, j := range w.Jobs {
		for _, s := range j.Steps {
			if s.Uses != "" && !pinned.MatchString(s.Uses) || strings.Contains(s.Run, "${{") || strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != false {
				t.Errorf("%+v", s)
			}
			if (s.Env["KINDEX_RELEASE_KEY"] != "") != (s.Name == "Sign") || s.Env["GH_TOKEN"] != "" && s.Name != "Release" && s.Name != "Image" {
				t.Errorf("the step %s has the wrong secrets: %v", s.Name, s.Env)
			}
			steps[s.Name] = s.Run
		}
	}
	if !strings.HasPrefix(steps["Dist"], `make dist VERSION="$GITHUB_REF_NAME" URL="`) {
		t.Error(steps["Dist"])
	}

	for tag, good := range map[string]bool{version: true, "v1.2.3": true, "v1.2.3-rc.1": true, "v1.2.3;touch$IFS'x'": false, "v1.2.3'": false,
		"v$(shell id)": false, "v1.2.3\n": false, "v1.2": false, "v1.2.3-$(id)": false, "v`id`": false} {
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps["Tag"])
		cmd.Env = append(os.Environ(), "GITHUB_REF_NAME="+tag)
		if out, err := cmd.CombinedOutput(); (err == nil) != good {
			t.Errorf("the tag %q: %v %s", tag, err, out)
		}
	}
	making := w.Jobs["dist"].Steps
	if last := making[len(making)-2]; last.Name != "Sign" || !strings.HasPrefix(making[len(making)-1].Uses, "actions/upload-artifact@") {
		t.Error("something runs after the step with the key")
	}
	for key, says := range map[string]string{"": "not signed", "secret": "-sign"} {
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps["Sign"])
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "KINDEX_RELEASE_KEY="+key, "RUNNER_TEMP="+cmd.Dir)
		suite.Check(t, writeFile(filepath.Join(cmd.Dir, "dist"), []byte("#!/bin/sh\necho \"$@\"\n"), 0o755))
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), says) {
			t.Errorf("the step Sign with the key %q: %v %s", key, err, out)
		}
	}
	if making[1].Name != "Tag" {
		t.Error("the tag is not checked before it is used")
	}
	for _, s := range w.Jobs["dist"].Steps {
		if strings.HasPrefix(s.Uses, "actions/setup-go@") && s.With["cache"] != false {
			t.Error("the release uses a cache that other workflows can write to")
		}
	}

	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	temp := t.TempDir()
	tools := filepath.Join(temp, "release", ".dist-tools")
	crane := filepath.Join(tools, "crane")
	mustRun(t, suite.Root(t), "go", "build", "-modfile=.tools.mod", "-o", crane, "github.com/google/go-containerregistry/cmd/crane")
	mustRun(t, temp, "cp", "-r", dir, filepath.Join(temp, "release", ".dist"))
	fake := "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + temp + "/gh.txt'\n"
	suite.Check(t, writeFile(filepath.Join(temp, "bin", "gh"), []byte(fake), 0o755))
	step := func(name string) (string, error) {
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps[name])
		cmd.Dir = suite.Root(t)
		if name == "Notes" {
			cmd.Dir = filepath.Join(temp, "release")
		}
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(temp, "bin")+":"+os.Getenv("PATH"), "RUNNER_TEMP="+temp, "GITHUB_REF_NAME="+version, "HOME="+temp,
			"GITHUB_REPOSITORY=Owner/kindex", "GITHUB_ACTOR=someone", "GH_TOKEN=secret", "REGISTRY="+host, "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary.md"))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	changelog := "# Changelog\n\n## Unreleased\n\n- more\n\n## " + strings.TrimPrefix(version, "v") + " – 2026-11-01\n\n- this\n\n## 0.1.0 – 2026-01-01\n\n- less\n"
	suite.Check(t, writeFile(filepath.Join(temp, "release", "CHANGELOG.md"), []byte(changelog), 0o644))
	for _, name := range []string{"Notes", "Release", "Image"} {
		if out, err := step(name); err != nil || strings.Contains(out, "secret") {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	if notes := string(read(t, filepath.Join(tools, "notes.md"))); strings.TrimSpace(notes) != "- this" {
		t.Errorf("%q", notes)
	}
	sent := string(read(t, filepath.Join(temp, "gh.txt")))
	for _, name := range namesIn(t, dir) {
		suite.Contains(t, sent, "\n"+name+"\n", name)
	}
	image := host + "/owner/kindex:" + version
	if out := mustRun(t, temp, crane, "validate", "--remote", image); !strings.Contains(out, "PASS") {
		t.Error(out)
	}

	// A damaged file must not be published.
	suite.Check(t, os.WriteFile(filepath.Join(temp, "release", ".dist", "install.sh"), []byte("rm -rf /nonexistent\n"), 0o644))
	_ = os.Remove(filepath.Join(temp, "gh.txt"))
	if out, err := step("Release"); err == nil {
		t.Errorf("published: %s", out)
	}
	if _, err := os.Stat(filepath.Join(temp, "gh.txt")); err == nil {
		t.Error("gh was called")
	}
}
