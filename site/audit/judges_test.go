package audit_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
)

// TestNu checks that the Nu HTML checker finds no error and no warning in any kind of page,
// as sent and as rendered by scripts.
func TestNu(t *testing.T) {
	suite.InSoak(t, "checks every kind of page with a Java program; TestWebsite checks each in other ways")
	jar := judge(t, "java", "vnu-jar/build/dist/vnu.jar")
	w := serve(t, whole.build(t), false)
	dir, kinds := t.TempDir(), w.kinds(t)
	for _, signedIn := range w.people() {
		tab := w.open(t, desktop, signedIn)
		for _, k := range kinds {
			if k.signedIn != signedIn {
				continue
			}
			body := w.get(t, k.path, signedIn).body
			if k.do != "" {
				tab.Do(t, chromedp.EmulateViewport(desktop, height))
				w.reach(t, tab, k)
				body = w.rendered(t, tab).body
			}
			save(t, filepath.Join(dir, k.name+".html"), body)
		}
	}
	save(t, filepath.Join(dir, "wrong.html"), []byte("<!doctype html><title>Wrong</title><p id=a><p id=a>"))
	cmd := exec.CommandContext(t.Context(), "java", "-jar", jar, "--format", "json", "--exit-zero-always", "--stdout", dir)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Messages []struct {
			Type, SubType, URL, Message, Extract string
		}
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	seen := false
	for _, m := range said.Messages {
		name := filepath.Base(m.URL)
		if name == "wrong.html" {
			seen = seen || strings.Contains(m.Message, "Duplicate ID")
			continue
		}
		t.Errorf("%s: %s %s: %s in %q", name, m.Type, m.SubType, m.Message, m.Extract)
	}
	if !seen {
		t.Errorf("the mistake in wrong.html is not found: %s", out)
	}
}

// judge returns the path of a file in site/node_modules. It skips the test if the file,
// or the program that runs it, is missing.
func judge(t *testing.T, program, file string) string {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		suite.Missing(t, program)
	}
	return filepath.Join(suite.NodeModules(t, file), filepath.FromSlash(file))
}

func save(t *testing.T, path string, body []byte) {
	t.Helper()
	if err := os.WriteFile(path, body, 0o644); err != nil {
		t.Fatal(err)
	}
}
