package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
)

// TestDeployGuide runs the commands of site/docs/deploying.md that create secrets, and checks that
// they are all that compose.yaml names.
func TestDeployGuide(t *testing.T) {
	suite.InTest(t)
	dir := t.TempDir()
	live := filepath.Join(dir, "live")
	suite.Write(t, live, map[string]string{"fullchain.pem": "fullchain.pem\n", "privkey.pem": "privkey.pem\n"})
	reasons := map[string]string{
		"compose.signing.yaml":               "needs a container engine; edge/deploy checks the file",
		"kindex-signing":                     "needs a cluster; edge/deploy checks the manifests",
		"docker compose up --detach --build": "needs a container engine; edge/deploy checks compose.yaml",
		"kubectl create configmap ":          "needs a cluster; edge/deploy checks the manifests",
	}
	ran := 0
	for _, b := range edgetest.Blocks(t, "site/docs/deploying.md") {
		if b.Language == "sh" {
			ran++
			text := strings.NewReplacer("/srv/kindex", filepath.Join(dir, "srv"), "/etc/letsencrypt/live/index.example.org", live).Replace(b.Text)
			cmd := exec.Command("bash", "-euo", "pipefail", "-c", "chown() { test \"$*\" = '-R 65532:65532 secrets "+filepath.Join(dir, "srv")+"'; }\n"+text)
			cmd.Dir = dir
			suite.Output(t, cmd)
			continue
		}
		found := false
		for text := range reasons {
			if strings.Contains(b.Text, text) {
				found = true
				delete(reasons, text)
			}
		}
		if !found {
			t.Errorf("deploying.md:%d is neither run nor has a reason:\n%s", b.Line, b.Text)
		}
	}
	if ran != 1 || len(reasons) > 0 {
		t.Errorf("%d blocks were run, want 1; no block contains %v", ran, reasons)
	}
	checkSecrets(t, dir)
}

// checkSecrets checks that the folder has the files that compose.yaml names, and no others.
func checkSecrets(t *testing.T, dir string) {
	t.Helper()
	text, named := readText(t, filepath.Join(deployFolder, "compose.yaml")), map[string]bool{}
	for _, m := range regexp.MustCompile(`: (secrets/[a-z.-]+)`).FindAllStringSubmatch(text, -1) {
		named[m[1]] = true
	}
	for name := range named {
		i, err := os.Stat(filepath.Join(dir, name))
		if err != nil || i.Mode().Perm() != 0o600 || i.Size() < 10 {
			t.Errorf("%s: %v %v", name, i, err)
		}
	}
	files, err := os.ReadDir(filepath.Join(dir, "secrets"))
	if err != nil || len(files) != len(named) {
		t.Errorf("%d files, and %d names in compose.yaml: %v", len(files), len(named), err)
	}
	for _, volume := range regexp.MustCompile(`/srv/kindex\}/([a-z]+)`).FindAllStringSubmatch(text, -1) {
		if i, err := os.Stat(filepath.Join(dir, "srv", volume[1])); err != nil || !i.IsDir() {
			t.Errorf("volume %s: %v", volume[1], err)
		}
	}
	if pass := readText(t, filepath.Join(dir, "secrets", "pgpass")); !strings.HasSuffix(pass, ":kindex:kindex:"+readText(t, filepath.Join(dir, "secrets", "postgresql-password"))) {
		t.Errorf("pgpass: %q", pass)
	}
}
